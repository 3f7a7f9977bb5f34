//! "Did you mean": the known word that a mistyped one was probably meant to be.

/// The word of `known` that is nearest to `word` ignoring case, `-`, `_` and spaces; `None` where nothing is near
/// enough to be worth a suggestion: at most a third of the longer word's letters may differ, unless three letters or
/// more are its beginning.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = folded(word).collect();
    let mut other = Vec::new();
    let near = known.into_iter().filter_map(|candidate| {
        other.clear();
        other.extend(folded(candidate));
        let begins = other.starts_with(&word) && word.len() >= 3;
        let near_enough = |apart: usize| begins || apart * 3 <= word.len().max(other.len());
        // As many as one is longer differ in any case: most words need no closer look.
        let apart = near_enough(word.len().abs_diff(other.len())).then(|| distance(&word, &other))?;
        near_enough(apart).then_some((apart, candidate))
    });
    near.min_by_key(|(apart, _)| *apart).map(|(_, candidate)| candidate)
}

/// The words of `known` that hold `word` ignoring case, `-`, `_` and spaces: `name` for `fullName`. None for a word of less
/// than three letters.
pub fn holding<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let word: String = folded(word).collect();
    if word.chars().count() < 3 {
        return Vec::new();
    }
    known.into_iter().filter(|candidate| folded(candidate).collect::<String>().contains(&word)).collect()
}

/// How many letters are to be changed, added, left out or swapped with their neighbour to make one word of the other
/// (optimal string alignment).
fn distance(word: &[char], other: &[char]) -> usize {
    let [mut above, mut last, mut next] = [const { Vec::new() }; 3];
    last.extend(0..=other.len());
    let mut before = None;
    for (row, letter) in word.iter().enumerate() {
        next.push(row + 1);
        for (at, theirs) in other.iter().enumerate() {
            let changed = last[at] + usize::from(letter != theirs);
            let is_swapped = at > 0 && before == Some(theirs) && other[at - 1] == *letter;
            let swapped: usize = if is_swapped { above[at - 1] + 1 } else { usize::MAX };
            next.push(changed.min(swapped).min(last[at + 1] + 1).min(next[at] + 1));
        }
        before = Some(letter);
        std::mem::swap(&mut above, &mut last);
        std::mem::swap(&mut last, &mut next);
        next.clear();
    }
    last[other.len()]
}

/// A word without what tells one spelling of it from another: its small letters, without `-`, `_` and spaces.
pub fn folded(word: &str) -> impl Iterator<Item = char> {
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["referenceId", "email", "fullName", "base-url"];

    #[test]
    fn a_slip_of_the_hand_finds_its_word() {
        assert_eq!(nearest("refrenceId", KNOWN), Some("referenceId"));
        assert_eq!(nearest("reference_id", KNOWN), Some("referenceId"));
        assert_eq!(nearest("E-mail", KNOWN), Some("email"));
        assert_eq!(nearest("baseurl", KNOWN), Some("base-url"));
        assert_eq!(nearest("ref", KNOWN), Some("referenceId"));
    }

    #[test]
    fn letters_that_are_changed_added_left_out_or_swapped_are_counted() {
        for (word, other, letters) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("list", "lsit", 1),
            ("kitten", "sitting", 3),
            ("zoë", "zoe", 1),
            ("email", "emali", 1),
            ("abcd", "badc", 2),
        ] {
            let [one, two] = [word, other].map(|word| word.chars().collect::<Vec<char>>());
            assert_eq!((distance(&one, &two), distance(&two, &one)), (letters, letters), "{word} {other}");
        }
    }

    #[test]
    fn a_part_of_a_word_finds_those_that_hold_it() {
        assert_eq!(holding("Name", KNOWN), ["fullName"]);
        assert_eq!(holding("e", KNOWN), [""; 0]);
        assert_eq!(holding("department", KNOWN), [""; 0]);
    }

    #[test]
    fn a_foreign_word_suggests_nothing() {
        assert_eq!(nearest("department", KNOWN), None);
        assert_eq!(nearest("x", KNOWN), None);
        assert_eq!(nearest("email", []), None);
    }
}
