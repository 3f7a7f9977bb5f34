//! What one run works with: what was given, and what that came to.

use std::path::PathBuf;

use url::Url;

use super::folders::created;
use super::key::Source;
use super::{Error, Origin, SANDBOX, Value};
use crate::model::format::Format;
use crate::model::pace::{Concurrency, MaxRate};
use crate::model::results::ResultsApi;
use crate::model::secret::ApiKey;

/// What the flags say; `None` where one is not given.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// `--profile`.
    pub profile: Option<String>,
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--base-url`.
    pub base_url: Option<String>,
    /// `--api-key-file`; `-` is standard input.
    pub api_key_file: Option<PathBuf>,
    /// `--output`.
    pub output: Option<Format>,
    /// `--results-api`.
    pub results_api: Option<ResultsApi>,
    /// `--ca-cert`.
    pub ca_cert: Option<PathBuf>,
    /// `--concurrency`.
    pub concurrency: Option<Concurrency>,
    /// `--max-rate`.
    pub max_rate: Option<MaxRate>,
}

/// The settings of one run, each with its origin.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The configuration file, which need not exist.
    pub config_file: Value<PathBuf>,
    /// The folder for state, which need not exist; see [`state_dir`](Self::state_dir).
    pub state_folder: Option<Value<PathBuf>>,
    /// The name of the profile in use.
    pub profile: Option<Value<String>>,
    /// The service's address; `None` where nobody gave one, and in the sandbox, which knows its own.
    pub base_url: Option<Value<Url>>,
    /// Where `--project` is not given and a project is needed.
    pub project: Option<Value<String>>,
    /// The format.
    pub output: Value<Format>,
    /// Which documented shape the results endpoints have.
    pub results_api: Value<ResultsApi>,
    /// A certificate authority to trust.
    pub ca_cert: Option<Value<PathBuf>>,
    /// Whether plain `http` may leave this machine.
    pub allow_http: Value<bool>,
    /// Requests at a time.
    pub concurrency: Value<Concurrency>,
    /// Requests a second, at most.
    pub max_rate: Option<Value<MaxRate>>,
    /// Whether every write is refused.
    pub read_only: Value<bool>,
    /// The word to type before many people are written to.
    pub confirm: Option<Value<String>>,
    /// Variables that are set and don't count, because the sandbox has its own.
    pub ignored: Vec<&'static str>,
    pub(super) key: Value<Source>,
}

impl Settings {
    /// Whether the embedded service is meant: address and key are its own.
    pub fn is_sandbox(&self) -> bool {
        self.profile.as_ref().is_some_and(|profile| profile.value == SANDBOX)
    }

    /// The service's address, or the way to one.
    pub fn base_url(&self) -> Result<&Url, Error> {
        self.base_url.as_ref().map(|url| &url.value).ok_or_else(|| {
            Error::usage("no service is set: there is no base URL")
                .hint("run `assessctl config init`, or try things out with --profile sandbox")
        })
    }

    /// Reads the API key, now and not earlier: from `--api-key-file`, `ASSESSCTL_API_KEY` or the profile, whose command is
    /// run.
    pub fn api_key(&self) -> Result<ApiKey, Error> {
        let address = self.base_url.as_ref().map_or_else(|| "this service".to_owned(), |url| address(&url.value));
        self.key.value.read(self.key.origin, &address)
    }

    /// Whether the key will be taken from standard input, so that nothing else can be.
    pub fn key_is_on_stdin(&self) -> bool {
        matches!(self.key.value, Source::Stdin)
    }

    /// How the key is kept, for people, and where it will come from; `None` where there is none for this address.
    pub fn key_kept(&self) -> Option<(&'static str, Origin)> {
        self.key.value.kept().map(|kept| (kept, self.key.origin))
    }

    /// Why the profile's key is not used, where it has one.
    pub fn key_withheld(&self) -> Option<&str> {
        match &self.key.value {
            Source::Elsewhere(reason) => Some(reason),
            _ => None,
        }
    }

    /// The folder for state, created where it is not there.
    pub fn state_dir(&self) -> Result<PathBuf, Error> {
        created(self.state_folder.as_ref())
    }
}

/// An address without its path: what a key belongs to.
pub(super) fn address(url: &Url) -> String {
    url.origin().ascii_serialization()
}
