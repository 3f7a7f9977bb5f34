//! Files: private ones, whole replacement, and one lock; every file that is opened by name is opened here.
//!
//! Only the owner can read what we write (0600, folders 0700). What we trust (configuration, keys, state) must be ours or
//! root's and closed to others. Somebody who can write into the folder of an output can still swap names between our look
//! and our use: outputs belong into folders that only trusted people can write (SECURITY.md).

#![expect(clippy::disallowed_methods, reason = "this is the one door to files")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::model::verdict::{Failure, Verdict};

/// A file being written. A regular file is replaced as a whole by [`commit`](Self::commit), and stays as it was without it;
/// a pipe or a device is written straight.
pub struct Target {
    file: File,
    /// Where a regular file is until it is whole, and where it will be.
    whole: Option<(TempPath, PathBuf)>,
}

impl Target {
    /// Begins a file that will be at `path`, through links. A link or a pipe there must be ours or root's.
    pub fn create(path: &Path) -> io::Result<Self> {
        check_owner(path)?;
        if is_stream(path) {
            return Ok(Self { file: OpenOptions::new().append(true).open(path)?, whole: None });
        }
        let path = whole_name(path)?;
        let made = tempfile::Builder::new().prefix(".").suffix(".tmp").tempfile_in(folder_of(&path))?;
        let (file, temporary) = made.into_parts();
        Ok(Self { file, whole: Some((temporary, path)) })
    }

    /// Puts the file in its place, durably, with the group and the mode of the file that was there before.
    pub fn commit(self) -> io::Result<()> {
        let Some((temporary, path)) = self.whole else { return Ok(()) };
        #[cfg(unix)]
        if let Ok(before) = fs::metadata(&path) {
            self.file.set_permissions(permissions_like(&before, &self.file))?;
        }
        self.file.sync_all()?;
        temporary.persist(&path)?;
        if cfg!(unix) { File::open(folder_of(&path))?.sync_all() } else { Ok(()) }
    }
}

/// The mode of another file. A group that the file cannot have gets no rights on it.
#[cfg(unix)]
fn permissions_like(before: &fs::Metadata, file: &File) -> fs::Permissions {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let is_group = fchown(file, None, Some(before.gid())).is_ok();
    fs::Permissions::from_mode(before.mode() & if is_group { 0o777 } else { 0o707 })
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Whether a path leads to something that is no regular file, or that is open already: it is written straight, never
/// replaced.
pub fn is_stream(path: &Path) -> bool {
    let is_open = path == "/dev/stderr" || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| folder_of(path) == *folder);
    is_open || is_stdout(path) || fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Whether a path names standard output itself: what others wrote there before and write after us stays.
pub fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == *name)
}

/// Whether two paths lead to one regular file, there or to be: writing both would lose one.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| if is_stream(path) { None } else { whole_name(path).ok() };
    whole(one).is_some_and(|one| whole(other) == Some(one))
}

/// Whether there is a regular file of more than so many bytes. One that cannot be looked at is an error, and never missing.
pub fn is_longer(path: &Path, length: usize) -> io::Result<bool> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        found => found.map(|found| found.is_file() && found.len() > length as u64),
    }
}

/// Reads a file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let read = File::open(path).and_then(|file| read_open(file, most));
    read.map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))
}

fn read_open(file: impl io::Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

/// Reads all of standard input, at most `most` bytes.
pub fn read_stdin(most: u64) -> io::Result<Vec<u8>> {
    read_open(io::stdin().lock(), most)
}

/// Reads a small file that is trusted: it must be ours and closed to others, or root's. `None` where there is none.
pub fn read_private(path: &Path) -> Result<Option<String>, Failure> {
    const MOST: u64 = 1 << 20;
    let failed = |error: &io::Error| Failure::usage(format!("cannot read {}: {error}", path.display()));
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| failed(&error))?,
    };
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(Failure::usage(format!("{} is a folder", path.display())));
    }
    check_private(&file, path)?;
    let bytes = read_open(file, MOST).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::usage(format!("{} is not UTF-8 text", path.display())))?;
    Ok(Some(text.trim_start_matches('\u{feff}').to_owned()))
}

/// Opens a file of ours to append to it; a missing one is made, private to its owner. A link of another account is refused.
pub fn append(path: &Path) -> io::Result<File> {
    open_private(path, OpenOptions::new().append(true))
}

/// Opens a file, which is made where there is none, private to its owner.
fn open_private(path: &Path, how: &mut OpenOptions) -> io::Result<File> {
    check_owner(path)?;
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(how, 0o600);
    how.read(true).create(true).open(path)
}

/// Closes a file to other accounts, also where it was open to them.
pub fn close_to_others(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Makes a folder that is private to its owner. One that is there must be ours and closed to others.
pub fn private_folder(path: &Path) -> Result<(), Failure> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(path).and_then(|()| File::open(path));
    let failed =
        |error| Failure::new(Verdict::Unforeseen, format!("cannot use the folder {}: {error}", path.display()));
    check_private(&made.map_err(failed)?, path)
}

/// Takes the lock of a file, which is made where there is none; `None` where another process holds it. Dropping it frees
/// the lock.
pub fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = open_private(path, OpenOptions::new().write(true).truncate(false))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Takes the same lock when it is free: for work that takes no longer than writing a file.
pub fn wait_for_lock(path: &Path) -> io::Result<File> {
    let file = open_private(path, OpenOptions::new().write(true).truncate(false))?;
    file.lock().map(|()| file)
}

/// Removes a file.
pub fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Where a file is or will be, through links.
fn whole_name(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if path.is_symlink() {
                return Err(io::Error::new(io::ErrorKind::NotFound, "it is a symbolic link to nothing"));
            }
            let name = path.file_name().ok_or_else(|| io::Error::other("it names no file"))?;
            Ok(fs::canonicalize(folder_of(path))?.join(name))
        }
        Ok(whole) if whole.is_dir() => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
        whole => whole,
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(unix)]
fn is_ours(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    found.uid() == 0 || found.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_ours(_found: &fs::Metadata) -> bool {
    true
}

/// A link or a pipe of another account at a target would lead our output elsewhere.
fn check_owner(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() && !is_ours(&found) => {
            Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is a link or a pipe of another account"))
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn check_private(file: &File, path: &Path) -> Result<(), Failure> {
    use rustix::fs::StatVfsMountFlags;
    use std::os::unix::fs::MetadataExt as _;

    let found = file.metadata().map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
    let refused = |why: &str| Failure::usage(format!("{} {why}", path.display()));
    // A container mounts secrets as root's, readable for all, perhaps where nothing can be written. A folder of root's is a
    // mistake of `sudo`: we could not write.
    let is_mounted = found.uid() == 0 && found.mode() & 0o022 == 0 && !found.is_dir();
    let is_read_only = || rustix::fs::fstatvfs(file).is_ok_and(|on| on.f_flag.contains(StatVfsMountFlags::RDONLY));
    match found.mode() & 0o077 {
        _ if !is_ours(&found) => Err(refused("belongs to another user of this computer")),
        // `/dev/null` for no configuration.
        _ if !found.is_file() && !found.is_dir() => Ok(()),
        0 => Ok(()),
        _ if is_mounted && (found.mode() & 0o200 == 0 || !rustix::process::geteuid().is_root() || is_read_only()) => {
            Ok(())
        }
        _ => {
            let advice = if found.is_dir() { "if nobody else needs this folder: chmod 700" } else { "chmod 600" };
            let path = crate::model::show::shell_word(&path.to_string_lossy());
            Err(refused("can be opened by other users of this computer").hint(format!("{advice} {path}")))
        }
    }
}

#[cfg(not(unix))]
fn check_private(_file: &File, _path: &Path) -> Result<(), Failure> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("there").permissions().mode() & 0o777
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_or_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
        let mut dropped = Target::create(&path).expect("begun");
        dropped.write_all(b"half").expect("written");
        drop(dropped);
        assert_eq!(fs::read_to_string(&path).expect("read"), "old");
        let link = folder.path().join("link.csv");
        symlink(&path, &link).expect("linked");
        let mut whole = Target::create(&link).expect("begun");
        whole.write_all(b"new").expect("written");
        whole.commit().expect("put");
        assert_eq!((fs::read_to_string(&path).expect("read").as_str(), mode(&path)), ("new", 0o640));
        assert!(link.is_symlink());
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 2, "nothing is left behind");
    }

    #[test]
    fn one_file_has_several_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let [there, link, new] = ["there.csv", "link.csv", "new.csv"].map(|name| folder.path().join(name));
        fs::write(&there, "").expect("written");
        symlink(&there, &link).expect("linked");
        assert!(is_same(&there, &link) && is_same(&new, &folder.path().join("./new.csv")) && !is_same(&there, &new));
        assert!(!is_same(Path::new("/dev/null"), Path::new("/dev/null")), "a stream takes both");
    }

    #[test]
    fn a_new_file_is_for_its_owner_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        Target::create(&path).expect("begun").commit().expect("put");
        append(&folder.path().join("links.csv")).expect("opened");
        private_folder(&folder.path().join("state/deep")).expect("made");
        assert_eq!(
            [mode(&path), mode(&folder.path().join("links.csv")), mode(&folder.path().join("state"))],
            [0o600, 0o600, 0o700]
        );
    }

    #[test]
    fn what_others_may_read_is_not_trusted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        assert_eq!(read_private(&path), Ok(None));
        fs::write(&path, "\u{feff}k-1\n").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("set");
        let hint = read_private(&path).expect_err("open").hint;
        assert_eq!(hint, Some(format!("chmod 600 {}", path.display())));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
        assert_eq!(read_private(&path), Ok(Some("k-1\n".into())));
    }

    #[test]
    fn a_lock_is_held_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let held = lock(&path).expect("opened");
        assert!(held.is_some() && lock(&path).expect("opened").is_none());
        drop(held);
        assert!(lock(&path).expect("opened").is_some());
    }
}
