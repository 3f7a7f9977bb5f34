//! The configuration file: named profiles in TOML. Each mistake is named with its line or profile, and no value is ever quoted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_path_to_error::Segment;
use toml_edit::de::Error;
use url::Url;

use super::SANDBOX;
use crate::files;
use crate::model::address::parse_base_url;
use crate::model::format::Format;
use crate::model::secret::Secret;
use crate::model::text::or_known;
use crate::model::verdict::Failure;

/// The configuration file.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The default profile.
    pub profile: Option<String>,
    pub profiles: BTreeMap<String, Profile>,
}

/// Settings under one name. Paths are as written: relative ones start at the file's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default, expecting = "a table")]
pub struct Profile {
    /// May be plain `http`: `allow_http` says whether it may be used.
    #[serde(deserialize_with = "address")]
    pub base_url: Option<Url>,
    pub api_key: Option<Secret>,
    pub api_key_file: Option<PathBuf>,
    /// A program that prints the key, and its arguments.
    pub api_key_command: Option<Vec<String>>,
    /// A project's name or id.
    pub project: Option<String>,
    pub output: Option<Format>,
    #[serde(deserialize_with = "concurrency")]
    pub concurrency: Option<u8>,
    #[serde(deserialize_with = "timeout")]
    pub timeout: Option<Duration>,
    /// A PEM file with further certificate authorities.
    pub ca_cert: Option<PathBuf>,
    pub allow_http: Option<bool>,
    /// Every write is refused.
    pub read_only: Option<bool>,
}

impl Config {
    /// Reads a file, which must be ours and closed to others; `None` where there is none.
    pub fn read(path: &Path) -> Result<Option<Self>, Failure> {
        files::read_private(path)?.map(|text| Self::parse(&text, Some(path))).transpose()
    }

    /// Reads the text of a file, or a text that is not in its file yet.
    pub fn parse(text: &str, path: Option<&Path>) -> Result<Self, Failure> {
        let mistake = |error: Option<&Error>, failure: Failure| {
            let at = error.and_then(Error::span).map(|span| text[..span.start].matches('\n').count() + 1);
            let line = at.map(|line| format!(":{line}")).unwrap_or_default();
            let place = path.map(|path| format!("{}{line}: ", path.display())).unwrap_or_default();
            Failure { cause: place + &failure.cause, ..failure }
        };
        // What the parser says is made of its own words only.
        let document = toml_edit::de::Deserializer::parse(text)
            .map_err(|error| mistake(Some(&error), Failure::usage(format!("not valid TOML: {}", error.message()))))?;
        let config: Self = serde_path_to_error::deserialize(document)
            .map_err(|error| mistake(Some(error.inner()), wrong_value(error.path(), error.inner().message())))?;
        for (name, profile) in &config.profiles {
            profile.check(name).map_err(|failure| mistake(None, failure))?;
        }
        Ok(config)
    }

    /// The profile of this name; the one of the sandbox need not be in the file.
    pub fn profile(&self, name: &str) -> Result<Profile, Failure> {
        match self.profiles.get(name) {
            Some(profile) => Ok(profile.clone()),
            None if name == SANDBOX => Ok(Profile::default()),
            None => {
                let known: Vec<_> = self.profiles.keys().map(String::as_str).chain([SANDBOX]).collect();
                Err(Failure::usage(format!("there is no profile {name:?}{}", or_known(name, &known))))
            }
        }
    }
}

impl Profile {
    fn check(&self, name: &str) -> Result<(), Failure> {
        let keys = [self.api_key.is_some(), self.api_key_file.is_some(), self.api_key_command.is_some()];
        let allowed = Self { project: self.project.clone(), output: self.output, ..Self::default() };
        if name == SANDBOX && *self != allowed {
            return Err(Failure::usage("the profile sandbox has only two settings: project and output"));
        }
        if keys.into_iter().filter(|is_set| *is_set).count() > 1 {
            let why = "may have only one of api-key, api-key-file and api-key-command";
            return Err(Failure::usage(format!("the profile {name} {why}")));
        }
        Ok(())
    }
}

/// The settings that a profile may have.
pub fn settings() -> Vec<&'static str> {
    let names =
        "base-url api-key api-key-file api-key-command project output concurrency timeout ca-cert allow-http read-only";
    names.split(' ').collect()
}

/// What serde found wrong, without the value: its messages end with what was expected, and ours have no value.
fn wrong_value(path: &serde_path_to_error::Path, message: &str) -> Failure {
    let names = path.iter().filter_map(|segment| match segment {
        Segment::Map { key } if !key.starts_with('$') => Some(key.as_str()),
        _ => None,
    });
    let names: Vec<_> = names.collect();
    let name = names.last().copied().unwrap_or_default();
    let is_unknown = message.starts_with("unknown field");
    Failure::usage(match message.rsplit_once(", expected ") {
        // An unknown name is not repeated: it may be a key in the wrong place.
        _ if is_unknown && names.len() == 1 => {
            format!("unknown setting outside a profile{}", or_known(name, &["profile", "profiles"]))
        }
        _ if is_unknown => format!("unknown setting{}", or_known(name, &settings())),
        Some((_, "a string")) => format!("{name} must be text in quotes"),
        Some((_, "a boolean")) => format!("{name} must be true or false"),
        Some((_, "a sequence")) => format!("{name} must be a list such as [\"pass\", \"show\", \"key\"]"),
        Some((_, expected)) => format!("{name} must be {expected}"),
        None => format!("{name} {message}"),
    })
}

fn address<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Url>, D::Error> {
    parse_base_url(&String::deserialize(text)?, true).map(Some).map_err(D::Error::custom)
}

fn timeout<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Duration>, D::Error> {
    super::timeout(&String::deserialize(text)?).map(Some).map_err(D::Error::custom)
}

fn concurrency<'de, D: Deserializer<'de>>(number: D) -> Result<Option<u8>, D::Error> {
    let number = u8::deserialize(number).ok().filter(|number| (1..=64).contains(number));
    number.map(Some).ok_or_else(|| D::Error::custom("must be a whole number from 1 to 64"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(text: &str) -> Failure {
        let failure = Config::parse(text, Some(Path::new("config.toml"))).expect_err("a mistake");
        assert_eq!(failure.verdict, crate::model::verdict::Verdict::Usage);
        failure
    }

    #[test]
    fn every_setting_is_read() {
        let text = r#"
profile = "main"
[profiles.main]
base-url = "http://a.example/v1"
api-key = "k-1"
project = "Night shift"
output = "ndjson"
concurrency = 64
timeout = "45s"
ca-cert = "ca.pem"
allow-http = true
read-only = true
[profiles."night shift"]
api-key-file = "~/key"
[profiles.vault]
api-key-command = ["pass", "show", "assess key"]
"#;
        let config = Config::parse(text, None).expect("a good file");
        assert_eq!(config.profile.as_deref(), Some("main"));
        let main = Profile {
            base_url: Url::parse("http://a.example/v1").ok(),
            api_key: Some(Secret::new("k-1".into())),
            project: Some("Night shift".into()),
            output: Some(Format::Ndjson),
            concurrency: Some(64),
            timeout: Some(Duration::from_secs(45)),
            ca_cert: Some("ca.pem".into()),
            allow_http: Some(true),
            read_only: Some(true),
            ..Profile::default()
        };
        assert_eq!(config.profile("main"), Ok(main));
        assert_eq!(config.profile("night shift").map(|profile| profile.api_key_file), Ok(Some("~/key".into())));
        let command = ["pass", "show", "assess key"].map(str::to_owned).to_vec();
        assert_eq!(config.profile("vault").map(|profile| profile.api_key_command), Ok(Some(command)));
        assert_eq!(Config::parse("", None).map(|config| config.profiles.len()), Ok(0));
    }

    #[test]
    fn each_mistake_has_its_line_and_never_its_value() {
        let mistakes = [
            ("api-key = CANARY", "3: not valid TOML: string values must be quoted, expected literal string"),
            ("api-key = \"CANARY", "3: not valid TOML: invalid basic string, expected `\"`"),
            ("api-key = \"x\"\napi-key = \"CANARY\"", "4: not valid TOML: duplicate key"),
            ("api-key = [\"CANARY\"]", "3: api-key must be text in quotes"),
            ("api-key = { CANARY = 1 }", "3: api-key must be text in quotes"),
            ("sk_CANARY = \"x\"", "3: unknown setting"),
            ("base-url = \"https://u:CANARY@a.example\"", "3: base-url has a user name or password"),
            ("base-url = \"CANARY\"", "3: base-url is not a URL (expected https://HOST)"),
            (
                "api-key-command = \"pass CANARY\"",
                "3: api-key-command must be a list such as [\"pass\", \"show\", \"key\"]",
            ),
            ("api-key-command = [\"CANARY\",\n  7]", "4: api-key-command must be text in quotes"),
            (
                "output = \"CANARY, expected nothing\"",
                "3: output must be one of `table`, `csv`, `json`, `ndjson`, `xlsx`",
            ),
            ("concurrency = 65", "3: concurrency must be a whole number from 1 to 64"),
            ("concurrency = \"CANARY\"", "3: concurrency must be a whole number from 1 to 64"),
            ("timeout = \"CANARY\"", "3: timeout must be a length of time such as 45s or 5m"),
            ("timeout = \"0s\"", "3: timeout must be a length of time such as 45s or 5m"),
            ("allow-http = \"CANARY\"", "3: allow-http must be true or false"),
            (
                "api-key = \"CANARY\"\napi-key-file = \"k\"",
                " the profile main may have only one of api-key, api-key-file and api-key-command",
            ),
            ("[profiles]\nx = \"CANARY\"", "4: x must be a table"),
            (
                "[profiles.sandbox]\napi-key = \"CANARY\"",
                " the profile sandbox has only two settings: project and output",
            ),
        ];
        for (text, expected) in mistakes {
            let failure = refused(&format!("[profiles.main]\n# ours\n{text}\n"));
            assert!(failure.cause.starts_with(&format!("config.toml:{expected}")), "{text}: {failure}");
            assert!(!failure.cause.contains("CANARY"), "{text}");
        }
    }

    #[test]
    fn an_unknown_name_has_the_nearest_known_one() {
        let ends = |text, end| assert!(refused(text).cause.ends_with(end), "{text}");
        ends("[profiles.main]\nbase_url = \"x\"\n", "; did you mean base-url?");
        ends("[profile.main]\n", "profile must be text in quotes");
        ends("base-url = \"x\"\n", " (known: profile, profiles)");
        let config = Config::parse("[profiles.main]\n", None).expect("a good file");
        let refused = |name: &str| config.profile(name).expect_err("unknown").cause;
        assert_eq!(refused("mian"), "there is no profile \"mian\"; did you mean main?");
        assert_eq!(refused("x"), "there is no profile \"x\" (known: main, sandbox)");
        assert_eq!(config.profile(SANDBOX), Ok(Profile::default()));
    }

    #[test]
    fn the_names_of_the_settings_are_those_that_a_profile_takes() {
        for name in settings() {
            let text = format!("[profiles.main]\n{name} = 1979-05-27\n");
            assert!(refused(&text).cause.contains(&format!("{name} ")), "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_error_shows_a_value(
            before in r#"[a-z\[\]{}="',.\n#\\-]{0,12}"#,
            name in prop::sample::select(settings()),
            open in prop::sample::select(vec!["\"", "'", "[\"", "{ a = \"", "\"\"\"", "", "-", "0x", "\"\\"]),
            after in r#"[a-z\[\]{}="',.\n#\\0-9-]{0,12}"#,
        ) {
            let text = format!("[profiles.main]\n{before}\n{name} = {open}CANARY{after}\n");
            if let Err(failure) = Config::parse(&text, None) {
                prop_assert!(!failure.cause.contains("CANARY"), "{}", failure.cause);
            }
        }
    }
}
