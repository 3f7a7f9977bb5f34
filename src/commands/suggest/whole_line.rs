//! A whole line in place of one with mistakes: each edit that is suggested is made, until the program takes the line.

use std::ffi::OsString;

use clap::error::{ContextKind, ErrorKind};
use clap::{Command, Error};

use crate::commands::shared::commands_in_hints::CommandLine;
use crate::commands::shell::argv::{Part, TypedLine};
use crate::commands::shell::completion_candidates::KnownService;
use crate::commands::suggest::edits::{edited, with_names};
use crate::commands::suggest::first_hint::first_hint;
use crate::commands::suggest::line_to_type::{filled, line_to_type, or_by_entry_id, with_prefixes};
use crate::commands::suggest::normal_form::normalized;
use crate::commands::suggest::suggestion::{Edit, Suggestion, said};
use crate::commands::suggest::translation::translated;

/// Give up after this many mistakes.
const MOST: usize = 8;

/// The whole line to type in place of this one, with what else there is to say; `None` where something on the way to it has no
/// edit, or where no more is wrong than an option that is left out: why is said first then.
pub fn whole_line(root: &Command, typed: &[OsString], service: &KnownService) -> Option<String> {
    let mut words = typed.to_vec();
    let (mut remarks, mut is_changed) = (Vec::new(), false);
    while let Err(error) = root.clone().try_get_matches_from(&words) {
        // What was not typed at all is told where nothing else is wrong.
        let (next, remark) = if error.kind() == ErrorKind::MissingRequiredArgument && is_changed {
            filled(&words, &error)?
        } else {
            let line = TypedLine::of(root, &words);
            let hint = first_hint(&line, &error, service.is_sandbox)?;
            let (next, remark) = edited(&line, &error, &hint)?;
            is_changed |= !matches!(hint.edit, Edit::LeaveOut(_));
            (as_meant(root, next, &service.projects), remark)
        };
        remarks.push(remark);
        words = next;
        if remarks.len() > MOST {
            return None;
        }
    }
    if !is_changed && remarks.len() < 2 {
        return None;
    }
    let line = line_to_type(root, &words)?;
    remarks.retain(|remark| !remark.is_empty());
    remarks.extend(or_by_entry_id(typed, &words));
    remarks.dedup_by_key(|remark| remark.split_once(": ").map(|(_, why)| why.to_owned()));
    let space = if remarks.is_empty() { "" } else { " " };
    Some(format!("did you mean `{line}`?{space}{}", remarks.join(". ")))
}

/// The line in our words and our order, with prefixes before people.
fn as_meant(root: &Command, words: Vec<OsString>, projects: &[String]) -> Vec<OsString> {
    with_prefixes(root, &normalized(root, &translated(root, words), projects))
}

/// What is said of a line whose one suggestion is another command, which does not take the rest of what was typed.
pub fn with_the_rest(
    line: &TypedLine<'_, '_>,
    wrong: &str,
    hint: &Suggestion,
    service: &KnownService,
) -> Option<Suggestion> {
    let meant =
        hint.command_alone().filter(|meant| meant.chars().all(|c| c.is_ascii_lowercase() || " -".contains(c)))?;
    let ours = with_names(line, wrong, meant.split(' '), |_, part| matches!(part, Part::Command(_)));
    let ours = as_meant(line.root, ours, &service.projects);
    let help = Suggestion::from(format!("`assessctl {meant} --help` shows what stands in its place here"));
    let Err(error) = line.root.clone().try_get_matches_from(&ours) else {
        return Some(format!("did you mean `{}`?", line_to_type(line.root, &ours)?).into());
    };
    // What else the line lacks or has too much, so that it is not told in the next run.
    let ours = TypedLine::of(line.root, &ours);
    let Some(further) = first_hint(&ours, &error, service.is_sandbox) else { return Some(help) };
    // What stands behind another program's word may name no project of ours.
    if let Some(searching) = searching(&ours, &error) {
        return Some(searching);
    }
    let alone = std::iter::once("assessctl").chain(meant.split(' '));
    let is_alone = line.root.clone().try_get_matches_from(alone).is_ok();
    let why = match (&further.edit, said(&error, ContextKind::InvalidArg)) {
        (Edit::Project(_) | Edit::Quotes, _) if !is_alone => return Some(help),
        (Edit::Project(Some(_)), _) => return None,
        (Edit::LeaveOut(None), Some(option)) => format!("Leave {option} out: {}", further.remark),
        (Edit::LeaveOut(Some(line)), Some(option)) => format!("Leave {option} out: {} (`{line}`)", further.remark),
        _ => capitalized(&further.to_string()),
    };
    // A line that is refused as it stands is none to type.
    Some(format!("did you mean assessctl {meant}? {why}").into())
}

/// What is said of a list with a word that is too many: the word was to choose some.
fn searching(line: &TypedLine<'_, '_>, error: &Error) -> Option<Suggestion> {
    let stray = said(error, ContextKind::InvalidArg).filter(|wrong| !wrong.starts_with('-'))?;
    let place = line.words.iter().position(|word| word == stray).filter(|_| line.knows("--filter"))?;
    let shown = line_to_type(line.root, &line.with(place, 1, &["--filter", "TEXT"].map(OsString::from)))?;
    let is_of_one = line.knows("-p") && !CommandLine::of_words(line.words).names_a_project();
    let project = if is_of_one { ", -p NAME_OR_ID names a project" } else { "" };
    Some(format!("`{shown}` searches{project}").into())
}

fn capitalized(hint: &str) -> String {
    let mut letters = hint.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
