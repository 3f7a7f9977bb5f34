//! Slips: words of other programs and words in the wrong place, and what was probably meant by them.

use std::ffi::OsString;

use clap::builder::PossibleValue;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use crate::commands::shared::commands_in_hints::CommandLine;
use crate::commands::shared::people_filters::{by_result, is_done};
use crate::commands::shared::person_argument::joined_people;
use crate::commands::shared::verb_traits::VerbTraits;
use crate::commands::shell::argv::{Part, at, given_two_values, knows, parts, path, takes_next};
use crate::commands::shell::completion_candidates::KnownService;
use crate::commands::shell::conditions::with_search;
use crate::commands::shell::correction::{line_with_all, normalized, whole_line};
use crate::commands::shell::foreign_lines::in_our_manner;
use crate::commands::shell::foreign_options::OPTIONS;
use crate::commands::shell::foreign_words::{COMMANDS, Ours, entry};
use crate::commands::shell::kept_words::{is_no, patched, with_files, with_kept};
use crate::commands::shell::line_to_type::{PERSON, line_to_type, with_prefixes};
use crate::commands::shell::narrowed_hints::narrowed;
use crate::commands::shell::refused_values::{context, option, refused_choice};
use crate::commands::shell::sample_files::with_free_names;
use crate::commands::shell::sentences::as_a_line;
use crate::commands::shell::translation::translated;
use crate::commands::shell::unknown_arguments::{PICTURE, argument, without};
use crate::commands::shell::unknown_commands::{unknown_command, what_there_is};
use crate::commands::shell::unknown_options::rehearsed_alone;
use crate::commands::shell::value_hints::{is_file, time};
use crate::commands::shell::whom::Whom;
use crate::model::failure::Failure;
use crate::model::shell_word::shell_word;
use crate::model::test_status::TestStatus;

/// A hint for a line that could not be read; `root` is the whole program, and `words` begins with its name. `None` where
/// there is none: a wrong suggestion is worse.
pub fn meant(mut root: Command, words: &[OsString], error: &clap::Error, service: &KnownService) -> Option<String> {
    root.build();
    let hint = hint_of(&root, words, error, &service.projects)?;
    Some(with_free_names(words, &with_what_is_not(words, &hint, service)))
}

/// How hints end that lead to the sandbox.
const REHEARSES: &str = "It rehearses: nothing leaves this machine";

/// The hint where the line wants what is not: a login or a dry run in the sandbox, a log that goes on.
fn with_what_is_not(words: &[OsString], hint: &str, service: &KnownService) -> String {
    let is_in_sandbox = has(words, &["--profile=sandbox"])
        || words.windows(2).any(|pair| pair[0] == "--profile" && pair[1] == "sandbox");
    match () {
        () if service.is_sandbox && hint.ends_with(REHEARSES) => {
            let line = hint.split('`').nth(1).filter(|line| line.starts_with("assessctl "));
            let line = line.map(|line| format!("`{}`", line.replace(" --profile sandbox", "")));
            format!(
                "there is no dry run of {}: in the sandbox nothing leaves this machine",
                line.as_deref().unwrap_or("it")
            )
        }
        () if is_in_sandbox && hint.starts_with("did you mean `assessctl config init") => {
            "the sandbox needs no login: `assessctl projects list --profile sandbox` lists its projects".to_owned()
        }
        () if hint.contains("`assessctl journal list")
            && !has(words, &["journal"])
            && has(words, &["-f", "--follow", "-w", "--watch"]) =>
        {
            format!("{hint}; nothing follows here: each run lists what there is")
        }
        () => with_name(words, hint),
    }
}

/// The hint with the name of the project that is to be created.
fn with_name(words: &[OsString], hint: &str) -> String {
    const NAMED: &str = "projects create NAME";
    let mut names = words.iter().skip(1).filter_map(|word| word.to_str()).filter(|word| {
        let is_ours = word.starts_with('-') || ["projects", "create"].contains(word);
        !is_ours && entry(COMMANDS, &[], word, |_| true).or(entry(COMMANDS, &["projects"], word, |_| true)).is_none()
    });
    let name = names.next().filter(|_| names.next().is_none());
    match name.filter(|_| hint.contains(NAMED)).map(shell_word) {
        Some(name) => hint
            .replace(NAMED, &format!("projects create {name}"))
            .replace("projects get NAME", &format!("projects get {name}")),
        None => hint.to_owned(),
    }
}

fn has(words: &[OsString], known: &[&str]) -> bool {
    words.iter().any(|word| known.iter().any(|known| word == known))
}

fn hint_of(root: &Command, words: &[OsString], error: &clap::Error, projects: &[String]) -> Option<String> {
    if let Some(hint) = patched(words) {
        return Some(with_kept(root, words, context(error, ContextKind::InvalidSubcommand), hint));
    }
    let line = in_our_manner(root, words);
    let line = as_a_line(root, &line, projects).unwrap_or(line);
    let line = if line == words { line } else { translated(root, line) };
    let ours = with_what_follows(root, normalized(root, &line, projects));
    if ours == words {
        return meant_by(root, words, error, projects);
    }
    let hint = match root.clone().try_get_matches_from(&ours) {
        Ok(_) => format!("did you mean `{}`?", line_to_type(root, &ours)?),
        Err(error) => meant_by(root, &ours, &error, projects)?,
    };
    // A project that the line names in another way.
    let is_new = CommandLine::of_words(&ours).names_a_project() && !CommandLine::of_words(words).names_a_project();
    Some(if is_new { CommandLine::of_words(&ours).complete(&hint) } else { hint })
}

/// The line with prefixes before people, where it has more slips than that they lack them.
fn with_what_follows(root: &Command, words: Vec<OsString>) -> Vec<OsString> {
    let all = with_prefixes(root, &words);
    match root.clone().try_get_matches_from(&words) {
        Err(error)
            if error.kind() == ErrorKind::ValueValidation && root.clone().try_get_matches_from(&all).is_err() =>
        {
            all
        }
        _ => words,
    }
}

fn meant_by(root: &Command, words: &[OsString], error: &clap::Error, projects: &[String]) -> Option<String> {
    whole_line(root, words, projects, first_hint).or_else(|| {
        let hint = first_hint(root, words, error)?;
        let wrong = context(error, ContextKind::InvalidSubcommand);
        let hint = wrong.and_then(|wrong| with_the_rest(root, words, wrong, (&hint, projects))).unwrap_or(hint);
        let wrong = wrong.or_else(|| context(error, ContextKind::InvalidArg));
        Some(with_kept(root, words, wrong, &with_files(words, &hint)))
    })
}

/// A hint about what is wrong first, and about no more people than the line.
fn first_hint(root: &Command, words: &[OsString], error: &clap::Error) -> Option<String> {
    let hint = hint_for(root, words, error)?;
    let wrong = context(error, ContextKind::InvalidSubcommand).or_else(|| context(error, ContextKind::InvalidArg));
    let whom = Whom::of(
        root,
        words,
        wrong.filter(|wrong| error.kind() == ErrorKind::InvalidSubcommand || wrong.starts_with('-')),
    );
    Some(narrowed(hint, &whom))
}

fn hint_for(root: &Command, words: &[OsString], error: &clap::Error) -> Option<String> {
    let path = path(root, words);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            unknown_command(root, &path, words, context(error, ContextKind::InvalidSubcommand)?)
        }
        ErrorKind::InvalidValue => refused_choice(root, &path, words, error),
        ErrorKind::ValueValidation => {
            let (option, value) = (option(error)?, context(error, ContextKind::InvalidValue)?);
            if option.contains(PERSON) {
                person(root, words, value)
            } else {
                time(option, value).or_else(|| Some(with_search(root, words, option, &own_hint(error)?)))
            }
        }
        ErrorKind::TooManyValues if context(error, ContextKind::InvalidValue).is_some_and(is_no) => {
            Some(without(root, words, &[option(error)?], "leave it out: a flag that is not given says no".to_owned()))
        }
        ErrorKind::TooManyValues => Some(format!("write `{}` alone: it takes no value", option(error)?)),
        ErrorKind::MissingRequiredArgument => match error.get(ContextKind::InvalidArg)? {
            ContextValue::Strings(_)
                if path == ["config", "set"] && words.iter().any(|word| is_assignment(&word.to_string_lossy())) =>
            {
                Some("write `assessctl config set KEY VALUE`, without a sign between them".to_owned())
            }
            // A rehearsal of one person's link would be one of everybody's.
            ContextValue::Strings(_) if path == ["links", "issue"] && words.iter().any(|word| word == "--dry-run") => {
                Some(rehearsed_alone(root, words))
            }
            ContextValue::Strings(names) => {
                let hint = missing(at(root, &path), names);
                let hint = match line_with_all(root, words, error) {
                    Some(line) => format!("{hint} (`{line}`)"),
                    None => hint,
                };
                // In some programs `get` without a name lists.
                Some(match path.as_slice() {
                    [noun, "get"] if names_nobody(root, words) => {
                        format!("{hint}; `assessctl {noun} list` lists all")
                    }
                    _ => hint,
                })
            }
            _ => None,
        },
        // A file is the picture that was to be written.
        ErrorKind::ArgumentConflict if path == ["projects", "link"] => Some(PICTURE.to_owned()),
        ErrorKind::ArgumentConflict => without_one(root, words, error),
        ErrorKind::UnknownArgument if path.is_empty() => {
            argument(root, &path, words, context(error, ContextKind::InvalidArg)?).or_else(|| what_there_is(root))
        }
        ErrorKind::UnknownArgument => argument(root, &path, words, context(error, ContextKind::InvalidArg)?),
        _ => None,
    }
}

/// What is said by the rule that refuses a value.
fn own_hint(error: &clap::Error) -> Option<String> {
    std::error::Error::source(error)?.downcast_ref::<Failure>()?.hint.clone()
}

/// Whether a line has options alone behind its command.
fn names_nobody(root: &Command, words: &[OsString]) -> bool {
    let mut behind = words.iter().zip(parts(root, words)).skip(1);
    !behind.any(|(word, part)| part == Part::Other && !word.to_string_lossy().starts_with('-'))
}

/// How a person is named who has no prefix, in the line as it was typed.
fn person(root: &Command, words: &[OsString], value: &str) -> Option<String> {
    let line = line_to_type(root, &with_prefixes(root, words))?;
    Some(match () {
        () if joined_people(value).is_some() => format!("put a space between people: `{line}`"),
        () if value.contains(' ') => {
            "a name names nobody for sure: `assessctl testtakers list --filter TEXT` searches names".to_owned()
        }
        () if is_file(value) => format!("write `{line}`"),
        () if value.contains('@') => {
            format!("write `{line}` for an e-mail address, or ref:REFERENCE_ID for a reference id")
        }
        () if value.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("write `{line}` for a reference id, or id:NUMBER for an entry id")
        }
        () => format!("write `{line}` for a reference id, or id:ENTRY_ID, or email:ADDRESS"),
    })
}

/// The lines that are left without either of two arguments that exclude each other.
fn without_one(root: &Command, words: &[OsString], error: &clap::Error) -> Option<String> {
    let both = [ContextKind::InvalidArg, ContextKind::PriorArg].map(|kind| context(error, kind));
    let lines: Vec<String> = both.into_iter().flatten().filter_map(|arg| line_without(root, words, arg)).collect();
    (!lines.is_empty()).then(|| format!("leave one of them out: `{}`", lines.join("` or `")))
}

/// The line that is left without an argument and its value, where the program takes that.
fn line_without(root: &Command, words: &[OsString], argument: &str) -> Option<String> {
    let option = argument.split(' ').next()?;
    let arg = [at(root, &path(root, words)), root]
        .into_iter()
        .flat_map(Command::get_arguments)
        .find(|arg| arg.get_long().is_some_and(|long| option.strip_prefix("--") == Some(long)))?;
    let place = words.iter().position(|word| takes_next(arg, word) || word.to_string_lossy().starts_with(option))?;
    let behind = place + 1 + usize::from(takes_next(arg, &words[place]));
    line_to_type(root, &[&words[..place], words.get(behind..).unwrap_or_default()].concat())
}

/// The whole line, where a hint names the command that was meant, and that takes the rest of what was typed.
fn with_the_rest(
    root: &Command,
    words: &[OsString],
    wrong: &str,
    (hint, projects): (&str, &[String]),
) -> Option<String> {
    let meant = hint.strip_prefix("did you mean `assessctl ")?.strip_suffix("`?")?;
    if !meant.chars().all(|c| c.is_ascii_lowercase() || " -".contains(c)) {
        return None;
    }
    let mut ours = vec![words.first()?.clone()];
    ours.extend(meant.split(' ').map(OsString::from));
    let mut is_named = false;
    for (word, part) in words.iter().zip(parts(root, words)).skip(1) {
        let is_wrong = !is_named && part == Part::Other && word == wrong;
        is_named |= is_wrong;
        if !is_wrong && !matches!(part, Part::Command(_)) {
            ours.push(word.clone());
        }
    }
    let ours = with_prefixes(root, &normalized(root, &translated(root, ours), projects));
    match root.clone().try_get_matches_from(&ours) {
        Ok(_) => Some(format!("did you mean `{}`?", line_to_type(root, &ours)?)),
        // What else the line lacks or has too much, so that it is not told in the next run.
        Err(error) => {
            let Some(further) = first_hint(root, &ours, &error) else {
                return Some(format!("`assessctl {meant} --help` shows what stands in its place here"));
            };
            // What stands behind another program's word may name no project of ours.
            if let Some(line) = searching(root, &ours, &error) {
                return Some(line);
            }
            let names_a_project = further.starts_with("name a project");
            if names_a_project || further.starts_with("leave out what is too many") {
                let alone = std::iter::once("assessctl").chain(meant.split(' '));
                if root.clone().try_get_matches_from(alone).is_err() {
                    return Some(format!("`assessctl {meant} --help` shows what stands in its place here"));
                }
                if names_a_project {
                    return None;
                }
            }
            // A line that is refused as it stands is none to type.
            let hint = hint.replace('`', "");
            Some(match (further.strip_prefix("leave it out"), context(&error, ContextKind::InvalidArg)) {
                (Some(why), Some(option)) => format!("{hint} Leave {option} out{why}"),
                _ => format!("{hint} {}", capitalized(&further)),
            })
        }
    }
}

/// What is said of a list with a word that is too many: the word was to choose some.
fn searching(root: &Command, words: &[OsString], error: &clap::Error) -> Option<String> {
    let here = at(root, &path(root, words));
    let stray = context(error, ContextKind::InvalidArg).filter(|wrong| !wrong.starts_with('-'))?;
    let place = words.iter().position(|word| word == stray).filter(|_| knows(root, here, "--filter"))?;
    let searches = [&words[..place], &["--filter".into(), "TEXT".into()], &words[place + 1..]].concat();
    let line = line_to_type(root, &searches)?;
    let is_of_one = knows(root, here, "-p") && !CommandLine::of_words(words).names_a_project();
    let project = if is_of_one { ", -p NAME_OR_ID names a project" } else { "" };
    Some(format!("`{line}` searches{project}"))
}

fn capitalized(hint: &str) -> String {
    let mut letters = hint.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Whether a word sets something, and is no option with its value.
fn is_assignment(word: &str) -> bool {
    word.contains('=') && !word.starts_with('-')
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
    let typed = missing.iter().map(|arg| named(arg).replace('|', " or ")).collect::<Vec<_>>().join(", and ");
    let only = here.get_arguments().find(|arg| matches!(missing, [only] if named(&arg.to_string()) == named(only)));
    match only.and_then(Arg::get_help) {
        Some(help) => format!("add {typed}: {help}"),
        None => format!("add {typed}"),
    }
}

/// An argument as it is called, without the brackets and dots of a usage line.
fn named(arg: &str) -> String {
    arg.replace(['<', '>', '[', ']'], "").trim_end_matches('.').to_owned()
}

/// Why a line is refused that gives an option of its command two values.
pub fn two_values(root: &Command, words: &[OsString]) -> Option<Failure> {
    let option = given_two_values(root, words)?;
    let hint = match option {
        "project" => {
            "one project at a time; `assessctl results export -p NAME_OR_ID -p NAME_OR_ID --to FILE.csv` reads several"
        }
        "email" => "one person at a time; `assessctl testtakers import FILE.csv` enrols many",
        _ => "give it once",
    };
    Some(Failure::usage(format!("--{option} has two values, and one of them would be passed over")).hint(hint))
}

/// Why a line is refused that asks for people by a `--status`, which is the file of a run.
pub fn idle_status(root: &Command, words: &[OsString]) -> Option<Failure> {
    let path = path(root, words);
    let takes_it = VerbTraits::of(at(root, &path)).is_none_or(|traits| traits.status);
    let joined = words.iter().find_map(|word| word.to_str()?.strip_prefix("--status="));
    let next = words.windows(2).find(|pair| pair[0] == "--status").and_then(|pair| pair[1].to_str());
    let value = joined.or(next).filter(|_| !takes_it)?;
    let is_file = [".json", ".prom"].iter().any(|ending| value.to_ascii_lowercase().ends_with(ending));
    let hint = match *path.first()? {
        _ if is_file => "leave it out: imports, syncs, exports and changes alone write down how they ended".to_owned(),
        _ if path.last() != Some(&"list") => return None,
        "testtakers" => by_result(value),
        "results" if is_done(value) => {
            "`--completed-only` shows all who completed, --result Completed those with this result alone".to_owned()
        }
        "results" if TestStatus::listed(value).is_some() => format!("did you mean `--result {value}`?"),
        "results" if value.chars().all(|c| char::is_alphabetic(c) || " -_".contains(c)) => by_result(value),
        _ => return None,
    };
    let hint = with_kept(root, words, Some("--status"), &hint);
    Some(Failure::usage("--status does nothing for this command").hint(hint))
}

/// What an option was probably meant for that does nothing for the command of this path.
pub fn instead(path: &str, option: &str) -> Option<String> {
    let path: Vec<&str> = path.split(' ').collect();
    match entry(OPTIONS, &path, option, |ours| !matches!(ours, Ours::Say(hint) if !hint.starts_with("`assessctl ")))? {
        Ours::Is(ours) => Some(format!("did you mean `{}`?", ours.join(" "))),
        Ours::Say(hint) => Some(hint.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::foreign_words::Entry;
    use super::super::foreign_words::Ours::{Is, Say};
    use super::*;

    #[test]
    fn each_word_has_one_meaning_of_a_kind_in_a_place() {
        let mut seen = HashSet::new();
        let words = |(place, theirs, ours): &'static Entry| theirs.split(", ").map(move |word| (*place, word, *ours));
        for (place, theirs, ours) in COMMANDS.iter().chain(OPTIONS).flat_map(words) {
            let is = matches!(ours, Is(_));
            let needs = if let Say(hint) = ours { hint.split('`').nth(1) } else { None };
            assert!(seen.insert((place, theirs, is, needs)), "{place} {theirs} stands twice");
            assert!(!matches!(ours, Is(words) if words.is_empty()), "{theirs}");
        }
    }

    #[test]
    fn a_place_of_its_own_counts_more_than_all() {
        let say = |path: &[&str], word| entry(OPTIONS, path, word, |_| true);
        assert_eq!(say(&["results", "list"], "--status"), Some(Is(&["--result"])));
        assert_eq!(say(&["projects", "list"], "--status"), Some(Is(&["--state"])));
        assert_eq!(say(&["redirect-uris", "list"], "--status"), None);
        assert!(matches!(say(&["projects", "create"], "--name"), Some(Say(hint)) if hint.contains("NAME")));
        assert_eq!(entry(COMMANDS, &[], "ls", |_| true), None);
        assert_eq!(entry(COMMANDS, &["projects"], "ls", |_| true), Some(Is(&["list"])));
        assert!(
            matches!(entry(COMMANDS, &["links"], "ls", |_| true), Some(Say(hint)) if hint.contains("cannot be read"))
        );
    }
}
