//! Words of other programs: what one can mean here, and where.

/// What a foreign word means here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ours {
    /// The same as these words of ours, where the command has them: it changes nothing, so it is done.
    Is(&'static [&'static str]),
    /// Something else is to be typed. An option that the sentence begins with has to be one of the command.
    Say(&'static str),
}

/// A foreign word with the place where it means this: the words of a command, `*` for any, nothing for the program.
pub type Entry = (&'static str, &'static str, Ours);

/// The first of a table's entries for a word in a place that `fits`.
pub fn entry(table: &'static [Entry], path: &[&str], word: &str, fits: impl Fn(Ours) -> bool) -> Option<Ours> {
    let here = path.join(" ");
    let of = |place: &str| {
        place == here
            || (place == "*" && (word.starts_with('-') || !path.is_empty()))
            || here.starts_with(&format!("{place} "))
    };
    // What is said of one place counts more than what is said of all.
    let (mut own, mut any) = (None, None);
    for (place, theirs, ours) in table {
        if *theirs == word && of(place) && fits(*ours) {
            let slot = if *place == "*" { &mut any } else { &mut own };
            slot.get_or_insert(*ours);
        }
    }
    own.or(any)
}
