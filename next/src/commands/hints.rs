//! What is said of a command line that clap refuses: one cause, which quotes no value, and at most one hint.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::model::verdict::Failure;

/// Why a line was refused; `None` where it asked for help or the version.
pub fn explain(error: &clap::Error) -> Option<Failure> {
    let failure = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return None;
        }
        ErrorKind::MissingSubcommand => return None,
        _ => Failure::usage(cause(error)),
    };
    Some(failure.hint(suggested(error).unwrap_or_else(|| help(error))))
}

fn cause(error: &clap::Error) -> String {
    let argument = || text(error, ContextKind::InvalidArg).unwrap_or_else(|| "an argument".to_owned());
    match error.kind() {
        ErrorKind::InvalidSubcommand => match text(error, ContextKind::InvalidSubcommand).filter(|word| is_plain(word))
        {
            Some(word) => format!("there is no command {word}"),
            None => "there is no such command".to_owned(),
        },
        ErrorKind::UnknownArgument => match argument().split('=').next() {
            Some(option) if option.starts_with('-') => format!("there is no option {option} here"),
            _ => "there is an argument too many".to_owned(),
        },
        ErrorKind::InvalidValue if text(error, ContextKind::InvalidValue).is_none_or(|value| value.is_empty()) => {
            format!("{} needs a value", argument())
        }
        ErrorKind::InvalidValue => format!("{} does not take this value{}", argument(), known_values(error)),
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map(|why| format!(": {why}")).unwrap_or_default();
            format!("{} does not take this value{why}", argument())
        }
        ErrorKind::MissingRequiredArgument => format!("{} is missing", argument()),
        ErrorKind::ArgumentConflict => match text(error, ContextKind::PriorArg) {
            Some(other) if other != argument() => format!("{} does not go with {other}", argument()),
            _ => format!("{} is given twice", argument()),
        },
        ErrorKind::TooManyValues => format!("{} takes one value", argument()),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => format!("{} needs more values", argument()),
        ErrorKind::InvalidUtf8 => "an argument is not valid Unicode".to_owned(),
        _ => "the command line is wrong".to_owned(),
    }
}

/// A word that may be quoted: one that was meant as a command, and no name or key in its place.
fn is_plain(word: &str) -> bool {
    word.len() <= 24 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => Some(texts.join(" and ")),
        _ => None,
    }
}

fn known_values(error: &clap::Error) -> String {
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(known)) if !known.is_empty() => format!(" (known: {})", known.join(", ")),
        _ => String::new(),
    }
}

fn suggested(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let word = kinds.into_iter().find_map(|kind| text(error, kind))?;
    Some(format!("did you mean {word}?"))
}

fn help(error: &clap::Error) -> String {
    let usage = text(error, ContextKind::Usage).unwrap_or_default();
    let _ = usage;
    "add --help to see what goes here".to_owned()
}
