//! The one door for files that are opened by name: each is found once, looked at by its handle, and used by that handle.
//!
//! Other accounts that share a folder with us may put pipes and links there. What is written to must therefore be ours
//! or root's, and so must be each link on the way; what stands below `/dev` and `/proc` is the user's own word. What is
//! trusted (a configuration, a key, a certificate, the state) must be such that no other account can change or replace
//! it. A roster is data: a regular file of a colleague is read, a pipe or a link of one is not followed.

#![expect(clippy::disallowed_methods, reason = "this is the door")]

#[cfg(feature = "xlsx")]
mod archive;
#[cfg(unix)]
mod owner_and_mode;
#[cfg(not(unix))]
#[path = "files/place_by_name.rs"]
mod place;
#[cfg(unix)]
mod place;
#[cfg(not(unix))]
#[path = "files/trust_by_name.rs"]
mod trust;
#[cfg(unix)]
mod trust;

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Instant;

use crate::model::file_name::safe_name;
#[cfg(feature = "xlsx")]
pub use archive::{MOST_PARTS, directory_fits};
use place::{Place, Temporary};
pub use trust::{check_program, create_own_folder, is_open_to_others, open_lock, prepare_database};

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
    /// that is not there or not ours to write is found out now. What runs that were killed left in its folder is
    /// removed.
    pub fn begin(path: &Path) -> io::Result<Self> {
        Self::open(path, None, false)
    }

    /// The same for what users ask for by name: a pipe without a reader is waited for until then, and a group that
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

/// Whether a path ends as that of a folder: without its last sign it would name a file.
pub fn names_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|last| std::path::is_separator(char::from(*last)))
}

/// Finds out before anything is asked of a service whether a path leads to what is refused.
pub fn check_place(path: &Path) -> io::Result<()> {
    Place::find(path).map(drop)
}

/// Where a file stands or would stand, through symbolic links; as it was given where that is not known. What is kept about a
/// file goes by this name; what is opened is found anew, step by step.
pub fn whole_name(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::canonicalize(path)
        .or_else(|_| Ok(std::fs::canonicalize(folder)?.join(path.file_name().unwrap_or_default())))
        .unwrap_or_else(|_: io::Error| path.to_owned())
}

/// Whether a path names something that is no regular file, or a stream that the user has open: it is written straight.
pub fn is_stream(path: &Path) -> bool {
    names_open_stream(path) || std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Whether a path names a device, or what a process has open: there even a regular file is an open stream (`/dev/stdout`
/// behind `> file`), which a rename would tear off. It must say so itself, name by name: what leads on from there
/// (`/proc/self/root/…`, `/dev/fd/3/…`, `/dev/shm/…`) is a path like any other.
fn names_open_stream(path: &Path) -> bool {
    let names: Option<Vec<&str>> = path
        .components()
        .map(|component| match component {
            Component::RootDir => Some("/"),
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    match names.as_deref() {
        Some(["/", "dev", _]) => true,
        Some(["/", "dev", "fd" | "pts", number]) => is_number(number),
        Some(["/", "proc", process, "fd", number]) => {
            is_number(number) && (is_number(process) || matches!(*process, "self" | "thread-self"))
        }
        Some(["/", "proc", process, "task", thread, "fd", number]) => {
            is_number(number) && is_number(thread) && (is_number(process) || *process == "self")
        }
        _ => false,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Opens a file that is ours to be read and continued at its end, made for its owner alone where it is not there; or a
/// pipe or device.
pub fn open_to_continue(path: &Path) -> io::Result<File> {
    let place = Place::find(path)?;
    if place.is_stream() { place.open_stream(None) } else { place.open_to_continue() }
}

/// Opens a file to be read as data, whichever account owns it; a pipe or device of ours, too. Refused: a folder, a link of another
/// account on the way, and a pipe or device of one.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    Place::find(path)?.open_to_read()
}

/// The text of such a file; one of more bytes than this is an error.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    match open_to_read(path)?.take(most.saturating_add(1)).read_to_string(&mut text)? as u64 {
        read if read > most => {
            Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes")))
        }
        _ => Ok(text),
    }
}

/// What others must not be able to do with a file that is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Read it, or change it.
    Secret,
    /// Change it.
    Unchanged,
}

/// Why a file that would be trusted is not.
#[derive(Debug, thiserror::Error)]
pub enum Distrust {
    /// It cannot be opened or looked at.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Others may do with it what they must not be able to do.
    #[error("others can read or change it")]
    Open(Guard),
    /// It is neither ours nor root's.
    #[error("it belongs to another account")]
    Foreign,
    /// Others may put another one in its place.
    #[error("others can replace it: they may write in its folder")]
    Folder,
    /// It can be reached by a second name, which another account may have given it.
    #[error("it has a second name")]
    Linked,
}

impl From<Distrust> for io::Error {
    fn from(distrust: Distrust) -> Self {
        match distrust {
            Distrust::Io(error) => error,
            other => Self::new(io::ErrorKind::PermissionDenied, other),
        }
    }
}

/// A file that is trusted: open, ours or root's, and not to be replaced by others.
#[derive(Debug)]
pub struct Trusted {
    file: File,
    status: trust::FileStatus,
}

impl Trusted {
    /// Opens it, and finds out whose it is and whether others may replace it.
    pub fn open(path: &Path) -> Result<Self, Distrust> {
        trust::open(path).map(|(file, status)| Self { file, status })
    }

    /// Whether others can do with it what they must not be able to do.
    pub fn check(&self, guard: Guard) -> Result<(), Distrust> {
        trust::check_mode(&self.status, guard)
    }

    /// The open file that was judged.
    pub fn into_file(self) -> File {
        self.file
    }
}

/// The bytes of a file that is trusted with a secret, at most so many; `None` where there is none.
pub fn read_secret(path: &Path, most: u64) -> Result<Option<Vec<u8>>, Distrust> {
    let trusted = match Trusted::open(path) {
        Err(Distrust::Io(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    trusted.check(Guard::Secret)?;
    let mut bytes = Vec::new();
    trusted.into_file().take(most).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Creates a folder, and those above it, for their owner alone (0700). One that is there stays as it is. Refused: a link
/// of another account on the way.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    place::make_folder(folder).map(drop)
}

/// Whether the folder that this path is in, or the nearest one above it that is there, is ours or root's.
pub fn is_at_home(path: &Path) -> bool {
    path.ancestors().skip(1).find_map(trust::is_own_folder).unwrap_or(true)
}

/// What the names of all files begin with that are being written.
const PREFIX: &str = ".assessctl-";

/// What the names of files begin with that are being written for a file; short enough for any file system.
fn prefix(name: &str) -> String {
    let name: String = name.chars().take(40).collect();
    format!("{PREFIX}{}-", safe_name(&name, "file"))
}

/// Random letters at the end of such a name.
const RANDOM: usize = 12;

/// Whether a name is one of those, for whatever file.
fn is_temporary(name: &str) -> bool {
    let letters = name.strip_prefix(PREFIX).and_then(|rest| rest.rsplit_once('-')).map(|(_, letters)| letters);
    letters.is_some_and(|letters| letters.len() == RANDOM && letters.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests;
