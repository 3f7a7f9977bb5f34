//! A line in another spelling: noun and verb in one word (`noun:verb`, `verb-noun`), and a long option with one hyphen.

use std::ffi::OsString;

use clap::Command;

use crate::commands::shared::verb_traits::{CommandEffect, VerbTraits};
use crate::commands::shell::argv::{Part, at, knows, parts, path};
use crate::commands::shell::foreign_options::OPTIONS;
use crate::commands::shell::foreign_words::{COMMANDS, Ours, entry};
use crate::commands::shell::value_hints::is_file;
use crate::config::profile_settings;

/// Verbs that change nothing on this machine, either.
const LOOKS: [&str; 5] = ["list", "show", "get", "path", "check"];

/// The line with noun and verb apart that stand in one word; `None` where its first word is no such one.
pub fn in_two_words(root: &Command, words: &[OsString]) -> Option<Vec<OsString>> {
    let mut all = words.iter().zip(parts(root, words)).enumerate().skip(1);
    let (place, (word, part)) =
        all.find(|(_, (word, part))| *part != Part::Value && !word.to_string_lossy().starts_with('-'))?;
    let text = word.to_str().filter(|text| part == Part::Other && !is_file(text))?;
    let text = &with_hyphens_between(text);
    let next = words.get(place + 1).map(|next| next.to_string_lossy());
    let names_none = next.is_none_or(|next| next.starts_with('-') && !is_identity(&next));
    let named = split(text).find_map(|(first, second)| {
        let both = noun_and_verb(root, first, second).or_else(|| noun_and_verb(root, second, first));
        // To get none by its name is to list them.
        let both = both.map(|[noun, verb]| if names_none && verb == "get" { [noun, "list"] } else { [noun, verb] });
        let is_known = entry(COMMANDS, &[], &format!("{first} {second}"), |_| true).is_some();
        let noun = our_noun(root, first).filter(|_| text.contains(':'));
        both.or_else(|| is_known.then_some([first, second]))
            .or_else(|| Some([noun?, second]))
            .map(|named| named.map(OsString::from))
    })?;
    Some([&words[..place], &named, &words[place + 1..]].concat())
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
    (has || entry(COMMANDS, &[ours], verb, |_| true).is_some()).then_some([ours, verb])
}

/// Our word for a noun.
fn our_noun<'w>(root: &Command, noun: &'w str) -> Option<&'w str> {
    let ours = match entry(COMMANDS, &[], noun, |ours| matches!(ours, Ours::Is([_]))) {
        _ if root.find_subcommand(noun).is_some() => noun,
        Some(Ours::Is([ours])) => ours,
        _ => return None,
    };
    root.find_subcommand(ours).filter(|here| here.has_subcommands()).map(|_| ours)
}

/// Whether a line is about a command that changes nothing.
pub fn only_looks(root: &Command, words: &[OsString]) -> bool {
    let path = path(root, words);
    VerbTraits::of(at(root, &path)).is_some_and(|traits| match traits.effect {
        CommandEffect::Read => true,
        CommandEffect::Local => path.last().is_some_and(|verb| LOOKS.contains(verb)),
        CommandEffect::Write | CommandEffect::Destroys => false,
    })
}

/// The line with the key of a setting alone, where other programs write its section before it: `core/project`.
pub fn with_plain_key(root: &Command, words: &[OsString]) -> Vec<OsString> {
    let parts = parts(root, words);
    let verb = parts.iter().rposition(|part| matches!(part, Part::Command(_)));
    let keyed = ["set", "get", "unset"].iter().any(|verb| path(root, words) == ["config", *verb]);
    let mut ours = words.to_vec();
    let place = verb.filter(|_| keyed).map(|verb| verb + 1);
    if let Some(word) = place.and_then(|place| ours.get_mut(place)) {
        let key = word.to_str().and_then(|word| Some(word.rsplit_once(['/', '.'])?.1.replace('_', "-")));
        if let Some(key) = key.filter(|key| profile_settings().any(|known| known.key == key)) {
            *word = key.into();
        }
    }
    ours
}

/// The line with two hyphens where one begins a long option; `None` where none does.
pub fn with_hyphens(root: &Command, words: &[OsString]) -> Option<Vec<OsString>> {
    let path = path(root, words);
    let mut ours = words.to_vec();
    for (word, part) in ours.iter_mut().zip(parts(root, words)).skip(1) {
        if word == "--" {
            break;
        }
        let long = word.to_str().filter(|_| part != Part::Value).and_then(|word| with_two(root, &path, word));
        if let Some(long) = long {
            *word = long.into();
        }
    }
    (ours != words).then_some(ours)
}

/// A long option that lacks one of its hyphens, or is written as PowerShell does: `-json`, `-FirstName`.
fn with_two(root: &Command, path: &[&str], word: &str) -> Option<String> {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let long = long_option(name)?;
    let is_known = knows(root, at(root, path), &long) || entry(OPTIONS, path, &long, |_| true).is_some();
    is_known.then(|| value.map_or_else(|| long.clone(), |value| format!("{long}={value}")))
}

/// The long option that one with a single hyphen may be.
pub fn long_option(name: &str) -> Option<String> {
    let is_one = name.len() > 3 && name.starts_with('-') && !name.starts_with("--");
    is_one.then(|| format!("-{}", with_hyphens_between(name)))
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
