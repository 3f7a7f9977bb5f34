//! The API key: which address it may go to, and how it is read.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use url::Url;

use super::{Origin, Sourced};
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
    /// The text of `ASSESSCTL_API_KEY`.
    Variable(Secret),
    /// The text of a profile's `api-key`.
    Profile(Secret),
    /// A program of a profile and its arguments.
    Command(Vec<String>),
}

/// Each key that is offered, with the address beside it.
#[derive(Default)]
pub(super) struct Offered<'a> {
    /// `--api-key-file`.
    pub flag: Option<PathBuf>,
    /// `ASSESSCTL_API_KEY` and `ASSESSCTL_BASE_URL`.
    pub variable: Option<Secret>,
    pub variable_url: Option<Url>,
    /// The profile's name, key and address.
    pub name: Option<&'a str>,
    pub profile: Option<KeySource>,
    pub profile_url: Option<&'a Url>,
}

impl Offered<'_> {
    /// The key for the address in use (design §10). A key goes to the address that stands beside it, and to no other.
    pub fn choose(self, used: &Sourced<Url>) -> Result<Sourced<KeySource>, Failure> {
        let is_used = |url: &Url| url.origin() == used.value.origin();
        let name = self.name.unwrap_or_default();
        if let Some(path) = self.flag {
            let source = if path.as_os_str() == "-" { KeySource::Stdin } else { KeySource::File(path) };
            return Ok(Sourced::new(source, Origin::Flag));
        }
        if let Some(key) = self.variable {
            let refused = match &self.variable_url {
                Some(own) if !is_used(own) => {
                    "ASSESSCTL_API_KEY is for ASSESSCTL_BASE_URL, not for --base-url".to_owned()
                }
                None if used.origin == Origin::Profile && self.profile.is_some() => {
                    format!("ASSESSCTL_API_KEY may be for another address: profile {name} has a key of its own")
                }
                _ => return Ok(Sourced::new(KeySource::Variable(key), Origin::Variable("ASSESSCTL_API_KEY"))),
            };
            return Err(Failure::usage(refused)
                .hint(format!("unset ASSESSCTL_API_KEY, or set ASSESSCTL_BASE_URL={} if it is for that", used.value)));
        }
        match self.profile {
            Some(source) if self.profile_url.is_some_and(is_used) => Ok(Sourced::new(source, Origin::Profile)),
            Some(_) => Err(no_key(format!("the key of profile {name} goes to the base-url of that profile only"))
                .hint("give --api-key-file FILE for this address")),
            None => Err(no_key("there is no API key")
                .hint("set ASSESSCTL_API_KEY, give --api-key-file FILE, or type `assessctl config init`")),
        }
    }
}

impl KeySource {
    /// What may be shown of it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Stdin | Self::Variable(_) | Self::Profile(_) | Self::Command(_) => "(set)".to_owned(),
        }
    }

    /// Reads the key.
    pub async fn read(&self) -> Result<ApiKey, Failure> {
        match self {
            Self::Stdin => {
                let bytes = files::read_stdin(LONGEST);
                parse(&bytes.map_err(|error| no_key(format!("cannot read the API key: {error}")))?, "standard input")
            }
            Self::File(path) => {
                let text = files::read_private(path).map_err(|failure| Failure { verdict: Verdict::Key, ..failure })?;
                let text = text.ok_or_else(|| no_key(format!("there is no key file {}", path.display())))?;
                parse(text.as_bytes(), &path.display().to_string())
            }
            Self::Variable(key) => parse(key.expose().as_bytes(), "ASSESSCTL_API_KEY"),
            Self::Profile(key) => parse(key.expose().as_bytes(), "api-key of the profile"),
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
    let mut child = started.spawn().map_err(|error| failed(format!("cannot run: {error}")))?;
    let run = async {
        let mut text = Vec::new();
        if let Some(output) = child.stdout.take() {
            output.take(LONGEST).read_to_end(&mut text).await?;
        }
        child.wait().await.map(|status| (status, text))
    };
    match tokio::time::timeout(limit, run).await {
        Err(_) => Err(failed(format!("did not end within {} s", limit.as_secs()))),
        Ok(Err(error)) => Err(failed(format!("cannot be read: {error}"))),
        Ok(Ok((status, text))) if status.success() => parse(&text, &format!("printed by {program}")),
        Ok(Ok((status, _))) => Err(failed(format!("failed: {status}"))),
    }
}
