//! What lists hold: records that tell which one they are, how old they are, and how one is looked up.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::error::Error;
use super::record_decode;
use super::record_key::RecordKey;
use super::success_body::SuccessBody;
use crate::model::field_rules::FILTER_MAX;
use crate::model::projects::Project;
use crate::model::testtakers::TestTaker;
use crate::model::time::parse_service_time;

/// The JSON text of a record, unknown properties included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentJson(Box<str>);

impl SentJson {
    /// The text.
    pub fn get(&self) -> &str {
        &self.0
    }
}

/// A record as the service sent it, beside our reading of it.
#[derive(Clone, Debug)]
pub struct Read<T> {
    /// What we understood.
    pub record: T,
    /// Its text.
    pub sent: SentJson,
}

impl<T: DeserializeOwned> Read<T> {
    /// Reads an answer that is one record.
    pub(super) fn of(answer: &SuccessBody) -> Result<Self, Error> {
        Self::parse(answer, answer.read::<Box<RawValue>>()?.get())
    }

    /// Reads one record of an answer.
    pub(super) fn parse(answer: &SuccessBody, sent: &str) -> Result<Self, Error> {
        let (record, sent) = record_decode::record(sent).map_err(|why| answer.foreign(&why))?;
        Ok(Self { record, sent: SentJson(sent.into()) })
    }

    /// Reads the text of a record that was read before.
    pub fn again(sent: &str) -> Option<Self> {
        Some(Self { record: serde_json::from_str(sent).ok()?, sent: SentJson(sent.into()) })
    }
}

/// A parameter of a list's query.
pub type Parameter = (&'static str, String);

/// A record that lists hold.
pub trait Listed: DeserializeOwned {
    /// Whether two records with one key are the same one. Where they may be two, those of one page are.
    const KEY_IS_UNIQUE: bool = true;

    /// The key by which a record is kept apart, and a verified list sorted.
    fn key(&self) -> RecordKey;

    /// What grows with time: the id (our reading), or a creation time. `None` where the record has neither.
    fn age(&self) -> Option<i64>;

    /// The query that shows whether this record is still there; `None` where no query asks for one record.
    fn look_up(&self) -> Option<Parameter>;

    /// Looks at an answer's records before they are read: whether they have another shape altogether.
    fn look_before(_sent: &str) -> Result<(), Error> {
        Ok(())
    }
}

/// A search for a text. A longer one than can be searched for is found by its beginning.
pub(super) fn search(text: Option<&String>) -> Option<Parameter> {
    let start: String = text?.chars().take(FILTER_MAX).collect();
    (!start.trim().is_empty()).then_some(("filter", start))
}

/// The records of an answer, after a look at what shape they have.
pub(super) fn parsed<T: Listed>(answer: &SuccessBody) -> Result<Vec<Read<T>>, Error> {
    if let Some(first) = answer.records().next() {
        T::look_before(first)?;
    }
    let mut records = Vec::with_capacity(answer.len());
    for sent in answer.records() {
        records.push(Read::parse(answer, sent)?);
    }
    Ok(records)
}

/// The records of one page with their keys.
pub(super) fn keyed<T: Listed>(records: Vec<Read<T>>) -> impl Iterator<Item = (RecordKey, Read<T>)> {
    let mut met: HashMap<String, u32> = HashMap::new();
    records.into_iter().map(move |read| {
        let key = match read.record.key() {
            RecordKey::Text(text) if !T::KEY_IS_UNIQUE => {
                let before = met.entry(text.clone()).or_default();
                *before += 1;
                RecordKey::Text(format!("{text}\0{before}"))
            }
            key => key,
        };
        (key, read)
    })
}

impl Listed for Project {
    fn key(&self) -> RecordKey {
        RecordKey::Text(self.id.to_string())
    }
    fn age(&self) -> Option<i64> {
        let created = self.date_created.as_deref().and_then(parse_service_time)?;
        Some(created.as_microsecond())
    }
    fn look_up(&self) -> Option<Parameter> {
        search(self.name.as_ref())
    }
}

impl Listed for TestTaker {
    fn key(&self) -> RecordKey {
        RecordKey::Number(self.id.into())
    }
    fn age(&self) -> Option<i64> {
        Some(self.id.into())
    }
    fn look_up(&self) -> Option<Parameter> {
        let exactly = self.reference_id.clone().filter(|id| !id.is_empty()).map(|id| ("referenceId", id));
        exactly.or_else(|| search(self.email.as_ref()))
    }
}

/// A redirect URI.
impl Listed for String {
    fn key(&self) -> RecordKey {
        RecordKey::Text(self.clone())
    }
    fn age(&self) -> Option<i64> {
        None
    }
    fn look_up(&self) -> Option<Parameter> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::results::LegacyResult;

    fn page<T: Listed>(records: &[&str]) -> Vec<RecordKey> {
        let reads = records.iter().map(|json| Read::again(json).expect("a record")).collect();
        keyed::<T>(reads).map(|(key, _)| key).collect()
    }

    #[test]
    fn rows_of_one_page_are_different_people_in_the_older_shape_although_their_keys_are_alike() {
        let family = r#"{"email": "family@example.com", "fullName": "A", "status": "Normal"}"#;
        let keys = page::<LegacyResult>(&[family, family, r#"{"email": "x@example.com"}"#]);
        assert!(keys[0] != keys[1] && keys[1] != keys[2], "{keys:?}");
        assert_eq!(keys[..1], page::<LegacyResult>(&[family])[..], "the same person on another page");
        let twice = page::<String>(&["\"https://a\"", "\"https://a\""]);
        assert_eq!(twice[0], twice[1], "a redirect URI is its text");
    }
}
