//! How the values of settings are read and shown. Reasons start with a verb and quote nothing: a value may be a key.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use serde_json::{Value as Json, json};

use super::key_source::StoredKey;
use super::literal::Literal;
use super::sourced::{parse_word, positive};
use crate::model::concurrency::{Concurrency, MaxRate};
use crate::model::counted::whole_number;
use crate::model::secret::Secret;

/// A text that is not empty.
pub fn text(literal: &Literal) -> Result<String, String> {
    match literal {
        Literal::Text(text) if text.is_empty() => Err("is empty".to_owned()),
        Literal::Text(text) => Ok(text.clone()),
        _ => Err("is not a text in quotes".to_owned()),
    }
}

/// A path as it is written.
pub fn path(literal: &Literal) -> Result<PathBuf, String> {
    text(literal).map(PathBuf::from)
}

/// One of a few words, in any case.
pub fn word<T: ValueEnum>(literal: &Literal) -> Result<T, String> {
    parse_word(&text(literal)?)
}

/// A word that a person can type and a shell need not quote.
pub fn plain_word(literal: &Literal) -> Result<String, String> {
    let word = text(literal)?;
    let plain = !word.starts_with('-') && word.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    if plain { Ok(word) } else { Err("is not a word of letters, digits and - _ .".to_owned()) }
}

/// `true` or `false`.
pub fn boolean(literal: &Literal) -> Result<bool, String> {
    match literal {
        Literal::Boolean(value) => Ok(*value),
        _ => Err("is not true or false".to_owned()),
    }
}

/// `auto`, or a whole number.
pub fn concurrency(literal: &Literal) -> Result<Concurrency, String> {
    match literal {
        Literal::Text(word) if word.eq_ignore_ascii_case("auto") => Ok(Concurrency::Auto),
        Literal::Integer(number) => Concurrency::at_most(*number),
        // What is neither a word nor a whole number is outside the range too.
        _ => Concurrency::at_most(-1),
    }
}

/// Requests a second: a number.
pub fn max_rate(literal: &Literal) -> Result<MaxRate, String> {
    MaxRate::new(match literal {
        Literal::Float(number) => *number,
        Literal::Integer(number) => i32::try_from(*number).map_or(f64::NAN, f64::from),
        _ => f64::NAN,
    })
}

/// A length of time, such as 45s; a bare number means seconds.
pub fn duration(literal: &Literal) -> Result<Duration, String> {
    match literal {
        Literal::Integer(seconds) => positive(&seconds.to_string()),
        _ => positive(&text(literal)?),
    }
}

/// A number of records.
pub fn record_count(literal: &Literal) -> Result<u64, String> {
    match literal {
        Literal::Integer(count) => whole_number(&count.to_string(), 1, u64::MAX),
        _ => whole_number(&text(literal)?, 1, u64::MAX),
    }
}

/// The key itself.
pub fn inline_key(literal: &Literal) -> Result<StoredKey, String> {
    Ok(StoredKey::Inline(Secret::new(text(literal)?)))
}

/// The path of a file with the key.
pub fn key_file(literal: &Literal) -> Result<StoredKey, String> {
    text(literal).map(StoredKey::File)
}

/// A program and its arguments: a list, because no shell will take a text apart.
pub fn key_command(literal: &Literal) -> Result<StoredKey, String> {
    let argv: Option<Vec<String>> = match literal {
        Literal::List(words) => words.iter().map(|word| text(word).ok()).collect(),
        _ => None,
    };
    let argv = argv.filter(|argv| !argv.is_empty()).map(StoredKey::Command);
    argv.ok_or_else(|| "is not a list of texts such as [\"pass\", \"show\", \"assess\"]".to_owned())
}

/// A value as serde writes it.
pub fn json<T: serde::Serialize>(value: &T) -> Json {
    json!(value)
}

pub fn shown_path<P: AsRef<Path>>(path: &P) -> Json {
    path.as_ref().display().to_string().into()
}

/// A key is never shown, only that there is one.
pub fn shown_key(_: &StoredKey) -> Json {
    "set".into()
}

/// A number as a number, a word as a text.
pub fn number_or_word<T: Display>(value: &T) -> Json {
    let text = value.to_string();
    text.parse().map_or_else(|_| text.clone().into(), Json::Number)
}

pub fn shown_duration(duration: &Duration) -> Json {
    format!("{} s", duration.as_secs_f64()).into()
}
