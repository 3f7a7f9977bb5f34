//! Sets of results that people ask for: `HighRisk,flagged`.

use std::str::FromStr;

use crate::model::people::{RESULTS, is_flagged};
use crate::model::text::nearest;

/// What stands for every result that needs action.
const FLAGGED: &str = "flagged";

/// A result, or all flagged ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultWord(String);

impl FromStr for ResultWord {
    type Err = String;

    /// Reads a word. One that is nearly a word of the specification is refused: a gate that looks for `HighRsik` would let
    /// everybody through. Another word may be one that the specification does not list yet.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Err("a result is made of letters; commas separate several".to_owned());
        }
        let known = RESULTS.iter().copied().chain([FLAGGED]);
        let is_known = known.clone().any(|word| word.eq_ignore_ascii_case(text));
        match nearest(text, known).filter(|_| !is_known) {
            Some(near) => Err(format!("no result is called so; did you mean {near}?")),
            None => Ok(Self(text.to_owned())),
        }
    }
}

impl ResultWord {
    fn means(&self, result: &str) -> bool {
        if self.0.eq_ignore_ascii_case(FLAGGED) { is_flagged(result) } else { self.0.eq_ignore_ascii_case(result) }
    }
}

/// Whether one of the words means this result. No result is none of them.
pub fn has(words: &[ResultWord], result: Option<&str>) -> bool {
    result.is_some_and(|result| words.iter().any(|word| word.means(result)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_nearly_a_result_is_refused() {
        let read = |text: &str| text.parse::<ResultWord>();
        assert!(
            read("HighRisk").is_ok()
                && read("highrisk").is_ok()
                && read("FLAGGED").is_ok()
                && read("Radioactive").is_ok()
        );
        assert!(read("HighRsik").is_err() && read("Emergeny").is_err() && read("flaged").is_err());
        for separated in
            ["HighRisk;Emergency", "HighRisk|Emergency", "HighRisk/Emergency", "HighRisk Emergency", "", "*"]
        {
            assert!(read(separated).is_err(), "{separated}");
        }
    }

    #[test]
    fn flagged_means_all_that_need_action_and_no_result_means_nothing() {
        let words = ["flagged".parse().expect("a word"), "Incomplete".parse().expect("a word")];
        assert!(has(&words, Some("Emergency")) && has(&words, Some("incomplete")) && has(&words, Some("Unheard")));
        assert!(!has(&words, Some("Completed")) && !has(&words, None));
    }
}
