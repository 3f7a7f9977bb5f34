//! The configuration file: named profiles in TOML. Each mistake is named with its line, and no value is ever quoted.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_path_to_error::Segment;
use toml::Spanned;
use url::Url;

use super::{CONCURRENCY, SANDBOX};
use crate::files;
use crate::model::format::Format;
use crate::model::secret::{Secret, parse_base_url};
use crate::model::text::nearest;
use crate::model::verdict::Failure;

/// The settings that a profile may have.
pub const SETTINGS: [&str; 11] = [
    "base-url",
    "api-key",
    "api-key-file",
    "api-key-command",
    "project",
    "output",
    "concurrency",
    "timeout",
    "ca-cert",
    "allow-http",
    "read-only",
];

/// The configuration file.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The default profile.
    pub profile: Option<String>,
    profiles: BTreeMap<String, Spanned<Profile>>,
}

/// Settings under one name. Paths are as written: relative ones start at the file's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default, expecting = "a table")]
pub struct Profile {
    /// May be plain `http`: whether it may be used so is decided with `allow_http`.
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
    pub allow_http: bool,
    /// Every write is refused.
    pub read_only: bool,
}

/// What is wrong with a configuration file.
#[derive(Debug)]
pub struct Mistake {
    /// Counted from 1.
    pub line: usize,
    pub failure: Failure,
}

impl Mistake {
    pub fn in_file(self, path: &Path) -> Failure {
        let cause = format!("{}:{}: {}", path.display(), self.line, self.failure.cause);
        Failure { cause, ..self.failure }
    }
}

impl Config {
    /// Reads a file, which must be ours and closed to others; `None` where there is none.
    pub fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let text = files::read_private(path)?;
        text.map(|text| Self::parse(&text).map_err(|mistake| mistake.in_file(path))).transpose()
    }

    pub fn parse(text: &str) -> Result<Self, Mistake> {
        let mistake = |at: usize, failure| Mistake { line: text[..at].matches('\n').count() + 1, failure };
        let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
        // What the parser says is made of words of its own.
        let document = toml::Deserializer::parse(text)
            .map_err(|error| mistake(start(&error), Failure::usage(format!("not valid TOML: {}", error.message()))))?;
        let config: Self = serde_path_to_error::deserialize(document)
            .map_err(|error| mistake(start(error.inner()), wrong_value(error.path(), error.inner().message())))?;
        for (name, profile) in &config.profiles {
            profile.get_ref().check(name).map_err(|failure| mistake(profile.span().start, failure))?;
        }
        Ok(config)
    }

    pub fn profile(&self, name: &str) -> Option<&Profile> {
        self.profiles.get(name).map(Spanned::get_ref)
    }

    /// The names of the profiles in the file, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.profiles.keys().map(String::as_str)
    }

    /// Says that there is no profile of this name, with the nearest one.
    pub fn unknown(&self, name: &str) -> Failure {
        let known: Vec<_> = self.names().filter(|name| *name != SANDBOX).chain([SANDBOX]).collect();
        let hint = nearest(name, known.iter().copied())
            .map_or_else(|| format!("the profiles are: {}", known.join(", ")), |near| format!("did you mean {near}?"));
        Failure::usage(format!("there is no profile {name:?}")).hint(hint)
    }
}

impl Profile {
    fn check(&self, name: &str) -> Result<(), Failure> {
        let keys = [self.api_key.is_some(), self.api_key_file.is_some(), self.api_key_command.is_some()];
        let own = Self { project: self.project.clone(), output: self.output, ..Self::default() };
        if name == SANDBOX && *self != own {
            return Err(Failure::usage("the profile sandbox may set project and output only"));
        }
        if keys.into_iter().filter(|is_set| *is_set).count() > 1 {
            let cause = format!("profile {name} has more than one of api-key, api-key-file and api-key-command");
            return Err(Failure::usage(cause).hint("keep one of them"));
        }
        Ok(())
    }
}

/// Says that a setting's name is not known. The name is not repeated: it may be a key in the wrong place.
pub(super) fn unknown_setting(name: &str, in_profile: bool) -> Failure {
    let failure = Failure::usage("unknown setting");
    let known = if in_profile { &SETTINGS[..] } else { &["profile", "profiles"] };
    match nearest(name, known.iter().copied()) {
        _ if !in_profile && SETTINGS.contains(&name) => {
            failure.hint(format!("put {name} below a line such as [profiles.main]"))
        }
        Some(near) => failure.hint(format!("did you mean {near}?")),
        None => failure.hint(format!("the settings are: {}", known.join(", "))),
    }
}

/// What serde found wrong, without the value: its messages end with what was expected, and ours have no value.
fn wrong_value(path: &serde_path_to_error::Path, message: &str) -> Failure {
    let names = path.iter().filter_map(|segment| match segment {
        Segment::Map { key } if !key.starts_with('$') => Some(key.as_str()),
        _ => None,
    });
    let names: Vec<_> = names.collect();
    let name = names.last().copied().unwrap_or_default();
    if message.starts_with("unknown field") {
        return unknown_setting(name, names.len() > 1);
    }
    match message.rsplit_once(", expected ") {
        Some((_, "a sequence")) => {
            Failure::usage(format!("{name} must be a list such as [\"pass\", \"show\", \"key\"]"))
        }
        Some((_, expected)) => Failure::usage(format!("{name} must be {expected}")),
        None => Failure::usage(format!("{name} {message}")),
    }
}

/// Reads a value by a parser of the options. The parser's reason has no value in it.
fn by<'de, D: Deserializer<'de>, T, E: Display>(
    text: D,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(text)?;
    parse(&text).map(Some).map_err(D::Error::custom)
}

fn address<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Url>, D::Error> {
    by(text, |text| parse_base_url(text, true))
}

fn timeout<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Duration>, D::Error> {
    by(text, |text| super::timeout(text).map_err(|_| "must be a length of time such as 45s"))
}

fn concurrency<'de, D: Deserializer<'de>>(number: D) -> Result<Option<u8>, D::Error> {
    let number = u8::deserialize(number).ok().filter(|number| CONCURRENCY.contains(number));
    number.map(Some).ok_or_else(|| D::Error::custom("must be a whole number from 1 to 64"))
}
