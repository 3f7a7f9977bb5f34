//! The environment, read once: everything else works on what was read.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::setting_table::{API_KEY, Declaration, SETTINGS};
use crate::model::did_you_mean::nearest;
use crate::model::failure::Failure;
use crate::model::secret::Secret;

/// The variables that the program reads, and the folders that the platform names. An empty variable counts as unset.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Those of [`SETTINGS`] but the key's, by their names.
    settings: BTreeMap<&'static str, OsString>,
    /// The variable of [`API_KEY`].
    pub(super) api_key: Option<Secret>,
    /// The shell that asks what could be typed next, set by its completion script.
    pub complete: Option<OsString>,
    /// Variables that begin like the program's and are none of them.
    unknown: Vec<String>,
    /// `NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// `TERM` is `dumb`.
    pub dumb_terminal: bool,
    /// Which of [`PROXIES`] are set; the HTTP client reads them itself.
    pub proxies: Vec<&'static str>,
    /// Which of [`TRUST`] are set; the TLS library reads them itself.
    pub(super) trust: Vec<&'static str>,
    /// The user's folder; without `HOME` the one of the password database.
    pub home: Option<PathBuf>,
    /// Where programs are found.
    path: Option<OsString>,
    /// Where the platform keeps configuration.
    pub config_folder: Option<PathBuf>,
    /// Where the platform keeps state; macOS has no such place, the local data folder serves.
    pub state_folder: Option<PathBuf>,
}

/// The variable by which completion scripts call the program. It is theirs alone, hence the underscore.
pub const COMPLETE: &str = "_ASSESSCTL_COMPLETE";

/// How the program's variables begin.
const PREFIX: &str = "ASSESSCTL_";

/// Other programs' names for the same variables.
const IN_OTHER_WORDS: [(&str, &str); 13] = [
    ("FORMAT", "OUTPUT"),
    ("KEY", "API_KEY"),
    ("TOKEN", "API_KEY"),
    ("APIKEY", "API_KEY"),
    ("URL", "BASE_URL"),
    ("HOST", "BASE_URL"),
    ("ENDPOINT", "BASE_URL"),
    ("ENDPOINT_URL", "BASE_URL"),
    ("SERVER", "BASE_URL"),
    ("PROJECT_ID", "PROJECT"),
    ("PROJECT_NAME", "PROJECT"),
    ("JOBS", "CONCURRENCY"),
    ("CONFIG_FILE", "CONFIG"),
];

/// The variables that name a proxy.
const PROXIES: [&str; 6] = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/// The variables that name other certificates than the platform's, where it keeps them in files.
const TRUST: &[&str] =
    if cfg!(all(unix, not(target_vendor = "apple"))) { &["SSL_CERT_FILE", "SSL_CERT_DIR"] } else { &[] };

impl Environment {
    /// Reads the process's environment.
    pub fn read() -> Self {
        let mut settings: BTreeMap<_, _> = names().filter_map(|name| Some((name, variable(name)?))).collect();
        let api_key = API_KEY.about.variable.and_then(|name| settings.remove(name));
        Self {
            settings,
            // What is not Unicode is no key either; the check of the key says so without showing it.
            api_key: api_key.map(|key| Secret::new(key.to_string_lossy().into_owned())),
            complete: variable(COMPLETE),
            unknown: unknown_variables(),
            no_color: variable("NO_COLOR").is_some(),
            dumb_terminal: variable("TERM").is_some_and(|term| term == "dumb"),
            proxies: PROXIES.into_iter().filter(|name| variable(name).is_some()).collect(),
            trust: TRUST.iter().copied().filter(|name| variable(name).is_some()).collect(),
            home: dirs::home_dir(),
            path: variable("PATH"),
            config_folder: dirs::config_dir(),
            state_folder: dirs::state_dir().or_else(dirs::data_local_dir),
        }
    }

    /// Variables that are set and do nothing, each with the one that was probably meant.
    pub fn mistyped(&self) -> Vec<(&str, String)> {
        let known: Vec<_> = names().filter_map(|name| name.strip_prefix(PREFIX)).collect();
        let meant = |name: &str| {
            let other = IN_OTHER_WORDS.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
            other.or_else(|| nearest(name, known.iter().copied()))
        };
        let unknown = self.unknown.iter();
        unknown
            .filter_map(|name| Some((name.as_str(), format!("{PREFIX}{}", meant(name.strip_prefix(PREFIX)?)?))))
            .collect()
    }

    /// Whether a setting's variable is set.
    pub fn sets(&self, about: &Declaration) -> bool {
        let of_key = about.variable == API_KEY.about.variable && self.api_key.is_some();
        of_key || self.raw(about).is_some()
    }

    /// A setting's variable as it is set: the key's stands apart.
    pub(super) fn raw(&self, about: &Declaration) -> Option<&OsStr> {
        self.settings.get(about.variable?).map(OsString::as_os_str)
    }

    /// A setting's variable, which must be a text, with its name.
    pub fn text(&self, about: &Declaration) -> Result<Option<(&'static str, &str)>, Failure> {
        let (Some(name), Some(value)) = (about.variable, self.raw(about)) else { return Ok(None) };
        let text = value.to_str().ok_or_else(|| Failure::usage(format!("{name} is not valid Unicode")))?;
        Ok(Some((name, text)))
    }

    /// The file of a program that is named without its folder; `None` where there is none, or where the platform finds
    /// programs in other ways too.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        let folders = self.path.as_deref().filter(|_| cfg!(unix))?;
        std::env::split_paths(folders).map(|folder| folder.join(name)).find(|file| file.is_file())
    }

    /// The environment with another value of a setting's variable.
    #[cfg(test)]
    pub fn with(mut self, about: &'static Declaration, value: &str) -> Self {
        match about.variable {
            name if name == API_KEY.about.variable => self.api_key = Some(Secret::new(value.to_owned())),
            Some(name) => drop(self.settings.insert(name, value.into())),
            None => {}
        }
        self
    }
}

/// The variables of all settings.
fn names() -> impl Iterator<Item = &'static str> {
    SETTINGS.into_iter().filter_map(|setting| setting.about().variable)
}

fn unknown_variables() -> Vec<String> {
    let all = std::env::vars_os().filter(|(_, value)| !value.is_empty());
    let ours = all.filter_map(|(name, _)| name.into_string().ok()).filter(|name| name.starts_with(PREFIX));
    ours.filter(|name| names().all(|known| known != name)).collect()
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_does_nothing_is_told_where_another_was_meant() {
        let unknown = ["FORMAT", "PROJEKT", "TOKEN", "HOME_FOLDER"].map(|name| format!("{PREFIX}{name}")).to_vec();
        let environment = Environment { unknown, ..Environment::default() };
        let meant: Vec<_> = environment.mistyped().into_iter().map(|(_, meant)| meant).collect();
        assert_eq!(meant, ["ASSESSCTL_OUTPUT", "ASSESSCTL_PROJECT", "ASSESSCTL_API_KEY"]);
        for (_, ours) in IN_OTHER_WORDS {
            assert!(names().any(|name| name.strip_prefix(PREFIX) == Some(ours)), "{ours}");
        }
    }
}
