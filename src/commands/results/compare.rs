//! How two states of a list of results are compared: what tells people apart, which fields count, what is one instant.

use anyhow::Context as _;
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::commands::results::columns::columns;
use crate::journal::told_results::{ComparedResult, Key};
use crate::model::results::{ResultsApi, text_of};
use crate::model::test_status::TestStatus;
use crate::model::time::parse_service_time;

/// The field with the completion's time.
const COMPLETED: &str = "dateCompleted";
/// The fields that are times: another form of the same instant is no change.
const TIMES: [&str; 2] = [COMPLETED, "lastTestSentUtc"];
/// What tells those apart who share reference id and e-mail, where records have no id.
const NAMES: [&str; 3] = ["firstName", "lastName", "fullName"];

/// How records of one shape are compared.
#[derive(Clone, Debug)]
pub struct Compared {
    shape: ResultsApi,
    /// The fields beside key and result that both sides have.
    fields: Vec<&'static str>,
}

impl Compared {
    /// By everything that the shape has.
    pub fn new(shape: ResultsApi) -> Self {
        let mut compared = Self { shape, fields: columns(shape).names().to_vec() };
        let (key, result) = compared.key_and_result();
        compared.fields.retain(|field| *field != result && !key.contains(field));
        compared
    }

    /// The word of the shape.
    pub fn shape(&self) -> &'static str {
        match self.shape {
            ResultsApi::Current => "current",
            ResultsApi::Legacy => "legacy",
        }
    }

    /// The fields that tell one record from another, and the field that has its result.
    pub fn key_and_result(&self) -> (&'static [&'static str], &'static str) {
        match self.shape {
            ResultsApi::Current => (&["id"], "result"),
            ResultsApi::Legacy => (&["referenceId", "email"], "status"),
        }
    }

    /// Leaves out the fields that the other side does not have.
    pub fn only(&mut self, has: impl Fn(&str) -> bool) {
        self.fields.retain(|field| has(field));
    }

    /// Place of the completion's time among the fields.
    pub fn date(&self) -> Option<usize> {
        self.fields.iter().position(|field| *field == COMPLETED)
    }

    /// Places of the fields that say who a person is, where entries have ids: a service may give an id to another person.
    pub fn people(&self) -> Vec<usize> {
        let places = ["email", "referenceId"].map(|name| self.fields.iter().position(|field| *field == name));
        places.into_iter().collect::<Option<Vec<usize>>>().unwrap_or_default()
    }

    /// Names of what has changed: the result first, then fields by their places.
    pub fn names(&self, result: bool, places: &[usize]) -> Vec<&'static str> {
        let (_, name) = self.key_and_result();
        result.then_some(name).into_iter().chain(places.iter().map(|place| self.fields[*place])).collect()
    }

    /// Takes a record apart. `watched` tells of a result's word whether it is one to alert about.
    pub fn line<T>(
        &self,
        record: &Map<String, Value>,
        shown: &str,
        watched: impl FnOnce(&str) -> bool,
        take: impl FnOnce(ComparedResult<'_>) -> T,
    ) -> anyhow::Result<T> {
        let (key, result) = self.key_and_result();
        let fields: Vec<String> = self.fields.iter().map(|field| comparable(record, field)).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let keys: Vec<String> = key.iter().map(|field| text(record, field)).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let names = NAMES.map(|field| text(record, field)).join("\n");
        let key = match self.shape {
            ResultsApi::Current => Key::Id(keys[0].parse().context("a record has no id that is a number")?),
            ResultsApi::Legacy => Key::Texts(&keys, &names),
        };
        let result = result_word(record, result);
        let completed = parse_service_time(&text(record, COMPLETED));
        Ok(take(ComparedResult { key, result: &result, fields: &fields, completed, watched: watched(&result), shown }))
    }
}

/// The entry id of a record.
pub fn id(record: &Map<String, Value>) -> Option<i64> {
    record.get("id").and_then(|id| id.as_i64().or_else(|| id.as_str()?.parse().ok()))
}

/// A result's word, in the specification's spelling where it is listed in another case.
pub fn result_word(record: &Map<String, Value>, field: &str) -> String {
    let word = text(record, field);
    TestStatus::listed(&word).map_or(word, |listed: TestStatus| listed.word().to_owned())
}

/// A field as it is compared: a time as its instant, whatever its form.
fn comparable(record: &Map<String, Value>, field: &str) -> String {
    let text = text(record, field);
    let instant = TIMES.contains(&field).then(|| parse_service_time(&text)).flatten();
    instant.map_or(text, |time: Timestamp| time.to_string())
}

/// A value as text, the same whether it comes from JSON or from a cell of a CSV: null is empty.
pub fn text(record: &Map<String, Value>, field: &str) -> String {
    record.get(field).and_then(text_of).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(json: &str) -> Map<String, Value> {
        serde_json::from_str(json).expect("an object")
    }

    #[test]
    fn json_and_csv_have_the_same_texts() {
        let record = record(r#"{"a":null,"b":"","c":7,"d":"7","e":true,"f":" x "}"#);
        let texts: Vec<String> = ["a", "b", "c", "d", "e", "f", "none"].map(|field| text(&record, field)).into();
        assert_eq!(texts, ["", "", "7", "7", "true", " x ", ""]);
    }

    #[test]
    fn an_instant_is_the_same_in_every_form() {
        let of = |text: &str| {
            let json = serde_json::json!({"dateCompleted": text, "fullName": text}).to_string();
            (comparable(&record(&json), "dateCompleted"), comparable(&record(&json), "fullName"))
        };
        let (plain, name) = of("2026-03-01T06:00:00Z");
        for other in ["2026-03-01T06:00:00.0000000Z", "2026-03-01T06:00:00", "2026-03-01T07:00:00+01:00"] {
            assert_eq!(of(other).0, plain, "{other}");
            assert_ne!(of(other).1, name, "a name is no time");
        }
        assert_ne!(of("2026-03-01T06:00:01Z").0, plain);
        assert_eq!(of("some day").0, "some day");
    }

    #[test]
    fn the_fields_stand_in_the_order_in_which_they_are_remembered() {
        let names = |shape| Compared::new(shape).fields.join(" ");
        let current =
            "email referenceId firstName lastName fullName yearOfBirth dateCompleted lastTestSentUtc topPerformer";
        assert_eq!(names(ResultsApi::Current), current, "a change would look like one of every person");
        assert_eq!(names(ResultsApi::Legacy), "firstName lastName fullName dateCompleted");
    }

    #[test]
    fn a_result_is_the_same_in_any_case() {
        assert_eq!(result_word(&record(r#"{"result":"highRisk"}"#), "result"), "HighRisk");
        assert_eq!(result_word(&record(r#"{"result":"Critical"}"#), "result"), "Critical");
    }
}
