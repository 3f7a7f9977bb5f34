//! Editing the configuration file's text: everything else, comments and order included, stays as it was.

use std::path::Path;

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::literal::Literal;
use super::profiles::{FileMistake, Profile, Profiles, SANDBOX, check_name, keeps_key};
use super::setting_table::{API_KEY, BASE_URL, MASK, PROJECT, nearest_setting, profile_setting, unknown_setting};
use crate::model::failure::Failure;
use crate::model::secret::ApiKey;
use crate::model::service_address::parse_address;
use crate::model::shell_word::shell_word;

/// The settings of a new profile; the key stands here or in a file.
#[derive(Clone, Debug, Default)]
pub struct NewProfile {
    /// What `--profile` will name.
    pub name: String,
    /// The key, to be kept in the configuration file.
    pub key: Option<ApiKey>,
    /// The other settings by their keys, as [`set`] takes them.
    pub settings: Vec<(&'static str, String)>,
}

/// Adds a profile; the first one becomes the default.
pub fn add(text: &str, path: &Path, new: &NewProfile) -> Result<String, Failure> {
    let profiles = parse(text, path)?;
    check_name(&new.name).map_err(Failure::usage)?;
    if profiles.named(&new.name).is_some() {
        return Err(exists(&new.name));
    }
    let mut document = document(text, path)?;
    let table = profile_table(&mut document, &new.name)?;
    for (key, value) in &new.settings {
        put(table, key, typed(key, value)?);
    }
    if let Some(key) = &new.key {
        put(table, API_KEY.about.key, key.expose().into());
    }
    if profiles.default.is_none() {
        put(document.as_table_mut(), "profile", new.name.as_str().into());
    }
    checked(&document)
}

/// Sets one setting of a profile that is there.
pub fn set(text: &str, path: &Path, profile: &str, key: &str, value: &str) -> Result<String, Failure> {
    if profile == SANDBOX {
        return Err(built_in(for_one_command(key, value)));
    }
    let stored = known_profile(text, path, profile)?;
    if key == API_KEY.about.key {
        let error = Failure::usage("an API key on the command line is shown by `ps` and kept by the shell's history");
        return Err(error.hint("put it into a file of its own, then `assessctl config set api-key-file FILE`"));
    }
    if let Some(other) = stored.key_setting().filter(|other| *other != key && keeps_key(key)) {
        let failure = Failure::usage(format!("profile {profile} keeps its key by {other}, and has one way alone"));
        return Err(failure.hint(format!("type `assessctl config unset {other} --profile {profile}` first")));
    }
    let value = typed(key, value)?;
    let mut document = document(text, path)?;
    put(profile_table(&mut document, profile)?, key, value);
    checked(&document)
}

/// Takes one setting out of a profile that is there; `None` where it was not set.
pub fn unset(text: &str, path: &Path, profile: &str, key: &str) -> Result<Option<String>, Failure> {
    known_profile(text, path, profile)?;
    profile_setting(key).ok_or_else(|| unknown_setting(key))?;
    let mut document = document(text, path)?;
    let removed = profile_table(&mut document, profile)?.remove(key);
    removed.map(|_| checked(&document)).transpose()
}

/// Makes a profile the default.
pub fn use_profile(text: &str, path: &Path, profile: &str) -> Result<String, Failure> {
    let profiles = parse(text, path)?;
    if profile != SANDBOX && profiles.named(profile).is_none() {
        return Err(profiles.unknown(profile, path));
    }
    let mut document = document(text, path)?;
    put(document.as_table_mut(), "profile", profile.into());
    checked(&document)
}

fn known_profile(text: &str, path: &Path, profile: &str) -> Result<Profile, Failure> {
    if profile == SANDBOX {
        return Err(built_in(None));
    }
    let profiles = parse(text, path)?;
    profiles.named(profile).cloned().ok_or_else(|| profiles.unknown(profile, path))
}

/// Says that the sandbox's profile has no settings in the file, and what to type in their place.
fn built_in(instead: Option<String>) -> Failure {
    let other = "name another profile with --profile";
    let hint = instead
        .map_or(other.to_owned(), |instead| format!("{other}; in the sandbox `{instead}` says so for one command"));
    Failure::usage("the profile sandbox is built in: its settings are not kept in the file").hint(hint)
}

/// The option that gives one command what a setting would; the sandbox has address and key of its own, and takes none.
fn for_one_command(key: &str, value: &str) -> Option<String> {
    let setting = profile_setting(nearest_setting(key)?)?;
    let about = setting.about();
    if about.key == BASE_URL.about.key || keeps_key(about.key) || setting.typed(value).is_err() {
        return None;
    }
    let flag = if about.key == PROJECT.about.key { "-p" } else { about.flag? };
    // A switch is given without a value.
    Some(if about.key == MASK.about.key { flag.to_owned() } else { format!("{flag} {}", shell_word(value)) })
}

/// Says that a new profile has the name of another.
pub fn exists(name: &str) -> Failure {
    Failure::usage(format!("profile {name} already exists"))
        .hint(format!("`assessctl config set KEY VALUE --profile {name}` changes it"))
}

/// A value as the file holds it.
fn typed(key: &str, value: &str) -> Result<Value, Failure> {
    let setting = profile_setting(key).ok_or_else(|| unknown_setting(key))?;
    if key == BASE_URL.about.key {
        parse_address(value, true).map_err(|reason| Failure::usage(format!("{key} {reason}")))?;
    }
    let literal = setting.typed(value).map_err(|reason| Failure::usage(format!("{key} {reason}")))?;
    Ok(spelled(&literal))
}

/// A value as the library that edits has it.
fn spelled(literal: &Literal) -> Value {
    match literal {
        Literal::Text(text) => text.trim().into(),
        Literal::Boolean(value) => (*value).into(),
        Literal::Integer(number) => (*number).into(),
        Literal::Float(number) => (*number).into(),
        Literal::List(values) => Value::Array(values.iter().map(spelled).collect()),
        Literal::Table(_) => Value::InlineTable(InlineTable::new()),
    }
}

fn parse(text: &str, path: &Path) -> Result<Profiles, Failure> {
    Profiles::parse(text).map_err(|mistake| mistake.in_file(path))
}

fn document(text: &str, path: &Path) -> Result<DocumentMut, Failure> {
    // Its reader has said what is wrong with the text before.
    text.parse().map_err(|_| Failure::usage(format!("{} is not valid TOML", path.display())))
}

/// The text of an edited document, read again as the next command will read it. What is wrong then is the new value,
/// which stands on no line of the file that there is.
fn checked(document: &DocumentMut) -> Result<String, Failure> {
    let text = document.to_string();
    Profiles::parse(&text).map_err(FileMistake::in_value)?;
    Ok(text)
}

fn no_table() -> Failure {
    Failure::usage("profiles is not a table")
}

/// The table of a profile, added at the end where it is not there.
fn profile_table<'a>(document: &'a mut DocumentMut, name: &str) -> Result<&'a mut dyn TableLike, Failure> {
    let profiles = document.as_table_mut().entry("profiles").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let profiles = profiles.as_table_like_mut().ok_or_else(no_table)?;
    if profiles.get(name).is_none() {
        profiles.insert(name, Item::Table(Table::new()));
    }
    profiles.get_mut(name).and_then(Item::as_table_like_mut).ok_or_else(no_table)
}

/// Puts a value in the place of the old one, whose comment stays.
fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => drop(table.insert(key, Item::Value(value))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fuzz::fuzz;

    const FILE: &str = "# ours\nprofile = \"main\" # default\n\n[profiles.main] # the mine\n# where\n\
                        base-url = \"https://a.example\" # north\nproject = \"Night\"\n\n# the other\n[profiles.b]\n";

    fn path() -> &'static Path {
        Path::new("config.toml")
    }

    #[test]
    fn a_value_changes_and_nothing_else_does() {
        let text = set(FILE, path(), "main", "base-url", "https://c.example").expect("set");
        assert_eq!(text, FILE.replace("a.example", "c.example"));
        let text = set(FILE, path(), "b", "concurrency", "8").expect("set");
        assert_eq!(text, format!("{FILE}concurrency = 8\n"));
        let text = unset(FILE, path(), "main", "project").expect("known").expect("was set");
        assert_eq!(text, FILE.replace("project = \"Night\"\n", ""));
        assert_eq!(unset(FILE, path(), "b", "project").expect("known"), None);
        assert_eq!(use_profile(FILE, path(), "b").expect("known"), FILE.replace("= \"main\"", "= \"b\""));
    }

    #[test]
    fn the_first_profile_makes_the_file_and_is_the_default() {
        let key = ApiKey::parse("canary").ok();
        let settings = vec![("base-url", "https://a.example".to_owned()), ("allow-http", "true".to_owned())];
        let new = NewProfile { name: "main".into(), key, settings };
        let text = add("", path(), &new).expect("added");
        let expected = "profile = \"main\"\n\n[profiles.main]\nbase-url = \"https://a.example\"\nallow-http = true\n\
                        api-key = \"canary\"\n";
        assert_eq!(text, expected);
        assert!(add(&text, path(), &new).is_err());
        let second = add(&text, path(), &NewProfile { name: "b".into(), ..NewProfile::default() }).expect("added");
        assert_eq!(second, format!("{expected}\n[profiles.b]\n"));
    }

    #[test]
    fn a_default_is_put_above_the_profiles_and_their_comments_stay() {
        let text = use_profile("# head\n\n[profiles.a]\n", path(), SANDBOX).expect("known");
        assert_eq!(text, "profile = \"sandbox\"\n# head\n\n[profiles.a]\n");
        let inline = "profiles = { a = { project = \"x\" } } # all\n";
        let text = set(inline, path(), "a", "project", "y").expect("set");
        assert_eq!(text, inline.replace('x', "y"));
    }

    #[test]
    fn a_key_on_the_command_line_is_refused_with_the_way_to_do_it() {
        let error = set(FILE, path(), "main", "api-key", "canary").expect_err("a key");
        assert!(!error.to_string().contains("canary"));
        assert!(error.hint.is_some_and(|hint| hint.contains("api-key-file")));
    }

    #[test]
    fn what_the_next_command_would_refuse_is_not_written() {
        for (key, value) in [
            ("output", "xml"),
            ("concurrency", "0"),
            ("concurrency", "many"),
            ("allow-http", "yes"),
            ("base-url", "a.example"),
            ("project", ""),
            ("base_url", "https://a.example"),
        ] {
            assert!(set(FILE, path(), "main", key, value).is_err(), "{key} = {value}");
        }
        assert!(set(FILE, path(), "mian", "project", "x").is_err());
        assert!(set(FILE, path(), SANDBOX, "project", "x").is_err());
        assert!(use_profile(FILE, path(), "c").is_err());
        assert!(set("[profiles.a]\napi-key = \"k\"\n", path(), "a", "api-key-file", "f").is_err());
    }

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
            let profiles = match Profiles::parse(&text) {
                Ok(profiles) => profiles,
                Err(mistake) => {
                    let said = mistake.in_file(path).to_string();
                    let is_value = text.matches("S3CRET").count() == 1 && text.contains("\napi-key = \"S3CRET\"\n");
                    assert!(!is_value || !said.contains("S3CRET"), "{said}");
                    return said.chars().filter(char::is_ascii_alphabetic).take(60).collect::<String>();
                }
            };
            for (place, profile) in profiles.all.iter().enumerate().filter(|(_, profile)| profile.name != SANDBOX) {
                let Ok(changed) = set(&text, path, &profile.name, "project", odd) else { continue };
                let mut expected = profiles.clone();
                let values = &mut expected.all[place].values;
                values.retain(|(key, _)| *key != "project");
                values.push(("project", Literal::Text(odd.to_owned())));
                let sorted = |profiles: &Profiles| {
                    let mut profiles = profiles.clone();
                    profiles.all.iter_mut().for_each(|profile| profile.values.sort_by_key(|(key, _)| *key));
                    profiles
                };
                assert_eq!(sorted(&Profiles::parse(&changed).expect("what was edited can be read")), sorted(&expected));
                let back = unset(&changed, path, &profile.name, "project").expect("edited").expect("it was set");
                expected.all[place].values.retain(|(key, _)| *key != "project");
                assert_eq!(sorted(&Profiles::parse(&back).expect("what was edited can be read")), sorted(&expected));
            }
            format!("{} profiles", profiles.all.len())
        });
    }
}
