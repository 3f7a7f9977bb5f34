//! The API key: which address it may go to, and how it is read. That its file is private is checked in `files.rs`.

use std::fmt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use url::Url;

use super::Origin;
use crate::files;
use crate::model::secret::{ApiKey, Secret};
use crate::model::verdict::{Failure, Verdict};

/// Time for a program that prints the key: enough for a person to unlock a password store.
const COMMAND_TIME: Duration = Duration::from_secs(30);

/// More than this is no key.
const LONGEST: u64 = 64 << 10;

/// Where the key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    Stdin,
    File(PathBuf),
    /// A text, and where it stands.
    Text(Secret, &'static str),
    /// A program of a profile and its arguments.
    Command(Vec<String>),
}

/// The key for the address in use, out of `--api-key-file`, `ASSESSCTL_API_KEY` with `ASSESSCTL_BASE_URL`, and the
/// profile's with its address. A key goes to the address given with it, and to no other.
pub(super) fn choose(
    flag: Option<PathBuf>,
    variable: (Option<Secret>, Option<String>),
    profile: (Option<KeySource>, Option<&Url>),
    used: &(Url, Origin),
) -> Result<(KeySource, Origin), Failure> {
    let is_used = |url: &Url| url.origin() == used.0.origin();
    match (flag, variable, profile) {
        (Some(path), ..) if path.as_os_str() == "-" => Ok((KeySource::Stdin, Origin::Option)),
        (Some(path), ..) => Ok((KeySource::File(path), Origin::Option)),
        (_, (Some(_), Some(url)), _) if !Url::parse(&url).is_ok_and(|url| is_used(&url)) => Err(Failure::usage(
            "the key in ASSESSCTL_API_KEY is not sent: it is only for the base URL in ASSESSCTL_BASE_URL",
        )
        .hint("add --api-key-file FILE")),
        (_, (Some(_), None), (Some(_), _)) if used.1 == Origin::Profile => {
            Err(Failure::usage("ASSESSCTL_API_KEY is set, and the profile has an API key of its own")
                .hint("unset ASSESSCTL_API_KEY"))
        }
        (_, (Some(key), _), _) => Ok((KeySource::Text(key, "ASSESSCTL_API_KEY"), Origin::Environment)),
        (_, _, (Some(key), Some(url))) if is_used(url) => Ok((key, Origin::Profile)),
        (_, _, (Some(_), _)) => {
            Err(no_key("the profile's API key is for the profile's base-url only").hint("add --api-key-file FILE"))
        }
        _ => Err(no_key("neither ASSESSCTL_API_KEY nor a profile has an API key").hint("assessctl config init")),
    }
}

/// Where the key is, in words; never the key.
impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("(standard input)"),
            Self::File(path) => path.display().fmt(f),
            Self::Text(..) => f.write_str("(set)"),
            Self::Command(command) => write!(f, "(printed by {})", command.first().map_or("", String::as_str)),
        }
    }
}

impl KeySource {
    /// Reads the key.
    pub async fn read(&self) -> Result<ApiKey, Failure> {
        match self {
            Self::Stdin => {
                let bytes = files::read_stdin(LONGEST);
                parse(&bytes.map_err(|error| no_key(format!("cannot read the API key: {error}")))?, "standard input")
            }
            Self::File(path) => {
                let text = files::read_private(path).map_err(|failure| Failure { verdict: Verdict::Key, ..failure })?;
                // What looks like no path may be the key itself.
                let is_path = path.to_string_lossy().contains(['/', '\\', '.']);
                let name =
                    if is_path { format!("the key file {}", path.display()) } else { "this key file".to_owned() };
                let text = text.ok_or_else(|| no_key(format!("{name} does not exist")))?;
                parse(text.as_bytes(), &path.display().to_string())
            }
            Self::Text(key, place) => parse(key.expose().as_bytes(), place),
            Self::Command(command) => printed_by(command, COMMAND_TIME).await,
        }
    }
}

fn no_key(cause: impl Into<String>) -> Failure {
    Failure::new(Verdict::Key, cause)
}

fn parse(text: &[u8], place: &str) -> Result<ApiKey, Failure> {
    // What is not UTF-8 is no key either, and is refused for the character that takes its place.
    String::from_utf8_lossy(text).parse().map_err(|reason| no_key(format!("{reason} ({place})")))
}

/// Runs a program without a shell. Its stdin is empty, because ours may be a roster; its stderr is ours, because it may have
/// to say what is wrong.
async fn printed_by(command: &[String], limit: Duration) -> Result<ApiKey, Failure> {
    let [program, arguments @ ..] = command else { return Err(no_key("api-key-command is empty")) };
    let failed = |why: String| no_key(format!("api-key-command ({program}) {why}"));
    let mut started = Command::new(program);
    started.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    let child = started.spawn().map_err(|error| failed(format!("cannot run: {error}")))?;
    match tokio::time::timeout(limit, child.wait_with_output()).await {
        Err(_) => Err(failed(format!("did not end within {} s", limit.as_secs()))),
        Ok(Err(error)) => Err(failed(format!("cannot be read: {error}"))),
        Ok(Ok(output)) if output.status.success() => parse(&output.stdout, &format!("printed by {program}")),
        Ok(Ok(output)) => Err(failed(format!("failed: {}", output.status))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which key goes to an address: `V` of the variable, `P` of the profile; else the verdict. Both are given with the
    /// address beside them, which may be empty.
    fn chosen(address: (&str, Origin), variable: Option<&str>, profile: Option<&str>) -> Result<char, Verdict> {
        let key = || Secret::new("k".into());
        let used = (Url::parse(address.0).expect("a URL"), address.1);
        let variable = (variable.map(|_| key()), variable.filter(|url| !url.is_empty()).map(str::to_owned));
        let profile_url = profile.and_then(|url| Url::parse(url).ok());
        let profile = (profile.map(|_| KeySource::Text(key(), "the profile")), profile_url.as_ref());
        match choose(None, variable, profile, &used) {
            Ok((KeySource::Text(_, "ASSESSCTL_API_KEY"), Origin::Environment)) => Ok('V'),
            Ok((KeySource::Text(_, "the profile"), Origin::Profile)) => Ok('P'),
            Ok(other) => panic!("{other:?}"),
            Err(failure) => Err(failure.verdict),
        }
    }

    #[test]
    fn a_key_goes_to_its_own_address_only() {
        const A: &str = "https://a.example/v1";
        const B: &str = "https://b.example";
        let (flag, variable, profile) = (Origin::Option, Origin::Environment, Origin::Profile);
        // The address in use and its origin, the variable's key and address, the profile's key and address, who wins.
        let cases = [
            ((A, profile), None, Some(A), Ok('P')),
            ((A, flag), None, Some("https://a.example:443/v2"), Ok('P')),
            ((A, flag), None, Some("https://a.example:444"), Err(Verdict::Key)),
            ((A, flag), None, Some("http://a.example"), Err(Verdict::Key)),
            ((A, variable), None, Some(B), Err(Verdict::Key)),
            ((A, flag), None, Some(""), Err(Verdict::Key)),
            ((A, flag), None, None, Err(Verdict::Key)),
            ((A, variable), Some(A), Some(A), Ok('V')),
            ((A, variable), Some(A), Some(B), Ok('V')),
            ((A, flag), Some(A), None, Ok('V')),
            ((A, flag), Some(B), None, Err(Verdict::Usage)),
            ((A, flag), Some("a.example"), None, Err(Verdict::Usage)),
            ((A, flag), Some(B), Some(A), Err(Verdict::Usage)),
            ((A, flag), Some(""), Some(B), Ok('V')),
            ((A, flag), Some(""), None, Ok('V')),
            ((A, profile), Some(""), None, Ok('V')),
            ((A, profile), Some(""), Some(A), Err(Verdict::Usage)),
        ];
        for (used, variable, profile, expected) in cases {
            assert_eq!(chosen(used, variable, profile), expected, "{used:?} {variable:?} {profile:?}");
        }
    }

    #[test]
    fn a_key_file_of_the_command_line_goes_to_the_address_in_use() {
        let used = (Url::parse("https://a.example").expect("a URL"), Origin::Profile);
        let variable = || (Some(Secret::new("k".into())), Some("https://b.example".to_owned()));
        for (path, source) in [("-", KeySource::Stdin), ("key", KeySource::File("key".into()))] {
            assert_eq!(choose(Some(path.into()), variable(), (None, None), &used), Ok((source, Origin::Option)));
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_key_file_of_ours_that_others_can_read_is_refused_with_the_chmod() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        let key = KeySource::File(path.clone());
        assert_eq!(key.read().await.map_err(|failure| failure.verdict), Err(Verdict::Key));
        std::io::Write::write_all(&mut files::append(&path).expect("opened"), b"\xef\xbb\xbfk-1\r\n").expect("written");
        assert_eq!(key.read().await.expect("a key").expose(), "k-1");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("set");
        let failure = key.read().await.expect_err("open");
        assert_eq!((failure.verdict, failure.hint), (Verdict::Key, Some(format!("chmod 600 {}", path.display()))));
        let missing = KeySource::File("canary0123".into()).read().await.expect_err("missing");
        assert!(!missing.cause.contains("canary"), "it may be the key itself: {missing}");
        let is_folder = KeySource::File(folder.path().into()).read().await.expect_err("a folder");
        assert!(is_folder.cause.ends_with("is a folder") && is_folder.hint.is_none(), "{is_folder}");
    }

    #[cfg(unix)]
    async fn run(command: &[&str], limit: Duration) -> Result<String, Failure> {
        let command: Vec<_> = command.iter().map(ToString::to_string).collect();
        printed_by(&command, limit).await.map(|key| key.expose().to_owned())
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_command_prints_the_key_without_a_shell_and_without_our_stdin() {
        assert_eq!(run(&["echo", "$HOME;`id`|x>y"], COMMAND_TIME).await.as_deref(), Ok("$HOME;`id`|x>y"));
        for command in [&["cat"][..], &["false"], &["no-such-program-here"], &["echo", "CANARY two"], &[]] {
            let failure = run(command, COMMAND_TIME).await.expect_err("no key");
            assert_eq!(failure.verdict, Verdict::Key, "{command:?}");
            assert!(!failure.cause.contains("CANARY"), "{}", failure.cause);
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_command_that_does_not_end_is_killed() {
        let begin = std::time::Instant::now();
        for command in [&["sleep", "600"][..], &["sh", "-c", "exec >&-; exec sleep 600"]] {
            let failure = run(command, Duration::from_millis(100)).await.expect_err("no key");
            assert!(failure.cause.contains("did not end"), "{}", failure.cause);
        }
        assert!(begin.elapsed() < COMMAND_TIME);
    }
}
