//! Where a path leads, by name: for systems whose folders have no handles of this kind.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use tempfile::NamedTempFile;

use super::{RANDOM, is_temporary, names_folder, prefix};

/// A path, and whether it is no regular file.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    is_stream: bool,
}

impl Place {
    /// Follows a path; a folder is refused.
    pub(super) fn find(path: &Path) -> io::Result<Self> {
        if names_folder(path) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is called as a folder is"));
        }
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let kind = fs::metadata(&path).ok().map(|found| found.file_type());
        if kind.is_some_and(|kind| kind.is_dir()) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self { path, is_stream: kind.is_some_and(|kind| !kind.is_file()) })
    }

    /// Whether it is written straight, because there is nothing to rename over.
    pub(super) fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// Opens a pipe or device.
    pub(super) fn open_stream(&self, _: Option<Instant>) -> io::Result<File> {
        File::options().append(true).open(&self.path)
    }

    /// Opens what stands here to be read.
    pub(super) fn open_to_read(&self) -> io::Result<File> {
        File::open(&self.path)
    }

    /// Opens the file to be read and continued.
    pub(super) fn open_to_continue(&self) -> io::Result<File> {
        File::options().read(true).append(true).create(true).open(&self.path)
    }

    /// Creates the file that will stand here, and removes what killed runs left. Who may read it is what the folder says.
    pub(super) fn create_beside(self, _shared: bool) -> io::Result<Temporary> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let prefix = prefix(&name);
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_left = entry.file_name().to_str().is_some_and(is_temporary);
            if is_left && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = fs::remove_file(entry.path());
            }
        }
        let file = tempfile::Builder::new().prefix(&prefix).rand_bytes(RANDOM).tempfile_in(folder)?;
        // The lock tells the next run that this one is at work.
        let _ = file.as_file().try_lock();
        Ok(Temporary { place: self, file })
    }
}

/// Creates a folder, and those above it.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// A new file beside its place. Dropped before it is put there it is removed.
#[derive(Debug)]
pub(super) struct Temporary {
    place: Place,
    file: NamedTempFile,
}

impl Temporary {
    pub(super) fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Puts the file in its place.
    pub(super) fn put(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.as_file().sync_all()?;
        self.file.persist(&self.place.path).map(drop).map_err(|refused| refused.error)
    }
}
