//! One run at a time for a project of a service: a file that is locked while the run lives.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use uuid::Uuid;

use super::keyed_hash::KeyHasher;
use crate::files::{Distrust, open_lock, whole_name};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::time::utc;

/// How what a holder writes about itself begins.
const SIGNED: &str = "process ";

/// The lock of one run. The kernel drops it when the process dies, however it dies; the file stays.
#[derive(Debug)]
pub struct Lock {
    /// Held open: closing it unlocks.
    _file: File,
}

impl Lock {
    /// Takes the lock of a project of a service in the state directory, or says who holds it (`Verdict::Locked`).
    /// `service` is the origin of the base URL, or the sandbox's own id.
    pub fn take(state: &Path, service: &str, project: ProjectId) -> Result<Self, Failure> {
        Self::at(&path(state, service, project), "another run is at work on this project")
    }

    /// Takes the lock for links in bulk of a project, which stands beside the other one.
    pub fn take_for_links(state: &Path, service: &str, project: ProjectId) -> Result<Self, Failure> {
        let path = path(state, service, project).with_extension("links.lock");
        Self::at(&path, "another run is issuing links for this project")
    }

    /// Takes the lock of a consumer of `results changes`: two runs at a time would both tell the same.
    pub fn take_for_consumer(state: &Path, service: &str, project: ProjectId, consumer: &str) -> Result<Self, Failure> {
        let path = path(state, service, project).with_extension(format!("changes-{consumer}.lock"));
        Self::at(&path, &format!("another run is telling {consumer} of changes in this project"))
    }

    /// Takes the lock of a file that is about to be replaced: `.NAME.lock` beside it, so that it holds for every
    /// account that can write there, by whichever link.
    ///
    /// A lock that another account holds there is ignored: between accounts a file is replaced as a whole, and
    /// the lock is one of ours, in `state`.
    pub fn beside(target: &Path, state: &Path) -> Result<Self, Failure> {
        let whole = whole_name(target);
        let name = whole.file_name().unwrap_or_default().to_string_lossy();
        let path = whole.with_file_name(format!(".{name}.lock"));
        let holder = format!("another run is writing {}", target.display());
        match open_lock(&path) {
            Err(Distrust::Foreign) => {
                let name = KeyHasher::new(&[]).hash("target", &[&whole.to_string_lossy()]);
                let name = Uuid::from_slice(&name[..16]).unwrap_or_default();
                Self::at(&state.join("locks").join(format!("target-{name}.lock")), &holder)
            }
            opened => Self::held_by(opened, &path, &holder),
        }
    }

    fn at(path: &Path, holder: &str) -> Result<Self, Failure> {
        Self::held_by(open_lock(path), path, holder)
    }

    fn held_by(opened: Result<File, Distrust>, path: &Path, holder: &str) -> Result<Self, Failure> {
        let mut file = opened.map_err(|distrust| unusable(path, &distrust.into()))?;
        // Locked first: on Windows what another run holds cannot even be read.
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held(&mut file, holder)),
            Err(TryLockError::Error(error)) => return Err(unusable(path, &error)),
        }
        is_a_lock(&mut file).map_err(|error| unusable(path, &error))?;
        sign(&mut file).map_err(|error| unusable(path, &error))?;
        Ok(Self { _file: file })
    }
}

fn path(state: &Path, service: &str, project: ProjectId) -> PathBuf {
    // An origin has characters that a file name cannot have everywhere. They are written out, not dropped: two services
    // never share a lock.
    let mut name = String::new();
    for c in service.chars() {
        match c {
            '.' | '-' | '0'..='9' | 'a'..='z' | 'A'..='Z' => name.push(c),
            _ => name.extend(["_".to_owned(), format!("{:x}", u32::from(c))]),
        }
    }
    state.join("locks").join(format!("{name}__{project}.lock"))
}

/// Refuses a file that no run of ours has signed, before it is written over.
fn is_a_lock(file: &mut File) -> io::Result<()> {
    let refused = io::Error::other("what stands there is no lock of ours");
    let meta = file.metadata()?;
    let mut start = [0; SIGNED.len()];
    let length = file.read(&mut start)?;
    file.rewind()?;
    // A run that was killed while it signed leaves any part of it.
    if meta.is_file() && SIGNED.as_bytes().starts_with(&start[..length]) { Ok(()) } else { Err(refused) }
}

/// Writes who holds the lock since when.
fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    let since = utc(Timestamp::now());
    writeln!(file, "{SIGNED}{}, since {since}", std::process::id())?;
    file.flush()
}

/// What a holder wrote about itself ("process 17, since …").
pub(super) fn holder(file: &mut File) -> Option<String> {
    let mut text = String::new();
    file.take(200).read_to_string(&mut text).ok()?;
    text.lines().next().filter(|holder| holder.starts_with(SIGNED)).map(str::to_owned)
}

fn held(file: &mut File, what: &str) -> Failure {
    let by = holder(file).map(|holder| format!(" ({holder})")).unwrap_or_default();
    Failure::new(Verdict::Locked, format!("{what}{by}"))
        .hint("wait until it has ended, then run the same command again")
}

fn unusable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Verdict::Unforeseen, format!("cannot lock {}: {error}", path.display()))
        .hint("the lock needs a folder that you can write to; ASSESSCTL_STATE_DIR is the one for state")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> ProjectId {
        "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id")
    }

    #[test]
    fn a_second_run_is_told_who_holds_the_lock() {
        let state = tempfile::tempdir().expect("a folder");
        let first = Lock::take(state.path(), "https://a.example", project()).expect("free");
        let failure = Lock::take(state.path(), "https://a.example", project()).expect_err("held");
        assert_eq!(failure.verdict, Verdict::Locked);
        assert!(failure.cause.contains(&format!("process {}, since 20", std::process::id())), "{failure}");
        drop(first);
        assert!(Lock::take(state.path(), "https://a.example", project()).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn what_somebody_put_in_a_locks_place_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (target, lock) = (folder.path().join("r.csv"), folder.path().join(".r.csv.lock"));
        let precious = folder.path().join("precious");
        std::fs::write(&precious, "precious").expect("a file");
        let refused = || {
            let failure = Lock::beside(&target, folder.path()).expect_err("no lock");
            assert_eq!(std::fs::read_to_string(&precious).expect("there"), "precious", "{failure}");
            std::fs::remove_file(&lock).expect("there");
        };
        std::os::unix::fs::symlink(&precious, &lock).expect("a link");
        refused();
        std::fs::hard_link(&precious, &lock).expect("another name");
        refused();
        std::fs::copy(&precious, &lock).expect("a copy");
        refused();
        assert!(Lock::beside(&target, folder.path()).is_ok());
    }

    #[test]
    fn a_file_that_is_being_written_is_locked_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("results.csv");
        let first = Lock::beside(&target, folder.path()).expect("free");
        let failure = Lock::beside(&target, folder.path()).expect_err("held");
        assert!(failure.cause.contains("writing") && failure.cause.contains("results.csv"), "{failure}");
        assert!(folder.path().join(".results.csv.lock").exists());
        assert!(Lock::beside(&folder.path().join("other.csv"), folder.path()).is_ok());
        drop(first);
        assert!(Lock::beside(&target, folder.path()).is_ok());
    }

    #[test]
    fn services_do_not_share_a_lock() {
        let state = tempfile::tempdir().expect("a folder");
        let held =
            ["https://a.example", "https://a.example:8443", "http://a.example", "https://a-example", "https://a.b/c"]
                .map(|service| Lock::take(state.path(), service, project()));
        assert!(held.iter().all(Result::is_ok));
    }

    #[cfg(unix)]
    #[test]
    fn the_file_and_its_folder_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let state = tempfile::tempdir().expect("a folder");
        let _lock = Lock::take(state.path(), "sandbox", project()).expect("free");
        let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        let path = path(state.path(), "sandbox", project());
        assert_eq!((mode(&path), mode(&state.path().join("locks"))), (0o600, 0o700));
    }

    #[test]
    fn a_lock_is_named_after_its_service_and_project_as_far_as_a_file_name_can_be() {
        let named = |service| path(Path::new("state"), service, project());
        let lock = |name: &str| Path::new("state/locks").join(format!("{name}__{}.lock", project()));
        assert_eq!(named("https://A-z09.example:8443"), lock("https_3a_2f_2fA-z09.example_3a8443"));
        assert_eq!(named("sand_box"), lock("sand_5fbox"));
    }

    #[test]
    fn what_does_not_say_that_it_is_a_process_is_not_named_as_the_holder() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("results.csv");
        let mut holder = open_lock(&folder.path().join(".results.csv.lock")).expect("a lock");
        holder.write_all(b"somebody\n").expect("written");
        holder.lock().expect("free");
        let failure = Lock::beside(&target, folder.path()).expect_err("held");
        assert_eq!(failure.cause, format!("another run is writing {}", target.display()));
    }
}
