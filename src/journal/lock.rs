//! Files that say which run is at work: one run at a time changes a project, and one over links says that it is under way.

use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::database::unwritable;
use crate::files;
use crate::model::projects::ProjectId;
use crate::model::show::visible;
use crate::model::time::utc;
use crate::model::verdict::{Failure, Verdict};

/// The lock of one project. The system drops it when the process dies, however it dies; the file stays.
#[derive(Debug)]
pub struct Lock {
    /// Held open: closing it unlocks.
    _file: File,
}

impl Lock {
    /// Takes the lock of a project, or says which run holds it. `command`: its words without arguments, such as
    /// `testtakers import`.
    pub fn take(state: &Path, project: ProjectId, command: &str) -> Result<Self, Failure> {
        files::private_folder(state)?;
        let path = state.join(format!("{project}.lock"));
        let unusable = |error| unwritable(&path, &error);
        let Some(mut file) = files::lock(&path).map_err(unusable)? else { return Err(held(&path)) };
        let holder = format!("`assessctl {command}`, process {}, since {}", std::process::id(), utc(Timestamp::now()));
        let signed = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(holder.as_bytes()));
        signed.map_err(unusable)?;
        Ok(Self { _file: file })
    }
}

fn held(path: &Path) -> Failure {
    let holder = files::read_private(path).ok().flatten();
    let by = holder.filter(|holder| !holder.is_empty()).map(|holder| format!(": {}", visible(&holder)));
    let cause = format!("another run is at work on this project{}", by.unwrap_or_default());
    Failure::new(Verdict::NothingDone, cause).hint("wait until it has ended, then run the same command again")
}

/// A file that says that a run over links is under way. If it is left behind, that run was killed. The caller holds the
/// project's lock.
pub struct Marker(PathBuf);

impl Marker {
    /// Marks the beginning of a run, and says whether the one before it was killed.
    pub fn set(state: &Path, project: ProjectId) -> Result<(Self, bool), Failure> {
        let path = state.join(format!("{project}.links"));
        let has_died = path.exists();
        files::append(&path).map_err(|error| unwritable(&path, &error))?;
        Ok((Self(path), has_died))
    }

    /// Every request of this run was answered, or can't come late any more.
    pub fn clear(self) {
        // A marker that stays costs the next run ten seconds.
        let _ = files::remove(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_names_the_first_one() {
        let state = crate::journal::scratch();
        let [here, there] = ["3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b691"]
            .map(|id| id.parse().expect("a project id"));
        let first = Lock::take(state.path(), here, "testtakers import --concurrency 16").expect("free");
        let failure = Lock::take(state.path(), here, "testtakers sync").expect_err("held");
        assert_eq!(failure.verdict, Verdict::NothingDone);
        let holder =
            format!(": `assessctl testtakers import --concurrency 16`, process {}, since 20", std::process::id());
        assert!(failure.cause.contains(&holder), "{failure}");
        assert!(Lock::take(state.path(), there, "testtakers sync").is_ok());
        drop(first);
        drop(Lock::take(state.path(), here, "testtakers sync").expect("free"));
        let again = Lock::take(state.path(), here, "links issue").expect("free");
        let failure = Lock::take(state.path(), here, "links issue").expect_err("held");
        assert!(failure.cause.contains(": `assessctl links issue`") && !failure.cause.contains("sync"), "{failure}");
        drop(again);
    }
}
