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
    fn each_status_is_written_as_its_word() {
        for status in TestStatus::value_variants() {
            assert_eq!(serde_json::to_value(status).expect("a text"), status.word());
        }
    }
}
