//! Where a path leads, step by step and each step by its handle, so that none can be swapped in between.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::owner_and_mode::{Group, OWNER_ALONE, can_others_write_in, is_ours};
use super::{RANDOM, is_temporary, names_folder, names_open_stream, prefix};

/// Links that are followed on the way to a file, as many as Linux follows.
const MOST_LINKS: usize = 40;

/// How often a pipe is looked at for a reader.
const READER_TRIES: Duration = Duration::from_millis(20);

/// A name in an open folder, and what stood there when it was found.
#[derive(Debug)]
pub(super) struct Place {
    folder: OwnedFd,
    name: OsString,
    what: What,
}

#[derive(Debug)]
enum What {
    Nothing,
    /// A regular file.
    Regular {
        /// It is another account's.
        is_foreign: bool,
        /// It has a second name, which another account may have given it.
        is_linked: bool,
        group: Group,
    },
    /// A pipe, socket or device that is ours.
    Special,
    /// Below `/dev` or `/proc`: the user's own word.
    Device(PathBuf),
}

impl Place {
    /// Follows a path. Refused: a folder, a link of another account, a link that leads to nothing, and a pipe, socket or
    /// device of another account.
    pub(super) fn find(path: &Path) -> io::Result<Self> {
        if names_folder(path) {
            return Err(refused(io::ErrorKind::IsADirectory, "it is called as a folder is"));
        }
        let mut walk = Walk::begin(path)?;
        if names_open_stream(path) {
            return Ok(Self { folder: walk.folder, name: OsString::new(), what: What::Device(path.to_owned()) });
        }
        while let Some(name) = walk.next() {
            if is_up(&name) {
                walk.enter(&name)?;
                continue;
            }
            let is_last = walk.left.is_empty();
            let Some(found) = walk.look(&name)? else {
                let nothing = Self { folder: walk.folder, name, what: What::Nothing };
                return if is_last { Ok(nothing) } else { Err(Errno::NOENT.into()) };
            };
            match FileType::from_raw_mode(found.st_mode) {
                FileType::Symlink => {
                    let whole = walk.follow(&name)?;
                    if names_open_stream(&whole) {
                        return Ok(Self { folder: walk.folder, name, what: What::Device(whole) });
                    }
                }
                FileType::Directory if is_last => return Err(io::ErrorKind::IsADirectory.into()),
                FileType::Directory => walk.enter(&name)?,
                _ if !is_last => return Err(io::ErrorKind::NotADirectory.into()),
                kind => {
                    let what = what(kind, &found)?;
                    return Ok(Self { folder: walk.folder, name, what });
                }
            }
        }
        Err(io::ErrorKind::IsADirectory.into())
    }

    /// What there is to know of the file without opening it, for one that may be run and not read.
    pub(super) fn look(&self) -> io::Result<Stat> {
        Ok(match &self.what {
            What::Device(path) => rustix::fs::stat(path)?,
            _ => rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?,
        })
    }

    /// The folder that it is in; `None` below `/dev` and `/proc`.
    pub(super) fn folder(&self) -> Option<&OwnedFd> {
        if matches!(self.what, What::Device(_)) { None } else { Some(&self.folder) }
    }

    /// As [`look`](Self::look), of a file that is made for its owner alone where it is not there.
    pub(super) fn look_or_create(&self) -> io::Result<Stat> {
        if matches!(self.what, What::Nothing) {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            // Another run may have made it meanwhile.
            match rustix::fs::openat(&self.folder, &self.name, flags, OWNER_ALONE) {
                Err(Errno::EXIST) => {}
                made => drop(made?),
            }
        }
        self.look()
    }

    /// Whether it is written straight, because there is nothing to rename over.
    pub(super) fn is_stream(&self) -> bool {
        matches!(self.what, What::Special | What::Device(_))
    }

    /// Opens a pipe or device; a pipe waits for its reader. Appending keeps what a shell's `>>` had.
    pub(super) fn open_stream(&self, until: Option<Instant>) -> io::Result<File> {
        if let What::Device(path) = &self.what {
            return File::options().append(true).open(path);
        }
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match until {
            None => rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty())?,
            Some(until) => self.open_until(flags, until)?,
        };
        let found = rustix::fs::fstat(&file)?;
        // What was swapped in since then is looked at as well.
        what(FileType::from_raw_mode(found.st_mode), &found)?;
        Ok(File::from(file))
    }

    /// Opens a stream without waiting, again and again: only so can waiting for a pipe's reader end.
    fn open_until(&self, flags: OFlags, until: Instant) -> io::Result<OwnedFd> {
        loop {
            match rustix::fs::openat(&self.folder, &self.name, flags | OFlags::NONBLOCK, Mode::empty()) {
                Err(Errno::NXIO) if Instant::now() < until => std::thread::sleep(READER_TRIES),
                Err(Errno::NXIO) => return Err(refused(io::ErrorKind::TimedOut, "no program reads from this pipe")),
                opened => {
                    let file = opened?;
                    // What is written waits for the reader, as ever.
                    rustix::fs::fcntl_setfl(&file, rustix::fs::fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
                    return Ok(file);
                }
            }
        }
    }

    /// Opens what stands here to be read.
    pub(super) fn open_to_read(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // What was a regular file a moment ago is not waited for, should it be a pipe now.
        let flags = match &self.what {
            What::Device(path) => return File::open(path),
            What::Nothing => return Err(Errno::NOENT.into()),
            What::Regular { .. } => flags | OFlags::NONBLOCK,
            What::Special => flags,
        };
        let file = rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty())?;
        let found = rustix::fs::fstat(&file)?;
        what(FileType::from_raw_mode(found.st_mode), &found)?;
        Ok(File::from(file))
    }

    /// Opens the file to be read and continued, and removes what killed runs left.
    pub(super) fn open_to_continue(&self) -> io::Result<File> {
        sweep(&self.folder);
        let flags =
            OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.folder, &self.name, flags, OWNER_ALONE)?;
        let found = rustix::fs::fstat(&file)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile || !is_ours(&found) {
            return Err(refused(io::ErrorKind::PermissionDenied, "it belongs to another account"));
        }
        if found.st_nlink > 1 {
            let cause = "it has a second name, and what is written would stand there too";
            return Err(refused(io::ErrorKind::PermissionDenied, cause));
        }
        Ok(File::from(file))
    }

    /// Creates the file that will stand here, and removes what killed runs left. `shared`: the group that the file
    /// here was shared with can read the new one too.
    pub(super) fn create_beside(self, shared: bool) -> io::Result<Temporary> {
        let group = match self.what {
            What::Regular { is_foreign, is_linked, group } if shared => {
                group.given_on_purpose(&self.folder, is_foreign || is_linked)?
            }
            _ => None,
        };
        let prefix = prefix(&self.name.to_string_lossy());
        sweep(&self.folder);
        let letters = std::iter::repeat_with(fastrand::alphanumeric).take(RANDOM);
        let temporary: OsString = prefix.chars().chain(letters).collect::<String>().into();
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&self.folder, &temporary, flags, OWNER_ALONE)?);
        // The lock tells `sweep` that a run is at work; where there are no locks, nothing is swept either.
        let _ = file.try_lock();
        Ok(Temporary { place: self, name: temporary, file, group })
    }
}

/// A path on its way: the folder that it has led to, and the names that are left.
struct Walk {
    folder: OwnedFd,
    left: VecDeque<OsString>,
    links: usize,
    /// How many of the names are of a link, and not of the path itself.
    of_links: usize,
    /// Whether the name that was taken last is one of those.
    is_of_link: bool,
}

impl Walk {
    fn begin(path: &Path) -> io::Result<Self> {
        let folder = open_folder(CWD, OsStr::new("."))?;
        Ok(Self { folder, left: steps(path), links: 0, of_links: 0, is_of_link: false })
    }

    fn next(&mut self) -> Option<OsString> {
        self.is_of_link = self.of_links > 0;
        self.of_links = self.of_links.saturating_sub(1);
        self.left.pop_front()
    }

    /// What has this name here; `None` where the path itself, and no link, names what is not there.
    fn look(&self, name: &OsStr) -> io::Result<Option<Stat>> {
        match rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) if self.is_of_link => Err(refused(io::ErrorKind::NotFound, "the link leads to nothing")),
            Err(Errno::NOENT) => Ok(None),
            found => Ok(Some(found?)),
        }
    }

    fn enter(&mut self, name: &OsStr) -> io::Result<()> {
        self.folder = open_folder(&self.folder, name)?;
        Ok(())
    }

    /// Puts where a link leads in its place, and says what the path is from here on.
    fn follow(&mut self, name: &OsStr) -> io::Result<PathBuf> {
        if self.links == MOST_LINKS {
            return Err(Errno::LOOP.into());
        }
        let target = own_link(&self.folder, name)?;
        let whole = [target.clone()].into_iter().chain(self.left.iter().map(PathBuf::from)).collect();
        let steps = steps(&target);
        self.links += 1;
        self.of_links += steps.len();
        for step in steps.into_iter().rev() {
            self.left.push_front(step);
        }
        Ok(whole)
    }
}

/// Opens a folder, made for its owner alone where it is not there, and so are those above it. A link of another account
/// on the way is refused.
pub(super) fn make_folder(path: &Path) -> io::Result<OwnedFd> {
    let mut walk = Walk::begin(path)?;
    while let Some(name) = walk.next() {
        if is_up(&name) {
            walk.enter(&name)?;
            continue;
        }
        match walk.look(&name)?.map(|found| FileType::from_raw_mode(found.st_mode)) {
            Some(FileType::Symlink) => drop(walk.follow(&name)?),
            Some(_) => walk.enter(&name)?,
            None => {
                match rustix::fs::mkdirat(&walk.folder, &name, Mode::RWXU) {
                    // Another run of ours may be as far; what is not ours is refused by who opens something in it.
                    Err(Errno::EXIST) => {}
                    made => made?,
                }
                walk.enter(&name)?;
            }
        }
    }
    Ok(walk.folder)
}

/// A new file beside its place. Dropped before it is put there it is removed.
#[derive(Debug)]
pub(super) struct Temporary {
    place: Place,
    name: OsString,
    file: File,
    group: Option<Group>,
}

impl Temporary {
    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Puts the file in its place, durably.
    pub(super) fn put(mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some(group) = self.group {
            group.share(&self.file)?;
        }
        self.file.sync_all()?;
        let Place { folder, name: target, what } = &self.place;
        match rustix::fs::renameat(folder, &self.name, folder, target) {
            Err(Errno::PERM | Errno::ACCESS) if matches!(what, What::Regular { is_foreign: true, .. }) => {
                let cause = "it belongs to another account, and the folder lets that account alone replace it";
                return Err(refused(io::ErrorKind::PermissionDenied, cause));
            }
            renamed => renamed?,
        }
        let readable = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::fsync(rustix::fs::openat(folder, ".", readable, Mode::empty())?)?)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After `put` there is nothing of this name any more.
        let _ = rustix::fs::unlinkat(&self.place.folder, &self.name, AtFlags::empty());
    }
}

/// Removes what writers of a file left beside it when they were killed. A run at work holds a lock on its file. What
/// can't be removed stays: it does no harm.
fn sweep(folder: &OwnedFd) {
    let readable = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(entries) = rustix::fs::openat(folder, ".", readable | OFlags::DIRECTORY, Mode::empty()) else { return };
    for entry in rustix::fs::Dir::new(entries).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.to_str().is_ok_and(is_temporary) {
            continue;
        }
        let Ok(file) = rustix::fs::openat(folder, name, readable, Mode::empty()) else { continue };
        let is_own = rustix::fs::fstat(&file).is_ok_and(|found| is_ours(&found));
        if is_own && File::from(file).try_lock().is_ok() {
            let _ = rustix::fs::unlinkat(folder, name, AtFlags::empty());
        }
    }
}

fn what(kind: FileType, found: &Stat) -> io::Result<What> {
    match kind {
        FileType::RegularFile => {
            Ok(What::Regular { is_foreign: !is_ours(found), is_linked: found.st_nlink > 1, group: Group::of(found) })
        }
        _ if is_ours(found) => Ok(What::Special),
        _ => Err(refused(io::ErrorKind::PermissionDenied, "it is a pipe or device of another account")),
    }
}

/// Where a link leads that we made, or root.
fn own_link(folder: &OwnedFd, name: &OsStr) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    let (found, target) = {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let link = rustix::fs::openat(folder, name, flags, Mode::empty())?;
        (rustix::fs::fstat(&link)?, rustix::fs::readlinkat(&link, "", Vec::new())?)
    };
    #[cfg(not(target_os = "linux"))]
    let (found, target) = (
        rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?,
        rustix::fs::readlinkat(folder, name, Vec::new())?,
    );
    if !is_ours(&found) {
        return Err(refused(io::ErrorKind::PermissionDenied, "a link on the way belongs to another account"));
    }
    if found.st_nlink > 1 && can_others_write_in(&rustix::fs::fstat(folder)?) {
        let cause = "a link on the way has a second name, which another account may have given it";
        return Err(refused(io::ErrorKind::PermissionDenied, cause));
    }
    Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
}

/// Whether a name leads up or to the root, where no link stands.
fn is_up(name: &OsStr) -> bool {
    name == "/" || name == ".."
}

fn open_folder(folder: impl std::os::fd::AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    let access = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    let access = OFlags::RDONLY;
    let flags = access | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?)
}

/// The names of a path in their order, `/` for the root.
fn steps(path: &Path) -> VecDeque<OsString> {
    let names = path.components().filter(|component| !matches!(component, Component::CurDir));
    names.map(|component| component.as_os_str().to_owned()).collect()
}

fn refused(kind: io::ErrorKind, cause: &'static str) -> io::Error {
    io::Error::new(kind, cause)
}
