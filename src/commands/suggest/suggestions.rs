//! What to type in place of a line that could not be read, or of an option that does nothing: the entry to this folder.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ErrorKind};

use crate::commands::shared::commands_in_hints::CommandLine;
use crate::commands::shared::people_filters::{by_result, is_done};
use crate::commands::shared::verb_traits::VerbTraits;
use crate::commands::shell::argv::{TypedLine, given_two_values};
use crate::commands::shell::completion_candidates::KnownService;
use crate::commands::suggest::dictionary::entry_that;
use crate::commands::suggest::first_hint::first_hint;
use crate::commands::suggest::foreign_lines::in_our_manner;
use crate::commands::suggest::foreign_options::OPTIONS;
use crate::commands::suggest::kept_words::{patched, with_kept};
use crate::commands::suggest::line_to_type::{line_to_type, with_prefixes};
use crate::commands::suggest::normal_form::normalized;
use crate::commands::suggest::placeholders::{with_free_names, with_name};
use crate::commands::suggest::sentences::as_a_line;
use crate::commands::suggest::suggestion::{Edit, leave_out, said, say};
use crate::commands::suggest::translation::translated;
use crate::commands::suggest::whole_line::{whole_line, with_the_rest};
use crate::model::failure::Failure;
use crate::model::test_status::TestStatus;

/// A hint for a line that could not be read; `root` is the whole program, and `words` begins with its name. `None` where
/// there is none: a wrong suggestion is worse.
pub fn meant(mut root: Command, words: &[OsString], error: &clap::Error, service: &KnownService) -> Option<String> {
    root.build();
    let hint = hint_of(&root, words, error, service)?;
    Some(with_free_names(words, &with_name(words, &hint)))
}

fn hint_of(root: &Command, words: &[OsString], error: &clap::Error, service: &KnownService) -> Option<String> {
    if let Some(hint) = patched(words) {
        return Some(with_kept(&TypedLine::of(root, words), said(error, ContextKind::InvalidSubcommand), &hint));
    }
    let line = in_our_manner(root, words);
    let line = as_a_line(root, &line, &service.projects).unwrap_or(line);
    let line = if line == words { line } else { translated(root, line) };
    let ours = with_what_follows(root, normalized(root, &line, &service.projects));
    if ours == words {
        return hint_in_our_words(&TypedLine::of(root, words), error, service);
    }
    let hint = match root.clone().try_get_matches_from(&ours) {
        Ok(_) => format!("did you mean `{}`?", line_to_type(root, &ours)?),
        Err(error) => hint_in_our_words(&TypedLine::of(root, &ours), &error, service)?,
    };
    // A project that the line names in another way.
    let [typed, ours] = [words, &ours].map(CommandLine::of_words);
    Some(if ours.names_a_project() && !typed.names_a_project() { ours.complete(&hint) } else { hint })
}

/// The line with prefixes before people, where more is wrong with it than that they lack them.
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

fn hint_in_our_words(line: &TypedLine<'_, '_>, error: &clap::Error, service: &KnownService) -> Option<String> {
    whole_line(line.root, line.words, service).or_else(|| {
        let hint = first_hint(line, error, service.is_sandbox)?;
        let wrong = said(error, ContextKind::InvalidSubcommand);
        let hint = wrong.and_then(|wrong| with_the_rest(line, wrong, &hint, service)).unwrap_or(hint);
        let wrong = wrong.or_else(|| said(error, ContextKind::InvalidArg));
        Some(with_kept(line, wrong, &hint))
    })
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
    let line = TypedLine::of(root, words);
    if VerbTraits::of(line.here).is_none_or(|traits| traits.status) {
        return None;
    }
    let value = &line.value_at(line.place_of(&["--status"])?)?;
    let is_file = [".json", ".prom"].iter().any(|ending| value.to_ascii_lowercase().ends_with(ending));
    let hint = match *line.path {
        _ if is_file => leave_out("imports, syncs, exports and changes alone write down how they ended"),
        ["testtakers", "list"] => by_result(value).into(),
        ["results", "list"] if is_done(value) => {
            say("`--completed-only` shows all who completed, --result Completed those with this result alone")
        }
        ["results", "list"] if TestStatus::listed(value).is_some() => {
            Edit::Option(format!("--result {value}").into()).into()
        }
        ["results", "list"] if value.chars().all(|c| char::is_alphabetic(c) || " -_".contains(c)) => {
            by_result(value).into()
        }
        _ => return None,
    };
    let hint = with_kept(&line, Some("--status"), &hint);
    Some(Failure::usage("--status does nothing for this command").hint(hint))
}

/// What an option was probably meant for that does nothing for the command of this path.
pub fn instead(path: &str, option: &str) -> Option<String> {
    let path: Vec<&str> = path.split(' ').collect();
    let ours = entry_that(OPTIONS, &path, option, |ours| {
        matches!(ours.edit, Edit::Same(_)) || ours.edit == Edit::Nothing && !ours.commands().is_empty()
    });
    ours.map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::dictionary::{Entry, entry};
    use super::super::foreign_words::COMMANDS;
    use super::*;

    #[test]
    fn each_word_has_one_meaning_of_a_kind_in_a_place() {
        let mut seen = HashSet::new();
        let words = |(place, theirs, ours): &'static Entry| theirs.split(", ").map(move |word| (*place, word, ours));
        for (place, theirs, ours) in COMMANDS.iter().chain(OPTIONS).flat_map(words) {
            let is_same = matches!(ours.edit, Edit::Same(_));
            assert!(seen.insert((place, theirs, is_same, ours.needs())), "{place} {theirs} stands twice");
            assert!(!matches!(ours.edit, Edit::Same([])), "{theirs}");
        }
    }

    #[test]
    fn a_place_of_its_own_counts_more_than_all() {
        let edit = |path: &[&str], word| entry(OPTIONS, path, word).map(|ours| ours.edit.clone());
        assert_eq!(edit(&["results", "list"], "--status"), Some(Edit::Same(&["--result"])));
        assert_eq!(edit(&["projects", "list"], "--status"), Some(Edit::Same(&["--state"])));
        assert_eq!(edit(&["redirect-uris", "list"], "--status"), None);
        assert_eq!(edit(&["projects", "create"], "--name"), Some(Edit::Bare));
        let edit = |path: &[&str]| entry(COMMANDS, path, "ls").map(|ours| ours.edit.clone());
        assert_eq!(edit(&[]), None);
        assert_eq!(edit(&["projects"]), Some(Edit::Same(&["list"])));
        assert_eq!(edit(&["links"]), Some(Edit::Nothing));
    }
}
