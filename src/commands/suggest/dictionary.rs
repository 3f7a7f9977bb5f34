//! Look-ups in the tables of other programs' words.

use crate::commands::suggest::suggestion::{Edit, Suggestion};

/// Where foreign words mean this (the words of a command, `*` for any, nothing for the program), the words with a comma in
/// between, and what they mean. One of two words counts more than its first.
pub type Entry = (&'static str, &'static str, Suggestion);

/// What stands for the name of a file behind a word.
pub const FILE: &str = "FILE";

/// The first of a table's entries for a word in a place.
pub fn entry(table: &'static [Entry], path: &[&str], word: &str) -> Option<&'static Suggestion> {
    entry_that(table, path, word, |_| true)
}

/// The same of those that `fits`. What means test takers in its plural means them in its singular as well.
pub fn entry_that(
    table: &'static [Entry],
    path: &[&str],
    word: &str,
    fits: impl Fn(&Suggestion) -> bool,
) -> Option<&'static Suggestion> {
    exact(table, path, word, &fits).or_else(|| {
        let plural = (path.is_empty() && !word.starts_with('-')).then(|| format!("{word}s"))?;
        exact(table, path, &plural, &|ours| ours.edit == Edit::Same(&["testtakers"]) && fits(ours))
    })
}

fn exact(
    table: &'static [Entry],
    path: &[&str],
    word: &str,
    fits: &dyn Fn(&Suggestion) -> bool,
) -> Option<&'static Suggestion> {
    let here = path.join(" ");
    let is_anywhere = word.starts_with('-') || !path.is_empty();
    let all = table.iter().filter(|(place, theirs, ours)| {
        theirs.split(", ").any(|theirs| theirs == word) && is_at(place, &here, is_anywhere) && fits(ours)
    });
    // A place of its own counts more than any.
    all.min_by_key(|(place, _, _)| *place == "*").map(|(_, _, ours)| ours)
}

/// Whether a place of a table is this one, or one around it.
fn is_at(place: &str, here: &str, is_anywhere: bool) -> bool {
    match place {
        "*" => is_anywhere,
        _ => here.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
    }
}

/// The single words of other programs that mean something in a place.
pub fn words_of(table: &'static [Entry], path: &[&str]) -> impl Iterator<Item = &'static str> + use<> {
    let here = path.join(" ");
    let is_anywhere = !path.is_empty();
    let places = table.iter().filter(move |(place, _, _)| *place == here || is_anywhere && *place == "*");
    places.flat_map(|(_, theirs, _)| theirs.split(", ")).filter(|theirs| !theirs.contains(' '))
}
