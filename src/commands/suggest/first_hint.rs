//! What is suggested about the first thing that is wrong with a line.

use std::ffi::OsString;

use clap::builder::PossibleValue;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use crate::commands::shared::person_argument::joined_people;
use crate::commands::shell::argv::{TypedLine, is_called, takes_next};
use crate::commands::suggest::edits::{line_without, without_option};
use crate::commands::suggest::foreign_values::with_search;
use crate::commands::suggest::line_to_type::{PERSON, line_to_type, line_with_all, with_prefixes};
use crate::commands::suggest::narrowed::{narrowed, of_this_place};
use crate::commands::suggest::people::Whom;
use crate::commands::suggest::suggestion::{Edit, Suggestion, leave_out, option_of, said, say};
use crate::commands::suggest::unknown_arguments::{PICTURE, argument, refused_choice};
use crate::commands::suggest::unknown_commands::{unknown_command, what_there_is};
use crate::commands::suggest::values::{is_file, time};
use crate::model::failure::Failure;

/// What is suggested about what is wrong first, and about no more people than the line. In the sandbox some of it makes no
/// sense.
pub fn first_hint(line: &TypedLine<'_, '_>, error: &clap::Error, is_sandbox: bool) -> Option<Suggestion> {
    let wrong = said(error, ContextKind::InvalidSubcommand).or_else(|| said(error, ContextKind::InvalidArg));
    let wrong = wrong.filter(|wrong| error.kind() == ErrorKind::InvalidSubcommand || wrong.starts_with('-'));
    let mut hint = of_this_place(hint_for(line, error)?, line, is_sandbox);
    hint = narrowed(hint, &Whom::of(line, wrong));
    if hint.edit == Edit::LeaveOut(None) {
        let option = wrong.and_then(|wrong| wrong.split([' ', '=']).next()).unwrap_or_default();
        let other = if option == "--output" { "-o" } else { option };
        hint.edit = Edit::LeaveOut(line_without(line, &[option, other]));
    }
    Some(hint)
}

fn hint_for(line: &TypedLine<'_, '_>, error: &clap::Error) -> Option<Suggestion> {
    let is_link = line.path == ["projects", "link"];
    match error.kind() {
        ErrorKind::InvalidSubcommand => unknown_command(line, said(error, ContextKind::InvalidSubcommand)?),
        ErrorKind::InvalidValue => refused_choice(line, error),
        ErrorKind::ValueValidation => {
            let (option, value) = (option_of(error)?, said(error, ContextKind::InvalidValue)?);
            if option.contains(PERSON) {
                person(line, value)
            } else {
                time(option, value).or_else(|| Some(with_search(line, option, own_hint(error)?)))
            }
        }
        ErrorKind::TooManyValues if said(error, ContextKind::InvalidValue).is_some_and(is_no) => {
            Some(leave_out("a flag that is not given says no"))
        }
        ErrorKind::TooManyValues => Some(format!("write `{}` alone: it takes no value", option_of(error)?).into()),
        ErrorKind::MissingRequiredArgument => match error.get(ContextKind::InvalidArg)? {
            ContextValue::Strings(names) => Some(what_is_missing(line, names, error)),
            _ => None,
        },
        // A file is the picture that was to be written.
        ErrorKind::ArgumentConflict if is_link => Some(PICTURE),
        ErrorKind::ArgumentConflict => without_one(line, error),
        ErrorKind::UnknownArgument => {
            let hint = argument(line, said(error, ContextKind::InvalidArg)?);
            hint.or_else(|| if line.path.is_empty() { what_there_is(line.root) } else { None })
        }
        _ => None,
    }
}

/// Whether the value of a flag says that it is not given.
pub fn is_no(value: &str) -> bool {
    ["false", "no", "none", "off", "0", "never"].iter().any(|no| value.eq_ignore_ascii_case(no))
}

/// What is said by the rule that refuses a value.
fn own_hint(error: &clap::Error) -> Option<Suggestion> {
    let own = std::error::Error::source(error)?.downcast_ref::<Failure>()?;
    let edit = own.meant.clone().map_or(Edit::Nothing, |meant| Edit::OwnValue(meant.into()));
    Some(Suggestion { edit, remark: own.hint.clone()?.into() })
}

/// How a person is named who has no prefix, in the line as it was typed.
fn person(line: &TypedLine<'_, '_>, value: &str) -> Option<Suggestion> {
    let line = line_to_type(line.root, &with_prefixes(line.root, line.words))?;
    let hint = match () {
        () if joined_people(value).is_some() => format!("put a space between people: `{line}`"),
        () if value.contains(' ') => {
            return Some(say("a name names nobody for sure: `assessctl testtakers list --filter TEXT` searches names"));
        }
        () if is_file(value) => format!("write `{line}`"),
        () if value.contains('@') => {
            format!("write `{line}` for an e-mail address, or ref:REFERENCE_ID for a reference id")
        }
        () if value.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("write `{line}` for a reference id, or id:NUMBER for an entry id")
        }
        () => format!("write `{line}` for a reference id, or id:ENTRY_ID, or email:ADDRESS"),
    };
    Some(hint.into())
}

/// What has to be added to a line, with the line that has it.
fn what_is_missing(line: &TypedLine<'_, '_>, names: &[String], error: &clap::Error) -> Suggestion {
    let mut assignments = line.words.iter().map(|word| word.to_string_lossy());
    if line.path == ["config", "set"] && assignments.any(|word| word.contains('=') && !word.starts_with('-')) {
        return say("write `assessctl config set KEY VALUE`, without a sign between them");
    }
    // A rehearsal of one person's link would be one of everybody's.
    if line.path == ["links", "issue"] && line.has(&["--dry-run"]) {
        return rehearsed_alone(line).into();
    }
    let hint = missing(line.here, names);
    let hint = match line_with_all(line, error) {
        Some(line) => format!("{hint} (`{line}`)"),
        None => hint,
    };
    // In some programs `get` without a name lists.
    match line.path.as_slice() {
        [noun, "get"] if line.others().next().is_none() => format!("{hint}; `assessctl {noun} list` lists all").into(),
        _ => hint.into(),
    }
}

/// How the link of one person is rehearsed, as --dry-run goes with many.
fn rehearsed_alone(line: &TypedLine<'_, '_>) -> String {
    let others = line.words.iter().filter(|word| *word != "--dry-run").cloned();
    let alone: Vec<OsString> = others.chain(["--profile", "sandbox"].map(OsString::from)).collect();
    let alone = without_option(line.root, &alone, &["--profile"], "sandbox");
    let shown = line_to_type(line.root, &with_prefixes(line.root, &alone));
    let shown = shown.unwrap_or_else(|| "--profile sandbox".to_owned());
    let mut names = line.words.iter().filter_map(|word| word.to_str()?.strip_prefix("ref:"));
    let is_number = names.any(|name| name.parse::<u32>().is_ok());
    let by_entry = if is_number { ", or with id:NUMBER for an entry id," } else { "" };
    format!("`{shown}`{by_entry} rehearses: --dry-run goes with --file FILE or --all, for many people")
}

/// The lines that are left without either of two arguments that exclude each other.
fn without_one(line: &TypedLine<'_, '_>, error: &clap::Error) -> Option<Suggestion> {
    let both = [ContextKind::InvalidArg, ContextKind::PriorArg].into_iter().filter_map(|kind| said(error, kind));
    let lines: Vec<String> = both.filter_map(|arg| line_without_argument(line, arg)).collect();
    (!lines.is_empty()).then(|| format!("leave one of them out: `{}`", lines.join("` or `")).into())
}

/// The line that is left without an argument and its value, where the program takes that.
fn line_without_argument(line: &TypedLine<'_, '_>, argument: &str) -> Option<String> {
    let option = argument.split(' ').next()?;
    let arg = line.arguments().find(|arg| is_called(arg, option))?;
    let mut words = line.words.iter();
    let place = words.position(|word| takes_next(arg, word) || word.to_string_lossy().starts_with(option))?;
    line_to_type(line.root, &line.with(place, 1 + usize::from(takes_next(arg, &line.words[place])), &[]))
}

/// What has to be added to the command, and what that is.
fn missing(here: &Command, missing: &[String]) -> String {
    // What there is to choose from is more than what it is.
    let positional = here.get_positionals().next().filter(|_| missing.len() == 1);
    let known = positional.map(Arg::get_possible_values).unwrap_or_default();
    if let Some(first) = known.first() {
        let all: Vec<&str> = known.iter().map(PossibleValue::get_name).collect();
        let name = here.get_name();
        return format!("add one of {}, such as `assessctl {name} {}`", all.join(", "), first.get_name());
    }
    // What goes with a file alone was given without one.
    if missing == ["<--file <FILE>>"] {
        return "add --file FILE, or leave out what goes with it alone".to_owned();
    }
    let typed = missing.iter().map(|arg| plain(arg).replace('|', " or ")).collect::<Vec<_>>().join(", and ");
    let only = here.get_arguments().find(|arg| matches!(missing, [only] if plain(&arg.to_string()) == plain(only)));
    match only.and_then(Arg::get_help) {
        Some(help) => format!("add {typed}: {help}"),
        None => format!("add {typed}"),
    }
}

/// An argument as it is called, without the brackets and dots of a usage line.
fn plain(arg: &str) -> String {
    arg.replace(['<', '>', '[', ']'], "").trim_end_matches('.').to_owned()
}
