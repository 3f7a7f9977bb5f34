//! Bytes on their last way: to standard output, or into a file that is replaced as a whole.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use super::Error;
use super::terminal::{stdout, stdout_is_closed};
use crate::files::Replacement;

/// Bytes that are written at a time.
const BUFFER: usize = 64 << 10;

/// Writes to standard output or to the file that is replaced, and says whether everything was taken.
pub(super) fn deliver(
    to: Option<&Path>,
    until: Option<Instant>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<bool, Error> {
    let written = match to {
        None => {
            let mut out = BufWriter::with_capacity(BUFFER, stdout().lock());
            write(&mut out).and_then(|()| out.flush())
        }
        Some(path) => write_file(path, until, write),
    };
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(source) => Err(match to {
            None => Error::Stdout(source),
            Some(path) => Error::File { path: path.to_owned(), source },
        }),
        Ok(()) => Ok(true),
    }
}

/// Refuses standard output that was closed before the program began: what is written there reaches no reader.
pub(super) fn refuse_closed() -> io::Result<()> {
    if stdout_is_closed() {
        Err(io::Error::other("it is closed, or the null device opened for reading too"))
    } else {
        Ok(())
    }
}

fn write_file(
    path: &Path,
    until: Option<Instant>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(BUFFER, Replacement::begin_shared(path, until)?);
    write(&mut file)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
}
