//! "Did you mean": the known word that a mistyped one was probably meant to be.

/// The word of `known` that is nearest to `word` ignoring case, `-`, `_` and spaces; `None` where nothing is near
/// enough to be worth a suggestion: at most a third of the longer word's letters may differ, unless three letters or
/// more are its beginning.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = folded(word);
    let near = known.into_iter().filter_map(|candidate| {
        let other = folded(candidate);
        let letters = word.chars().count().max(other.chars().count());
        let apart = strsim::damerau_levenshtein(&word, &other);
        let begins = other.starts_with(&word) && word.chars().count() >= 3;
        (begins || apart * 3 <= letters).then_some((apart, candidate))
    });
    near.min_by_key(|(apart, _)| *apart).map(|(_, candidate)| candidate)
}

/// The words of `known` that hold `word` ignoring case, `-`, `_` and spaces: `name` for `fullName`. None for a word of less
/// than three letters.
pub fn holding<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let word = folded(word);
    if word.chars().count() < 3 {
        return Vec::new();
    }
    known.into_iter().filter(|candidate| folded(candidate).contains(&word)).collect()
}

fn folded(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
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
