//! Lines with the edits of suggestions in them: another command, option or value, or one of them left out or moved.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ErrorKind};

use crate::commands::shell::argv::{Part, TypedLine, is_one_of, named, takes_next};
use crate::commands::suggest::dictionary::entry;
use crate::commands::suggest::expressions::{has_format, typed_words};
use crate::commands::suggest::foreign_words::COMMANDS;
use crate::commands::suggest::line_to_type::{PERSON, line_to_type, named_by, with_prefixes};
use crate::commands::suggest::normal_form::takes;
use crate::commands::suggest::people::is_person;
use crate::commands::suggest::suggestion::{Edit, Suggestion, option_of, said};
use crate::commands::suggest::values::{is_amount, is_file};

/// Options of other programs that begin in the middle of a list.
const CURSORS: &str =
    "--page-token --next-token --starting-token --cursor --start-cursor --starting-after --ending-before";

/// The line as a suggestion for this error wants it, and what it says besides; `None` where its edit does not fit there.
pub fn edited(line: &TypedLine<'_, '_>, error: &clap::Error, hint: &Suggestion) -> Option<(Vec<OsString>, String)> {
    let wrong = said(error, ContextKind::InvalidArg).unwrap_or_default();
    match (error.kind(), &hint.edit) {
        (ErrorKind::InvalidSubcommand, Edit::Command(command)) => {
            let wrong = said(error, ContextKind::InvalidSubcommand)?;
            Some((with_command(line, wrong, command)?, hint.remark.to_string()))
        }
        (ErrorKind::UnknownArgument, edit) if !wrong.starts_with('-') => {
            let place = line.words.iter().rposition(|word| word == wrong)?;
            let ours = match edit {
                Edit::Hyphens => vec![format!("--{wrong}").into()],
                Edit::Before(option) => vec![option.into(), wrong.into()],
                _ => return None,
            };
            Some((line.with(place, 1, &ours), String::new()))
        }
        (ErrorKind::UnknownArgument, _) => OptionInLine::find(line, wrong)?.edited(hint),
        (ErrorKind::TooManyValues, edit) => {
            let option = option_of(error)?;
            let begins = format!("{option}=");
            let place = line.words.iter().position(|word| word.to_string_lossy().starts_with(&begins))?;
            match edit {
                Edit::LeaveOut(_) => Some((line.with(place, 1, &[]), leave_out(option, hint))),
                _ => Some((line.with(place, 1, &[option.into()]), String::new())),
            }
        }
        (ErrorKind::InvalidValue | ErrorKind::ValueValidation, edit) if !wrong.contains(PERSON) => {
            let (option, value) = (option_of(error)?, said(error, ContextKind::InvalidValue)?);
            match edit {
                Edit::Option(ours) if value.is_empty() => {
                    let place = line.words.iter().position(|word| word == option)?;
                    Some((line.with(place, 1, &[ours.as_ref().into()]), String::new()))
                }
                Edit::LeaveOut(_) => Some((with_value(line, option, value, "-")?, leave_out(option, hint))),
                Edit::Replace { ours, .. } => {
                    Some((in_json(line.root, &with_value(line, option, value, ours)?, ours), String::new()))
                }
                Edit::Value(ours) | Edit::OwnValue(ours) => {
                    Some((with_value(line, option, value, ours)?, String::new()))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// What is said of an option that is left out of a whole line.
fn leave_out(option: &str, hint: &Suggestion) -> String {
    format!("Leave {option} out: {}", hint.remark)
}

/// The line with this command in place of the one that there is not. What the command takes stands in the line already.
fn with_command(line: &TypedLine<'_, '_>, wrong: &str, command: &str) -> Option<Vec<OsString>> {
    let names = command.split(' ').take_while(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
    let mut second = second_word(line, wrong);
    let mut ours = with_names(line, wrong, names, |word, part| {
        let is_second = second.take_if(|second| word == second).is_some();
        // A profile may be called like a command.
        is_second || matches!(part, Part::Command(_)) && !(command == "config use" && word == "sandbox")
    });
    let makes_a_profile = command.starts_with("config init");
    // What stands behind these is no name of a profile.
    let is_asked = makes_a_profile && is_one_of("auth login setup configure init", wrong);
    if is_asked && has_operand(&TypedLine::of(line.root, &ours)) {
        return None;
    }
    // What is to be made is named so.
    if let Some(profile) = ours.iter_mut().find(|word| *word == "--profile" && makes_a_profile) {
        *profile = "--name".into();
    }
    Some(ours)
}

/// The line with these names of a command in place of a wrong word, and without those of the words that are left out.
pub fn with_names<'n>(
    line: &TypedLine<'_, '_>,
    wrong: &str,
    names: impl IntoIterator<Item = &'n str>,
    mut is_left_out: impl FnMut(&OsString, Part<'_>) -> bool,
) -> Vec<OsString> {
    let mut ours: Vec<OsString> = line.words.first().cloned().into_iter().collect();
    ours.extend(names.into_iter().map(OsString::from));
    let mut is_found = false;
    for (word, part) in line.words.iter().zip(&line.parts).skip(1) {
        let is_wrong = !is_found && *part == Part::Other && word == wrong;
        is_found |= is_wrong;
        if !is_wrong && !is_left_out(word, *part) {
            ours.push(word.clone());
        }
    }
    ours
}

/// Whether a line has a word that is neither a command nor an option, nor stands where one has its value.
fn has_operand(line: &TypedLine<'_, '_>) -> bool {
    line.others().any(|(place, _)| !line.words[place - 1].to_string_lossy().starts_with('-'))
}

/// The word that means something together with the wrong one before it.
fn second_word(line: &TypedLine<'_, '_>, wrong: &str) -> Option<OsString> {
    let place = line.words.iter().position(|word| word == wrong)?;
    let second = line.words.get(place + 1)?.to_str().filter(|second| !second.starts_with('-'))?;
    let path = TypedLine::of(line.root, &line.words[..place]).path;
    entry(COMMANDS, &path, &format!("{wrong} {second}")).map(|_| second.into())
}

/// An option that there is not, in its line.
struct OptionInLine<'l, 'c, 'w> {
    line: &'l TypedLine<'c, 'w>,
    name: &'l str,
    place: usize,
    /// What stands behind its equals sign.
    joined: Option<String>,
    /// `joined`, or else the next word, if it can be the option's value.
    value: Option<String>,
}

impl<'l, 'c, 'w> OptionInLine<'l, 'c, 'w> {
    fn find(line: &'l TypedLine<'c, 'w>, wrong: &'l str) -> Option<Self> {
        let name = named(wrong).0;
        let place = line.place_of(&[name])?;
        let joined = named(line.words[place].to_str()?).1.map(str::to_owned);
        Some(Self { line, name, place, joined, value: line.value_at(place) })
    }

    /// The line with other words in its place, and in that of its value.
    fn with(&self, ours: &[OsString], and_value: bool) -> Vec<OsString> {
        let has_word = and_value && self.joined.is_none() && self.value.is_some();
        self.line.with(self.place, 1 + usize::from(has_word), ours)
    }

    /// The line as a suggestion wants it, and what it says besides.
    fn edited(&self, hint: &Suggestion) -> Option<(Vec<OsString>, String)> {
        let root = self.line.root;
        let is_people = self.value.as_ref().is_some_and(|value| value == "-" || is_file(value));
        let words = match (&hint.edit, &self.value) {
            (Edit::LeaveOut(_), value) => {
                let is_amount = value.as_ref().is_some_and(|value| is_amount(value));
                let is_flag = !is_amount && root.clone().try_get_matches_from(self.with(&[], false)).is_ok();
                return Some((self.with(&[], !is_flag), leave_out(self.name, hint)));
            }
            (Edit::Replace { ours, .. }, _) => {
                // The format of the line stays.
                let kept = ours.rsplit_once(" -o ").filter(|_| has_format(self.line.words)).map(|(kept, _)| kept);
                let ours = kept.unwrap_or(ours);
                in_json(root, &self.with(&typed_words(ours), true), ours)
            }
            (Edit::Same(ours), _) => return Some(self.renamed(ours.iter().copied(), &hint.remark)),
            (Edit::Option(ours), _) => return Some(self.renamed(ours.split(' '), &hint.remark)),
            (Edit::Person(kind), Some(value)) => {
                let people: Vec<OsString> = value.split(',').map(|one| named_by(kind, one.trim()).into()).collect();
                self.with(&people, true)
            }
            (Edit::Bare, Some(value)) => self.with(&[value.into()], true),
            (Edit::File(_), Some(value)) if is_people => self.with(&["--file".into(), value.into()], true),
            (Edit::File(alone), None) if !alone.is_empty() => self.with(&[alone.into()], false),
            _ => return None,
        };
        Some((words, String::new()))
    }

    /// The line with other options in its place, and what is said of them besides.
    fn renamed<'o>(&self, ours: impl Iterator<Item = &'o str>, remark: &str) -> (Vec<OsString>, String) {
        let root = self.line.root;
        let mut ours: Vec<OsString> = ours.map(OsString::from).collect();
        // A placeholder stands for the value that is there.
        let has_placeholder = ours.last().and_then(|last| last.to_str()).is_some_and(is_placeholder);
        let is_filled = has_placeholder && self.value.is_some();
        ours.truncate(ours.len() - usize::from(is_filled));
        ours.extend(self.joined.as_ref().map(OsString::from));
        let words = self.with(&ours, false);
        let words = match ours.as_slice() {
            // A rehearsal is nowhere else.
            [first, last] if first == "--profile" && last == "sandbox" => {
                without_option(root, &words, &["--profile"], "sandbox")
            }
            _ => in_json(root, &words, &ours[0].to_string_lossy()),
        };
        // What a placeholder stands for is plain where it is filled.
        (words, if is_filled { String::new() } else { remark.to_owned() })
    }
}

/// Whether a word of a suggestion stands for a value.
pub fn is_placeholder(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase() || "_.,|".contains(c))
}

/// The line with another value, or with other options, in place of an option with this value; `-` stands for no option.
fn with_value(line: &TypedLine<'_, '_>, option: &str, wrong: &str, ours: &str) -> Option<Vec<OsString>> {
    let words = line.words;
    // Behind its own option it counts more than elsewhere: a field may be called so, too.
    let own = words.windows(2).position(|pair| pair[0] == option && pair[1] == wrong).map(|before| before + 1);
    let joined = words.iter().position(|word| *word == *format!("{option}={wrong}"));
    let place = own
        .or(joined)
        .or_else(|| words.iter().position(|word| word.to_str().is_some_and(|word| holds(word, wrong))))?;
    let typed = words[place].to_str()?;
    let from = if own.is_some() || !typed.starts_with('-') { place.checked_sub(1)? } else { place };
    if ours.starts_with('-') {
        let ours = if ours == "-" { Vec::new() } else { typed_words(ours) };
        return Some(line.with(from, place + 1 - from, &ours));
    }
    // What stands before it has to be an option: the same word may name a command.
    let before = words[from].to_string_lossy();
    let is_behind_an_option = before == option || before.starts_with('-');
    is_behind_an_option.then(|| line.with(place, 1, &[typed.replacen(wrong, ours, 1).into()]))
}

/// Whether a word is this value, or has it behind its equals sign or between its commas.
fn holds(word: &str, value: &str) -> bool {
    let own = word.split_once('=').filter(|(name, _)| name.starts_with('-')).map_or(word, |(_, own)| own);
    own == value || own.split(',').any(|part| part.trim() == value)
}

/// The line without what an expression does not go with: another format, and an order beside one of its own.
fn in_json(root: &Command, words: &[OsString], ours: &str) -> Vec<OsString> {
    if !ours.starts_with("--jq") {
        return words.to_vec();
    }
    let words = without_option(root, words, &["-o", "--output"], "json");
    if !ours.contains("sort_by") {
        return words;
    }
    // So many of those that are sorted.
    let mut words = without_option(root, &words, &["--order"], "");
    let line = TypedLine::of(root, &words);
    let limit = line.place_of(&["--limit"]).and_then(|place| line.value_at(place));
    if let Some(limit) = limit.filter(|limit| limit.parse::<u32>().is_ok()) {
        words = without_option(root, &words, &["--limit"], "");
        if let Some(sorted) = words.iter_mut().find(|word| word.to_string_lossy().starts_with("sort_by(")) {
            sorted.push(format!(" | .[:{limit}]"));
        }
    }
    words
}

/// The line without an option of one of these names and its value, unless the value is `kept`.
pub fn without_option(root: &Command, words: &[OsString], names: &[&str], kept: &str) -> Vec<OsString> {
    let line = TypedLine::of(root, words);
    let (mut all, mut words) = (Vec::new(), words.iter().peekable());
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let (name, joined) = named(&text);
        let takes_next = joined.is_none() && line.takes_next(word);
        let is_kept = match joined {
            Some(value) => value == kept,
            None => words.peek().is_some_and(|next| *next == kept),
        };
        if !names.contains(&name) || is_kept {
            all.push(word.clone());
            all.extend(if takes_next { words.next().cloned() } else { None });
        } else if takes_next {
            words.next();
        }
    }
    all
}

/// The line that is left without an option of one of these names, where the program takes that.
pub fn line_without(line: &TypedLine<'_, '_>, names: &[&str]) -> Option<String> {
    let place = line.place_of(names)?;
    let next = line.words.get(place + 1).map(|next| next.to_string_lossy()).unwrap_or_default();
    // An option that has a value in any of our commands has it here as well.
    let has_its_value = takes_value_somewhere(line.root, &line.words[place]);
    // A word that is hardly a person is none because the option before it is left out.
    let is_text = takes(line.here, PERSON) && !is_person(&next);
    let counts = if is_amount(&next) || has_its_value || is_text { [2, 1] } else { [1, 2] };
    // A part of the list was wanted by its place: the first of all are another one.
    let option = line.words[place].to_string_lossy();
    let limits: &[&str] = if is_one_of(CURSORS, named(&option).0) { &["--limit"] } else { &[] };
    // The next word may be the option's value.
    let has_next = line.words.len() > place + 1 && !next.starts_with('-');
    counts.into_iter().filter(|count| *count == 1 || has_next).find_map(|count| {
        let left = without_option(line.root, &line.with(place, count, &[]), limits, "");
        line_to_type(line.root, &with_prefixes(line.root, &left))
    })
}

/// Whether a word is an option with its value in the word after it, in the program or any of its commands.
fn takes_value_somewhere(command: &Command, word: &OsString) -> bool {
    command.get_arguments().any(|arg| takes_next(arg, word))
        || command.get_subcommands().any(|command| takes_value_somewhere(command, word))
}

#[cfg(test)]
mod tests {
    use super::super::suggestion::{bare, file, leave_out, option, person};
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_value_is_replaced_where_it_stands() {
        let root = Command::new("a").subcommand(Command::new("x"));
        for (typed, option, wrong, right, ours) in [
            ("a x --on HighRiks", "--on", "HighRiks", "HighRisk", Some("a x --on HighRisk")),
            ("a x --on=Fatigued,HighRiks -q", "--on", "HighRiks", "HighRisk", Some("a x --on=Fatigued,HighRisk -q")),
            ("a x -o HighRiks", "--on", "HighRiks", "HighRisk", Some("a x -o HighRisk")),
            ("a HighRiks x", "--on", "HighRiks", "HighRisk", None),
            ("a x -o jsonl -q", "--output", "jsonl", "-o ndjson", Some("a x -o ndjson -q")),
        ] {
            let typed = words(typed);
            assert_eq!(with_value(&TypedLine::of(&root, &typed), option, wrong, right), ours.map(words), "{typed:?}");
        }
    }

    #[test]
    fn an_option_is_replaced_left_out_or_its_value_moved() {
        let root = Command::new("a").subcommand(Command::new("x"));
        for (line, wrong, hint, ours) in [
            ("a x --limt=3", "--limt", option("--limit", ""), "a x --limit 3"),
            ("a x --links l.csv", "--links", option("--with-links FILE", ""), "a x --with-links l.csv"),
            ("a x --active", "--active", option("--state Active", ""), "a x --state Active"),
            ("a x --retries 3", "--retries", leave_out("why"), "a x"),
            ("a x --email e@x -q", "--email", person("email", "so"), "a x email:e@x -q"),
            ("a x --id 7,A-1", "--id", person("id", "so"), "a x id:7 ref:A-1"),
            ("a x -f p.csv", "-f", bare("so"), "a x p.csv"),
            ("a x -f p.csv", "-f", file("", "so"), "a x --file p.csv"),
            ("a x -f", "-f", file("--yes", "so"), "a x --yes"),
        ] {
            let typed = words(line);
            let edited =
                OptionInLine::find(&TypedLine::of(&root, &typed), wrong).and_then(|option| option.edited(&hint));
            assert_eq!(edited.map(|(line, _)| line), Some(words(ours)), "{line}");
        }
    }
}
