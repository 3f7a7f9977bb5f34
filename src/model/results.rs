//! Results: the latest assessment of test takers, in both documented shapes (specification, Result, Results).

use clap::ValueEnum;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::test_status::{IdentityStatus, TestStatus};
use super::testtakers::TestTaker;
use super::time::none_if_blank;

/// What both documented shapes of a result have in common, so that one rule can judge them.
pub trait Finding {
    /// The latest status in the service's own word; `None` where no test was started.
    fn status(&self) -> Option<&str>;

    /// When the latest assessment was completed, as the service wrote it; an empty text is none.
    fn completed(&self) -> Option<&str>;

    /// When the latest invitation was sent, as the service wrote it; the older shape does not have it.
    fn invited(&self) -> Option<&str>;
}

/// The single result read by reference id: the list's record and what is known of the identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TestResult {
    /// The fields of the list.
    #[serde(flatten)]
    pub test_taker: TestTaker,
    /// `Some(true)`: verified; `Some(false)`: failed or declined; `None`: never attempted.
    pub identity_verified: Option<bool>,
    /// Status of the latest attempt; empty when never attempted.
    pub identity_status: Option<IdentityStatus>,
}

/// A result in the older documented shape, which has no id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LegacyResult {
    /// The caller's identifier.
    pub reference_id: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    /// First and last name combined.
    pub full_name: Option<String>,
    /// "Any value", as text: not shown what it holds. What is no text is a word that the specification does not list.
    #[serde(default, deserialize_with = "of_any_value")]
    pub status: Option<String>,
    /// When the latest assessment was completed.
    #[serde(default, deserialize_with = "none_if_blank")]
    pub date_completed: Option<String>,
}

impl Finding for TestTaker {
    fn status(&self) -> Option<&str> {
        self.result.as_ref().map(TestStatus::word).filter(|word| !word.is_empty())
    }
    fn completed(&self) -> Option<&str> {
        self.date_completed.as_deref().filter(|date| !date.is_empty())
    }
    fn invited(&self) -> Option<&str> {
        self.last_test_sent_utc.as_deref()
    }
}

impl Finding for LegacyResult {
    fn status(&self) -> Option<&str> {
        self.status.as_deref().filter(|word| !word.is_empty())
    }
    fn completed(&self) -> Option<&str> {
        self.date_completed.as_deref().filter(|date| !date.is_empty())
    }
    fn invited(&self) -> Option<&str> {
        None
    }
}

fn of_any_value<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    Value::deserialize(value).map(|value| text_of(&value))
}

/// A value of any kind as text: a text is itself, anything else its JSON. `None` for null.
pub fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
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
    fn an_empty_date_is_no_date_in_either_shape() {
        let json = r#"{"id":1,"dateCompleted":"","lastTestSentUtc":""}"#;
        let current: TestTaker = serde_json::from_str(json).expect("read");
        let legacy: LegacyResult = serde_json::from_str(json).expect("read");
        assert_eq!((current.completed(), current.invited(), legacy.completed()), (None, None, None));
    }

    #[test]
    fn an_older_status_that_is_no_text_is_a_word_and_only_null_and_nothing_are_none() {
        for (json, status) in [
            (r#"{"status":7}"#, Some("7")),
            (r#"{"status":0}"#, Some("0")),
            (r#"{"status":false}"#, Some("false")),
            (r#"{"status":["HighRisk"]}"#, Some(r#"["HighRisk"]"#)),
            (r#"{"status":{"value":"HighRisk"}}"#, Some(r#"{"value":"HighRisk"}"#)),
            (r#"{"status":"HighRisk"}"#, Some("HighRisk")),
            (r#"{"status":null}"#, None),
            (r#"{"status":""}"#, None),
            ("{}", None),
        ] {
            let legacy: LegacyResult = serde_json::from_str(json).expect("read");
            assert_eq!(legacy.status(), status, "{json}");
        }
    }
}
