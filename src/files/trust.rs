//! Which account a trusted file belongs to, and which others can change or replace it: looked at by its handle.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};
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

/// An open file, and what its handle tells of it.
#[derive(Debug)]
pub(super) struct Judged {
    file: File,
    looks: Looks,
}

/// What is known of a file and of its folder.
#[derive(Debug)]
struct Looks {
    meta: Stat,
    /// `None` for what is open already, below `/dev` and `/proc`.
    folder: Option<Stat>,
}

impl Judged {
    pub(super) fn open(path: &Path) -> Result<Self, Distrust> {
        let place = Place::find(path)?;
        let file = place.open_to_read()?;
        let looks = Looks::of(&place, rustix::fs::fstat(&file).map_err(Distrust::from_errno)?)?;
        Ok(Self { file, looks })
    }

    pub(super) fn check_owner_and_folder(&self) -> Result<(), Distrust> {
        self.looks.check_owner_and_folder()
    }

    pub(super) fn check(&self, guard: Guard) -> Result<(), Distrust> {
        self.looks.check(guard)
    }

    pub(super) fn into_file(self) -> File {
        self.file
    }
}

impl Looks {
    fn of(place: &Place, meta: Stat) -> Result<Self, Distrust> {
        let folder = place.folder().map(rustix::fs::fstat).transpose().map_err(Distrust::from_errno)?;
        Ok(Self { meta, folder })
    }

    fn check_owner_and_folder(&self) -> Result<(), Distrust> {
        if !is_ours(&self.meta) {
            return Err(Distrust::Foreign);
        }
        match self.folder {
            Some(folder) if can_others_replace_in(&folder) => Err(Distrust::Folder),
            // In a sticky folder nobody else replaces it, but another account may have put a file of ours there.
            Some(folder) if is_regular(&self.meta) && self.meta.st_nlink > 1 && can_others_write_in(&folder) => {
                Err(Distrust::Linked)
            }
            _ => Ok(()),
        }
    }

    fn check(&self, guard: Guard) -> Result<(), Distrust> {
        let bits = match guard {
            Guard::Secret => OTHERS,
            Guard::Unchanged => OTHERS_WRITE,
        };
        let is_open = is_regular(&self.meta) && self.meta.st_mode & bits != 0;
        if is_open { Err(Distrust::Open(guard)) } else { Ok(()) }
    }
}

/// See [`super::check_program`].
pub(super) fn check_program(path: &Path) -> Result<(), Distrust> {
    let place = Place::find(path)?;
    let looks = Looks::of(&place, place.look()?)?;
    looks.check_owner_and_folder()?;
    looks.check(Guard::Unchanged)
}

impl Distrust {
    fn from_errno(error: Errno) -> Self {
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
    let found = rustix::fs::stat(path).ok()?;
    Some(is_ours(&found))
}

/// See [`super::create_own_folder`].
pub(super) fn create_own_folder(path: &Path) -> Result<(), Distrust> {
    check_own_folder(&make_folder(path)?)
}

/// Also a sticky folder lets others put a log beside a database.
fn check_own_folder(folder: &OwnedFd) -> Result<(), Distrust> {
    let found = rustix::fs::fstat(folder).map_err(Distrust::from_errno)?;
    if !is_ours(&found) || found.st_mode & OTHERS_WRITE != 0 { Err(Distrust::Folder) } else { Ok(()) }
}

/// See [`super::prepare_database`].
pub(super) fn prepare_database(path: &Path) -> Result<(), Distrust> {
    let place = Place::find(path)?;
    place.folder().map_or(Ok(()), check_own_folder)?;
    check_database(&place.open_or_create()?)?;
    for log in LOGS {
        let mut name = path.as_os_str().to_owned();
        name.push(log);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::openat(CWD, Path::new(&name), flags, Mode::empty()) {
            Err(Errno::NOENT) => {}
            opened => check_database(&File::from(opened.map_err(Distrust::from_errno)?))?,
        }
    }
    Ok(())
}

fn check_database(file: &File) -> Result<(), Distrust> {
    let found = rustix::fs::fstat(file).map_err(Distrust::from_errno)?;
    if !is_ours(&found) || !is_regular(&found) {
        return Err(Distrust::Foreign);
    }
    if found.st_nlink > 1 {
        return Err(Distrust::Linked);
    }
    if found.st_mode & OTHERS_WRITE != 0 { Err(Distrust::Open(Guard::Unchanged)) } else { Ok(()) }
}

/// See [`super::open_lock`].
pub(super) fn open_lock(path: &Path) -> Result<File, Distrust> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Distrust::Io(io::ErrorKind::IsADirectory.into()));
    };
    let folder = make_folder(parent)?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(&folder, name, flags, OWNER_ALONE) {
        // A file that is closed to us, a link, a folder: whatever it is, another account put it there.
        Err(_) if is_another_accounts(&folder, name) => return Err(Distrust::Foreign),
        opened => opened.map_err(Distrust::from_errno)?,
    };
    let found = rustix::fs::fstat(&file).map_err(Distrust::from_errno)?;
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
