//! Which account a trusted file belongs to, and which others can change or replace it: looked at by its handle.

use std::fs::File;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::owner_and_mode::is_ours;
use super::place::Place;
use super::{Distrust, Guard};

/// What others may do, of a file's permissions.
const OTHERS_WRITE: u32 = 0o022;
/// Anything at all.
const OTHERS: u32 = 0o077;
/// In a folder of this kind each account replaces its own files alone.
const STICKY: u32 = 0o1000;
/// What SQLite names its logs, beside the database.
const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// An open file, what its handle tells of it, and what that of its folder tells.
#[derive(Debug)]
pub(super) struct Judged {
    file: File,
    meta: Stat,
    /// `None` for what is open already, below `/dev` and `/proc`.
    folder: Option<Stat>,
}

impl Judged {
    pub(super) fn open(path: &Path) -> Result<Self, Distrust> {
        let place = Place::find(path)?;
        let file = place.open_to_read()?;
        let meta = rustix::fs::fstat(&file).map_err(Distrust::from_errno)?;
        let folder = place.folder().map(rustix::fs::fstat).transpose().map_err(Distrust::from_errno)?;
        Ok(Self { file, meta, folder })
    }

    pub(super) fn check_owner_and_folder(&self) -> Result<(), Distrust> {
        if !is_ours(&self.meta) {
            return Err(Distrust::Foreign);
        }
        match self.folder {
            Some(folder) if can_others_replace_in(&folder) => Err(Distrust::Folder),
            _ => Ok(()),
        }
    }

    pub(super) fn check(&self, guard: Guard) -> Result<(), Distrust> {
        let bits = match guard {
            Guard::Secret => OTHERS,
            Guard::Unchanged => OTHERS_WRITE,
        };
        let is_open = is_regular(&self.meta) && self.meta.st_mode & bits != 0;
        if is_open { Err(Distrust::Open(guard)) } else { Ok(()) }
    }

    pub(super) fn into_file(self) -> File {
        self.file
    }
}

impl Distrust {
    fn from_errno(error: Errno) -> Self {
        Self::Io(error.into())
    }
}

fn is_regular(found: &Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::RegularFile
}

/// Root's group shares what root gave it: that is the machine's administration.
fn can_others_replace_in(folder: &Stat) -> bool {
    let bits = if folder.st_uid == 0 { 0o002 } else { OTHERS_WRITE };
    !is_ours(folder) || (folder.st_mode & bits != 0 && folder.st_mode & STICKY == 0)
}

/// Whether a folder is ours or root's; `None` where there is none.
pub(super) fn is_own_folder(path: &Path) -> Option<bool> {
    let found = rustix::fs::stat(path).ok()?;
    Some(is_ours(&found))
}

/// See [`super::prepare_database`].
pub(super) fn prepare_database(path: &Path) -> Result<(), Distrust> {
    let place = Place::find(path)?;
    if let Some(folder) = place.folder() {
        let folder = rustix::fs::fstat(folder).map_err(Distrust::from_errno)?;
        // Also a sticky folder lets others put a log beside the database.
        if !is_ours(&folder) || folder.st_mode & OTHERS_WRITE != 0 {
            return Err(Distrust::Folder);
        }
    }
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
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(CWD, path, flags, Mode::RUSR | Mode::WUSR) {
        // Of another account, which is all that keeps us from opening it.
        Err(Errno::ACCESS | Errno::PERM) if is_another_accounts(path) => return Err(Distrust::Foreign),
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

fn is_another_accounts(path: &Path) -> bool {
    rustix::fs::lstat(path).is_ok_and(|found| !is_ours(&found))
}
