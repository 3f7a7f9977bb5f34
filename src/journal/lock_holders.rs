//! Which runs are at work now: the holders of the locks in the state directory.

use std::fs::{self, TryLockError};
use std::io;
use std::path::Path;

use super::lock::holder;
use crate::files::open_to_read;

/// The runs that hold a lock, in their own words ("process 17, since …"); none where no lock was ever taken.
pub fn holders(state: &Path) -> io::Result<Vec<String>> {
    let folder = match fs::read_dir(state.join("locks")) {
        Ok(folder) => folder,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in folder {
        let mut file = open_to_read(&entry?.path())?;
        match file.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                found.push(holder(&mut file).unwrap_or_else(|| "a process that does not say which".to_owned()));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::journal::lock::Lock;

    #[test]
    fn a_holder_is_named_while_it_holds() {
        let state = tempfile::tempdir().expect("a folder");
        assert_eq!(holders(state.path()).expect("a folder"), Vec::<String>::new());
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
        let lock = Lock::take(state.path(), "https://a.example", project).expect("free");
        let found = holders(state.path()).expect("a folder");
        assert!(
            found.len() == 1 && found[0].starts_with(&format!("process {}, since", std::process::id())),
            "{found:?}"
        );
        drop(lock);
        assert_eq!(holders(state.path()).expect("a folder"), Vec::<String>::new());
    }

    #[test]
    fn a_holder_that_does_not_say_which_is_told_all_the_same() {
        let state = tempfile::tempdir().expect("a folder");
        let locks = state.path().join("locks");
        fs::create_dir(&locks).expect("a folder");
        fs::write(locks.join("a.lock"), "somebody\n").expect("a file");
        let file = File::open(locks.join("a.lock")).expect("a file");
        file.lock().expect("free");
        assert_eq!(holders(state.path()).expect("a folder"), ["a process that does not say which"]);
    }

    #[test]
    fn locks_that_cannot_be_looked_at_are_an_error_and_not_nobody() {
        let state = tempfile::tempdir().expect("a folder");
        fs::write(state.path().join("locks"), "no folder").expect("a file");
        assert!(holders(state.path()).is_err());
    }
}
