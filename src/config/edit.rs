//! Editing the configuration file's text: what is not meant, comments and order included, stays as it was.

use std::path::Path;

use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::profiles::check_name;
use super::{Error, KEYS, Profiles, SANDBOX, parse_address};
use crate::model::near::nearest;
use crate::model::secret::ApiKey;

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
pub fn add(text: &str, path: &Path, new: &NewProfile) -> Result<String, Error> {
    let profiles = Profiles::parse(text, path)?;
    check_name(&new.name).map_err(Error::usage)?;
    if profiles.named(&new.name).is_some() {
        let error = Error::usage(format!("the profile {} is there already", new.name));
        return Err(error.hint(format!("`assessctl config set KEY VALUE --profile {}` changes it", new.name)));
    }
    let mut document = document(text, path)?;
    let table = profile_table(&mut document, &new.name)?;
    for (key, value) in &new.settings {
        put(table, key, typed(key, value)?);
    }
    if let Some(key) = &new.key {
        put(table, "api-key", key.expose().into());
    }
    if profiles.default.is_none() {
        put(document.as_table_mut(), "profile", new.name.as_str().into());
    }
    checked(&document, path)
}

/// Sets one setting of a profile that is there.
pub fn set(text: &str, path: &Path, profile: &str, key: &str, value: &str) -> Result<String, Error> {
    known_profile(text, path, profile)?;
    known_key(key)?;
    if key == "api-key" {
        let error = Error::usage("a key on the command line is shown by `ps` and kept by the shell's history");
        return Err(error.hint("put it into a file of its own, then `assessctl config set api-key-file FILE`"));
    }
    let value = typed(key, value)?;
    let mut document = document(text, path)?;
    put(profile_table(&mut document, profile)?, key, value);
    checked(&document, path)
}

/// Takes one setting out of a profile that is there; `None` where it was not set.
pub fn unset(text: &str, path: &Path, profile: &str, key: &str) -> Result<Option<String>, Error> {
    known_profile(text, path, profile)?;
    known_key(key)?;
    let mut document = document(text, path)?;
    let removed = profile_table(&mut document, profile)?.remove(key);
    removed.map(|_| checked(&document, path)).transpose()
}

/// Makes a profile the default.
pub fn use_profile(text: &str, path: &Path, profile: &str) -> Result<String, Error> {
    let profiles = Profiles::parse(text, path)?;
    if profile != SANDBOX && profiles.named(profile).is_none() {
        return Err(profiles.unknown(profile, path));
    }
    let mut document = document(text, path)?;
    put(document.as_table_mut(), "profile", profile.into());
    checked(&document, path)
}

fn known_profile(text: &str, path: &Path, profile: &str) -> Result<(), Error> {
    let profiles = Profiles::parse(text, path)?;
    if profile == SANDBOX {
        let error = Error::usage("the profile sandbox is built in: its settings are not kept in the file");
        return Err(error.hint("name another profile with --profile"));
    }
    if profiles.named(profile).is_none() { Err(profiles.unknown(profile, path)) } else { Ok(()) }
}

fn known_key(key: &str) -> Result<(), Error> {
    let known = KEYS.map(|(known, _)| known);
    if known.contains(&key) {
        return Ok(());
    }
    let error = Error::usage(format!("there is no setting {key:?}: there are {}", known.join(", ")));
    Err(match nearest(key, known) {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None => error,
    })
}

/// A value as the file holds it: booleans, a number and a list for some keys, text for the others.
fn typed(key: &str, value: &str) -> Result<Value, Error> {
    let wrong = |reason: &str| Error::usage(format!("{key} {reason}"));
    match key {
        "allow-http" | "read-only" => value.parse::<bool>().map(Value::from).map_err(|_| wrong("is true or false")),
        "concurrency" => match value.parse::<i64>() {
            Ok(number) => Ok(number.into()),
            Err(_) if value.eq_ignore_ascii_case("auto") => Ok("auto".into()),
            Err(_) => Err(wrong("is auto or a whole number")),
        },
        "max-rate" => value.parse::<f64>().map(Value::from).map_err(|_| wrong("is a number")),
        "api-key-command" => value
            .parse::<Value>()
            .ok()
            .filter(Value::is_array)
            .ok_or_else(|| wrong("is a list such as '[\"pass\", \"show\", \"assess\"]'")),
        "base-url" => parse_address(value, true).map(|_| value.trim().into()).map_err(wrong),
        _ => Ok(value.into()),
    }
}

fn document(text: &str, path: &Path) -> Result<DocumentMut, Error> {
    // Its reader has said what is wrong with the text before.
    text.parse().map_err(|_| Error::usage(format!("{} is no TOML", path.display())))
}

/// The text of an edited document, read again as the next command will read it. What is wrong then is the new value,
/// which stands on no line of the file that there is.
fn checked(document: &DocumentMut, path: &Path) -> Result<String, Error> {
    let text = document.to_string();
    match Profiles::parse(&text, path) {
        Ok(_) => Ok(text),
        Err(error) => {
            let place = error.cause.strip_prefix(&format!("{}:", path.display()));
            let reason = place.map(|place| place.trim_start_matches(|c: char| c.is_ascii_digit()));
            let cause = reason.and_then(|reason| reason.strip_prefix(": ")).unwrap_or(&error.cause).to_owned();
            Err(Error { cause, ..error })
        }
    }
}

/// The table of a profile, added at the end where it is not there.
fn profile_table<'a>(document: &'a mut DocumentMut, name: &str) -> Result<&'a mut dyn TableLike, Error> {
    let no_table = || Error::usage("\"profiles\" is no table");
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
}
