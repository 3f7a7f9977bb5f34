//! Words that name no command here, and the commands that they may mean.

use clap::Command;

use crate::commands::shell::argv::{TypedLine, at};
use crate::commands::suggest::dictionary::{FILE, entry, entry_that, words_of};
use crate::commands::suggest::foreign_words::{COMMANDS, ENROL, USE_PROFILE};
use crate::commands::suggest::people::Whom;
use crate::commands::suggest::suggestion::{Edit, Suggestion, command, say};
use crate::commands::suggest::values::is_file;
use crate::model::did_you_mean::nearest;

/// What is suggested for a word that names no command here.
pub fn unknown_command(line: &TypedLine<'_, '_>, word: &str) -> Option<Suggestion> {
    let (root, here) = (line.root, line.path.as_slice());
    let place = line.words.iter().position(|typed| typed == word)?;
    let after: Vec<_> = line.words[place + 1..].iter().map(|typed| typed.to_string_lossy()).collect();
    let after: Vec<&str> = after.iter().map(AsRef::as_ref).collect();
    let people = if here.is_empty() { &["testtakers"] } else { here };
    let means_get =
        word == "get" || entry(COMMANDS, people, word).is_some_and(|ours| ours.edit == Edit::Same(&["get"]));
    let both = two_words(&TypedLine::of(root, &line.words[..place]).path, word, &after);
    if both.is_none() && means_get && (here.is_empty() || has(line.here, "get")) {
        let names_one = !Whom::of(line, Some(word)).people.is_empty();
        match here {
            [] if after.first().is_some_and(|name| name.contains(' ')) => {
                return Some(say("`assessctl testtakers list --filter TEXT` searches names"));
            }
            [] if names_one => return Some(command("testtakers get", "")),
            [] => {}
            _ if names_one || word != "get" && after.iter().any(|word| is_named(root, word)) => {
                return Some(below(here, "get"));
            }
            _ => return elsewhere(root, here, "get"),
        }
    }
    // The sandbox is a profile as well.
    if here == ["sandbox"] && entry_that(COMMANDS, &[], word, |ours| *ours == USE_PROFILE).is_some() {
        return Some(USE_PROFILE);
    }
    // What is given for one person tells that one is meant.
    let names_one = after.iter().any(|typed| typed.starts_with("--email") || typed.starts_with("email="))
        || after.iter().filter(|typed| typed.contains('@')).count() == 1;
    if names_one && elsewhere(root, here, word) == Some(ENROL) {
        return Some(command("testtakers enrol", ""));
    }
    // The noun may stand behind its verb.
    both.or_else(|| two_words(here, word, &after))
        .or_else(|| elsewhere(root, here, word))
        .or_else(|| what_there_is(root))
}

/// Whether a word is neither an option nor a noun of ours or of another program.
fn is_named(root: &Command, word: &str) -> bool {
    !word.starts_with('-') && !has(root, word) && entry(COMMANDS, &[], word).is_none()
}

/// What is said of a word that is no command of this path with the next one, or with a file behind it.
fn two_words(path: &[&str], word: &str, after: &[&str]) -> Option<Suggestion> {
    let file = after.iter().any(|word| is_file(word) || *word == "-").then_some(FILE);
    let mut seconds = after.first().copied().into_iter().chain(file);
    seconds.find_map(|second| said(path, &format!("{word} {second}"))).cloned()
}

/// What is to be typed in place of another program's word, where it is more than the same word of ours.
fn said(path: &[&str], word: &str) -> Option<&'static Suggestion> {
    entry(COMMANDS, path, word).filter(|ours| !matches!(ours.edit, Edit::Same(_)))
}

/// The commands, where a word is like none of them.
pub fn what_there_is(root: &Command) -> Option<Suggestion> {
    let all: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
    (!all.is_empty()).then(|| format!("`assessctl help` tells what {} are for", all.join(", ")).into())
}

/// What a word that is no command of this path may mean.
pub fn elsewhere(root: &Command, path: &[&str], word: &str) -> Option<Suggestion> {
    meaning(root, path, word).or_else(|| mistyped(root, path, word)).or_else(|| {
        let there: Vec<&str> = at(root, path).get_subcommands().map(Command::get_name).collect();
        let is_noun = !path.is_empty() && !there.is_empty();
        is_noun.then(|| format!("`assessctl {}` has {}", path.join(" "), there.join(", ")).into())
    })
}

/// What a word means here as it stands, or as a slip of the hand away from a command of ours.
fn meaning(root: &Command, path: &[&str], word: &str) -> Option<Suggestion> {
    let here = at(root, path);
    // In some programs `get` without a name lists.
    if word == "get" && has(here, word) && has(here, "list") {
        let noun = path.join(" ");
        return Some(format!("`assessctl {noun} list` lists them; {noun} get shows one that is named").into());
    }
    // A verb may stand before its noun.
    if let Some(verb) = verb_of(here, path, word) {
        return Some(below(path, verb));
    }
    if let Some(ours) = said(path, word) {
        return Some(ours.clone());
    }
    let found = if path.is_empty() { below_a_noun(root, word) } else { None };
    found.or_else(|| Some(below(path, nearest(word, here.get_subcommands().map(Command::get_name))?)))
}

/// What a word means that is a slip of the hand away from one of another program, or from a verb of ours whose noun is missing.
/// Where that one means nothing here, no third one is looked for: two of them may be near to each other.
fn mistyped(root: &Command, path: &[&str], word: &str) -> Option<Suggestion> {
    // A short word is near to many.
    const SHORTEST: usize = 5;
    let mut known: Vec<&str> = words_of(COMMANDS, path).collect();
    if path.is_empty() {
        known.extend(root.get_subcommands().flat_map(Command::get_subcommands).map(Command::get_name));
    }
    // The first letter is rarely the wrong one.
    known.retain(|known| known.len() >= SHORTEST && *known != word && known.chars().next() == word.chars().next());
    let near = nearest(word, known).filter(|_| word.len() >= SHORTEST - 1)?;
    meaning(root, path, near)
}

/// The verb of a noun that a word is, or that it is another word for.
fn verb_of<'w>(noun: &Command, path: &[&str], word: &'w str) -> Option<&'w str> {
    match entry(COMMANDS, path, word).map(|ours| &ours.edit) {
        _ if has(noun, word) => Some(word),
        Some(Edit::Same([verb])) if has(noun, verb) => Some(verb),
        _ => None,
    }
}

/// The nouns that have a verb of this name, or of the one that it is another word for, where the noun was left out.
fn below_a_noun(root: &Command, word: &str) -> Option<Suggestion> {
    let nouns: Vec<(&Command, &str)> = root.get_subcommands().map(|noun| (noun, noun.get_name())).collect();
    let found: Vec<(&str, &str)> =
        nouns.iter().filter_map(|(noun, name)| Some((*name, verb_of(noun, &[name], word)?))).collect();
    match found.as_slice() {
        // What is known of people counts more than what is known of another noun.
        [] => {
            let mut all = nouns.iter().filter_map(|(_, name)| said(&[name], word));
            said(&["testtakers"], word).or_else(|| all.next().filter(|_| all.next().is_none())).cloned()
        }
        [(noun, verb)] => Some(below(&[noun], verb)),
        [_, _] | [_, _, _] => {
            let lines: Vec<String> = found.iter().map(|(noun, verb)| format!("`assessctl {noun} {verb}`")).collect();
            Some(format!("did you mean {}?", lines.join(" or ")).into())
        }
        _ => {
            let nouns: Vec<&str> = found.iter().map(|(noun, _)| *noun).collect();
            Some(format!("`assessctl NOUN {word}`, where NOUN is one of {}", nouns.join(", ")).into())
        }
    }
}

fn has(command: &Command, name: &str) -> bool {
    command.find_subcommand(name).is_some()
}

/// A command below those of a path.
fn below(path: &[&str], verb: &str) -> Suggestion {
    Edit::Command([path, &[verb]].concat().join(" ").into()).into()
}
