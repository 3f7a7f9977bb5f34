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

    const fn flag(mut self, flag: &'static str, _: &str) -> Self {
        self.about.flag = Some(flag);
        self
    }

    const fn variable(mut self, _: &str, variable: &'static str) -> Self {
        self.about.variable = Some(variable);
        self
    }

    const fn outside_profiles(mut self, _: &str, _: &str) -> Self {
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

const TEXT: ValueKind<String> = (values::text, values::json);
const PATH: ValueKind<PathBuf> = (values::path, values::shown_path);
const SWITCH: ValueKind<bool> = (values::boolean, values::json);
const TIME: ValueKind<Duration> = (values::duration, values::shown_duration);

/// Declares the settings, in the order of help, `config show` and README.md. Option and variable are called after the key.
macro_rules! settings {
    ($($name:ident: $type:ty, $key:literal, $kind:expr, [$($has:ident)*], $help:literal;)+) => {
        $(pub const $name: Setting<$type> = Setting::of($key, $help, $kind)
            $(.$has(concat!("--", $key), concat!("ASSESSCTL_", stringify!($name))))*;)+

        /// All settings, in that order.
        pub const SETTINGS: [&dyn AnySetting; [$($key),+].len()] = [$(&$name),+];
    };
}

settings! {
    PROFILE: String, "profile", TEXT, [flag variable outside_profiles],
        "Profile of the configuration to use; `sandbox` needs none";
    CONFIG: PathBuf, "config", PATH, [flag variable outside_profiles],
        "Configuration file [default: the platform's configuration folder]";
    STATE_DIR: PathBuf, "state-dir", PATH, [variable outside_profiles],
        "Folder for the journal, locks and the sandbox's state";
    BASE_URL: String, "base-url", TEXT, [flag variable],
        "Address of the service: https, or http on loopback";
    API_KEY: StoredKey, "api-key", (values::inline_key, values::shown_key), [variable],
        "The API key; a configuration that holds it must be readable by its owner alone";
    API_KEY_FILE: StoredKey, "api-key-file", (values::key_file, values::shown_key), [flag variable],
        "File that holds the API key; `-` as an option reads standard input";
    API_KEY_COMMAND: StoredKey, "api-key-command", (values::key_command, values::shown_key), [],
        "Program and arguments that print the API key within 30 seconds, as a list; no shell";
    PROJECT: String, "project", TEXT, [flag variable],
        "Project where none is named: a name or an id";
    OUTPUT: Format, "output", (values::word, values::json), [flag variable],
        "Format of the output [default: table]";
    ERRORS: ErrorFormat, "errors", (values::word, values::json), [flag variable outside_profiles],
        "Messages on standard error: text, or json for one object a line [default: text]";
    RESULTS_API: ResultsApi, "results-api", (values::word, values::json), [flag variable],
        "Which of the two documented shapes the service's results have [default: current]";
    CA_CERT: PathBuf, "ca-cert", PATH, [flag variable],
        "Trust the certificate authorities in this PEM file as well";
    ALLOW_HTTP: bool, "allow-http", SWITCH, [],
        "`true` sends the key over plain http beyond loopback, too";
    CONCURRENCY: Concurrency, "concurrency", (values::concurrency, values::number_or_word), [flag variable],
        "Requests under way at a time: auto, or a number at most [default: auto]";
    MAX_RATE: MaxRate, "max-rate", (values::max_rate, values::number_or_word), [flag variable],
        "Requests a second, at most";
    TIMEOUT: Duration, "timeout", TIME, [flag variable outside_profiles],
        "Time for a whole request, such as 45s [default: 30s for reads, 2m for writes]";
    DEADLINE: Duration, "deadline", TIME, [flag variable outside_profiles],
        "End by then, such as 10m: nothing is begun that cannot end in time";
    MAX_RECORDS: u64, "max-records", (values::record_count, values::number_or_word), [flag variable outside_profiles],
        "End with an error where a list has more records than this [default: 10000000]";
    READ_ONLY: bool, "read-only", SWITCH, [],
        "`true` refuses every write";
    CONFIRM: String, "confirm", (values::plain_word, values::json), [],
        "Word to type before many people are written to or anybody is removed";
    MASK: bool, "mask", SWITCH, [flag],
        "Pseudonyms for names and e-mails in every output; what would act on them is refused";
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = include_str!("../../README.md");

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
