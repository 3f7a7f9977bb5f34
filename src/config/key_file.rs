//! Files that are trusted: whose they are, and who else can read or change them.

use std::fs::File;
use std::io;
use std::path::Path;

use super::key_text::{key_error, parse_key, read_key};
use crate::model::secret::ApiKey;
use crate::model::verdict::Failure;

/// Reads and checks the key in a file that its owner alone can read.
pub fn check_key_file(path: &Path) -> Result<ApiKey, Failure> {
    let unreadable = |error: io::Error| {
        key_error(format!("cannot read the key file {}: {error}", path.display()))
            .hint("name the file that holds the key, or write the key into it")
    };
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(unreadable(io::ErrorKind::IsADirectory.into()));
    }
    check_private(&file, path)?;
    let text = read_key(file, &format!("the key file {}", path.display()))?;
    parse_key(&text, &path.display().to_string())
}

/// Refuses the configuration at this path where it holds a key and others can read it.
pub(super) fn check_private_at(path: &Path) -> Result<(), Failure> {
    let unreadable = |error: io::Error| key_error(format!("cannot read {}: {error}", path.display()));
    check_private(&File::open(path).map_err(unreadable)?, path)
}

/// Refuses a file with a key that others can read, and says what to type. Pipes have no others.
fn check_private(file: &File, path: &Path) -> Result<(), Failure> {
    refuse_open_to(0o077, file, path, "holds an API key and others can read it")
}

/// Refuses a configuration that others can write, or that is another account's: the key would go where they say, and
/// their program would run.
pub(super) fn refuse_anothers(path: &Path) -> Result<(), Failure> {
    let unreadable = |error: io::Error| key_error(format!("cannot read {}: {error}", path.display()));
    refuse_open_to(
        0o022,
        &File::open(path).map_err(unreadable)?,
        path,
        "says where the API key goes and others can change it",
    )
}

#[cfg(unix)]
fn refuse_open_to(bits: u32, file: &File, path: &Path, why: &str) -> Result<(), Failure> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let unreadable = |error: io::Error| key_error(format!("cannot read {}: {error}", path.display()));
    let meta = file.metadata().map_err(unreadable)?;
    if meta.is_file() && meta.permissions().mode() & bits != 0 {
        return Err(key_error(format!("{} {why}", path.display())).hint(format!("run `chmod 600 {}`", quoted(path))));
    }
    let (owner, ours) = (meta.uid(), rustix::process::geteuid().as_raw());
    if meta.is_file() && owner != ours && owner != 0 {
        let cause = format!("{} belongs to another account", path.display());
        return Err(key_error(cause).hint(format!("run `chown {ours} {}`, if you trust what it says", quoted(path))));
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_open_to(_: u32, _: &File, _: &Path, _: &str) -> Result<(), Failure> {
    Ok(())
}

/// A path as a shell takes it.
#[cfg(unix)]
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,@%".contains(c);
    if text.chars().all(plain) && !text.starts_with('-') {
        text.into_owned()
    } else {
        format!("-- '{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::model::verdict::Verdict;

    #[cfg(unix)]
    fn key_file(folder: &tempfile::TempDir, text: &str, mode: u32) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = folder.path().join("my key");
        std::fs::write(&path, text).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
        path
    }

    #[cfg(unix)]
    #[test]
    fn a_key_file_is_its_owners_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = key_file(&folder, "canary\n", 0o600);
        assert_eq!(check_key_file(&path).expect("a key").expose(), "canary");
        for mode in [0o640, 0o604, 0o666] {
            let error = check_key_file(&key_file(&folder, "canary\n", mode)).expect_err("too open");
            assert_eq!(error.verdict, Verdict::Key);
            assert!(
                error.hint.as_deref().is_some_and(|hint| hint.starts_with("run `chmod 600 -- '/")),
                "{:?}",
                error.hint
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_key_is_refused_without_being_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let long = "k".repeat(70_000);
        for bad in ["", "canary canary\n", "canary\ncanary", &long] {
            let error = check_key_file(&key_file(&folder, bad, 0o600)).expect_err("no key");
            assert_eq!(error.verdict, Verdict::Key);
            assert!(!error.to_string().contains("canary") && error.to_string().len() < 400, "{error}");
        }
        assert!(check_key_file(folder.path()).is_err());
        assert!(check_key_file(&folder.path().join("none")).is_err());
    }
}
