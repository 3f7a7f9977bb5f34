//! A value that is none of those which its option takes, and what was probably meant by it.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue};

use crate::commands::shell::argv::{at, knows};
use crate::commands::shell::expressions::{expression, sorted_by, typed_words};
use crate::commands::shell::unknown_arguments::without;
use crate::commands::shell::unknown_options::has_format;
use crate::commands::shell::value_hints::{choice, direction};

/// A hint about a value that is none of those which its option takes.
pub fn refused_choice(root: &Command, path: &[&str], words: &[OsString], error: &clap::Error) -> Option<String> {
    match (error.get(ContextKind::ValidValue), context(error, ContextKind::InvalidValue)?) {
        (_, "") if option(error)? == "--confirm" && knows(root, at(root, path), "--yes") => {
            Some("did you mean `--yes`? --confirm takes the word that a profile asks for".to_owned())
        }
        (_, "") => Some(format!("write `{}`", context(error, ContextKind::InvalidArg)?.replace(['<', '>'], ""))),
        // Another format would be refused in its turn.
        _ if option(error)? == "--output" && words.iter().any(|word| is_jq(&word.to_string_lossy())) => {
            Some(without(root, words, &["-o", "--output"], BESIDE_JQ.to_owned()))
        }
        (Some(ContextValue::Strings(known)), value) => {
            let option = option(error)?;
            let chosen = choice(root, option, value, known);
            let near = chosen.as_ref().filter(|hint| hint.starts_with("did you mean")).cloned();
            near.or_else(|| in_place_of(root, path, words, option, value)).or(chosen)
        }
        _ => None,
    }
}

/// The options in place of one whose value is an expression, or a field that the service does not sort by.
fn in_place_of(root: &Command, path: &[&str], words: &[OsString], option: &str, value: &str) -> Option<String> {
    let ours = match option {
        "--output" => expression(root, path, value),
        "--order-by" if !has_format(words) => {
            let (field, is_descending) = direction(value);
            let is_turned = words.windows(2).any(|pair| pair[0] == "--order" && pair[1].eq_ignore_ascii_case("desc"));
            sorted_by(root, path, field, is_descending || is_turned)
        }
        _ => None,
    };
    Some(format!("write `{}` in place of {option}", ours?))
}

/// What is said of a format beside an expression.
const BESIDE_JQ: &str = "leave it out: --jq prints texts as they are, and all else as JSON";

fn is_jq(word: &str) -> bool {
    word == "--jq" || word.starts_with("--jq=")
}

/// What the parser says was wrong.
pub fn context(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        _ => None,
    }
}

/// The option that an error is about, without its value.
pub fn option(error: &clap::Error) -> Option<&str> {
    context(error, ContextKind::InvalidArg)?.split(' ').next()
}

/// The line with another value, or with other options, in place of an option with this value.
pub fn with_value(words: &[OsString], option: &str, wrong: &str, ours: &str) -> Option<Vec<OsString>> {
    // Behind its own option it counts more than elsewhere: a field may be called so, too.
    let own = words.windows(2).position(|pair| pair[0] == option && pair[1] == wrong);
    let joined = words.iter().position(|word| word.to_str() == Some(&format!("{option}={wrong}")));
    let place = match (own, joined) {
        (Some(before), _) => before + 1,
        (None, Some(place)) => place,
        _ => words.iter().position(|word| word.to_str().is_some_and(|word| holds(word, wrong)))?,
    };
    let typed = words[place].to_str()?;
    let from = if own.is_some() || !typed.starts_with('-') { place.checked_sub(1)? } else { place };
    if ours.starts_with('-') {
        let ours = if ours == "-" { Vec::new() } else { typed_words(ours) };
        return Some([&words[..from], &ours, &words[place + 1..]].concat());
    }
    // What stands before it has to be an option: the same word may name a command.
    let before = words[from].to_string_lossy();
    if before != option && !before.starts_with('-') {
        return None;
    }
    let mut all = words.to_vec();
    all[place] = typed.replacen(wrong, ours, 1).into();
    Some(all)
}

/// Whether a word is this value, or has it behind its equals sign or between its commas.
fn holds(word: &str, value: &str) -> bool {
    let own = word.split_once('=').filter(|(name, _)| name.starts_with('-')).map_or(word, |(_, own)| own);
    own == value || own.split(',').any(|part| part.trim() == value)
}
