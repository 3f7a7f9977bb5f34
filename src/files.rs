//! The one door for files that are opened by name: each is found once, looked at by its handle, and used by that handle.
//!
//! Whoever shares a folder with us may put pipes and links there. What is written to must therefore be ours or root's,
//! and so must be each link on the way; what stands below `/dev` and `/proc` is the user's own word.

#[cfg(not(unix))]
#[path = "files/place_by_name.rs"]
mod place;
#[cfg(unix)]
mod place;

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;
use std::time::Instant;

use crate::model::file_name::safe_name;
use place::{Place, Temporary};

/// A file being written beside the one that it will replace. Dropped without [`commit`](Self::commit) it is gone and
/// the previous file is as it was. New files are for their owner alone (0600), whatever the umask says.
#[derive(Debug)]
pub struct Replacement(Target);

#[derive(Debug)]
enum Target {
    Regular(Temporary),
    /// A pipe or a device has no previous content to keep and cannot be renamed over: it is written straight.
    Stream(File),
}

impl Replacement {
    /// Starts a file that will stand at `path`, through symbolic links. Nothing at `path` changes yet, but a folder
    /// that is not there or not ours to write is found out now. What runs that were killed left there for this path is
    /// removed.
    pub fn begin(path: &Path) -> io::Result<Self> {
        Self::open(path, None, false)
    }

    /// The same for what users ask for by name: a pipe that nobody reads from is waited for until then, and a group that
    /// the file at `path` was given to can use the new one as well.
    pub fn begin_shared(path: &Path, until: Option<Instant>) -> io::Result<Self> {
        Self::open(path, until, true)
    }

    fn open(path: &Path, until: Option<Instant>, shared: bool) -> io::Result<Self> {
        let place = Place::find(path)?;
        if place.is_stream() {
            return Ok(Self(Target::Stream(place.open_stream(until)?)));
        }
        Ok(Self(Target::Regular(place.create_beside(shared)?)))
    }

    /// Puts the file in its place and makes that durable: everything written, or an error and the previous file.
    pub fn commit(self) -> io::Result<()> {
        match self.0 {
            Target::Stream(mut file) => file.flush(),
            Target::Regular(temporary) => temporary.put(),
        }
    }

    fn file(&mut self) -> &mut File {
        match &mut self.0 {
            Target::Regular(temporary) => temporary.file(),
            Target::Stream(file) => file,
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// Finds out before anything is asked of a service whether a path leads to what is refused.
pub fn check_place(path: &Path) -> io::Result<()> {
    Place::find(path).map(drop)
}

/// Opens a file that is ours to be read and continued at its end, made for its owner alone where it is not there; or a
/// pipe or device.
pub fn open_to_continue(path: &Path) -> io::Result<File> {
    let place = Place::find(path)?;
    if place.is_stream() { place.open_stream(None) } else { place.open_to_continue() }
}

/// The text of a file of the system, at most so many bytes of it.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(most).read_to_string(&mut text)?;
    Ok(text)
}

/// The bytes of a file that nobody else can read, at most so many; `None` where there is none. Refused: a link, and what
/// is another account's, has a second name, or is open to others.
pub fn read_private(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match place::open_private(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// What the names of files begin with that are being written for a file; short enough for any file system.
fn prefix(name: &str) -> String {
    let name: String = name.chars().take(40).collect();
    format!(".assessctl-{}-", safe_name(&name, "file"))
}

/// Random letters at the end of such a name.
const RANDOM: usize = 12;

/// Whether a name is one of those.
fn is_temporary(name: &str, prefix: &str) -> bool {
    let rest = name.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.len() == RANDOM && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests;
