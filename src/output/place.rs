//! Where output goes: standard output, or a file that is replaced as a whole.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::terminal::{stdout, stdout_is_terminal};
use super::visible::visible_lines;
use crate::files::{Target, is_stdout, is_stream};
use crate::model::verdict::{Failure, Verdict};

/// Bytes that are written at a time.
const BUFFER: usize = 64 << 10;

/// Where output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Stdout,
    /// A regular file is replaced as a whole or stays as it was; a pipe or a device is written straight.
    File(PathBuf),
}

impl Place {
    /// The place that `--to` names; without it, standard output.
    pub fn of(to: Option<&Path>) -> Self {
        match to {
            Some(path) if !is_stdout(path) => Self::File(path.to_owned()),
            _ => Self::Stdout,
        }
    }

    /// Whether a person reads what is written here.
    pub fn is_terminal(&self) -> bool {
        *self == Self::Stdout && stdout_is_terminal()
    }

    /// Refuses a file that could not be written, by beginning it: before the first request.
    pub fn check(&self) -> Result<(), Failure> {
        // A number that is not open now may be a file of ours later. A named pipe would lose its reader.
        let is_number = |path: &Path| ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.starts_with(folder));
        match self {
            Self::File(path) if is_number(path) || !is_stream(path) => Target::create(path)
                .map(drop)
                .map_err(|error| Failure::usage(format!("cannot write to {}: {error}", path.display()))),
            _ => Ok(()),
        }
    }

    /// Writes everything, and says whether all of it was taken: `false` where the reader of a pipe left before.
    pub fn write(&self, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<bool> {
        let written = match self {
            Self::Stdout => flushed(stdout().lock(), write).map(drop),
            Self::File(path) => Target::create(path)
                .map_err(anyhow::Error::from)
                .and_then(|target| Ok(flushed(target, write)?.commit()?)),
        };
        let Err(error) = written else { return Ok(true) };
        match error.downcast::<io::Error>() {
            // A file that was named, such as `>(gpg …)`, has to take it all.
            Ok(error) if error.kind() == io::ErrorKind::BrokenPipe && matches!(self, Self::Stdout) => Ok(false),
            Ok(error) => Err(self.failed(&error).into()),
            Err(other) => Err(other),
        }
    }

    /// Makes the written output durable before it is remembered as reported. A file of `--to` is durable already.
    pub fn sync(&self) -> Result<(), Failure> {
        match self {
            Self::Stdout => sync_stdout().map_err(|error| self.failed(&error)),
            Self::File(_) => Ok(()),
        }
    }

    fn failed(&self, error: &io::Error) -> Failure {
        let name = match self {
            Self::Stdout => "standard output".into(),
            Self::File(path) => path.to_string_lossy(),
        };
        Failure::new(Verdict::Unforeseen, format!("cannot write to {name}: {error}"))
    }
}

/// Prints a text of our own on standard output at once: the address of a server, a completion script. A reader who left is
/// no error.
pub fn print_text(text: &str) -> anyhow::Result<()> {
    let shown = if stdout_is_terminal() { visible_lines(text) } else { text.to_owned() };
    Place::Stdout.write(|out| Ok(out.write_all(shown.as_bytes())?)).map(drop)
}

fn flushed<W: Write>(out: W, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<W> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    write(&mut out)?;
    out.flush()?;
    Ok(out.into_inner().map_err(io::IntoInnerError::into_error)?)
}

#[cfg(unix)]
fn sync_stdout() -> io::Result<()> {
    use std::os::fd::AsFd as _;
    let file = std::fs::File::from(stdout().as_fd().try_clone_to_owned()?);
    // Pipes, terminals and devices keep nothing.
    if file.metadata()?.is_file() { file.sync_all() } else { Ok(()) }
}

#[cfg(not(unix))]
fn sync_stdout() -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn write(to: &Path, text: &str) -> anyhow::Result<bool> {
        Place::of(Some(to)).write(|out| Ok(out.write_all(text.as_bytes())?))
    }

    #[test]
    fn standard_output_has_several_names() {
        for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            assert_eq!(Place::of(Some(Path::new(name))), Place::Stdout);
        }
        assert_eq!(Place::of(None), Place::Stdout);
        assert_eq!(Place::of(Some(Path::new("/dev/null"))), Place::File("/dev/null".into()));
    }

    #[test]
    fn what_cannot_be_written_is_refused_before_and_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        for bad in ["", "no/out.csv", "."] {
            let path = if bad.is_empty() { PathBuf::new() } else { folder.path().join(bad) };
            assert_eq!(Place::of(Some(&path)).check().map_err(|refused| refused.verdict), Err(Verdict::Usage), "{bad}");
        }
        assert_eq!(Place::of(Some(&folder.path().join("out.csv"))).check(), Ok(()));
        assert_eq!(folder.path().read_dir().expect("listed").count(), 0);
    }

    #[test]
    fn a_file_that_fails_half_way_stays_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        assert!(write(&path, "old").expect("written"));
        let failed = Place::of(Some(&path)).write(|out| {
            out.write_all(b"half")?;
            anyhow::bail!("a bad record")
        });
        assert!(failed.is_err());
        assert_eq!(crate::files::read(&path, 100).expect("read"), b"old");
    }

    #[test]
    fn a_reader_who_left_is_no_error_but_of_a_file_that_was_named() {
        let left = |place: Place| place.write(|_| Err(io::Error::from(io::ErrorKind::BrokenPipe).into()));
        assert!(!left(Place::Stdout).expect("no error"));
        assert!(left(Place::of(Some(Path::new("/dev/null")))).is_err());
        assert!(write(Path::new("/dev/null"), "gone").expect("written"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_of_this_machine() {
        let error = write(Path::new("/dev/full"), "x").expect_err("full").downcast::<Failure>().expect("a failure");
        assert_eq!(error.verdict, Verdict::Unforeseen);
        assert!(error.cause.starts_with("cannot write to /dev/full: "), "{error}");
    }
}
