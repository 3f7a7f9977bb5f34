//! What one run works with: each setting's value, and where it came from.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value as Json;
use url::Url;

use super::folders::created;
use super::key_source::KeySource;
use super::profiles::SANDBOX;
use super::setting_table as of;
use super::setting_table::{Declaration, Row};
use super::sourced::{Origin, Sourced};
use crate::model::concurrency::{Concurrency, MaxRate};
use crate::model::failure::Failure;
use crate::model::output_format::{ErrorFormat, Format};
use crate::model::results::ResultsApi;
use crate::model::secret::ApiKey;
use crate::model::service_address::origin_of;

/// The settings of one run, each with its origin.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The configuration file, which need not exist.
    pub config_file: Sourced<PathBuf>,
    /// The folder for state, which need not exist; see [`state_dir`](Self::state_dir).
    pub state_folder: Option<Sourced<PathBuf>>,
    /// The name of the profile in use.
    pub profile: Option<Sourced<String>>,
    /// The service's address; `None` where none is given, and in the sandbox, which knows its own.
    pub base_url: Option<Sourced<Url>>,
    /// Where `--project` is not given and a project is needed.
    pub project: Option<Sourced<String>>,
    pub output: Sourced<Format>,
    /// How messages on standard error are written.
    pub errors: Sourced<ErrorFormat>,
    /// Which documented shape the results endpoints have.
    pub results_api: Sourced<ResultsApi>,
    /// A certificate authority to trust.
    pub ca_cert: Option<Sourced<PathBuf>>,
    /// Whether plain `http` may leave this machine.
    pub allow_http: Sourced<bool>,
    /// Requests at a time.
    pub concurrency: Sourced<Concurrency>,
    /// Requests a second, at most.
    pub max_rate: Option<Sourced<MaxRate>>,
    /// Time for a whole request.
    pub timeout: Option<Sourced<Duration>>,
    /// Time for the whole run.
    pub deadline: Option<Sourced<Duration>>,
    /// Records of one list, at most.
    pub max_records: Sourced<u64>,
    /// Whether every write is refused.
    pub read_only: Sourced<bool>,
    /// The word to type before many people are written to.
    pub confirm: Option<Sourced<String>>,
    /// Whether people are shown by pseudonyms.
    pub mask: Sourced<bool>,
    /// Settings whose variables are set and don't count, because the sandbox has its own values.
    pub ignored: Vec<&'static Declaration>,
    /// The variables that replace the platform's certificates.
    pub(super) trust: Vec<&'static str>,
    pub(super) key: Sourced<KeySource>,
}

impl Settings {
    /// Whether the embedded service is meant: address and key are its own.
    pub fn is_sandbox(&self) -> bool {
        self.profile.as_ref().is_some_and(|profile| profile.value == SANDBOX)
    }

    /// The service's address, or the way to one.
    pub fn base_url(&self) -> Result<&Url, Failure> {
        self.base_url.as_ref().map(|url| &url.value).ok_or_else(|| {
            Failure::usage("no service is set: there is no base URL")
                .hint("run `assessctl config init`, or try things out with --profile sandbox")
        })
    }

    /// Reads the API key, now and not earlier: from `--api-key-file`, `ASSESSCTL_API_KEY` or the profile, whose command is
    /// run.
    pub fn api_key(&self) -> Result<ApiKey, Failure> {
        let address = self.base_url.as_ref().map_or_else(|| "this service".to_owned(), |url| origin_of(&url.value));
        self.key.value.read(self.key.origin, &address, self.errors.value)
    }

    /// Whether the key will be taken from standard input, so that nothing else can be.
    pub fn key_is_on_stdin(&self) -> bool {
        matches!(self.key.value, KeySource::Stdin)
    }

    /// That variables replace the platform's certificates, where they do.
    pub fn replaced_trust(&self) -> Option<String> {
        match self.trust.as_slice() {
            [] => None,
            [one] => Some(format!("{one} replaces the platform's")),
            names => Some(format!("{} replace the platform's", names.join(" and "))),
        }
    }

    /// Where a value comes from, in words: of a profile its name.
    pub fn origin(&self, origin: Origin) -> String {
        match (origin, &self.profile) {
            (Origin::Profile, Some(profile)) => format!("profile {}", profile.value),
            _ => origin.to_string(),
        }
    }

    /// Each setting with its value, for `config show`: in the order of the table. The key's rows hold how it is kept.
    pub fn rows(&self) -> Vec<Row> {
        let text = self.base_url.as_ref().map(|url| Sourced::new(url.value.to_string(), url.origin));
        vec![
            of::PROFILE.row(self.profile.as_ref()),
            of::CONFIG.row(Some(&self.config_file)),
            of::STATE_DIR.row(self.state_folder.as_ref()),
            of::BASE_URL.row(text.as_ref()),
            (of::API_KEY.about.key, self.key_kept().map(|(_, origin)| Sourced::new("set".into(), origin))),
            (of::API_KEY_FILE.about.key, self.key_file()),
            (of::API_KEY_COMMAND.about.key, self.key_command()),
            of::PROJECT.row(self.project.as_ref()),
            of::OUTPUT.row(Some(&self.output)),
            of::ERRORS.row(Some(&self.errors)),
            of::RESULTS_API.row(Some(&self.results_api)),
            of::CA_CERT.row(self.ca_cert.as_ref()),
            of::ALLOW_HTTP.row(Some(&self.allow_http)),
            of::CONCURRENCY.row(Some(&self.concurrency)),
            of::MAX_RATE.row(self.max_rate.as_ref()),
            of::TIMEOUT.row(self.timeout.as_ref()),
            of::DEADLINE.row(self.deadline.as_ref()),
            of::MAX_RECORDS.row(Some(&self.max_records)),
            of::READ_ONLY.row(Some(&self.read_only)),
            of::CONFIRM.row(self.confirm.as_ref()),
            of::MASK.row(Some(&self.mask)),
        ]
    }

    fn key_file(&self) -> Option<Sourced<Json>> {
        let Sourced { value, origin } = &self.key;
        value.file().map(|file| Sourced::new(file.to_string_lossy().into(), *origin))
    }

    fn key_command(&self) -> Option<Sourced<Json>> {
        let is_command = matches!(self.key.value, KeySource::Command(_));
        is_command.then(|| Sourced::new("set".into(), self.key.origin))
    }

    /// How the key is kept, for people, and where it will come from; `None` where there is none for this address.
    pub fn key_kept(&self) -> Option<(&'static str, Origin)> {
        self.key.value.kept().map(|kept| (kept, self.key.origin))
    }

    /// Why the key that is set is not used, where there is one.
    pub fn key_withheld(&self) -> Option<&str> {
        match &self.key.value {
            KeySource::WithheldFor(reason) => Some(reason),
            KeySource::Misdirected(failure) => Some(&failure.cause),
            _ => None,
        }
    }

    /// The folder for state, created where it is not there.
    pub fn state_dir(&self) -> Result<PathBuf, Failure> {
        created(self.state_folder.as_ref())
    }
}
