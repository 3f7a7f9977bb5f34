//! Files that are trusted, by name: for systems whose files have no owner and permissions of this kind.

use std::fs::{self, File};
use std::path::Path;

use super::place::{Place, make_folder};
use super::{Distrust, Guard};

/// An open file.
#[derive(Debug)]
pub(super) struct Judged(File);

impl Judged {
    pub(super) fn open(path: &Path) -> Result<Self, Distrust> {
        Ok(Self(Place::find(path)?.open_to_read()?))
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "its twin looks at the handle")]
    pub(super) fn check_owner_and_folder(&self) -> Result<(), Distrust> {
        Ok(())
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "its twin looks at the handle")]
    pub(super) fn check(&self, _: Guard) -> Result<(), Distrust> {
        Ok(())
    }

    pub(super) fn into_file(self) -> File {
        self.0
    }
}

/// Whether there is such a folder, which counts as ours.
pub(super) fn is_own_folder(path: &Path) -> Option<bool> {
    fs::metadata(path).is_ok().then_some(true)
}

/// Creates the folder where it is not there.
pub(super) fn create_own_folder(path: &Path) -> Result<(), Distrust> {
    make_folder(path).map_err(Distrust::Io)
}

/// Creates the file where it is not there.
pub(super) fn prepare_database(path: &Path) -> Result<(), Distrust> {
    File::options().append(true).create(true).open(path).map(drop).map_err(Distrust::Io)
}

/// Whether there is such a program.
pub(super) fn check_program(path: &Path) -> Result<(), Distrust> {
    fs::metadata(path).map(drop).map_err(Distrust::Io)
}

/// Opens a lock without emptying it; its folder is made where it is not there.
pub(super) fn open_lock(path: &Path) -> Result<File, Distrust> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder)?;
    }
    let opened = File::options().read(true).write(true).create(true).truncate(false).open(path);
    opened.map_err(Distrust::Io)
}
