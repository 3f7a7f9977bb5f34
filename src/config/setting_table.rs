//! Every setting, declared once: its key in a profile, its option, its variable, how it is read and shown, what it means.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value as Json;

use super::key_source::StoredKey;
use super::literal::Literal;
use super::setting_values as values;
use super::sourced::Sourced;
use crate::model::concurrency::{Concurrency, MaxRate};
use crate::model::did_you_mean::nearest;
use crate::model::failure::Failure;
use crate::model::output_format::{ErrorFormat, Format};
use crate::model::results::ResultsApi;
use crate::model::shell_word::shell_word;

/// What is said about a setting, whatever its type. README.md and the command line are held to it by tests.
#[derive(Debug)]
pub struct Declaration {
    /// Its name in `config show`, and in a profile where that may hold it.
    pub key: &'static str,
    /// Whether a profile may hold it.
    pub in_profile: bool,
    /// Its option.
    pub flag: Option<&'static str>,
    /// Its variable.
    pub variable: Option<&'static str>,
    /// What it means, in one line: of help and of README.md.
    pub help: &'static str,
}

/// A setting whose values are of the type `T`.
pub struct Setting<T> {
    /// What is said about it.
    pub about: Declaration,
    kind: ValueKind<T>,
}

/// How a value is read, and how it is shown.
type ValueKind<T> = (fn(&Literal) -> Result<T, String>, fn(&T) -> Json);

/// What `config show` says of a setting: its name, its value, and what is known of where it came from.
pub type Row = (&'static str, Option<Sourced<Json>>);

impl<T> Setting<T> {
    /// One that a profile may hold, without an option and a variable.
    const fn of(key: &'static str, help: &'static str, kind: ValueKind<T>) -> Self {
        Self { about: Declaration { key, in_profile: true, flag: None, variable: None, help }, kind }
    }

    const fn flag(mut self, flag: &'static str) -> Self {
        self.about.flag = Some(flag);
        self
    }

    const fn variable(mut self, variable: &'static str) -> Self {
        self.about.variable = Some(variable);
        self
    }

    const fn outside_profiles(mut self) -> Self {
        self.about.in_profile = false;
        self
    }

    /// Reads a value; the reason says what is wrong with it, starts with a verb and never quotes it.
    pub(super) fn read(&self, literal: &Literal) -> Result<T, String> {
        self.kind.0(literal)
    }

    /// The setting with its value, as `config show` prints it.
    pub(super) fn row(&self, value: Option<&Sourced<T>>) -> Row {
        (self.about.key, value.map(|value| Sourced::new(self.kind.1(&value.value), value.origin)))
    }
}

/// A setting without its type: what reading a file, editing it and help need to know.
pub trait AnySetting {
    /// What is said about it.
    fn about(&self) -> &Declaration;
    /// Whether a value will do; the reason where not.
    fn check(&self, literal: &Literal) -> Result<(), String>;

    /// What was typed for the setting, or stands in its variable, as a value that will do: a project may be called `8`,
    /// and a number is one.
    fn typed(&self, text: &str) -> Result<Literal, String> {
        let plain = Literal::Text(text.to_owned());
        if self.check(&plain).is_ok() {
            return Ok(plain);
        }
        let literal = Literal::typed(text);
        self.check(&literal).map(|()| literal)
    }
}

impl<T> AnySetting for Setting<T> {
    fn about(&self) -> &Declaration {
        &self.about
    }

    fn check(&self, literal: &Literal) -> Result<(), String> {
        self.read(literal).map(drop)
    }
}

/// The settings that a profile may hold.
pub fn profile_settings() -> impl Iterator<Item = &'static Declaration> {
    SETTINGS.into_iter().map(AnySetting::about).filter(|about| about.in_profile)
}

/// The names of all settings, as `config show` prints them.
pub fn setting_names() -> impl Iterator<Item = &'static str> {
    SETTINGS.into_iter().map(|setting| setting.about().key)
}

/// The setting of this name that a profile may hold.
pub(super) fn profile_setting(key: &str) -> Option<&'static dyn AnySetting> {
    SETTINGS.into_iter().find(|setting| setting.about().in_profile && setting.about().key == key)
}

/// The known setting that a mistyped one was probably meant to be.
pub(super) fn nearest_setting(key: &str) -> Option<&'static str> {
    let key = key.strip_prefix("default-").unwrap_or(key);
    // As programs with sections name a setting, and their word for an address.
    let key = key.rsplit(['.', '/']).next().unwrap_or(key);
    if ["url", "endpoint", "host", "server", "api-url", "address"].contains(&key) {
        return Some("base-url");
    }
    nearest(key, profile_settings().map(|about| about.key))
}

/// The names of the settings that a profile may hold.
pub fn known_settings() -> String {
    profile_settings().map(|about| about.key).collect::<Vec<_>>().join(", ")
}

/// Says that there is no such setting. One that is like none is not repeated: it may be a key in the wrong place.
pub(super) fn unknown_setting(key: &str) -> Failure {
    let known = known_settings();
    match nearest_setting(key) {
        Some(near) => {
            let hint = match key.split('.').collect::<Vec<_>>()[..] {
                ["profile" | "profiles", profile, _] => {
                    format!("did you mean `assessctl config set {near} VALUE --profile {}`?", shell_word(profile))
                }
                _ => format!("did you mean {near}?"),
            };
            Failure::usage(format!("unknown setting {key:?}; known: {known}")).hint(hint)
        }
        None => Failure::usage(format!("unknown setting; known: {known}")),
    }
}

/// All settings, in the order of help, `config show` and README.md.
pub const SETTINGS: [&dyn AnySetting; 21] = [
    &PROFILE,
    &CONFIG,
    &STATE_DIR,
    &BASE_URL,
    &API_KEY,
    &API_KEY_FILE,
    &API_KEY_COMMAND,
    &PROJECT,
    &OUTPUT,
    &ERRORS,
    &RESULTS_API,
    &CA_CERT,
    &ALLOW_HTTP,
    &CONCURRENCY,
    &MAX_RATE,
    &TIMEOUT,
    &DEADLINE,
    &MAX_RECORDS,
    &READ_ONLY,
    &CONFIRM,
    &MASK,
];

const TEXT: ValueKind<String> = (values::text, values::json);
const PATH: ValueKind<PathBuf> = (values::path, values::shown_path);
const SWITCH: ValueKind<bool> = (values::boolean, values::json);
const TIME: ValueKind<Duration> = (values::duration, values::shown_duration);

pub const PROFILE: Setting<String> =
    Setting::of("profile", "Profile of the configuration to use; `sandbox` needs none", TEXT)
        .flag("--profile")
        .variable("ASSESSCTL_PROFILE")
        .outside_profiles();

pub const CONFIG: Setting<PathBuf> =
    Setting::of("config", "Configuration file [default: the platform's configuration folder]", PATH)
        .flag("--config")
        .variable("ASSESSCTL_CONFIG")
        .outside_profiles();

pub const STATE_DIR: Setting<PathBuf> =
    Setting::of("state-dir", "Folder for the journal, locks and the sandbox's state", PATH)
        .variable("ASSESSCTL_STATE_DIR")
        .outside_profiles();

pub const BASE_URL: Setting<String> =
    Setting::of("base-url", "Address of the service: https, or http on loopback", TEXT)
        .flag("--base-url")
        .variable("ASSESSCTL_BASE_URL");

pub const API_KEY: Setting<StoredKey> = Setting::of(
    "api-key",
    "The API key; a configuration that holds it must be readable by its owner alone",
    (values::inline_key, values::shown_key),
)
.variable("ASSESSCTL_API_KEY");

pub const API_KEY_FILE: Setting<StoredKey> = Setting::of(
    "api-key-file",
    "File that holds the API key; `-` as an option reads standard input",
    (values::key_file, values::shown_key),
)
.flag("--api-key-file")
.variable("ASSESSCTL_API_KEY_FILE");

pub const API_KEY_COMMAND: Setting<StoredKey> = Setting::of(
    "api-key-command",
    "Program and arguments that print the API key within 30 seconds, as a list; no shell",
    (values::key_command, values::shown_key),
);

pub const PROJECT: Setting<String> = Setting::of("project", "Project where none is named: a name or an id", TEXT)
    .flag("--project")
    .variable("ASSESSCTL_PROJECT");

pub const OUTPUT: Setting<Format> =
    Setting::of("output", "Format of the output [default: table]", (values::word, values::json))
        .flag("--output")
        .variable("ASSESSCTL_OUTPUT");

pub const ERRORS: Setting<ErrorFormat> = Setting::of(
    "errors",
    "Messages on standard error: text, or json for one object a line [default: text]",
    (values::word, values::json),
)
.flag("--errors")
.variable("ASSESSCTL_ERRORS")
.outside_profiles();

pub const RESULTS_API: Setting<ResultsApi> = Setting::of(
    "results-api",
    "Which of the two documented shapes the service's results have [default: current]",
    (values::word, values::json),
)
.flag("--results-api")
.variable("ASSESSCTL_RESULTS_API");

pub const CA_CERT: Setting<PathBuf> =
    Setting::of("ca-cert", "Trust the certificate authorities in this PEM file as well", PATH)
        .flag("--ca-cert")
        .variable("ASSESSCTL_CA_CERT");

pub const ALLOW_HTTP: Setting<bool> =
    Setting::of("allow-http", "`true` sends the key over plain http beyond loopback, too", SWITCH);

pub const CONCURRENCY: Setting<Concurrency> = Setting::of(
    "concurrency",
    "Requests under way at a time: auto, or a number at most [default: auto]",
    (values::concurrency, values::number_or_word),
)
.flag("--concurrency")
.variable("ASSESSCTL_CONCURRENCY");

pub const MAX_RATE: Setting<MaxRate> =
    Setting::of("max-rate", "Requests a second, at most", (values::max_rate, values::number_or_word))
        .flag("--max-rate")
        .variable("ASSESSCTL_MAX_RATE");

pub const TIMEOUT: Setting<Duration> =
    Setting::of("timeout", "Time for a whole request, such as 45s [default: 30s for reads, 2m for writes]", TIME)
        .flag("--timeout")
        .variable("ASSESSCTL_TIMEOUT")
        .outside_profiles();

pub const DEADLINE: Setting<Duration> =
    Setting::of("deadline", "End by then, such as 10m: nothing is begun that cannot end in time", TIME)
        .flag("--deadline")
        .variable("ASSESSCTL_DEADLINE")
        .outside_profiles();

pub const MAX_RECORDS: Setting<u64> = Setting::of(
    "max-records",
    "End with an error where a list has more records than this [default: 10000000]",
    (values::record_count, values::number_or_word),
)
.flag("--max-records")
.variable("ASSESSCTL_MAX_RECORDS")
.outside_profiles();

pub const READ_ONLY: Setting<bool> = Setting::of("read-only", "`true` refuses every write", SWITCH);

pub const CONFIRM: Setting<String> = Setting::of(
    "confirm",
    "Word to type before many people are written to or anybody is removed",
    (values::plain_word, values::json),
);

pub const MASK: Setting<bool> =
    Setting::of("mask", "Pseudonyms for names and e-mails in every output; what would act on them is refused", SWITCH)
        .flag("--mask");

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = include_str!("../../README.md");

    #[test]
    fn an_option_and_a_variable_are_called_after_the_setting() {
        for setting in SETTINGS.map(AnySetting::about) {
            let capitals = setting.key.replace('-', "_").to_uppercase();
            assert!(setting.flag.is_none_or(|flag| flag == format!("--{}", setting.key)), "{setting:?}");
            let variable = format!("ASSESSCTL_{capitals}");
            assert!(setting.variable.is_none_or(|name| name == variable), "{setting:?}");
        }
    }

    /// The rows of the README's table below a heading, without backticks.
    fn rows(heading: &str) -> Vec<String> {
        let below = README.split(&format!("# {heading}\n")).nth(1).expect("a heading");
        let rows = below.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
        rows.skip(2).map(|row| row.replace('`', "")).collect()
    }

    #[test]
    fn the_readme_has_each_setting_in_the_words_of_help() {
        let plain = |text: &str| text.replace('`', "");
        let keys: Vec<_> = profile_settings()
            .map(|about| format!("| {} | {} | {} |", about.key, about.flag.unwrap_or_default(), plain(about.help)))
            .map(|row| row.replace("|  |", "| |"))
            .collect();
        assert_eq!(rows("Profile keys"), keys);
        let variables: Vec<_> = SETTINGS
            .map(AnySetting::about)
            .into_iter()
            .filter_map(|about| Some(format!("| {} | {} |", about.variable?, plain(about.help))))
            .collect();
        assert_eq!(rows("Variables"), variables);
    }

    #[test]
    fn what_is_typed_is_read_as_its_setting_takes_it() {
        assert_eq!(PROJECT.typed("8"), Ok(Literal::Text("8".to_owned())));
        assert_eq!(CONCURRENCY.typed("8"), Ok(Literal::Integer(8)));
        assert_eq!(READ_ONLY.typed("true"), Ok(Literal::Boolean(true)));
        assert_eq!(MAX_RATE.typed("2.5"), Ok(Literal::Float(2.5)));
        let command = Literal::List(vec![Literal::Text("pass".to_owned())]);
        assert_eq!(API_KEY_COMMAND.typed("[\"pass\"]"), Ok(command));
        for (setting, bad) in [(&CONCURRENCY as &dyn AnySetting, "65"), (&READ_ONLY, "yes"), (&API_KEY_COMMAND, "pass")]
        {
            assert!(setting.typed(bad).is_err_and(|reason| reason.starts_with("is ")), "{bad}");
        }
    }
}
