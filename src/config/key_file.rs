//! Files that are trusted: whose they are, and who else can read or change them.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use super::key_text::{key_error, parse_key, read_key};
use crate::model::secret::ApiKey;
use crate::model::verdict::Failure;

/// More than this is no configuration; a mistyped path may name anything.
const LONGEST_CONFIGURATION: u64 = 1 << 20;

/// Reads and checks the key in a file that its owner alone can read.
pub fn check_key_file(path: &Path) -> Result<ApiKey, Failure> {
    let hint = "name the file that holds the key, or write the key into it";
    let file = File::open(path).map_err(|error| unreadable(path, &error).hint(hint))?;
    let meta = file.metadata().map_err(|error| unreadable(path, &error))?;
    if meta.is_dir() {
        return Err(unreadable(path, &io::ErrorKind::IsADirectory.into()).hint(hint));
    }
    KEY.check(&meta, path)?;
    let text = read_key(file, &format!("the key file {}", path.display()))?;
    parse_key(&text, &path.display().to_string())
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    key_error(format!("cannot read {}: {error}", path.display()))
}

/// The text of a configuration, and why it must not hold a key if others can read it. One that others can write, or
/// that is another account's, is refused: the key would go where they say, and their program would run. It is opened
/// once, and what is looked at is what is read. `None` where there is no file.
pub(super) fn read_configuration(path: &Path) -> Result<Option<(String, Option<Failure>)>, Failure> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| unconfigured(path, &error))?,
    };
    let meta = file.metadata().map_err(|error| unconfigured(path, &error))?;
    CONFIGURATION.check(&meta, path)?;
    let exposed = KEY.check(&meta, path).err();
    let mut text = String::new();
    let read = file.take(LONGEST_CONFIGURATION + 1).read_to_string(&mut text);
    match read.map_err(|error| unconfigured(path, &error))? as u64 {
        ..=LONGEST_CONFIGURATION => Ok(Some((text, exposed))),
        _ => Err(Failure::usage(format!("{} is too long for a configuration", path.display()))),
    }
}

fn unconfigured(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot read the configuration {}: {error}", path.display()))
}

/// Refuses a program that others can change, or that is another account's: it is run, and prints the key.
pub(super) fn check_program(path: &Path) -> Result<(), Failure> {
    let meta = path.metadata().map_err(|error| key_error(format!("cannot run {}: {error}", path.display())))?;
    PROGRAM.check(&meta, path)
}

/// Who else may do what with a file that is trusted.
struct Rule {
    /// What others must not be able to do.
    bits: u32,
    /// What to type against it.
    chmod: &'static str,
    /// What is wrong then.
    why: &'static str,
}

const KEY: Rule = Rule { bits: 0o077, chmod: "600", why: "holds an API key and others can read it" };
const CONFIGURATION: Rule =
    Rule { bits: 0o022, chmod: "600", why: "says where the API key goes and others can change it" };
const PROGRAM: Rule = Rule { bits: 0o022, chmod: "go-w", why: "prints the API key and others can change it" };

impl Rule {
    /// Refuses what others can read or change, and what is another account's, and says what to type. Pipes have no
    /// permissions that count, but an owner.
    #[cfg(unix)]
    fn check(&self, meta: &Metadata, path: &Path) -> Result<(), Failure> {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
        if meta.is_file() && meta.permissions().mode() & self.bits != 0 {
            let hint = format!("run `chmod {} {}`", self.chmod, quoted(path));
            return Err(key_error(format!("{} {}", path.display(), self.why)).hint(hint));
        }
        let (owner, ours) = (meta.uid(), rustix::process::geteuid().as_raw());
        if owner != ours && owner != 0 {
            let cause = format!("{} belongs to another account", path.display());
            let hint = format!("run `chown {ours} {}`, if you trust what it says", quoted(path));
            return Err(key_error(cause).hint(hint));
        }
        Ok(())
    }

    #[cfg(not(unix))]
    fn check(&self, _: &Metadata, _: &Path) -> Result<(), Failure> {
        Ok(())
    }
}

/// A path as a shell takes it.
#[cfg(unix)]
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.chars().all(|c| c.is_alphanumeric() || "/._-+,@%".contains(c)) && !text.starts_with('-') {
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
