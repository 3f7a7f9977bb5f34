//! The operations on results, in both documented shapes (specification, Results).

use futures_util::future::join;
use serde::Deserialize as _;
use serde_json::value::RawValue;

use super::client::Client;
use super::error::Error;
use super::list_record::{Listed, Parameter, Read, SentJson, search};
use super::projects::word;
use super::read_list::Listing;
use super::record_key::RecordKey;
use super::send::Request;
use super::testtakers::{PeopleQuery, filter_pairs};
use super::url_path::Segment::{Project, Reference, Word};
use crate::model::list_query::{Order, PeopleFilters, ReferenceLookup};
use crate::model::projects::ProjectId;
use crate::model::results::{Finding, LegacyOrderBy, LegacyResult, ResultsApi, TestResult};
use crate::model::testtakers::TestTaker;

/// Query of the results list in the older shape.
#[derive(Clone, Debug)]
pub struct LegacyQuery {
    /// Sort field.
    pub order_by: LegacyOrderBy,
    /// Sort direction.
    pub order: Order,
    /// The shared filters.
    pub filters: PeopleFilters,
}

/// A result of the current shape: a test taker that is checked for the older shape first.
#[derive(Debug, serde::Deserialize)]
#[serde(transparent)]
pub struct CurrentResult(pub TestTaker);

impl Listed for CurrentResult {
    fn key(&self) -> RecordKey {
        self.0.key()
    }
    fn age(&self) -> Option<i64> {
        self.0.age()
    }
    /// The results list knows no `referenceId=`.
    fn look_up(&self) -> Option<Parameter> {
        search(self.0.reference_id.as_ref()).or_else(|| search(self.0.email.as_ref()))
    }
    fn look_before(sent: &str) -> Result<(), Error> {
        expect_shape(sent, ResultsApi::Current)
    }
}

impl Finding for CurrentResult {
    fn status(&self) -> Option<&str> {
        self.0.status()
    }
    fn completed(&self) -> Option<&str> {
        self.0.completed()
    }
    fn invited(&self) -> Option<&str> {
        self.0.invited()
    }
}

impl Listed for LegacyResult {
    /// A family may share all that names a person here.
    const KEY_IS_UNIQUE: bool = false;

    /// The older shape has no id: e-mail, reference id and name stand for it, which is weaker.
    fn key(&self) -> RecordKey {
        // None of them has a control character, so that two records can't share this text by accident.
        let parts = [&self.email, &self.reference_id, &self.full_name].map(|part| part.as_deref().unwrap_or_default());
        RecordKey::Text(parts.join("\0"))
    }
    fn age(&self) -> Option<i64> {
        None
    }
    fn look_up(&self) -> Option<Parameter> {
        search(self.reference_id.as_ref()).or_else(|| search(self.email.as_ref()))
    }
    fn look_before(sent: &str) -> Result<(), Error> {
        expect_shape(sent, ResultsApi::Legacy)
    }
}

/// The one result of a reference id.
#[derive(Debug)]
pub struct SingleResult {
    /// The record as it was sent.
    pub sent: SentJson,
    /// Whether it came out of the list, which has no identity fields: `.` and `..` can't stand in a path.
    pub from_list: bool,
}

/// The properties that tell the two shapes apart; null is a value.
#[derive(serde::Deserialize)]
struct Marks {
    #[serde(default, deserialize_with = "is_there")]
    id: bool,
    #[serde(default, deserialize_with = "is_there")]
    status: bool,
}

fn is_there<'de, D: serde::Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    serde::de::IgnoredAny::deserialize(value).map(|_| true)
}

/// Refuses a record of the other shape: the current one has `id`, the older one `status` and no `id`.
fn expect_shape(sent: &str, wanted: ResultsApi) -> Result<(), Error> {
    let Ok(marks) = serde_json::from_str::<Marks>(sent) else { return Ok(()) };
    let found = match (marks.id, marks.status) {
        (true, false) => ResultsApi::Current,
        (false, true) => ResultsApi::Legacy,
        _ => return Ok(()),
    };
    if found == wanted { Ok(()) } else { Err(Error::OtherShape { found }) }
}

impl Client {
    /// GET /projects/{projectId}/results in the current shape.
    pub fn results(&self, project: ProjectId, query: &PeopleQuery) -> Listing<'_, CurrentResult> {
        Listing::new(self, vec![Word("projects"), Project(project), Word("results")], query.pairs())
    }

    /// GET /projects/{projectId}/results in the older shape.
    pub fn legacy_results(&self, project: ProjectId, query: &LegacyQuery) -> Listing<'_, LegacyResult> {
        let mut sent = vec![("order", word(&query.order)), ("orderBy", word(&query.order_by))];
        sent.extend(filter_pairs(&query.filters));
        Listing::new(self, vec![Word("projects"), Project(project), Word("results")], sent)
    }

    /// GET /projects/{projectId}/results/{referenceId}; `None` where no test taker has this reference id,
    /// and an error where several have it or the answer is the record of another one.
    pub async fn result(
        &self,
        project: ProjectId,
        id: &ReferenceLookup,
        shape: ResultsApi,
    ) -> Result<Option<SingleResult>, Error> {
        if matches!(id.as_str(), "." | "..") {
            return self.result_from_list(project, id).await;
        }
        let path = [Word("projects"), Project(project), Word("results"), Reference(id.as_str())];
        let request = Request::get(&path);
        let (answer, people) = join(self.send(&request), self.with_reference_id(project, id)).await;
        let answer = match answer {
            Err(error) if error.is_not_found() => return Ok(None),
            other => other?,
        };
        let sent: Box<RawValue> = answer.read()?;
        expect_shape(sent.get(), shape)?;
        let (sent, of) = match shape {
            ResultsApi::Current => {
                let read = Read::<TestResult>::parse(&answer, sent.get())?;
                (read.sent, read.record.test_taker.reference_id)
            }
            ResultsApi::Legacy => {
                let read = Read::<LegacyResult>::parse(&answer, sent.get())?;
                (read.sent, read.record.reference_id)
            }
        };
        if of.as_deref() != Some(id.as_str()) {
            return Err(Error::OtherRecord("its reference id differs"));
        }
        expect_one_person(&people?)?;
        Ok(Some(SingleResult { sent, from_list: false }))
    }

    /// The result by way of the test taker list.
    async fn result_from_list(&self, project: ProjectId, id: &ReferenceLookup) -> Result<Option<SingleResult>, Error> {
        let people = self.with_reference_id(project, id).await?;
        expect_one_person(&people)?;
        Ok(people.into_iter().next().map(|read| SingleResult { sent: read.sent, from_list: true }))
    }
}

/// Reference ids are not unique, and the single read shows one of several people without a word.
fn expect_one_person(people: &[Read<TestTaker>]) -> Result<(), Error> {
    match people {
        [] | [_] => Ok(()),
        several => Err(Error::SharedReferenceId(several.iter().map(|read| read.record.entry_id()).collect())),
    }
}
