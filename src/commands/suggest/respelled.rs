//! A line in another spelling: noun and verb in one word (`noun:verb`, `verb-noun`), and a long option with one hyphen.

use std::ffi::OsString;

use clap::Command;

use crate::commands::shared::verb_traits::{CommandEffect, VerbTraits};
use crate::commands::shell::argv::{Part, TypedLine, is_one_of, named};
use crate::commands::suggest::dictionary::{entry, entry_that};
use crate::commands::suggest::foreign_options::OPTIONS;
use crate::commands::suggest::foreign_words::COMMANDS;
use crate::commands::suggest::suggestion::{Edit, Suggestion};
use crate::commands::suggest::values::is_file;
use crate::config::profile_settings;

/// The line with noun and verb apart that stand in one word; `None` where its first word is no such one.
pub fn in_two_words(root: &Command, words: &[OsString]) -> Option<Vec<OsString>> {
    let line = TypedLine::of(root, words);
    let mut all = (1..words.len()).filter(|place| line.parts[*place] != Part::Value);
    let place = all.find(|place| !words[*place].to_string_lossy().starts_with('-'))?;
    let text = words[place].to_str().filter(|text| line.parts[place] == Part::Other && !is_file(text))?;
    let text = &with_hyphens_between(text);
    let next = words.get(place + 1).map(|next| next.to_string_lossy());
    let names_none = next.is_none_or(|next| next.starts_with('-') && !is_identity(&next));
    let apart = split(text).find_map(|(first, second)| {
        match noun_and_verb(root, first, second).or_else(|| noun_and_verb(root, second, first)) {
            // To get none by its name is to list them.
            Some([noun, "get"]) if names_none => Some([noun, "list"]),
            Some(both) => Some(both),
            None if entry(COMMANDS, &[], &format!("{first} {second}")).is_some() => Some([first, second]),
            None => Some([our_noun(root, first).filter(|_| text.contains(':'))?, second]),
        }
    })?;
    Some(line.with(place, 1, &apart.map(OsString::from)))
}

/// A word with a hyphen before each capital behind a small letter, in small letters: `listResults`, `FirstName`.
fn with_hyphens_between(text: &str) -> String {
    let mut apart = String::new();
    for letter in text.chars() {
        if letter.is_ascii_uppercase() && apart.ends_with(|before: char| before.is_ascii_lowercase()) {
            apart.push('-');
        }
        apart.push(letter);
    }
    // A reference id is none in words.
    let mut pairs = text.bytes().zip(text.bytes().skip(1).chain([b'-']));
    if pairs.all(|(letter, next)| !letter.is_ascii_uppercase() || next.is_ascii_lowercase()) {
        apart.to_ascii_lowercase()
    } else {
        text.to_owned()
    }
}

/// Whether an option of other programs has a person's or a project's name behind it.
pub fn is_identity(option: &str) -> bool {
    const NAMES: [&str; 9] =
        ["identity", "id", "name", "email", "user", "upn", "userprincipalname", "member-id", "object-id"];
    let name = option.split(['=', ':']).next().unwrap_or_default();
    NAMES.iter().any(|known| name.trim_start_matches('-').eq_ignore_ascii_case(known))
}

/// Where a word may be two.
fn split(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let places = text.match_indices([':', '.', '/', '_', '-']);
    let both = places.map(|(place, sign)| (&text[..place], &text[place + sign.len()..]));
    both.filter(|(first, second)| !first.is_empty() && !second.is_empty())
}

/// Our noun, and the verb as it was typed, where that is known of the noun.
fn noun_and_verb<'w>(root: &Command, noun: &'w str, verb: &'w str) -> Option<[&'w str; 2]> {
    let ours = our_noun(root, noun)?;
    let has = root.find_subcommand(ours)?.find_subcommand(verb).is_some();
    (has || entry(COMMANDS, &[ours], verb).is_some()).then_some([ours, verb])
}

/// Whether a line is about a command that changes nothing.
pub fn only_looks(root: &Command, words: &[OsString]) -> bool {
    let line = TypedLine::of(root, words);
    VerbTraits::of(line.here).is_some_and(|traits| match traits.effect {
        CommandEffect::Read => true,
        CommandEffect::Local => line.path.last().is_some_and(|verb| is_one_of("list show get path check", verb)),
        CommandEffect::Write | CommandEffect::Destroys => false,
    })
}

/// The line with the key of a setting alone, where other programs write its section before it: `core/project`.
pub fn with_plain_key(root: &Command, words: &[OsString]) -> Vec<OsString> {
    let line = TypedLine::of(root, words);
    let verb = line.parts.iter().rposition(|part| matches!(part, Part::Command(_)));
    let place = verb.filter(|_| matches!(*line.path, ["config", "set" | "get" | "unset"])).map(|verb| verb + 1);
    let mut ours = words.to_vec();
    if let Some(word) = place.and_then(|place| ours.get_mut(place)) {
        let key = word.to_str().and_then(|word| Some(word.rsplit_once(['/', '.'])?.1.replace('_', "-")));
        if let Some(key) = key.filter(|key| profile_settings().any(|known| known.key == key)) {
            *word = key.into();
        }
    }
    ours
}

/// The line with two hyphens where one begins a long option, also as PowerShell writes it: `-json`, `-FirstName`; `None` where
/// none does.
pub fn with_hyphens(root: &Command, words: &[OsString]) -> Option<Vec<OsString>> {
    let line = TypedLine::of(root, words);
    let mut ours = words.to_vec();
    for (word, part) in ours.iter_mut().zip(&line.parts).skip(1).take_while(|(word, _)| *word != "--") {
        let Some(text) = word.to_str().filter(|_| *part != Part::Value) else { continue };
        let (name, value) = named(text);
        let long = long_option(name).filter(|long| line.knows(long) || entry(OPTIONS, &line.path, long).is_some());
        if let Some(long) = long {
            *word = value.map_or_else(|| long.clone(), |value| format!("{long}={value}")).into();
        }
    }
    (ours != words).then_some(ours)
}

/// The long option that one with a single hyphen may be.
pub fn long_option(name: &str) -> Option<String> {
    let is_one = name.len() > 3 && name.starts_with('-') && !name.starts_with("--");
    is_one.then(|| format!("-{}", with_hyphens_between(name)))
}

/// Our word for a noun, which may be ours already.
pub fn our_noun<'w>(root: &Command, word: &'w str) -> Option<&'w str> {
    let ours = match entry_that(COMMANDS, &[], word, |ours| matches!(ours.edit, Edit::Same([_]))) {
        _ if root.find_subcommand(word).is_some() => word,
        Some(Suggestion { edit: Edit::Same([ours]), .. }) => ours,
        _ => return None,
    };
    root.find_subcommand(ours).filter(|here| here.has_subcommands()).map(|_| ours)
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    fn program() -> Command {
        let verb = |name: &'static str| Command::new(name);
        let list = verb("list").arg(Arg::new("project").long("project").short('p'));
        Command::new("a")
            .arg(Arg::new("profile").long("profile").global(true))
            .subcommand(Command::new("projects").subcommand(list).subcommand(verb("create")))
            .subcommand(Command::new("testtakers").subcommand(verb("list")).subcommand(verb("get")))
    }

    #[test]
    fn noun_and_verb_in_one_word_are_taken_apart() {
        let root = program();
        for (typed, ours) in [
            ("a projects:list -x", "a projects list -x"),
            ("a list-projects", "a projects list"),
            ("a --profile x people.info A-1", "a --profile x testtakers info A-1"),
            ("a test-takers:ls", "a testtakers ls"),
            ("a project_create Depot", "a projects create Depot"),
            ("a projects:rename Depot", "a projects rename Depot"),
            ("a projects:frob", "a projects frob"),
            ("a bulk-import people.csv", "a bulk import people.csv"),
        ] {
            assert_eq!(in_two_words(&root, &words(typed)), Some(words(ours)), "{typed}");
        }
        for same in ["a cluster-frob", "a people.csv", "a projects list-all", "a -x"] {
            assert_eq!(in_two_words(&root, &words(same)), None, "{same}");
        }
    }

    #[test]
    fn one_hyphen_becomes_two_before_a_long_option() {
        let root = program();
        let two = |line| with_hyphens(&root, &words(line));
        assert_eq!(two("a projects list -project=Demo -json"), Some(words("a projects list --project=Demo --json")));
        for same in ["a projects list -p Demo", "a projects list -pDemo", "a projects list --project -json"] {
            assert_eq!(two(same), None, "{same}");
        }
    }
}
