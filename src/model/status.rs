//! The words for how an assessment and an identity check stand (specification, values of `result` and `identityStatus`).

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Latest assessment status (specification, values of `result`).
#[derive(Clone, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "verbatim")]
pub enum TestStatus {
    /// On the way.
    Started,
    /// Done and not flagged.
    Completed,
    /// Technical.
    CouldNotCompleteConnectionIssues,
    /// Technical.
    CouldNotCompleteNpServerIssues,
    /// Technical.
    CouldNotCompleteTimedOut,
    /// Technical.
    CouldNotCompleteUnsupportedDevice,
    /// A risk showed up; up to two more attempts decide.
    Confirming,
    /// Performance indicates impairment.
    HighRisk,
    /// On the way.
    InProgress,
    /// On the way.
    NotStarted,
    /// A risk showed up and the retry was not done in time.
    Incomplete,
    /// Flagged or escalated by people or rules.
    Fatigued,
    /// Flagged or escalated by people or rules.
    Distressed,
    /// Flagged or escalated by people or rules.
    ReasonableCause,
    /// Flagged or escalated by people or rules.
    Escalated,
    /// Flagged or escalated by people or rules.
    Emergency,
    /// A value that the specification does not list.
    #[value(skip)]
    #[serde(untagged)]
    Unlisted(String),
}

impl TestStatus {
    /// The listed result that a word means, in any case; `None` for a word that the specification does not list.
    pub fn listed(word: &str) -> Option<Self> {
        Self::from_str(word, true).ok()
    }

    /// The word of the wire.
    pub const fn word(&self) -> &str {
        match self {
            Self::Started => "Started",
            Self::Completed => "Completed",
            Self::CouldNotCompleteConnectionIssues => "CouldNotCompleteConnectionIssues",
            Self::CouldNotCompleteNpServerIssues => "CouldNotCompleteNpServerIssues",
            Self::CouldNotCompleteTimedOut => "CouldNotCompleteTimedOut",
            Self::CouldNotCompleteUnsupportedDevice => "CouldNotCompleteUnsupportedDevice",
            Self::Confirming => "Confirming",
            Self::HighRisk => "HighRisk",
            Self::InProgress => "InProgress",
            Self::NotStarted => "NotStarted",
            Self::Incomplete => "Incomplete",
            Self::Fatigued => "Fatigued",
            Self::Distressed => "Distressed",
            Self::ReasonableCause => "ReasonableCause",
            Self::Escalated => "Escalated",
            Self::Emergency => "Emergency",
            Self::Unlisted(word) => word.as_str(),
        }
    }
}

/// The word for all results that the specification does not list.
pub const UNLISTED: &str = "unlisted";

/// The results that people or rules flagged (our reading of the names): each needs action. A risk that is still being
/// confirmed and technical trouble are not among them.
pub const FLAGGED: &[TestStatus; 6] = &[
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

/// Status of the latest identity verification; an empty string on the wire when none was attempted.
#[derive(Clone, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "verbatim")]
pub enum IdentityStatus {
    /// Verified, digitally or by hand.
    Verified,
    /// Under way.
    VerificationPending,
    /// Failed or declined.
    NotVerified,
    /// Not asked for.
    VerificationOff,
    /// Not shown beyond its name.
    Compromised,
    /// A value that the specification does not list, the empty string included.
    #[value(skip)]
    #[serde(untagged)]
    Unlisted(String),
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
    }

    #[test]
    fn each_status_is_written_as_its_word() {
        for status in TestStatus::value_variants() {
            assert_eq!(serde_json::to_value(status).expect("a text"), status.word());
        }
        assert!(FLAGGED.iter().map(TestStatus::word).eq(FLAGGED_WORDS));
    }
}
