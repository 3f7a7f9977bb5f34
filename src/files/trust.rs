//! Which account a trusted file belongs to, and which others can change or replace it: looked at by its handle.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, OFlags, Stat};
use rustix::io::Errno;

use super::owner_and_mode::{OTHERS_WRITE, OWNER_ALONE, can_others_write_in, is_ours};
use super::place::{Place, make_folder};
use super::{Distrust, Guard};

/// Anything at all.
const OTHERS: u32 = 0o077;
/// In a folder of this kind each account replaces its own files alone.
const STICKY: u32 = 0o1000;
/// What SQLite names its logs, beside the database.
const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// What the handle of an open file tells of it.
pub(super) type FileStatus = Stat;

/// Opens a file that is ours or root's and that others may not replace.
pub(super) fn open(path: &Path) -> Result<(File, FileStatus), Distrust> {
    let place = Place::find(path)?;
    let file = place.open_to_read()?;
    let found = rustix::fs::fstat(&file)?;
    check_owner_and_folder(&place, &found)?;
    Ok((file, found))
}

fn check_owner_and_folder(place: &Place, found: &Stat) -> Result<(), Distrust> {
    if !is_ours(found) {
        return Err(Distrust::Foreign);
    }
    // What is open already, below `/dev` and `/proc`, is in no folder.
    let Some(folder) = place.folder() else { return Ok(()) };
    let folder = rustix::fs::fstat(folder)?;
    if can_others_replace_in(&folder) {
        return Err(Distrust::Folder);
    }
    // In a sticky folder no other account replaces it, but another account may have put a file of ours there.
    if is_regular(found) && found.st_nlink > 1 && can_others_write_in(&folder) {
        return Err(Distrust::Linked);
    }
    Ok(())
}

/// Pipes have no permissions that count.
pub(super) fn check_mode(found: &FileStatus, guard: Guard) -> Result<(), Distrust> {
    let bits = match guard {
        Guard::Secret => OTHERS,
        Guard::Unchanged => OTHERS_WRITE,
    };
    let is_open = is_regular(found) && found.st_mode & bits != 0;
    if is_open { Err(Distrust::Open(guard)) } else { Ok(()) }
}

/// Whether others can do anything with a file or folder; `None` where permissions do not tell.
pub fn is_open_to_others(path: &Path) -> io::Result<Option<bool>> {
    Ok(Some(rustix::fs::stat(path)?.st_mode & OTHERS != 0))
}

/// Finds out whether a program is ours or root's, and whether others may change or replace it. It may be one that can be
/// run and not read.
pub fn check_program(path: &Path) -> Result<(), Distrust> {
    let place = Place::find(path)?;
    let found = place.look()?;
    check_owner_and_folder(&place, &found)?;
    check_mode(&found, Guard::Unchanged)
}

impl From<Errno> for Distrust {
    fn from(error: Errno) -> Self {
        Self::Io(error.into())
    }
}

fn is_regular(found: &Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::RegularFile
}

fn can_others_replace_in(folder: &Stat) -> bool {
    !is_ours(folder) || (can_others_write_in(folder) && folder.st_mode & STICKY == 0)
}

/// Whether a folder is ours or root's; `None` where there is none.
pub(super) fn is_own_folder(path: &Path) -> Option<bool> {
    rustix::fs::stat(path).ok().map(|found| is_ours(&found))
}

/// As [`create_folder`](super::create_folder), of one for what is believed later: it has to be ours or root's, and closed to
/// others.
pub fn create_own_folder(path: &Path) -> Result<(), Distrust> {
    check_own_folder(&make_folder(path)?)
}

/// Also a sticky folder lets others put a log beside a database.
fn check_own_folder(folder: &OwnedFd) -> Result<(), Distrust> {
    let found = rustix::fs::fstat(folder)?;
    if !is_ours(&found) || found.st_mode & OTHERS_WRITE != 0 { Err(Distrust::Folder) } else { Ok(()) }
}

/// Makes a database ready to be opened by name, as SQLite does: the folder is there, ours, and closed to others, so that
/// no other account can put a file in place of this one or of its logs; and what stands there already is ours alone to write.
/// It is looked at and not opened: closing a file drops all locks that this process has on it, also those of a connection
/// that is open, and another process that looks into the database would take it for the only one and empty its log.
pub fn prepare_database(path: &Path) -> Result<(), Distrust> {
    create_own_folder(path.parent().unwrap_or(Path::new("")))?;
    let place = Place::find(path)?;
    check_own_folder(place.folder().ok_or(Distrust::Foreign)?)?;
    check_database(&place.look_or_create()?)?;
    for log in LOGS {
        let mut name = path.as_os_str().to_owned();
        name.push(log);
        match rustix::fs::statat(CWD, Path::new(&name), AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => {}
            found => check_database(&found?)?,
        }
    }
    Ok(())
}

fn check_database(found: &Stat) -> Result<(), Distrust> {
    if !is_ours(found) || !is_regular(found) {
        return Err(Distrust::Foreign);
    }
    if found.st_nlink > 1 {
        return Err(Distrust::Linked);
    }
    if found.st_mode & OTHERS_WRITE != 0 { Err(Distrust::Open(Guard::Unchanged)) } else { Ok(()) }
}

/// Opens a lock, made where it is not there; what stands in it is kept. Its folder is made where it is not there.
/// Refused: a link, what has a second name, and what is another account's.
pub fn open_lock(path: &Path) -> Result<File, Distrust> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Distrust::Io(io::ErrorKind::IsADirectory.into()));
    };
    let folder = make_folder(parent)?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(&folder, name, flags, OWNER_ALONE) {
        // A file that is closed to us, a link, a folder: whatever it is, another account put it there.
        Err(_) if is_another_accounts(&folder, name) => return Err(Distrust::Foreign),
        opened => opened?,
    };
    let found = rustix::fs::fstat(&file)?;
    if !is_ours(&found) {
        return Err(Distrust::Foreign);
    }
    if found.st_nlink != 1 {
        return Err(Distrust::Linked);
    }
    Ok(File::from(file))
}

fn is_another_accounts(folder: &OwnedFd, name: &OsStr) -> bool {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|found| !is_ours(&found))
}
