//! Edits of the configuration file that leave comments and order as they are.
//!
//! Each function takes the file's text and returns the new one, which is read again as the next command will read it.

use std::io::{self, Write as _};
use std::path::Path;

use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::SANDBOX;
use super::file::{Config, SETTINGS, unknown_setting};
use crate::files;
use crate::model::verdict::{Failure, Verdict};

/// Changes the file as one run at a time does: two that read the same text would each write it without the other's change.
pub fn edit(path: &Path, change: impl FnOnce(&str) -> Result<String, Failure>) -> Result<(), Failure> {
    let failed =
        |error: io::Error| Failure::new(Verdict::Unforeseen, format!("cannot write {}: {error}", path.display()));
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        files::private_folder(folder)?;
    }
    let lock = files::lock(&path.with_extension("lock")).map_err(failed)?;
    let _lock = lock
        .ok_or_else(|| Failure::new(Verdict::NothingDone, format!("another command is changing {}", path.display())))?;
    let before = files::read_private(path)?.unwrap_or_default();
    Config::parse(&before).map_err(|mistake| mistake.in_file(path))?;
    let after = change(&before)?;
    if after == before {
        return Ok(());
    }
    let mut target = files::Target::create(path).map_err(failed)?;
    target.write_all(after.as_bytes()).and_then(|()| target.commit()).map_err(failed)
}

/// Sets one setting as a command line gives it. A profile that is not there is made; the first one becomes the default.
pub fn set(text: &str, profile: &str, setting: &str, value: &str) -> Result<String, Failure> {
    if setting == "api-key" {
        let failure = Failure::usage("an API key on the command line can be seen by everybody on this machine");
        return Err(
            failure.hint("put it into a file: `assessctl config set api-key-file FILE`, or set api-key-command")
        );
    }
    let value = match setting {
        // The user means a path from where they are; in the file it would start at the file.
        "api-key-file" | "ca-cert" if !value.starts_with("~/") => {
            std::path::absolute(value).map_or(value.to_owned(), |path| path.to_string_lossy().into_owned())
        }
        _ => value.to_owned(),
    };
    add(text, profile, &[(setting, &value)])
}

/// Sets several settings at once, `api-key` too.
pub fn add(text: &str, profile: &str, settings: &[(&str, &str)]) -> Result<String, Failure> {
    let mut text = text.to_owned();
    for (setting, value) in settings {
        let put = |value: Value| put(&text, profile, setting, value);
        // A project may be called `8`, so text comes first; a number, a switch or a list is none.
        let typed = || value.parse().ok().and_then(|value| put(value).ok());
        text = put((*value).into()).or_else(|failure| typed().ok_or(failure))?;
    }
    Ok(text)
}

/// Takes one setting out of a profile; one that is not set is no error.
pub fn unset(text: &str, profile: &str, setting: &str) -> Result<String, Failure> {
    let mut document = with_profile(text, profile)?;
    if !SETTINGS.contains(&setting) {
        return Err(unknown_setting(setting, true));
    }
    if let Some(table) = profiles(&mut document)?.get_mut(profile).and_then(Item::as_table_like_mut) {
        table.remove(setting);
    }
    checked(&document)
}

/// Makes a profile the default.
pub fn use_profile(text: &str, profile: &str) -> Result<String, Failure> {
    let mut document = if profile == SANDBOX { document(text)? } else { with_profile(text, profile)? };
    replace(document.as_table_mut(), "profile", profile.into());
    checked(&document)
}

/// Removes a profile; if it was the default, there is none then.
pub fn remove(text: &str, profile: &str) -> Result<String, Failure> {
    let mut document = with_profile(text, profile)?;
    profiles(&mut document)?.remove(profile);
    if document.get("profile").and_then(Item::as_str) == Some(profile) {
        document.remove("profile");
    }
    checked(&document)
}

fn put(text: &str, profile: &str, setting: &str, value: Value) -> Result<String, Failure> {
    let mut document = document(text)?;
    let all = profiles(&mut document)?;
    let is_first = all.is_empty() && profile != SANDBOX;
    let table = all.entry(profile).or_insert_with(|| Item::Table(Table::new()));
    replace(table.as_table_like_mut().ok_or_else(no_table)?, setting, value);
    if is_first {
        replace(document.as_table_mut(), "profile", profile.into());
    }
    checked(&document)
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

fn profiles(document: &mut DocumentMut) -> Result<&mut dyn TableLike, Failure> {
    let profiles = document.entry("profiles").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    profiles.as_table_like_mut().ok_or_else(no_table)
}

fn with_profile(text: &str, profile: &str) -> Result<DocumentMut, Failure> {
    let config = Config::parse(text).map_err(|mistake| mistake.failure)?;
    config.profile(profile).ok_or_else(|| config.unknown(profile))?;
    document(text)
}

fn document(text: &str) -> Result<DocumentMut, Failure> {
    text.parse().map_err(|_| Failure::usage("the configuration is not valid TOML"))
}

fn no_table() -> Failure {
    Failure::usage("profiles is not a table")
}

/// The text of a document that the next command can read.
fn checked(document: &DocumentMut) -> Result<String, Failure> {
    let text = document.to_string();
    Config::parse(&text).map_err(|mistake| mistake.failure)?;
    Ok(text)
}
