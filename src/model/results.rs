//! Results: the latest assessment of test takers, in both documented shapes (specification, Result, Results).

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::testtakers::TestTaker;

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
    /// The word of the wire.
    pub fn word(&self) -> &str {
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
            Self::Unlisted(word) => word,
        }
    }
}

/// What both documented shapes of a result tell, so that one rule can judge them.
pub trait Finding {
    /// The latest status in the service's own word; `None` where no test was started.
    fn status(&self) -> Option<&str>;

    /// When the latest assessment was completed, as the service wrote it.
    fn completed(&self) -> Option<&str>;

    /// When the latest invitation was sent, as the service wrote it; the older shape does not tell.
    fn invited(&self) -> Option<&str>;
}

/// The values of `result` and `status` that people or rules flagged: somebody must act (our reading of the names).
pub const FLAGGED: [&str; 6] = ["HighRisk", "Fatigued", "Distressed", "ReasonableCause", "Escalated", "Emergency"];

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

/// The single result read by reference id: the list's record and what is known of the identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TestResult {
    /// The fields of the list.
    #[serde(flatten)]
    pub test_taker: TestTaker,
    /// `Some(true)`: verified; `Some(false)`: failed or declined; `None`: never attempted.
    #[serde(default)]
    pub identity_verified: Option<bool>,
    /// Status of the latest attempt; empty when never attempted.
    #[serde(default)]
    pub identity_status: Option<IdentityStatus>,
}

/// A result in the older documented shape, which has no id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LegacyResult {
    /// The caller's identifier.
    #[serde(default)]
    pub reference_id: Option<String>,
    /// E-mail address.
    #[serde(default)]
    pub email: Option<String>,
    /// First name.
    #[serde(default)]
    pub first_name: Option<String>,
    /// Last name.
    #[serde(default)]
    pub last_name: Option<String>,
    /// First and last name combined.
    #[serde(default)]
    pub full_name: Option<String>,
    /// "Any value": not shown what it holds.
    #[serde(default)]
    pub status: serde_json::Value,
    /// When the latest assessment was completed.
    #[serde(default)]
    pub date_completed: Option<String>,
}

impl Finding for TestTaker {
    fn status(&self) -> Option<&str> {
        self.result.as_ref().map(TestStatus::word)
    }
    fn completed(&self) -> Option<&str> {
        self.date_completed.as_deref()
    }
    fn invited(&self) -> Option<&str> {
        self.last_test_sent_utc.as_deref()
    }
}

impl Finding for LegacyResult {
    /// "Any value" may stand there: what is no text is no word.
    fn status(&self) -> Option<&str> {
        self.status.as_str().filter(|word| !word.is_empty())
    }
    fn completed(&self) -> Option<&str> {
        self.date_completed.as_deref()
    }
    fn invited(&self) -> Option<&str> {
        None
    }
}

/// Which of the two documented shapes the results endpoints have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultsApi {
    /// Priority ordering, records with `id` and `result`.
    #[default]
    Current,
    /// Risk ordering, records with `status`.
    Legacy,
}

/// Sort field of the older results list; the service's default is `Risk`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "verbatim")]
pub enum LegacyOrderBy {
    /// By risk.
    Risk,
    /// By performance.
    Performance,
    /// By full name.
    FullName,
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
