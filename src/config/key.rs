//! The API key: where it comes from, read when it is needed, and kept from other eyes.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::key_command::printed_by;
use super::{Error, Origin};
use crate::model::secret::{ApiKey, Secret};
use crate::model::verdict::Verdict;

/// More than this is no key; a mistyped path may name anything.
const LONGEST: u64 = 64 << 10;
/// Time for `api-key-command`: enough for a person to unlock a password store.
const COMMAND_TIME: Duration = Duration::from_secs(30);

/// How a profile keeps its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredKey {
    /// `api-key`: in the configuration file itself.
    Inline(Secret),
    /// `api-key-file`: in a file of its own.
    File(String),
    /// `api-key-command`: a program and its arguments, run without a shell.
    Command(Vec<String>),
}

/// Where the key will be read.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// `--api-key-file -`.
    Stdin,
    /// A file.
    File(PathBuf),
    /// `ASSESSCTL_API_KEY`.
    Variable(Secret),
    /// The configuration file at this path holds it.
    Inline(Secret, PathBuf),
    /// A program prints it: its path and its arguments.
    Command(Vec<String>),
    /// The profile has one, but not for the address in use.
    Elsewhere(String),
    /// Nobody gave one; the profile without one, if there is one.
    Nowhere(Option<String>),
}

impl Source {
    /// How the key is kept, for people; `None` where there is none.
    pub(super) fn kept(&self) -> Option<&'static str> {
        match self {
            Self::Stdin | Self::Variable(_) => Some("given"),
            Self::File(_) | Self::Inline(..) => Some("readable by its owner alone"),
            Self::Command(_) => Some("printed by a program"),
            Self::Elsewhere(_) | Self::Nowhere(_) => None,
        }
    }

    /// Reads the key for the service at `address`.
    pub(super) fn read(&self, origin: Origin, address: &str) -> Result<ApiKey, Error> {
        match self {
            Self::Stdin => from_stdin(),
            Self::File(path) => check_file(path),
            Self::Variable(key) => parse(key, &origin.to_string()),
            Self::Inline(key, file) => {
                check_private_at(file)?;
                parse(key, &file.display().to_string())
            }
            Self::Command(argv) => printed_by(argv, COMMAND_TIME)
                .map_err(|error| error.hint("type the command yourself: it has to print the key and nothing else")),
            Self::Elsewhere(reason) => {
                let cause = format!("there is no API key for {address}: {reason}");
                Err(key_error(cause).hint("set ASSESSCTL_API_KEY or give --api-key-file"))
            }
            Self::Nowhere(profile) => {
                let stored = profile.as_ref().map_or("run `assessctl config init`".to_owned(), |profile| {
                    format!("run `assessctl config set api-key-file FILE --profile {profile}`")
                });
                let hint = format!("{stored}, set ASSESSCTL_API_KEY or give --api-key-file");
                Err(key_error(format!("there is no API key for {address}")).hint(hint))
            }
        }
    }
}

/// Reads and checks the key on standard input.
pub fn from_stdin() -> Result<ApiKey, Error> {
    parse(&read_key(io::stdin().lock(), "standard input")?, "standard input")
}

/// Reads and checks the key in a file that nobody but its owner can read.
pub fn check_file(path: &Path) -> Result<ApiKey, Error> {
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
    parse(&text, &path.display().to_string())
}

pub(super) fn parse(text: &Secret, place: &str) -> Result<ApiKey, Error> {
    ApiKey::parse(text.expose()).map_err(|error| key_error(format!("{error} ({place})")))
}

pub(super) fn read_key(source: impl Read, name: &str) -> Result<Secret, Error> {
    let mut text = String::new();
    let read = source.take(LONGEST + 1).read_to_string(&mut text);
    // Kept as a secret from here on, also where reading failed half-way.
    let text = Secret::new(text);
    match read {
        Ok(length) if length as u64 > LONGEST => Err(key_error(format!("{name} is too long for an API key"))),
        Ok(_) => Ok(text),
        Err(error) => Err(key_error(format!("cannot read {name}: {error}"))),
    }
}

fn check_private_at(path: &Path) -> Result<(), Error> {
    let unreadable = |error: io::Error| key_error(format!("cannot read {}: {error}", path.display()));
    check_private(&File::open(path).map_err(unreadable)?, path)
}

/// Refuses a file with a key that others can read, and says what to type. Pipes have no others.
fn check_private(file: &File, path: &Path) -> Result<(), Error> {
    refuse_open_to(0o077, file, path, "holds an API key and others can read it")
}

/// Refuses a configuration that others can write, or that is another account's: the key would go where they say, and
/// their program would run.
pub(super) fn refuse_anothers(path: &Path) -> Result<(), Error> {
    let unreadable = |error: io::Error| key_error(format!("cannot read {}: {error}", path.display()));
    refuse_open_to(
        0o022,
        &File::open(path).map_err(unreadable)?,
        path,
        "says where the API key goes and others can change it",
    )
}

#[cfg(unix)]
fn refuse_open_to(bits: u32, file: &File, path: &Path, why: &str) -> Result<(), Error> {
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
fn refuse_open_to(_: u32, _: &File, _: &Path, _: &str) -> Result<(), Error> {
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

pub(super) fn key_error(cause: String) -> Error {
    Error::new(Verdict::Key, cause)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(check_file(&path).expect("a key").expose(), "canary");
        for mode in [0o640, 0o604, 0o666] {
            let error = check_file(&key_file(&folder, "canary\n", mode)).expect_err("too open");
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
            let error = check_file(&key_file(&folder, bad, 0o600)).expect_err("no key");
            assert_eq!(error.verdict, Verdict::Key);
            assert!(!error.to_string().contains("canary") && error.to_string().len() < 400, "{error}");
        }
        assert!(check_file(folder.path()).is_err());
        assert!(check_file(&folder.path().join("none")).is_err());
    }

    #[test]
    fn without_a_key_the_way_to_one_is_named() {
        let error = Source::Nowhere(None).read(Origin::Default, "https://a.example").expect_err("no key");
        assert_eq!((error.verdict, error.cause.as_str()), (Verdict::Key, "there is no API key for https://a.example"));
        assert!(error.hint.is_some_and(|hint| hint.contains("config init")));
    }
}
