//! Files that are trusted: whose they are, and who else can read or change them.

use std::io::{self, Read as _};
use std::path::Path;

use super::key_text::{key_error, parse_key, read_key};
use crate::files::{self, Distrust, Guard, Trusted};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::secret::ApiKey;
use crate::model::shell_word::shell_word;

/// More than this is no configuration; a mistyped path may name anything.
const LONGEST_CONFIGURATION: u64 = 1 << 20;
/// As much is read of a file of certificates; the authorities of all platforms together are a tenth of it.
const LONGEST_CERTIFICATES: u64 = 4 << 20;

/// Reads and checks the key in a file that its owner alone can read.
pub fn check_key_file(path: &Path) -> Result<ApiKey, Failure> {
    let hint = "name the file that holds the key, or write the key into it";
    let trusted = Trusted::open(path).and_then(|file| file.check(Guard::Secret).map(|()| file));
    let trusted = trusted.map_err(|distrust| match distrust {
        Distrust::Io(error) => key_error(format!("cannot read {}: {error}", path.display())).hint(hint),
        _ => KEY.refusal(&distrust, path),
    })?;
    let text = read_key(trusted.into_file(), &format!("the key file {}", path.display()))?;
    parse_key(&text, &path.display().to_string())
}

/// The text of a configuration, and why it must not hold a key if others can read it. One that others can write, or
/// that is another account's, is refused: the key would go where they say, and their program would run. It is opened
/// once, and what is looked at is what is read. `None` where there is no file.
pub(super) fn read_configuration(path: &Path) -> Result<Option<(String, Option<Failure>)>, Failure> {
    let trusted = Trusted::open(path).and_then(|file| file.check(Guard::Unchanged).map(|()| file));
    let trusted = match trusted {
        Err(Distrust::Io(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(Distrust::Io(error)) => return Err(unconfigured(path, &error)),
        judged => judged.map_err(|distrust| CONFIGURATION.refusal(&distrust, path))?,
    };
    let exposed = trusted.check(Guard::Secret).err().map(|distrust| KEY.refusal(&distrust, path));
    let mut text = String::new();
    let read = trusted.into_file().take(LONGEST_CONFIGURATION + 1).read_to_string(&mut text);
    match read.map_err(|error| unconfigured(path, &error))? as u64 {
        ..=LONGEST_CONFIGURATION => Ok(Some((text, exposed))),
        _ => Err(Failure::usage(format!("{} is too long for a configuration", path.display()))),
    }
}

/// The text of a configuration that is about to be changed; empty where there is no file.
pub fn configuration_text(path: &Path) -> Result<String, Failure> {
    Ok(read_configuration(path)?.map(|(text, _)| text).unwrap_or_default())
}

fn unconfigured(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot read the configuration {}: {error}", path.display()))
}

/// Refuses a program that others can change, or that is another account's: it is run, and prints the key.
pub(super) fn check_program(path: &Path) -> Result<(), Failure> {
    match files::check_program(path) {
        Err(Distrust::Io(error)) => Err(key_error(format!("cannot run {}: {error}", path.display()))),
        judged => judged.map_err(|distrust| PROGRAM.refusal(&distrust, path)),
    }
}

/// How it is said that a file is not trusted.
struct Rule {
    /// What to type against permissions.
    chmod: &'static str,
    /// What is wrong then.
    why: &'static str,
}

const KEY: Rule = Rule { chmod: "600", why: "holds an API key and others can read it" };
const CONFIGURATION: Rule = Rule { chmod: "600", why: "says where the API key goes and others can change it" };
const PROGRAM: Rule = Rule { chmod: "go-w", why: "prints the API key and others can change it" };
const CERTIFICATES: Rule = Rule { chmod: "go-w", why: "says whom to trust and others can change it" };

impl Rule {
    /// Why the file is not taken, and what to type.
    fn refusal(&self, distrust: &Distrust, path: &Path) -> Failure {
        let (name, quoted) = (path.display(), operand(path));
        match distrust {
            Distrust::Open(_) => {
                key_error(format!("{name} {}", self.why)).hint(format!("run `chmod {} {quoted}`", self.chmod))
            }
            Distrust::Folder => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                key_error(format!("others can replace {name}: they may write in its folder"))
                    .hint(format!("run `chmod go-w {}`, or move the file to a folder of your own", operand(folder)))
            }
            Distrust::Foreign => key_error(format!("{name} belongs to another account"))
                .hint(format!("run `chown \"$(id -u)\" {quoted}`, if you trust what it says")),
            Distrust::Linked => key_error(format!("{name} has a second name, and others may write in its folder"))
                .hint("copy it into a folder of your own, and name that file"),
            Distrust::Io(_) => key_error(format!("cannot trust {name}: {distrust}")),
        }
    }
}

/// The certificate authorities in a PEM file that no other account can change or replace.
pub fn read_certificates(path: &Path) -> Result<Vec<u8>, Failure> {
    let begin = b"-----BEGIN CERTIFICATE-----";
    let trusted = Trusted::open(path).and_then(|file| file.check(Guard::Unchanged).map(|()| file));
    let mut pem = Vec::new();
    let read = trusted.and_then(|file| Ok(file.into_file().take(LONGEST_CERTIFICATES).read_to_end(&mut pem)?));
    let why = match read {
        Ok(_) if pem.windows(begin.len()).any(|part| part == begin) => return Ok(pem),
        Ok(_) => "it holds none".to_owned(),
        Err(Distrust::Io(error)) => error.to_string(),
        Err(distrust) => {
            let refusal = CERTIFICATES.refusal(&distrust, path);
            if refusal.hint.is_some() {
                return Err(Failure { verdict: Verdict::Usage, ..refusal });
            }
            refusal.cause
        }
    };
    Err(Failure::usage(format!("cannot take the certificate authorities in {}: {why}", path.display()))
        .hint("--ca-cert wants a PEM file, which has a line -----BEGIN CERTIFICATE-----"))
}

/// A path as a program takes it for an operand, typed in a shell.
fn operand(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("{}{}", if text.starts_with('-') { "-- " } else { "" }, shell_word(&text))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

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
        assert_eq!(check_key_file(&path).expect("a key").expose(), "canary");
        for mode in [0o640, 0o604, 0o666] {
            let error = check_key_file(&key_file(&folder, "canary\n", mode)).expect_err("too open");
            assert_eq!(error.verdict, Verdict::Key);
            assert!(
                error.hint.as_deref().is_some_and(|hint| hint.starts_with("run `chmod 600 '/")),
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
