//! Words that are too many in a line, options that the command has not, and refused values: what was probably meant by them.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use crate::commands::shared::people_filters::by_result;
use crate::commands::shared::verb_traits::{CommandEffect, VerbTraits};
use crate::commands::shell::argv::{TypedLine, is_one_of, named};
use crate::commands::suggest::dictionary::entry_that;
use crate::commands::suggest::expressions::{expression, has_format, has_jq, sorted_by};
use crate::commands::suggest::foreign_options::{OPTIONS, REHEARSALS};
use crate::commands::suggest::foreign_values::{by_value, with_search};
use crate::commands::suggest::line_to_type::{lacks_hyphens, line_to_type, name_of_option};
use crate::commands::suggest::normal_form::takes;
use crate::commands::suggest::people::{is_person, shown};
use crate::commands::suggest::suggestion::{Edit, Suggestion, command, in_place, leave_out, option_of, said, say};
use crate::commands::suggest::values::{choice, direction, is_file};
use crate::model::did_you_mean::nearest;
use crate::model::failure::Failure;

/// What is said of a second name behind `projects link`: most often the picture that was to be written.
pub const PICTURE: Suggestion = say("name the project once; with --qr `--to FILE.svg` writes the picture");
/// Options of other programs that choose people by their result.
const BY_RESULT: &str = "--status --result --results --state --risk --risk-level --level";

/// What is suggested for a word that is too many, or an option that the command has not.
pub fn argument(line: &TypedLine<'_, '_>, word: &str) -> Option<Suggestion> {
    if word.starts_with('-') {
        unknown_option(line, word).or_else(|| what_there_is(line))
    } else {
        Some(stray_word(line, word))
    }
}

/// What is suggested for an option that the command has not; `None` where it is like none.
pub fn unknown_option(line: &TypedLine<'_, '_>, word: &str) -> Option<Suggestion> {
    let (name, here) = (named(word).0, line.here);
    if line.knows(name) {
        return Some(format!("write `{word}` after `{}`", line.command()).into());
    }
    match VerbTraits::of(here).map(|traits| traits.effect).filter(|_| is_one_of(REHEARSALS, name)) {
        Some(CommandEffect::Read) => return Some(leave_out("nothing is changed at the service")),
        Some(effect) if effect == CommandEffect::Local || line.path[0] == "sandbox" => {
            return Some(say("nothing rehearses what is done on this machine alone"));
        }
        _ => {}
    }
    if let Some(value) = line.place_of(&[name]).and_then(|place| line.value_at(place)) {
        let is_of_people = matches!(*line.path, ["results" | "testtakers", ..]) && line.path.last() != Some(&"remove");
        if is_one_of(BY_RESULT, name) && is_of_people {
            return Some(by_result(&value).into());
        }
        if let Some(hint) = by_value(line, name, &value) {
            return Some(with_search(line, name, hint));
        }
    }
    // What is said counts more than what is the same.
    let said =
        entry_that(OPTIONS, &line.path, name, |ours| !matches!(ours.edit, Edit::Same(_)) && can_be_typed(line, ours));
    let ours = said.or_else(|| entry_that(OPTIONS, &line.path, name, |ours| can_be_typed(line, ours)));
    if let Some(ours) = ours {
        return Some(ours.clone());
    }
    if here.has_subcommands() && !line.path.is_empty() {
        let verb = here.find_subcommand("list").or_else(|| here.get_subcommands().next())?.get_name();
        return Some(Edit::AddCommand(format!("{} {verb}", line.command())).into());
    }
    let near = without_affix(line, name).or_else(|| near_option(line, name));
    Some(Edit::Option(near.filter(|near| takes_value(line, word, near))?.into()).into())
}

/// Whether a suggestion can be followed here: the option that it begins with is one of the command.
fn can_be_typed(line: &TypedLine<'_, '_>, ours: &Suggestion) -> bool {
    ours.needs().is_none_or(|option| line.knows(&option))
}

/// What is suggested for a word that is too many.
fn stray_word(line: &TypedLine<'_, '_>, word: &str) -> Suggestion {
    let (here, path) = (line.here, line.path.as_slice());
    let takes_project = line.knows("--project");
    match path {
        ["testtakers", "enrol"] if is_file(word) => {
            say("`assessctl testtakers import FILE` enrols everybody in a file")
        }
        ["journal", "show"] => leave_out("rows are listed by number, without the names that their files have"),
        ["config", "init"] => before("--name", "write --name NAME for the name of the profile"),
        ["projects", "create"] => say("one project at a time; quote a name with spaces"),
        // Behind -q, as gh has it.
        [.., "list"] if word.starts_with(['.', '[']) && has_jq(line) => {
            let others = line.words.iter().filter(|other| *other != word && *other != "-q").cloned();
            let typed: Vec<OsString> = others.chain(["--jq".into(), word.into()]).collect();
            let shown = line_to_type(line.root, &typed);
            let shown = shown.unwrap_or_else(|| format!("assessctl {} --jq EXPR", line.command()));
            format!("did you mean `{shown}`?").into()
        }
        _ if is_behind_a_flag(line, word) => say("a flag takes no value: it is given or left out"),
        ["sandbox", "set"] => before("--result", "a result stands after --result, such as --result HighRisk"),
        ["projects", "link"] => PICTURE,
        // What stands where the file belongs is none: it was taken for one.
        _ if is_file(word) && is_only_file(line) && takes(here, "FILE") && takes_project => {
            say("name the project with -p: `-p NAME_OR_ID`")
        }
        _ if is_file(word) && line.operand().is_some() => say("name one file at a time"),
        ["results", "report"] if word.contains('.') => say("`--to FILE.html` writes the page"),
        _ if is_file(word) => before("--to", "`--to FILE` writes into a file"),
        _ if word.contains('@') && line.knows("--email") => before("--email", "use --email ADDRESS"),
        _ if lacks_hyphens(line, word) => Edit::Hyphens.into(),
        ["testtakers", "enrol"] => {
            let option = match () {
                () if is_person(word) && !line.has(&["--reference-id"]) => "--reference-id",
                () if line.place_of(&["--first-name"]).is_some() => "--last-name",
                () => "--first-name",
            };
            before(option, "use --first-name NAME and --last-name NAME")
        }
        ["results", "list"] if is_person(word) => command("results get REFERENCE_ID", ""),
        ["testtakers", "list"] if is_person(word) => {
            Edit::Command(format!("testtakers get {}", shown(word)).into()).into()
        }
        ["testtakers", "update"] if is_person(word) => {
            say("one person at a time; `assessctl testtakers update --file FILE` changes many")
        }
        _ if takes_project && !names_a_project(line) => Edit::Project(in_a_project(line, word)).into(),
        [.., "list"] if line.knows("--filter") => {
            format!("`assessctl {} --filter TEXT` searches", line.command()).into()
        }
        _ => Edit::Quotes.into(),
    }
}

/// A word that is too many is the value of this option.
fn before(option: &'static str, remark: &'static str) -> Suggestion {
    Suggestion { edit: Edit::Before(option), remark: remark.into() }
}

/// The options that a command has of its own, without those for a file of people where they are many.
fn what_there_is(line: &TypedLine<'_, '_>) -> Option<Suggestion> {
    const ALL_HAVE: &str = "all commands have -o, --fields and --to";
    let own =
        line.here.get_arguments().filter(|arg| !arg.is_global_set() && !arg.is_hide_set() && !arg.is_positional());
    let own: Vec<&Arg> = own.filter(|arg| arg.get_long().is_some_and(|long| long != "help")).collect();
    let is_long = own.len() > 16;
    let shown = own.into_iter().filter(|arg| !is_long || arg.get_help_heading() != Some("Many at once"));
    let names = shown.map(name_of_option).collect::<Vec<_>>().join(", ");
    match line.command() {
        path if path.is_empty() => None,
        path if names.is_empty() => Some(format!("{path} has no options of its own, and {ALL_HAVE}").into()),
        path => Some(format!("the options of {path} are {names}, and {ALL_HAVE}").into()),
    }
}

/// Whether an option of ours takes the value that stands behind the foreign one: if not, something else was meant.
fn takes_value(line: &TypedLine<'_, '_>, typed: &str, ours: &str) -> bool {
    let ours = named(typed).1.map_or_else(|| ours.to_owned(), |value| format!("{ours}={value}"));
    let meant = line.words.iter().map(|word| if word == typed { OsString::from(&ours) } else { word.clone() });
    let Err(error) = line.root.clone().try_get_matches_from(meant) else { return true };
    let is_refused =
        matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation | ErrorKind::TooManyValues);
    let is_about_ours = option_of(&error).is_some_and(|option| ours.starts_with(option));
    // A value that is a slip of its own is told next.
    let has_hint =
        std::error::Error::source(&error).and_then(|own| own.downcast_ref::<Failure>()?.hint.as_ref()).is_some();
    let is_near = match (error.get(ContextKind::ValidValue), said(&error, ContextKind::InvalidValue)) {
        (Some(ContextValue::Strings(known)), Some(value)) => choice(line.root, named(&ours).0, value, known).is_some(),
        _ => false,
    };
    has_hint || is_near || !is_refused || !is_about_ours
}

/// Whether a word may say that the flag before it is given or not.
fn is_behind_a_flag(line: &TypedLine<'_, '_>, word: &str) -> bool {
    let place = line.words.iter().position(|typed| typed == word);
    let before = place.and_then(|place| line.words.get(place.checked_sub(1)?)?.to_str());
    let is_flag = before.is_some_and(|before| before.starts_with("--") && line.knows(before));
    is_one_of("true false yes no on off 0 1", word) && is_flag
}

fn names_a_project(line: &TypedLine<'_, '_>) -> bool {
    let mut words = line.words.iter().filter_map(|word| word.to_str());
    words.any(|word| word.starts_with("-p") || word.starts_with("--project"))
}

/// The line with a placeholder for a project that stands by itself.
fn in_a_project(line: &TypedLine<'_, '_>, word: &str) -> Option<String> {
    let place = line.words.iter().position(|typed| typed == word)?;
    line_to_type(line.root, &line.with(place, 1, &["-p".into(), "NAME_OR_ID".into()]))
}

/// Whether any command has this option.
fn is_elsewhere(command: &Command, long: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(long))
        || command.get_subcommands().any(|below| is_elsewhere(below, long))
}

/// An option with a word more than ours, such as `--report-file`.
fn without_affix(line: &TypedLine<'_, '_>, word: &str) -> Option<String> {
    const BEHIND: [&str; 5] = ["-file", "-only", "-path", "-to", "-out"];
    const BEFORE: [&str; 3] = ["--only-", "--with-", "--show-"];
    let shorter = BEHIND.iter().filter_map(|affix| word.strip_suffix(affix)).map(str::to_owned);
    let rest = BEFORE.iter().filter_map(|affix| word.strip_prefix(affix)).map(|rest| format!("--{rest}"));
    shorter.chain(rest).find(|option| option.len() > 2 && line.knows(option))
}

/// An option that is a slip of the hand away. A beginning alone is no slip where several options begin so.
fn near_option(line: &TypedLine<'_, '_>, word: &str) -> Option<String> {
    let known: BTreeSet<&str> = line.arguments().filter_map(Arg::get_long).collect();
    let typed = word.trim_start_matches('-');
    // What another command of ours has is no slip of the hand, nor is a word of other programs.
    if is_elsewhere(line.root, typed) || !word.starts_with("--") {
        return None;
    }
    let is_theirs = OPTIONS.iter().any(|(_, theirs, _)| theirs.split(", ").any(|it| it == word));
    let is_beginning_of_many = known.iter().filter(|long| long.starts_with(typed)).count() > 1;
    let near = nearest(typed, line.arguments().filter_map(Arg::get_long));
    let near = near.filter(|near| !is_beginning_of_many && (!is_theirs || near.starts_with(typed)))?;
    Some(format!("--{near}"))
}

/// Whether a line names a single file.
fn is_only_file(line: &TypedLine<'_, '_>) -> bool {
    line.words.iter().filter(|word| is_file(&word.to_string_lossy())).count() == 1
}

/// What is suggested for a value that is none of those which its option takes.
pub fn refused_choice(line: &TypedLine<'_, '_>, error: &clap::Error) -> Option<Suggestion> {
    let (option, value) = (option_of(error)?, said(error, ContextKind::InvalidValue)?);
    match error.get(ContextKind::ValidValue) {
        _ if value.is_empty() && option == "--confirm" && line.knows("--yes") => Some(Suggestion {
            edit: Edit::Option("--yes".into()),
            remark: "--confirm takes the word that a profile asks for".into(),
        }),
        _ if value.is_empty() => {
            Some(format!("write `{}`", said(error, ContextKind::InvalidArg)?.replace(['<', '>'], "")).into())
        }
        // Another format would be refused in its turn.
        _ if option == "--output" && line.place_of(&["--jq"]).is_some() => {
            Some(leave_out("--jq prints texts as they are, and all else as JSON"))
        }
        Some(ContextValue::Strings(known)) => {
            let chosen = choice(line.root, option, value, known);
            let is_near = chosen.as_ref().is_some_and(|chosen| matches!(chosen.edit, Edit::Value(_)));
            let better = if is_near { None } else { in_place_of(line, option, value) };
            better.or(chosen)
        }
        _ => None,
    }
}

/// The options in place of one whose value is an expression, or a field that the service does not sort by.
fn in_place_of(line: &TypedLine<'_, '_>, option: &str, value: &str) -> Option<Suggestion> {
    let ours = match option {
        "--output" => expression(line, value),
        "--order-by" if !has_format(line.words) => {
            let (field, is_descending) = direction(value);
            let mut pairs = line.words.windows(2);
            let is_turned = pairs.any(|pair| pair[0] == "--order" && pair[1].eq_ignore_ascii_case("desc"));
            sorted_by(line, field, is_descending || is_turned)
        }
        _ => None,
    };
    Some(in_place(ours?, option))
}
