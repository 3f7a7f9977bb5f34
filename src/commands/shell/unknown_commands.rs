//! Words that name no command here, and the commands that they may mean.

use std::ffi::OsString;

use clap::Command;

use crate::commands::shell::argv::{at, path};
use crate::commands::shell::foreign_words::{COMMANDS, FILE, Ours, entry, words_of};
use crate::commands::shell::value_hints::is_file;
use crate::commands::shell::whom::Whom;
use crate::model::did_you_mean::nearest;

/// How the hint begins that enrols one person.
const ENROL_LINE: &str = "`assessctl testtakers enrol --email";

/// A hint about a word that names no command here.
pub fn unknown_command(root: &Command, here: &[&str], words: &[OsString], word: &str) -> Option<String> {
    let after = words.iter().skip_while(|typed| *typed != word).skip(1);
    let after: Vec<_> = after.map(|typed| typed.to_string_lossy()).collect();
    let after: Vec<&str> = after.iter().map(AsRef::as_ref).collect();
    let before = words.iter().take_while(|typed| *typed != word).cloned().collect::<Vec<_>>();
    let place = if here.is_empty() { &["testtakers"] } else { here };
    let means_get = word == "get" || matches!(entry(COMMANDS, place, word, |_| true), Some(Ours::Is(["get"])));
    let both = two_words(&path(root, &before), word, &after);
    if both.is_none() && means_get && (here.is_empty() || has(at(root, here), "get")) {
        let names_one = !Whom::of(root, words, Some(word)).people.is_empty();
        match here {
            [] if after.first().is_some_and(|name| name.contains(' ')) => {
                return Some("`assessctl testtakers list --filter TEXT` searches names".to_owned());
            }
            [] if names_one => return Some("did you mean `assessctl testtakers get`?".to_owned()),
            [] => {}
            _ if names_one || word != "get" && after.iter().any(|word| is_named(root, word)) => {
                return Some(format!("did you mean {}?", line(&[here, &["get"]].concat())));
            }
            _ => return elsewhere(root, here, "get"),
        }
    }
    // The sandbox is a profile as well.
    let of_profiles =
        entry(COMMANDS, &[], word, |ours| matches!(ours, Ours::Say(hint) if hint.contains("config use`")));
    if let Some(Ours::Say(hint)) = of_profiles.filter(|_| here == ["sandbox"]) {
        return Some(hint.to_owned());
    }
    // What is given for one person tells that one is meant.
    let names_one = after.iter().any(|typed| typed.starts_with("--email") || typed.starts_with("email="))
        || after.iter().filter(|typed| typed.contains('@')).count() == 1;
    if names_one && elsewhere(root, here, word).is_some_and(|hint| hint.starts_with(ENROL_LINE)) {
        return Some("did you mean `assessctl testtakers enrol`?".to_owned());
    }
    // The noun may stand behind its verb.
    both.or_else(|| two_words(here, word, &after))
        .or_else(|| elsewhere(root, here, word))
        .or_else(|| what_there_is(root))
}

/// Whether a word is neither an option nor a noun of ours or of another program.
fn is_named(root: &Command, word: &str) -> bool {
    !word.starts_with('-') && !has(root, word) && entry(COMMANDS, &[], word, |_| true).is_none()
}

/// What is said of a word that is no command of this path with the next one, or with a file behind it.
fn two_words(path: &[&str], word: &str, after: &[&str]) -> Option<String> {
    let file = after.iter().any(|word| is_file(word) || *word == "-").then_some(FILE);
    let mut seconds = after.first().copied().into_iter().chain(file);
    seconds.find_map(|second| match entry(COMMANDS, path, &format!("{word} {second}"), |_| true)? {
        Ours::Say(hint) => Some(hint.to_owned()),
        Ours::Is(_) => None,
    })
}

/// The commands, where a word is like none of them.
pub fn what_there_is(root: &Command) -> Option<String> {
    let all: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
    (!all.is_empty()).then(|| format!("`assessctl help` tells what {} are for", all.join(", ")))
}

/// What a word that is no command of this path may mean.
pub fn elsewhere(root: &Command, path: &[&str], word: &str) -> Option<String> {
    let here = at(root, path);
    // A verb that stands before its noun; in some programs `get` without a name lists.
    if word == "get" && has(here, word) && has(here, "list") {
        let [list, get] = ["list", "get"].map(|verb| line(&[path, &[verb]].concat()));
        return Some(format!(
            "{list} lists them; {} shows one that is named",
            get.trim_matches('`').trim_start_matches("assessctl ")
        ));
    }
    match entry(COMMANDS, path, word, |_| true) {
        _ if has(here, word) => return Some(format!("did you mean {}?", line(&[path, &[word]].concat()))),
        Some(Ours::Say(hint)) => return Some(hint.to_owned()),
        Some(Ours::Is([verb])) if has(here, verb) => {
            return Some(format!("did you mean {}?", line(&[path, &[verb]].concat())));
        }
        _ => {}
    }
    if path.is_empty()
        && let Some(found) = below_a_noun(root, word)
    {
        return Some(found);
    }
    let there: Vec<&str> = here.get_subcommands().map(Command::get_name).collect();
    match nearest(word, there.iter().copied()) {
        Some(near) => Some(format!("did you mean {}?", line(&[path, &[near]].concat()))),
        None => mistyped(root, path, word).or_else(|| {
            (!path.is_empty() && !there.is_empty()).then(|| format!("{} has {}", line(path), there.join(", ")))
        }),
    }
}

/// What a word means that is a slip of the hand away from one of another program, or from a verb of ours whose noun is missing.
fn mistyped(root: &Command, path: &[&str], word: &str) -> Option<String> {
    // A short word is near to many.
    const SHORTEST: usize = 5;
    let mut known: Vec<&str> = words_of(path).collect();
    if path.is_empty() {
        known.extend(root.get_subcommands().flat_map(Command::get_subcommands).map(Command::get_name));
    }
    // The first letter is rarely the wrong one.
    known.retain(|known| known.len() >= SHORTEST && *known != word && known.chars().next() == word.chars().next());
    let near = nearest(word, known).filter(|_| word.len() >= SHORTEST - 1)?;
    elsewhere(root, path, near)
}

/// The nouns that have a verb of this name, or of the one that it is another word for, where the noun was left out.
fn below_a_noun(root: &Command, word: &str) -> Option<String> {
    let mut found = Vec::new();
    for noun in root.get_subcommands() {
        match entry(COMMANDS, &[noun.get_name()], word, |_| true) {
            _ if has(noun, word) => found.push((noun.get_name(), word)),
            Some(Ours::Is([verb])) if has(noun, verb) => found.push((noun.get_name(), *verb)),
            _ => {}
        }
    }
    match found.as_slice() {
        [] => said_of_one_noun(root, word),
        [_] | [_, _] | [_, _, _] => {
            let lines: Vec<String> = found.iter().map(|(noun, verb)| line(&[noun, verb])).collect();
            Some(format!("did you mean {}?", lines.join(" or ")))
        }
        _ => {
            let nouns: Vec<&str> = found.iter().map(|(noun, _)| *noun).collect();
            Some(format!("`assessctl NOUN {word}`, where NOUN is one of {}", nouns.join(", ")))
        }
    }
}

/// What is to be typed instead of a foreign verb, where it is known of people or else of a single noun.
fn said_of_one_noun(root: &Command, word: &str) -> Option<String> {
    let mut all = root.get_subcommands().filter_map(|noun| said_of(noun.get_name(), word));
    said_of("testtakers", word).or_else(|| all.next().filter(|_| all.next().is_none())).map(str::to_owned)
}

fn said_of(noun: &str, word: &str) -> Option<&'static str> {
    match entry(COMMANDS, &[noun], word, |_| true)? {
        Ours::Say(hint) => Some(hint),
        Ours::Is(_) => None,
    }
}

fn has(command: &Command, name: &str) -> bool {
    command.find_subcommand(name).is_some()
}

fn line(words: &[&str]) -> String {
    format!("`assessctl {}`", words.join(" "))
}
