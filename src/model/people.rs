//! Test takers and results (specification, Test taker creation record and Result).

use std::fmt;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::results::is_finished;
use super::text::{Email, Filter, PersonName, ReferenceId};
use super::time::instant;
use super::verdict::Failure;

/// The int32 in the paths of update, delete and test-link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(pub i32);

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for EntryId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// A read record: a test taker or a result, in either documented shape. The older one has no `id`, and `status` in place of
/// `result`. Whatever is absent is not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TestTaker {
    pub id: Option<i32>,
    #[serde(deserialize_with = "word")]
    pub email: Option<String>,
    #[serde(deserialize_with = "word")]
    pub reference_id: Option<String>,
    #[serde(deserialize_with = "word")]
    pub first_name: Option<String>,
    #[serde(deserialize_with = "word")]
    pub last_name: Option<String>,
    #[serde(deserialize_with = "word")]
    pub full_name: Option<String>,
    pub year_of_birth: Option<i32>,
    #[serde(deserialize_with = "word")]
    pub result: Option<String>,
    #[serde(deserialize_with = "word")]
    pub status: Option<String>,
    #[serde(deserialize_with = "time")]
    pub date_completed: Option<String>,
}

impl TestTaker {
    /// The number of this person in paths. That a read record's `id` is that number is our assumption.
    pub fn entry_id(&self) -> Option<EntryId> {
        self.id.map(EntryId)
    }

    /// The latest result, in whichever shape; `None` is no result. A completed assessment has one, which is not known where no
    /// field shows it.
    pub fn outcome(&self) -> Option<&str> {
        let shown = self.result.as_deref().or(self.status.as_deref());
        shown.or(self.date_completed.as_ref().map(|_| "Unknown"))
    }

    /// Whether another record of the same person shows the same result, of the same second; also where this one shows none. No
    /// other record agrees with any but a finished result.
    pub fn agrees(&self, other: Option<&Self>) -> bool {
        let shown = |one: &Self| (one.outcome().map(str::to_lowercase), one.completed().map(Timestamp::as_second));
        let Some(result) = self.outcome() else { return true };
        other.map_or(!is_finished(result), |other| shown(self) == shown(other))
    }

    /// When the latest assessment was completed; `None` where none was, or where the time cannot be read.
    pub fn completed(&self) -> Option<Timestamp> {
        super::time::of_service(self.date_completed.as_deref()?)
    }
}

/// Reads a time; .NET writes none as the first day of the year 1.
fn time<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    Ok(word(value)?.filter(|time| !time.starts_with("0001-01-01")))
}

/// Reads a text; a blank one is none, and what is no text is kept as its JSON (a status that is a number is a word).
pub(super) fn word<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    Ok(match serde_json::Value::deserialize(value)? {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text).filter(|text| !text.trim().is_empty()),
        other => Some(other.to_string()),
    })
}

/// What POST testtakers answers. Only the two ids are needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Enrolment {
    pub id: uuid::Uuid,
    pub project_entry_id: EntryId,
}

/// Body of POST testtakers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewTestTaker {
    pub email: Email,
    pub first_name: Option<PersonName>,
    pub last_name: Option<PersonName>,
    pub birth_year: Option<i32>,
    pub reference_id: Option<ReferenceId>,
}

/// Body of PATCH testtakers: all three, always, because what omitted ones do is not shown. `None` clears (our assumption).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateTestTaker {
    pub reference_id: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}

/// The direction of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "verbatim")]
pub enum Order {
    #[default]
    Asc,
    Desc,
}

/// What test takers are sorted by (specification, Test takers).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "verbatim")]
pub enum TestTakerOrder {
    Priority,
    Performance,
    #[default]
    FullName,
    LastTestSent,
}

/// What results are sorted by; `Risk` is of the older variant (specification, Results).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[value(rename_all = "verbatim")]
pub enum ResultOrder {
    Priority,
    Performance,
    #[default]
    FullName,
    LastTestSent,
    Risk,
}

/// The filters that the lists of test takers and of results share: the options, and their names on the wire.
#[derive(Clone, Debug, Default, Args, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PeopleFilters {
    /// Part of reference id, name or e-mail
    #[arg(long, value_name = "TEXT", alias = "search", allow_hyphen_values = true)]
    pub filter: Option<Filter>,
    /// Only people who completed a test
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub completed_only: bool,
    /// With a reference id (true) or without
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    pub has_reference_id: Option<bool>,
    /// A test was sent to them (true) or not
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    pub has_last_test_sent: Option<bool>,
    /// Last test sent at this time or later
    #[arg(long = "last-test-sent-from", value_name = "TIME", value_parser = instant)]
    pub last_test_sent_from_utc: Option<Timestamp>,
    /// Last test sent at this time or earlier
    #[arg(long = "last-test-sent-to", value_name = "TIME", value_parser = instant)]
    pub last_test_sent_to_utc: Option<Timestamp>,
}

impl PeopleFilters {
    /// People with this text in their reference id, full name or e-mail; of a long one, with its beginning.
    pub fn search(text: &str) -> Self {
        Self { filter: text.chars().take(500).collect::<String>().parse().ok(), ..Self::default() }
    }

    /// Refuses bounds that nobody can be between.
    pub fn check(&self) -> Result<(), Failure> {
        match (self.last_test_sent_from_utc, self.last_test_sent_to_utc) {
            (Some(from), Some(to)) if from > to => {
                Err(Failure::usage("--last-test-sent-from is later than --last-test-sent-to"))
            }
            _ => Ok(()),
        }
    }
}

/// Query of the list of test takers.
#[derive(Clone, Debug, Default, Args, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestTakerQuery {
    #[command(flatten)]
    #[serde(flatten)]
    pub filters: PeopleFilters,
    /// Sort direction
    #[arg(long, ignore_case = true, value_name = "Asc|Desc", value_enum, default_value_t, hide_possible_values = true)]
    pub order: Order,
    /// Exactly this reference id
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub reference_id: Option<Filter>,
    /// Sort by this field
    #[arg(long, ignore_case = true, value_name = "FIELD", value_enum, default_value_t, hide_possible_values = true)]
    #[arg(aliases = ["sort", "sort-by"])]
    pub order_by: TestTakerOrder,
}

/// Query of the list of results.
#[derive(Clone, Debug, Default, Args, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultQuery {
    #[command(flatten)]
    #[serde(flatten)]
    pub filters: PeopleFilters,
    /// Sort direction
    #[arg(long, ignore_case = true, value_name = "Asc|Desc", value_enum, default_value_t, hide_possible_values = true)]
    pub order: Order,
    /// Sort by this field
    #[arg(long, ignore_case = true, value_name = "FIELD", value_enum, default_value_t, hide_possible_values = true)]
    #[arg(aliases = ["sort", "sort-by"])]
    pub order_by: ResultOrder,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_of_a_result_are_one_record() {
        let current: TestTaker =
            serde_json::from_str(r#"{"id":7,"email":"a@b.c","result":"HighRisk","status":3,"new":[1]}"#).expect("read");
        assert_eq!((current.entry_id(), current.outcome()), (Some(EntryId(7)), Some("HighRisk")));
        let older =
            r#"{"referenceId":null,"email":"a@b.c","firstName":"","fullName":"A","status":5,"dateCompleted":""}"#;
        let older: TestTaker = serde_json::from_str(older).expect("read");
        assert_eq!((older.id, older.outcome()), (None, Some("5")));
        assert_eq!((&older.date_completed, &older.first_name), (&None, &None));
        let other: TestTaker =
            serde_json::from_str(r#"{"testStatus":"HighRisk","dateCompleted":"then"}"#).expect("read");
        assert_eq!((other.outcome(), TestTaker::default().outcome()), (Some("Unknown"), None));
    }

    #[test]
    fn a_query_sends_the_names_of_the_specification() {
        let query = TestTakerQuery {
            filters: PeopleFilters {
                last_test_sent_from_utc: "2026-01-01T00:00:00Z".parse().ok(),
                ..PeopleFilters::default()
            },
            ..TestTakerQuery::default()
        };
        let sent = serde_json::to_value(&query).expect("JSON");
        assert_eq!(sent["lastTestSentFromUtc"], "2026-01-01T00:00:00Z");
        assert_eq!((&sent["order"], &sent["orderBy"]), (&"Asc".into(), &"FullName".into()));
    }
}
