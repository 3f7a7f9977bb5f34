//! The environment, read once: everything else works on what was read.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Error;
use crate::model::secret::Secret;

/// The variables that the program heeds, and the folders that the platform names. An empty variable counts as unset.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `ASSESSCTL_CONFIG`.
    pub config: Option<OsString>,
    /// `ASSESSCTL_PROFILE`.
    pub profile: Option<OsString>,
    /// `ASSESSCTL_BASE_URL`.
    pub base_url: Option<OsString>,
    /// `ASSESSCTL_API_KEY`.
    pub api_key: Option<Secret>,
    /// `ASSESSCTL_PROJECT`.
    pub project: Option<OsString>,
    /// `ASSESSCTL_OUTPUT`.
    pub output: Option<OsString>,
    /// `ASSESSCTL_STATE_DIR`.
    pub state_dir: Option<OsString>,
    /// The shell that asks what could be typed next, set by its completion script.
    pub complete: Option<OsString>,
    /// `NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// `TERM` is `dumb`.
    pub dumb_terminal: bool,
    /// Which of [`PROXIES`] are set; the HTTP client reads them itself.
    pub proxies: Vec<&'static str>,
    /// The user's folder; without `HOME` the one of the password database.
    pub home: Option<PathBuf>,
    /// Where the platform keeps configuration.
    pub config_folder: Option<PathBuf>,
    /// Where the platform keeps state; macOS has no such place, the local data folder serves.
    pub state_folder: Option<PathBuf>,
}

/// The variable by which completion scripts call the program. It is theirs alone, hence the underscore.
pub const COMPLETE: &str = "_ASSESSCTL_COMPLETE";

/// The variables that name a proxy.
const PROXIES: [&str; 6] = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

impl Environment {
    /// Reads the process's environment.
    pub fn read() -> Self {
        Self {
            config: variable("ASSESSCTL_CONFIG"),
            profile: variable("ASSESSCTL_PROFILE"),
            base_url: variable("ASSESSCTL_BASE_URL"),
            // What is not Unicode is no key either; the check of the key says so without showing it.
            api_key: variable("ASSESSCTL_API_KEY").map(|key| Secret::new(key.to_string_lossy().into_owned())),
            project: variable("ASSESSCTL_PROJECT"),
            output: variable("ASSESSCTL_OUTPUT"),
            state_dir: variable("ASSESSCTL_STATE_DIR"),
            complete: variable(COMPLETE),
            no_color: variable("NO_COLOR").is_some(),
            dumb_terminal: variable("TERM").is_some_and(|term| term == "dumb"),
            proxies: PROXIES.into_iter().filter(|name| variable(name).is_some()).collect(),
            home: dirs::home_dir(),
            config_folder: dirs::config_dir(),
            state_folder: dirs::state_dir().or_else(dirs::data_local_dir),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The text of a variable that must be one.
pub(super) fn text(name: &str, value: Option<&OsString>) -> Result<Option<String>, Error> {
    let Some(value) = value else { return Ok(None) };
    let text = value.to_str().ok_or_else(|| Error::usage(format!("{name} is not valid Unicode")))?;
    Ok(Some(text.to_owned()))
}
