//! Edits of the configuration file that leave comments and order as they are.
//!
//! Each function takes the file's text and returns the new one, which is read as the next command will read it.

use std::io::Write as _;
use std::path::Path;

use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::SANDBOX;
use super::file::Config;
use crate::files;
use crate::model::verdict::{Failure, Verdict};

/// Changes the file, one run at a time: two that read the same text would each write it without the other's change.
pub fn edit(path: &Path, change: impl FnOnce(&str) -> Result<String, Failure>) -> Result<(), Failure> {
    let failed = |error| Failure::new(Verdict::Unforeseen, format!("cannot write {}: {error}", path.display()));
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        files::private_folder(folder)?;
    }
    let _lock = files::wait_for_lock(&path.with_extension("lock")).map_err(failed)?;
    let before = files::read_private(path)?.unwrap_or_default();
    Config::parse(&before, Some(path))?;
    let after = change(&before)?;
    let mut target = files::Target::create(path).map_err(failed)?;
    target.write_all(after.as_bytes()).and_then(|()| target.commit()).map_err(failed)
}

/// A key is never taken from a command line.
pub fn check_setting(setting: &str) -> Result<(), Failure> {
    if setting == "api-key" {
        let failure = Failure::usage("an API key on the command line can be seen by other accounts of this machine");
        return Err(failure.hint("write it into a file, then: assessctl config set api-key-file FILE"));
    }
    Ok(())
}

/// Sets one setting as a command line gives it. A profile that is not there is made; the first one becomes the default.
pub fn set(text: &str, profile: &str, setting: &str, value: &str) -> Result<String, Failure> {
    // The user means a path from where they are; in the file it would start at the file.
    let is_path = matches!(setting, "api-key-file" | "ca-cert") && !value.starts_with("~/");
    let absolute = std::path::absolute(value).ok().filter(|_| is_path);
    let path = absolute.as_ref().and_then(|path| path.to_str());
    add(text, profile, &[(setting, path.unwrap_or(value))])
}

/// Sets several settings, `api-key` too.
pub fn add(text: &str, profile: &str, settings: &[(&str, &str)]) -> Result<String, Failure> {
    settings.iter().try_fold(text.to_owned(), |text, (setting, value)| {
        // A project may be called `8`, so a value is text first; a number, a switch and a list are none.
        let typed = || put(&text, profile, setting, value.parse().ok()?).ok();
        put(&text, profile, setting, (*value).into()).or_else(|failure| typed().ok_or(failure))
    })
}

/// Where a key comes from. A profile has one of them: the new one takes the place of the others.
const KEYS: [&str; 3] = ["api-key", "api-key-file", "api-key-command"];

fn put(text: &str, profile: &str, setting: &str, value: Value) -> Result<String, Failure> {
    changed(text, |document| {
        let mut implicit = Table::new();
        implicit.set_implicit(true);
        let profiles = document.entry("profiles").or_insert(Item::Table(implicit)).as_table_like_mut()?;
        let is_first = profiles.is_empty() && profile != SANDBOX;
        let table = profiles.entry(profile).or_insert(Item::Table(Table::new())).as_table_like_mut()?;
        for other in KEYS.into_iter().filter(|key| KEYS.contains(&setting) && *key != setting) {
            table.remove(other);
        }
        replace(table, setting, value);
        is_first.then(|| replace(document.as_table_mut(), "profile", profile.into()))
    })
}

/// Takes one of the [settings](super::file::settings) out of a profile; one that is not set is no error.
pub fn unset(text: &str, profile: &str, setting: &str) -> Result<String, Failure> {
    Config::parse(text, None)?.profile(profile)?;
    changed(text, |document| document.get_mut("profiles")?.get_mut(profile)?.as_table_like_mut()?.remove(setting))
}

/// Makes a profile the default.
pub fn use_profile(text: &str, profile: &str) -> Result<String, Failure> {
    Config::parse(text, None)?.profile(profile)?;
    changed(text, |document| replace(document.as_table_mut(), "profile", profile.into()))
}

/// Removes a profile; if it was the default, there is none then.
pub fn remove(text: &str, profile: &str) -> Result<String, Failure> {
    let config = Config::parse(text, None)?;
    config.profile(profile)?;
    if !config.profiles.contains_key(profile) {
        return Err(Failure::usage("the profile \"sandbox\" is built in and cannot be removed"));
    }
    changed(text, |document| {
        document.get_mut("profiles")?.as_table_like_mut()?.remove(profile);
        let is_default = document.get("profile")?.as_str() == Some(profile);
        is_default.then(|| document.remove("profile"))
    })
}

/// Puts a value in the place of the old one, whose comment stays.
fn replace(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => drop(table.insert(key, Item::Value(value))),
    }
}

/// The text after a change. What the change returns says nothing: it may end early where there is nothing to change.
fn changed<T>(text: &str, change: impl FnOnce(&mut DocumentMut) -> T) -> Result<String, Failure> {
    let mut document = text.parse().map_err(|_| Failure::usage("the configuration is not valid TOML"))?;
    change(&mut document);
    let text = document.to_string();
    Config::parse(&text, None).map(|_| text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILE: &str = "# ours\nprofile = \"main\" # default\n\n[profiles.main] # the mine\n# where\n\
                        base-url = \"https://a.example\" # north\nproject = \"Night\"\n\n# the other\n[profiles.b]\n";

    #[test]
    fn a_value_changes_and_nothing_else_does() {
        let text = set(FILE, "main", "base-url", "https://c.example").expect("set");
        assert_eq!(text, FILE.replace("a.example", "c.example"));
        assert_eq!(set(FILE, "b", "concurrency", "8"), Ok(format!("{FILE}concurrency = 8\n")));
        assert_eq!(set(FILE, "b", "project", "8"), Ok(format!("{FILE}project = \"8\"\n")));
        assert_eq!(set(FILE, "b", "read-only", "true"), Ok(format!("{FILE}read-only = true\n")));
        let command = "[\"pass\", \"show\", \"key\"]";
        assert_eq!(set(FILE, "b", "api-key-command", command), Ok(format!("{FILE}api-key-command = {command}\n")));
        assert_eq!(unset(FILE, "main", "project"), Ok(FILE.replace("project = \"Night\"\n", "")));
        assert_eq!(unset(FILE, "b", "project"), Ok(FILE.to_owned()));
        assert_eq!(use_profile(FILE, "b"), Ok(FILE.replace("= \"main\"", "= \"b\"")));
        let inline = "profiles = { a = { project = \"x\" } } # all\n";
        assert_eq!(set(inline, "a", "project", "y"), Ok(inline.replace('x', "y")));
    }

    #[test]
    fn the_first_profile_becomes_the_default() {
        let text = add("", "main", &[("base-url", "https://a.example"), ("api-key", "k-1")]).expect("added");
        assert_eq!(
            text,
            "profile = \"main\"\n\n[profiles.main]\nbase-url = \"https://a.example\"\napi-key = \"k-1\"\n"
        );
        assert_eq!(set(&text, "b", "project", "x"), Ok(format!("{text}\n[profiles.b]\nproject = \"x\"\n")));
        assert_eq!(set("", SANDBOX, "project", "x").as_deref(), Ok("[profiles.sandbox]\nproject = \"x\"\n"));
    }

    #[test]
    fn a_removed_profile_is_no_default_any_more() {
        let text = remove(FILE, "main").expect("removed");
        assert!(Config::parse(&text, None).is_ok_and(|config| config.profile.is_none() && config.profiles.len() == 1));
        assert_eq!(remove(FILE, "b"), Ok(FILE.replace("\n# the other\n[profiles.b]\n", "")));
    }

    #[test]
    fn what_the_next_command_would_refuse_is_not_written() {
        let refused = [
            ("output", "xml"),
            ("concurrency", "0"),
            ("allow-http", "yes"),
            ("base-url", "a.example"),
            ("base_url", "https://a.example"),
            ("api-key-command", "pass show"),
        ];
        for (setting, value) in refused {
            let failure = set(FILE, "main", setting, value).expect_err(setting);
            assert_eq!(failure.verdict, Verdict::Usage, "{setting}");
            assert!(!format!("{failure:?}").contains("CANARY"));
        }
        let failure = set(FILE, "main", "concurrency", "many").expect_err("no number");
        assert_eq!(failure.cause, "concurrency must be a whole number from 1 to 64");
        assert!(set(FILE, SANDBOX, "base-url", "https://a.example").is_err());
        let rotated = set("[profiles.a]\napi-key = \"k\"\n", "a", "api-key-file", "/f").expect("set");
        assert_eq!(rotated, "[profiles.a]\napi-key-file = \"/f\"\n");
        for unknown in [use_profile(FILE, "mian"), remove(FILE, "mian"), unset(FILE, "mian", "project")] {
            assert!(unknown.expect_err("unknown").cause.ends_with("did you mean main?"));
        }
    }

    #[test]
    fn a_path_that_is_typed_starts_where_the_user_is() {
        let text = set("", "a", "api-key-file", "key").expect("set");
        let config = Config::parse(&text, None).expect("a good file").profile("a").expect("there");
        assert_eq!(config.api_key_file, std::path::absolute("key").ok());
        assert!(set("", "a", "ca-cert", "~/ca.pem").is_ok_and(|text| text.contains("\"~/ca.pem\"")));
    }

    #[cfg(unix)]
    #[test]
    fn an_edit_makes_a_private_file_and_takes_turns() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("assessctl/config.toml");
        edit(&path, |text| set(text, "a", "project", "x")).expect("written");
        let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (0o600, 0o700));
        std::thread::scope(|scope| {
            for name in ["b", "c", "d", "e"] {
                scope.spawn(|| edit(&path, |text| set(text, name, "project", "x")).expect("written"));
            }
        });
        assert!(edit(&path, |text| set(text, "f", "output", "xml")).is_err());
        let read = Config::read(&path).expect("read").expect("there");
        assert_eq!(read.profiles.keys().collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("set");
        assert!(edit(&path, |text| set(text, "a", "project", "y")).is_err());
    }

    proptest! {
        #[test]
        fn what_is_set_is_read_and_what_is_unset_is_gone(project in r"\PC{0,20}|[\x00-\x7f]{0,8}", name in r"[^\x00]{1,8}") {
            let text = set(FILE, &name, "project", &project).expect("set");
            let read = |text: &str| Config::parse(text, None).expect("a good file").profile(&name).expect("there");
            prop_assert_eq!(read(&text).project, Some(project));
            prop_assert!(text.starts_with(&FILE[..FILE.find("project").expect("there")]) || name == "main");
            let back = unset(&text, &name, "project").expect("unset");
            prop_assert_eq!(read(&back).project, None);
        }
    }
}
