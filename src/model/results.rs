//! The words of a result, and what they mean: flagged, or finished.

/// The words of a result that the specification lists (TestCompletionStatusType).
pub const RESULTS: [&str; 16] = [
    "Started",
    "Completed",
    "CouldNotCompleteConnectionIssues",
    "CouldNotCompleteNpServerIssues",
    "CouldNotCompleteTimedOut",
    "CouldNotCompleteUnsupportedDevice",
    "Confirming",
    "HighRisk",
    "InProgress",
    "NotStarted",
    "Incomplete",
    "Fatigued",
    "Distressed",
    "ReasonableCause",
    "Escalated",
    "Emergency",
];

const FLAGGED: [&str; 6] = ["HighRisk", "Fatigued", "Distressed", "ReasonableCause", "Escalated", "Emergency"];

/// Whether a result needs action: one that means so, or one that is not listed. What is not known is not called safe.
pub fn is_flagged(result: &str) -> bool {
    let is = |known: &&str| known.eq_ignore_ascii_case(result);
    FLAGGED.iter().any(is) || !RESULTS.iter().any(is)
}

/// Whether a result says that an assessment was finished: completed, or flagged. The other words are of tests that are on
/// the way or broke off (our reading).
pub fn is_finished(result: &str) -> bool {
    result.eq_ignore_ascii_case("Completed") || is_flagged(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_not_listed_is_flagged() {
        assert!(is_flagged("HighRisk") && is_flagged("highrisk") && is_flagged("Radioactive"));
        assert!(!is_flagged("Completed") && !is_flagged("NotStarted") && !is_flagged("inprogress"));
        assert!(is_finished("Completed") && is_finished("Fatigued") && !is_finished("Confirming"));
    }
}
