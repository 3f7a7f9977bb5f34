//! Lines that are written as sentences: small words between the others, and fields of a person without their hyphens.

use std::ffi::OsString;

use clap::Command;

use crate::commands::shell::argv::{Part, at, knows, parts, path};
use crate::commands::shell::value_hints::is_file;

/// Words that say nothing which the line does not say without them.
const SMALL: [&str; 7] = ["for", "of", "the", "named", "called", "to", "bulk"];
/// Fields as they are written where words and values take turns, and our options for them.
const FIELDS: [(&str, &str); 10] = [
    ("firstname", "--first-name"),
    ("givenname", "--first-name"),
    ("lastname", "--last-name"),
    ("surname", "--last-name"),
    ("familyname", "--last-name"),
    ("email", "--email"),
    ("referenceid", "--reference-id"),
    ("birthyear", "--birth-year"),
    ("fields", "--fields"),
    ("filter", "--filter"),
];

/// The line with options in place of such words, for a command that has them; other lines stay.
pub fn without_small_words(root: &Command, words: &[OsString]) -> Vec<OsString> {
    let path = path(root, words);
    let here = at(root, &path);
    let parts = parts(root, words);
    let Some(verb) = parts.iter().rposition(|part| matches!(part, Part::Command(_))).filter(|_| path.len() > 1) else {
        return words.to_vec();
    };
    let is_operand = |place: usize| {
        let word = words.get(place).map(|word| word.to_string_lossy());
        parts.get(place) == Some(&Part::Other) && word.is_some_and(|word| !word.starts_with('-'))
    };
    let mut ours = words[..=verb].to_vec();
    let mut place = verb + 1;
    while let Some(word) = words.get(place) {
        // A cmdlet's name for who is meant.
        if (word == "-Identity" || word == "--identity") && is_operand(place + 1) {
            place += 1;
            continue;
        }
        let text = word.to_string_lossy().to_lowercase();
        let is_followed = is_operand(place) && is_operand(place + 1);
        let field = FIELDS.iter().find(|(field, option)| *field == text && knows(root, here, option));
        let names_a_place = matches!(&*text, "in" | "into" | "from");
        let is_file = words.get(place + 1).is_some_and(|next| is_file(&next.to_string_lossy()));
        let has_project = words.iter().any(|word| word == "-p");
        let is_named = names_a_place && !is_file && !has_project && knows(root, here, "-p");
        match field {
            Some((_, option)) if is_followed => ours.extend([(*option).into(), words[place + 1].clone()]),
            _ if is_followed && is_named => {
                let behind = words[place + 1] == "project" && is_operand(place + 2);
                place += usize::from(behind);
                ours.extend(["-p".into(), words[place + 1].clone()]);
            }
            _ if is_followed && (names_a_place || SMALL.contains(&&*text)) => {
                place += 1;
                continue;
            }
            _ => {
                ours.push(word.clone());
                place += 1;
                continue;
            }
        }
        place += 2;
    }
    ours
}
