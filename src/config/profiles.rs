//! The configuration file: a default profile's name and named profiles, read strictly and with positions.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, Item, Key, TableLike};

use super::Error;
use super::key::{StoredKey, refuse_anothers};
use super::values::parse_word;
use crate::model::format::Format;
use crate::model::near::nearest;
use crate::model::pace::{Concurrency, MaxRate};
use crate::model::results::ResultsApi;
use crate::model::secret::Secret;

/// The built-in profile.
pub const SANDBOX: &str = "sandbox";

/// What a profile may hold, and what it means.
pub const KEYS: [(&str, &str); 13] = [
    ("base-url", "address of the service"),
    ("api-key", "the key itself; this, api-key-file or api-key-command"),
    ("api-key-file", "file that holds the key"),
    ("api-key-command", "program and arguments that print the key, as a list"),
    ("project", "project where --project is not given: a name or an id"),
    ("output", "table, csv, json or ndjson"),
    ("results-api", "current or legacy: which documented shape the results endpoints have"),
    ("ca-cert", "file with a certificate authority to trust (PEM)"),
    ("allow-http", "true lets the key travel over plain http"),
    ("concurrency", "requests at a time: auto, or a number at most"),
    ("max-rate", "requests a second, at most"),
    ("read-only", "true refuses every write"),
    ("confirm", "word to type before many people are written to or anybody is removed"),
];

/// A profile as it stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// What `--profile` names.
    pub name: String,
    /// `base-url`, unchecked.
    pub base_url: Option<String>,
    /// `api-key`, `api-key-file` or `api-key-command`.
    pub key: Option<StoredKey>,
    /// `project`.
    pub project: Option<String>,
    /// `output`.
    pub output: Option<Format>,
    /// `results-api`.
    pub results_api: Option<ResultsApi>,
    /// `ca-cert`, as written.
    pub ca_cert: Option<String>,
    /// `allow-http`.
    pub allow_http: Option<bool>,
    /// `concurrency`.
    pub concurrency: Option<Concurrency>,
    /// `max-rate`.
    pub max_rate: Option<MaxRate>,
    /// `read-only`.
    pub read_only: Option<bool>,
    /// `confirm`.
    pub confirm: Option<String>,
}

/// The configuration file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profiles {
    /// `profile` at the top: the one in use where nobody says otherwise.
    pub default: Option<String>,
    /// `[profiles.NAME]`, in the file's order.
    pub all: Vec<Profile>,
}

impl Profiles {
    /// Reads the file at `path`; one that is not there has no profiles.
    pub fn read(path: &Path) -> Result<Self, Error> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                refuse_anothers(path)?;
                Self::parse(&text, path)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::usage(format!("cannot read the configuration {}: {error}", path.display()))),
        }
    }

    /// Reads the text of the file at `path`. Errors name path and line, never a value: it may be a key.
    pub fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let reader = Reader { text, path };
        let document =
            Document::parse(text).map_err(|error| reader.error(error.span(), &error.message().replace('\n', ", ")))?;
        let mut profiles = Self::default();
        for (key, item) in entries(document.as_table()) {
            match key.get() {
                "profile" => profiles.default = Some(reader.string(key, item)?),
                "profiles" => {
                    let table = item.as_table_like().ok_or_else(|| reader.wants(key, "is no table"))?;
                    for (name, item) in entries(table) {
                        profiles.all.push(reader.profile(name, item)?);
                    }
                }
                other if KEYS.iter().any(|(known, _)| *known == other) => {
                    let error = reader.wants(key, "stands outside a profile");
                    return Err(error.hint("put it below a line such as [profiles.main]"));
                }
                _ => return Err(reader.unknown(key, ["profile", "profiles"])),
            }
        }
        Ok(profiles)
    }

    /// The profile of this name.
    pub fn named(&self, name: &str) -> Option<&Profile> {
        self.all.iter().find(|profile| profile.name == name)
    }

    /// Says that there is no such profile, and which there are.
    pub fn unknown(&self, name: &str, path: &Path) -> Error {
        let known = || self.all.iter().map(|profile| profile.name.as_str()).chain([SANDBOX]);
        let list = known().collect::<Vec<_>>().join(", ");
        let there = if self.all.is_empty() { "there is only" } else { "there are" };
        if let Err(reason) = check_name(name) {
            return Error::usage(reason).hint(format!("{there} {list}"));
        }
        let error = Error::usage(format!("there is no profile {name:?} in {}: {there} {list}", path.display()));
        match nearest(name, known()) {
            Some(near) => error.hint(format!("did you mean {near}?")),
            None => error.hint(format!("`assessctl config init --name {name}` writes it")),
        }
    }
}

/// Checks the name of a new profile: letters, digits, `-`, `_` and `.`, and not the built-in one's. The reason does not
/// repeat what is no name: it may be a key or somebody's address in the wrong place.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    if name == SANDBOX {
        return Err("sandbox is the name of the built-in profile");
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.starts_with('-') || !name.chars().all(allowed) {
        return Err("a profile's name has letters, digits, - _ and . alone, and no - in front");
    }
    Ok(())
}

/// The keys of a table with their positions.
fn entries(table: &dyn TableLike) -> impl Iterator<Item = (&Key, &Item)> {
    table.iter().filter_map(|(name, _)| table.get_key_value(name))
}

struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
}

impl Reader<'_> {
    fn profile(&self, name: &Key, item: &Item) -> Result<Profile, Error> {
        check_name(name.get()).map_err(|reason| self.error(name.span(), reason))?;
        let table = item.as_table_like().ok_or_else(|| self.wants(name, "is no table"))?;
        let mut profile = Profile { name: name.get().to_owned(), ..Profile::default() };
        for (key, item) in entries(table) {
            self.setting(&mut profile, key, item)?;
        }
        Ok(profile)
    }

    fn setting(&self, profile: &mut Profile, key: &Key, item: &Item) -> Result<(), Error> {
        let wants = |reason: String| self.wants(key, &reason);
        match key.get() {
            "base-url" => profile.base_url = Some(self.string(key, item)?),
            "api-key" => self.key(profile, key, StoredKey::Inline(Secret::new(self.string(key, item)?)))?,
            "api-key-file" => self.key(profile, key, StoredKey::File(self.string(key, item)?))?,
            "api-key-command" => self.key(profile, key, StoredKey::Command(self.words(key, item)?))?,
            "project" => profile.project = Some(self.string(key, item)?),
            "output" => profile.output = Some(parse_word(&self.string(key, item)?).map_err(wants)?),
            "results-api" => profile.results_api = Some(parse_word(&self.string(key, item)?).map_err(wants)?),
            "ca-cert" => profile.ca_cert = Some(self.string(key, item)?),
            "allow-http" => profile.allow_http = Some(self.boolean(key, item)?),
            "read-only" => profile.read_only = Some(self.boolean(key, item)?),
            "confirm" => profile.confirm = Some(self.word(key, item)?),
            "concurrency" => {
                // What is neither a word nor a whole number is outside the range too.
                let number = || Concurrency::at_most(item.as_integer().unwrap_or(-1));
                let concurrency = item.as_str().map_or_else(number, |word| match word.parse() {
                    Ok(Concurrency::Auto) => Ok(Concurrency::Auto),
                    _ => Concurrency::at_most(-1),
                });
                profile.concurrency = Some(concurrency.map_err(wants)?);
            }
            "max-rate" => {
                let number = item.as_float().or_else(|| i32::try_from(item.as_integer()?).ok().map(f64::from));
                profile.max_rate = Some(MaxRate::new(number.unwrap_or(f64::NAN)).map_err(wants)?);
            }
            _ => return Err(self.unknown(key, KEYS.map(|(known, _)| known))),
        }
        Ok(())
    }

    fn key(&self, profile: &mut Profile, key: &Key, stored: StoredKey) -> Result<(), Error> {
        if profile.key.replace(stored).is_some() {
            return Err(
                self.wants(key, "is a second key: a profile has one of api-key, api-key-file and api-key-command")
            );
        }
        Ok(())
    }

    fn boolean(&self, key: &Key, item: &Item) -> Result<bool, Error> {
        item.as_bool().ok_or_else(|| self.wants(key, "is neither true nor false"))
    }

    /// A word that a person can type and a shell need not quote.
    fn word(&self, key: &Key, item: &Item) -> Result<String, Error> {
        let word = self.string(key, item)?;
        let plain = !word.starts_with('-') && word.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
        if plain { Ok(word) } else { Err(self.wants(key, "is no word of letters, digits and - _ .")) }
    }

    /// A program and its arguments: a list, because no shell will take a text apart.
    fn words(&self, key: &Key, item: &Item) -> Result<Vec<String>, Error> {
        let wrong = || self.wants(key, "is no list of texts such as [\"pass\", \"show\", \"assess\"]");
        let words = item.as_array().ok_or_else(wrong)?.iter();
        let words: Vec<String> =
            words.map(|word| word.as_str().map(str::to_owned)).collect::<Option<_>>().ok_or_else(wrong)?;
        if words.first().is_none_or(String::is_empty) { Err(wrong()) } else { Ok(words) }
    }

    fn string(&self, key: &Key, item: &Item) -> Result<String, Error> {
        let text = item.as_str().ok_or_else(|| self.wants(key, "is no text in quotes"))?;
        if text.is_empty() { Err(self.wants(key, "is empty")) } else { Ok(text.to_owned()) }
    }

    fn unknown<const N: usize>(&self, key: &Key, known: [&str; N]) -> Error {
        let problem = format!("is no setting: there are {}", known.join(", "));
        match nearest(key.get(), known) {
            Some(near) => self.wants(key, &problem).hint(format!("did you mean {near}?")),
            // Not quoted: what is like no setting may be a key in the wrong place.
            None => self.error(key.span(), &format!("this {problem}")),
        }
    }

    fn wants(&self, key: &Key, reason: &str) -> Error {
        self.error(key.span(), &format!("{:?} {reason}", key.get()))
    }

    fn error(&self, span: Option<Range<usize>>, reason: &str) -> Error {
        let before = span.and_then(|span| self.text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Error::usage(format!("{}:{line}: {reason}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::edit;
    use super::*;
    use crate::model::fuzz::fuzz;

    #[test]
    fn fuzzed_configurations_are_read_or_refused_and_edited_without_harm() {
        let seeds: [&[u8]; 2] = [
            include_bytes!("../../tests/fixtures/fuzz/configuration.toml"),
            include_bytes!("../../tests/fixtures/fuzz/inline.toml"),
        ];
        let words =
            ["[profiles.x]\n", "api-key = ", "\n", "\"", "'''", "{", "}", "[", "]", "=", ".", "#", "true", "-1"];
        let (path, odd) = (Path::new("config.toml"), "a \"b\" \u{1b}\n'");
        fuzz(40_000, &seeds, &words, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let profiles = match Profiles::parse(&text, path) {
                Ok(profiles) => profiles,
                Err(error) => {
                    let said = error.to_string();
                    let is_value = text.matches("S3CRET").count() == 1 && text.contains("\napi-key = \"S3CRET\"\n");
                    assert!(!is_value || !said.contains("S3CRET"), "{said}");
                    return said.chars().filter(char::is_ascii_alphabetic).take(60).collect::<String>();
                }
            };
            for (place, profile) in profiles.all.iter().enumerate().filter(|(_, profile)| profile.name != SANDBOX) {
                let Ok(set) = edit::set(&text, path, &profile.name, "project", odd) else { continue };
                let mut expected = profiles.clone();
                expected.all[place].project = Some(odd.to_owned());
                assert_eq!(Profiles::parse(&set, path).expect("what was edited can be read"), expected);
                let unset = edit::unset(&set, path, &profile.name, "project").expect("edited").expect("it was set");
                expected.all[place].project = None;
                assert_eq!(Profiles::parse(&unset, path).expect("what was edited can be read"), expected);
            }
            format!("{} profiles", profiles.all.len())
        });
    }

    fn parse(text: &str) -> Result<Profiles, Error> {
        Profiles::parse(text, Path::new("config.toml"))
    }

    fn refused(text: &str) -> (String, Option<String>) {
        let error = parse(text).expect_err("a mistake");
        assert_eq!(error.verdict, crate::model::verdict::Verdict::Usage);
        (error.cause, error.hint)
    }

    #[test]
    fn every_setting_is_read() {
        let text = r#"
profile = "main"
[profiles.main]
base-url = "https://a.example"
api-key-file = "key"
project = "Demo"
output = "csv"
results-api = "legacy"
ca-cert = "ca.pem"
allow-http = true
concurrency = 8
read-only = true
confirm = "production"
max-rate = 2.5
[profiles."night.shift"]
api-key-command = ["pass", "show", "assess key"]
concurrency = "auto"
max-rate = 20
"#;
        let profiles = parse(text).expect("a good file");
        assert_eq!(profiles.default.as_deref(), Some("main"));
        let expected = Profile {
            name: "main".into(),
            base_url: Some("https://a.example".into()),
            key: Some(StoredKey::File("key".into())),
            project: Some("Demo".into()),
            output: Some(Format::Csv),
            results_api: Some(ResultsApi::Legacy),
            ca_cert: Some("ca.pem".into()),
            allow_http: Some(true),
            concurrency: Some(Concurrency::AtMost(8)),
            max_rate: MaxRate::new(2.5).ok(),
            read_only: Some(true),
            confirm: Some("production".into()),
        };
        assert_eq!(profiles.named("main"), Some(&expected));
        let night = profiles.named("night.shift").expect("a profile");
        assert_eq!((night.concurrency, night.max_rate), (Some(Concurrency::Auto), MaxRate::new(20.0).ok()));
        let command = ["pass", "show", "assess key"].map(str::to_owned).to_vec();
        assert_eq!(night.key, Some(StoredKey::Command(command)));
    }

    #[test]
    fn an_unknown_setting_is_an_error_with_its_line_and_the_nearest_known_one() {
        let (cause, hint) = refused("# mine\n[profiles.main]\nbase_url = \"https://a.example\"\n");
        assert!(
            cause.starts_with("config.toml:3: \"base_url\" is no setting: there are base-url, api-key, "),
            "{cause}"
        );
        assert_eq!(hint.as_deref(), Some("did you mean base-url?"));
        let (cause, _) = refused("[profiles.main]\nsk_CANARY_7f3a = \"x\"\n");
        assert!(
            cause.starts_with("config.toml:2: this is no setting: there are ") && !cause.contains("CANARY"),
            "{cause}"
        );
    }

    #[test]
    fn two_keys_and_settings_outside_a_profile_are_refused() {
        let (cause, _) = refused("[profiles.main]\napi-key = \"canary\"\napi-key-file = \"key\"\n");
        assert_eq!(
            cause,
            "config.toml:3: \"api-key-file\" is a second key: a profile has one of api-key, api-key-file and api-key-command"
        );
        let (cause, _) = refused("base-url = \"https://a.example\"\n");
        assert_eq!(cause, "config.toml:1: \"base-url\" stands outside a profile");
        let (cause, _) = refused("[profiles.sandbox]\n");
        assert_eq!(cause, "config.toml:1: sandbox is the name of the built-in profile");
    }

    #[test]
    fn no_error_shows_a_key() {
        let keys = [
            "\"canary",
            "canary",
            "\"canary\"\napi-key = \"canary\"",
            "[\"canary\"]",
            "{ canary = 1 }",
            "\"\\canary\"",
        ];
        for bad in keys {
            let (cause, hint) = refused(&format!("[profiles.main]\napi-key = {bad}\n"));
            assert!(!cause.contains("canary") && !hint.unwrap_or_default().contains("canary"), "{cause}");
            assert!(cause.starts_with("config.toml:2: ") || cause.starts_with("config.toml:3: "), "{cause}");
        }
    }

    #[test]
    fn values_have_their_types_and_limits() {
        for bad in [
            "output = \"xml\"",
            "allow-http = \"yes\"",
            "concurrency = 0",
            "concurrency = 65",
            "concurrency = \"4\"",
            "max-rate = 0",
            "max-rate = \"fast\"",
            "project = 7",
            "project = \"\"",
            "results-api = \"older\"",
            "read-only = 1",
            "confirm = \"two words\"",
            "confirm = \"-x\"",
            "api-key-command = \"pass show\"",
            "api-key-command = []",
            "api-key-command = [\"pass\", 1]",
            "api-key-command = [\"\"]",
        ] {
            let (cause, _) = refused(&format!("[profiles.main]\n\n{bad}\n"));
            assert!(cause.starts_with("config.toml:3: "), "{cause}");
        }
        refused("profiles = 1\n");
        refused("[profiles]\nmain = 1\n");
        refused("[profiles.\"a b\"]\n");
    }
}
