//! Files that are trusted, by name: for systems whose files have no owner and permissions of this kind.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::place::{Place, make_folder};
use super::{Distrust, Guard};

/// Nothing is known of an open file.
#[derive(Debug)]
pub(super) struct FileStatus;

pub(super) fn open(path: &Path) -> Result<(File, FileStatus), Distrust> {
    Ok((Place::find(path)?.open_to_read()?, FileStatus))
}

#[expect(clippy::unnecessary_wraps, reason = "its twin looks at the permissions")]
pub(super) fn check_mode(_: &FileStatus, _: Guard) -> Result<(), Distrust> {
    Ok(())
}

/// The system has other rules than permissions, and they are not looked at.
pub fn is_open_to_others(path: &Path) -> io::Result<Option<bool>> {
    fs::metadata(path).map(|_| None)
}

/// Whether there is such a folder, which counts as ours.
pub(super) fn is_own_folder(path: &Path) -> Option<bool> {
    fs::metadata(path).is_ok().then_some(true)
}

/// Creates the folder where it is not there.
pub fn create_own_folder(path: &Path) -> Result<(), Distrust> {
    make_folder(path).map_err(Distrust::Io)
}

/// Creates the file where it is not there, and its folder.
pub fn prepare_database(path: &Path) -> Result<(), Distrust> {
    create_own_folder(path.parent().unwrap_or(Path::new("")))?;
    File::options().append(true).create(true).open(path).map(drop).map_err(Distrust::Io)
}

/// Whether there is such a program.
pub fn check_program(path: &Path) -> Result<(), Distrust> {
    fs::metadata(path).map(drop).map_err(Distrust::Io)
}

/// Opens a lock without emptying it; its folder is made where it is not there.
pub fn open_lock(path: &Path) -> Result<File, Distrust> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder)?;
    }
    let opened = File::options().read(true).write(true).create(true).truncate(false).open(path);
    opened.map_err(Distrust::Io)
}
