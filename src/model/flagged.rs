//! Which results are flagged: those that need action.

use super::test_status::TestStatus;

/// The word for all results that the specification does not list.
pub const UNLISTED: &str = "unlisted";

/// The results that people or rules flagged (our reading of the names): each needs action. A risk that is still being
/// confirmed and technical trouble are not among them.
const FLAGGED: &[TestStatus; 6] = &[
    TestStatus::HighRisk,
    TestStatus::Fatigued,
    TestStatus::Distressed,
    TestStatus::ReasonableCause,
    TestStatus::Escalated,
    TestStatus::Emergency,
];

/// [`FLAGGED`] as words of the wire.
pub const FLAGGED_WORDS: [&str; FLAGGED.len()] = {
    let mut words = [""; FLAGGED.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = FLAGGED[index].word();
        index += 1;
    }
    words
};

/// Whether a result counts as flagged where none are named: one of [`FLAGGED`] in any case, or one that is not listed,
/// because what is not known is not called safe.
pub fn is_flagged(word: &str) -> bool {
    TestStatus::listed(word).is_none_or(|status| FLAGGED.contains(&status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flagged_result_counts_in_any_case_and_so_does_an_unlisted_one() {
        for word in ["HighRisk", "highrisk", "FATIGUED", "SeverelyImpaired"] {
            assert!(is_flagged(word), "{word}");
        }
        for word in ["Completed", "completed", "Confirming", "NotStarted", "CouldNotCompleteTimedOut"] {
            assert!(!is_flagged(word), "{word}");
        }
        assert!(FLAGGED.iter().map(TestStatus::word).eq(FLAGGED_WORDS));
    }
}
