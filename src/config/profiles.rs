//! The configuration file: a default profile's name and named profiles, read strictly and with positions.

use std::ops::Range;
use std::path::Path;

use serde::Deserialize as _;
use toml::Spanned;

use super::key_source::StoredKey;
use super::literal::{Entries, Literal};
use super::setting_table::{
    API_KEY, API_KEY_COMMAND, API_KEY_FILE, Setting, known_settings, nearest_setting, profile_setting,
};
use super::trusted_file::read_configuration;
use crate::model::did_you_mean::nearest;
use crate::model::failure::Failure;

/// The built-in profile.
pub const SANDBOX: &str = "sandbox";

/// What the file may hold outside of profiles.
const TOP: [&str; 2] = ["profile", "profiles"];

/// A profile as it stands in the file; each value is one that its setting takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// What `--profile` names.
    pub name: String,
    pub(super) values: Vec<(&'static str, Literal)>,
}

/// The configuration file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiles {
    /// `profile` at the top: the one in use where neither the option nor the variable names another.
    pub default: Option<String>,
    /// `[profiles.NAME]`, in the file's order.
    pub all: Vec<Profile>,
    /// Why a key in the file itself is not used, where others can read it.
    pub(super) exposed: Option<Failure>,
}

/// What is wrong with the text of a configuration. No value is quoted: it may be a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMistake {
    /// Where it stands, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl FileMistake {
    /// The mistake in the file at `path`.
    pub fn in_file(self, path: &Path) -> Failure {
        let Self { line, reason, hint } = self;
        Failure { hint, ..Failure::usage(format!("{}:{line}: {reason}", path.display())) }
    }

    /// The mistake of a value that stands in no file yet.
    pub fn in_value(self) -> Failure {
        Failure { hint: self.hint, ..Failure::usage(self.reason) }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl Profile {
    /// The profile's value of a setting.
    pub fn get<T>(&self, setting: &Setting<T>) -> Option<T> {
        let (_, literal) = self.values.iter().find(|(key, _)| *key == setting.about.key)?;
        setting.read(literal).ok()
    }

    /// The setting by which the profile keeps its key, if it has one.
    pub(super) fn key_setting(&self) -> Option<&'static str> {
        self.values.iter().map(|(key, _)| *key).find(|key| keeps_key(key))
    }

    /// How the profile keeps its key, if it has one.
    pub fn key(&self) -> Option<StoredKey> {
        KEYS.iter().find_map(|setting| self.get(setting))
    }
}

impl Profiles {
    /// Reads the file at `path`; one that is not there has no profiles.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let Some((text, exposed)) = read_configuration(path)? else { return Ok(Self::default()) };
        let profiles = Self::parse(&text).map_err(|mistake| mistake.in_file(path))?;
        Ok(Self { exposed, ..profiles })
    }

    /// Reads the text of a configuration.
    pub fn parse(text: &str) -> Result<Self, FileMistake> {
        let reader = Reader { text };
        let mut profiles = Self::default();
        let mut unknown = Vec::new();
        for (key, value) in reader.entries()? {
            match (key.as_ref().as_str(), value) {
                ("profile", Literal::Text(name)) if !name.is_empty() => profiles.default = Some(name),
                ("profile", _) => return Err(reader.wants(&key, "is not a text in quotes")),
                ("profiles", Literal::Table(table)) => {
                    for (name, value) in table {
                        profiles.all.push(reader.profile(&name, value, &mut unknown)?);
                    }
                }
                ("profiles", _) => return Err(reader.wants(&key, "is not a table")),
                (other, _) if profile_setting(other).is_some() => {
                    let mistake = reader.wants(&key, "stands outside a profile");
                    return Err(mistake.hint("put it below a line such as [profiles.main]"));
                }
                (other, _) => {
                    let near = nearest(other, TOP);
                    return Err(reader.unknown_settings(&[(key, near)], &TOP.join(", ")));
                }
            }
        }
        if unknown.is_empty() { Ok(profiles) } else { Err(reader.unknown_settings(&unknown, &known_settings())) }
    }

    pub fn named(&self, name: &str) -> Option<&Profile> {
        self.all.iter().find(|profile| profile.name == name)
    }

    /// Says that there is no such profile, and which there are.
    pub fn unknown(&self, name: &str, path: &Path) -> Failure {
        let known: Vec<&str> = self.all.iter().map(|profile| profile.name.as_str()).chain([SANDBOX]).collect();
        let list = known.join(", ");
        if let Err(reason) = check_name(name) {
            return Failure::usage(reason).hint(format!("known profiles: {list}"));
        }
        let failure = Failure::usage(format!("unknown profile {name:?} in {}; known: {list}", path.display()));
        match nearest(name, known) {
            Some(near) => failure.hint(format!("did you mean {near}?")),
            None => failure.hint(format!("`assessctl config init --name {name}` writes it")),
        }
    }
}

/// Checks the name of a new profile: letters, digits, `-`, `_` and `.`, and not the built-in one's. The reason does not
/// repeat what is not a name: it may be a key or an address in the wrong place.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    if name == SANDBOX {
        return Err("sandbox is the name of the built-in profile");
    }
    let is_allowed = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if name.is_empty() || name.starts_with('-') || !is_allowed {
        return Err("a profile's name has letters, digits, - _ and . alone, and no - in front");
    }
    Ok(())
}

/// A key that is no setting, and the setting that was probably meant.
type UnknownSetting = (Spanned<String>, Option<&'static str>);

/// The ways to keep a key: a profile has one of them.
const KEYS: [Setting<StoredKey>; 3] = [API_KEY, API_KEY_FILE, API_KEY_COMMAND];

/// Whether a setting says how the key is kept.
pub(super) fn keeps_key(key: &str) -> bool {
    KEYS.iter().any(|way| way.about.key == key)
}

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    /// The keys and values at the top. The library's words are kept where they quote nothing of the file.
    fn entries(&self) -> Result<Entries, FileMistake> {
        let read = toml::Deserializer::parse(self.text).and_then(Literal::deserialize);
        match read {
            Ok(Literal::Table(entries)) => Ok(entries),
            Ok(_) => Ok(Entries::new()),
            Err(error) => {
                let quotes = error.message().contains(['`', '"', '\'', '\n']);
                let why = if quotes { String::new() } else { format!(" ({})", error.message()) };
                Err(self.mistake(error.span(), &format!("not valid TOML{why}")))
            }
        }
    }

    /// Reads a profile; keys that are no settings are added to `unknown`.
    fn profile(
        &self,
        name: &Spanned<String>,
        value: Literal,
        unknown: &mut Vec<UnknownSetting>,
    ) -> Result<Profile, FileMistake> {
        check_name(name.as_ref()).map_err(|reason| self.mistake(Some(name.span()), reason))?;
        let Literal::Table(entries) = value else { return Err(self.wants(name, "is not a table")) };
        let mut profile = Profile { name: name.as_ref().clone(), values: Vec::new() };
        for (key, value) in entries {
            let Some(setting) = profile_setting(key.as_ref()) else {
                let near = nearest_setting(key.as_ref());
                unknown.push((key, near));
                continue;
            };
            setting.check(&value).map_err(|reason| self.wants(&key, &reason))?;
            if keeps_key(key.as_ref()) && profile.key().is_some() {
                let reason = "is a second key: a profile has one of api-key, api-key-file and api-key-command";
                return Err(self.wants(&key, reason));
            }
            profile.values.push((setting.about().key, value));
        }
        Ok(profile)
    }

    /// Names each key that is no setting, but for one that is like none: it may be a key in the wrong place.
    fn unknown_settings(&self, unknown: &[UnknownSetting], known: &str) -> FileMistake {
        let named: Vec<String> = unknown.iter().map(|setting| self.unknown_name(setting, unknown.len() > 1)).collect();
        let what = match named.as_slice() {
            [one] => format!("unknown setting{one}"),
            all => format!("unknown settings{}", all.join(",")),
        };
        let meant: Vec<&str> = unknown.iter().filter_map(|(_, near)| *near).collect();
        let span = unknown.first().map(|(key, _)| key.span());
        let mistake = self.mistake(span, &format!("{what}; known: {known}"));
        if meant.is_empty() { mistake } else { mistake.hint(format!("did you mean {}?", meant.join(", "))) }
    }

    fn unknown_name(&self, (key, near): &UnknownSetting, with_line: bool) -> String {
        let name = near.map(|_| format!(" {:?}", key.as_ref())).unwrap_or_default();
        let line = if with_line { format!(" (line {})", self.line(Some(key.span()))) } else { String::new() };
        name + &line
    }

    fn wants(&self, key: &Spanned<String>, reason: &str) -> FileMistake {
        self.mistake(Some(key.span()), &format!("{} {reason}", key.as_ref()))
    }

    fn mistake(&self, span: Option<Range<usize>>, reason: &str) -> FileMistake {
        FileMistake { line: self.line(span), reason: reason.to_owned(), hint: None }
    }

    /// The line in which a span begins, counted from 1.
    fn line(&self, span: Option<Range<usize>>) -> usize {
        let before = span.and_then(|span| self.text.get(..span.start)).unwrap_or_default();
        before.matches('\n').count() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::super::setting_table::*;
    use super::*;
    use crate::model::concurrency::{Concurrency, MaxRate};
    use crate::model::output_format::Format;
    use crate::model::results::ResultsApi;

    fn parse(text: &str) -> Result<Profiles, Failure> {
        Profiles::parse(text).map_err(|mistake| mistake.in_file(Path::new("config.toml")))
    }

    fn refused(text: &str) -> (String, Option<String>) {
        let error = parse(text).expect_err("a mistake");
        assert_eq!(error.verdict, crate::model::exit_ranks::Verdict::Usage);
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
        let main = profiles.named("main").expect("a profile");
        assert_eq!(main.get(&BASE_URL).as_deref(), Some("https://a.example"));
        assert_eq!(main.key(), Some(StoredKey::File("key".into())));
        assert_eq!(main.get(&PROJECT).as_deref(), Some("Demo"));
        assert_eq!((main.get(&OUTPUT), main.get(&RESULTS_API)), (Some(Format::Csv), Some(ResultsApi::Legacy)));
        assert_eq!(main.get(&CA_CERT).as_deref(), Some(Path::new("ca.pem")));
        assert_eq!((main.get(&ALLOW_HTTP), main.get(&READ_ONLY)), (Some(true), Some(true)));
        assert_eq!(
            (main.get(&CONCURRENCY), main.get(&MAX_RATE)),
            (Some(Concurrency::AtMost(8)), MaxRate::new(2.5).ok())
        );
        assert_eq!(main.get(&CONFIRM).as_deref(), Some("production"));
        let night = profiles.named("night.shift").expect("a profile");
        assert_eq!((night.get(&CONCURRENCY), night.get(&MAX_RATE)), (Some(Concurrency::Auto), MaxRate::new(20.0).ok()));
        let command = ["pass", "show", "assess key"].map(str::to_owned).to_vec();
        assert_eq!(night.key(), Some(StoredKey::Command(command)));
    }

    #[test]
    fn an_unknown_setting_is_an_error_with_its_line_and_the_nearest_known_one() {
        let (cause, hint) = refused("# mine\n[profiles.main]\nbase_url = \"https://a.example\"\n");
        assert!(
            cause.starts_with("config.toml:3: unknown setting \"base_url\"; known: base-url, api-key, "),
            "{cause}"
        );
        assert_eq!(hint.as_deref(), Some("did you mean base-url?"));
        let (cause, _) = refused("[profiles.main]\nsk_CANARY_7f3a = \"x\"\n");
        assert!(cause.starts_with("config.toml:2: unknown setting; known: ") && !cause.contains("CANARY"), "{cause}");
    }

    #[test]
    fn every_unknown_setting_is_named_at_once() {
        let (cause, hint) =
            refused("[profiles.a]\nprojct = \"x\"\nsk_CANARY_7f3a = 1\n[profiles.b]\nread_only = true\n");
        let expected =
            "config.toml:2: unknown settings \"projct\" (line 2), (line 3), \"read_only\" (line 5); known: base-url";
        assert!(cause.starts_with(expected), "{cause}");
        assert_eq!(hint.as_deref(), Some("did you mean project, read-only?"));
    }

    #[test]
    fn two_keys_and_settings_outside_a_profile_are_refused() {
        let (cause, _) = refused("[profiles.main]\napi-key = \"canary\"\napi-key-file = \"key\"\n");
        assert_eq!(
            cause,
            "config.toml:3: api-key-file is a second key: a profile has one of api-key, api-key-file and api-key-command"
        );
        let (cause, _) = refused("base-url = \"https://a.example\"\n");
        assert_eq!(cause, "config.toml:1: base-url stands outside a profile");
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
