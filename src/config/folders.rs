//! Where configuration and state live, and folders that are ours alone.

use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::setting_table::{CONFIG, STATE_DIR};
use super::sourced::{Origin, Sourced};
use crate::files::{create_folder, is_at_home};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;

const NAME: &str = "assessctl";

/// The configuration file that the environment or the platform names. Never one of the current directory.
pub(super) fn config_file(environment: &Environment) -> Result<Sourced<PathBuf>, Failure> {
    if let (Some(path), Some(name)) = (environment.raw(&CONFIG.about), CONFIG.about.variable) {
        return Ok(Sourced::new(path.into(), Origin::Environment(name)));
    }
    let folder = environment.config_folder.as_ref().ok_or_else(|| {
        Failure::usage("this account has no folder for configuration")
            .hint("give --config FILE or set ASSESSCTL_CONFIG; /dev/null serves where the environment has all settings")
    })?;
    Ok(Sourced::new(folder.join(NAME).join("config.toml"), Origin::Default))
}

/// The folder for what this machine remembers; `None` where the account has no place for one.
pub fn state_folder(environment: &Environment) -> Option<Sourced<PathBuf>> {
    if let (Some(path), Some(name)) = (environment.raw(&STATE_DIR.about), STATE_DIR.about.variable) {
        return Some(Sourced::new(path.into(), Origin::Environment(name)));
    }
    environment.state_folder.as_ref().map(|folder| Sourced::new(folder.join(NAME), Origin::Default))
}

/// The folder for state, created where it is not there: for commands that need no other setting.
#[cfg(feature = "sandbox")]
pub fn state_dir(environment: &Environment) -> Result<PathBuf, Failure> {
    created(state_folder(environment).as_ref())
}

/// Creates the folder for state where it is not there.
pub(super) fn created(folder: Option<&Sourced<PathBuf>>) -> Result<PathBuf, Failure> {
    let folder = folder.ok_or_else(|| {
        Failure::usage("this account has no folder for state").hint("set ASSESSCTL_STATE_DIR to a folder")
    })?;
    let path = &folder.value;
    at_home(folder).map_err(|failure| failure.hint("set HOME, or ASSESSCTL_STATE_DIR to a folder of this account"))?;
    create_folder(path).map_err(|error| {
        Failure::new(Verdict::Unforeseen, format!("cannot create the folder {}: {error}", path.display()))
            .hint("set ASSESSCTL_STATE_DIR to a folder that you can write to")
    })?;
    Ok(path.clone())
}

/// Refuses what would be made where the platform says, and stand in another account's home: root's files there lock that
/// account out.
pub(super) fn at_home(place: &Sourced<PathBuf>) -> Result<(), Failure> {
    let path = &place.value;
    if place.origin != Origin::Default || path.exists() || is_at_home(path) {
        return Ok(());
    }
    let cause = format!("{} would be made in another account's home", path.display());
    Err(Failure::new(Verdict::Unforeseen, cause))
}

/// A path of the configuration file: `~/` is the user's folder, and what is relative starts beside the file.
pub(super) fn beside(file: &Path, path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => file.parent().unwrap_or(Path::new("")).join(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_without_a_folder_is_told_how_to_do_without_a_file() {
        let failure = config_file(&Environment::default()).expect_err("no folder");
        assert!(failure.hint.is_some_and(|hint| hint.contains("ASSESSCTL_CONFIG; /dev/null serves")));
    }

    #[test]
    fn a_path_of_the_file_starts_beside_it_or_at_home() {
        let (file, home) = (Path::new("/c/assessctl/config.toml"), Some(Path::new("/home/ann")));
        assert_eq!(beside(file, "key", home), Path::new("/c/assessctl/key"));
        assert_eq!(beside(file, "/k/key", home), Path::new("/k/key"));
        assert_eq!(beside(file, "~/key", home), Path::new("/home/ann/key"));
    }

    #[cfg(unix)]
    #[test]
    fn a_new_folder_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let new = folder.path().join("a/b");
        create_folder(&new).expect("created");
        create_folder(&new).expect("there already");
        for path in [new.as_path(), new.parent().expect("a parent")] {
            assert_eq!(std::fs::metadata(path).expect("a folder").permissions().mode() & 0o777, 0o700);
        }
    }
}
