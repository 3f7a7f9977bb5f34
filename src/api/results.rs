//! The operations on results, in both documented shapes (specification, Results).

use futures_util::future::join;
use serde::Deserialize as _;
use serde_json::value::RawValue;

use super::client::Client;
use super::error::Error;
use super::list_record::{Listed, Parameter, Read, SentJson, search};
use super::read_list::Listing;
use super::record_key::RecordKey;
use super::retries::backoff;
use super::send::Request;
use super::success_body::SuccessBody;
use super::testtakers::PeopleQuery;
use super::url_path::Segment::{Project, Reference, Word};
use crate::model::list_query::ReferenceLookup;
use crate::model::projects::ProjectId;
use crate::model::results::{Finding, LegacyOrderBy, LegacyResult, ResultsApi, TestResult};
use crate::model::testtakers::TestTaker;

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
    /// Relatives may share everything that names a person here.
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

/// Attempts to read a result that is not found, although the list of test takers names the person.
const READS_OF_A_MISSING_RESULT: u32 = 3;

/// The one result of a reference id.
#[derive(Debug)]
pub struct SingleResult {
    /// The record as it was sent.
    pub sent: SentJson,
    /// Where it was read.
    pub source: ResultSource,
}

/// Where a single result was read; the list of test takers has no identity fields, and one shape alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultSource {
    /// By its own operation.
    Single,
    /// In the list: `.` and `..` can't stand in a path.
    List,
    /// In the list alone, which shows a result that its own operation does not find.
    ListAlone,
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
    pub fn legacy_results(&self, project: ProjectId, query: &PeopleQuery<LegacyOrderBy>) -> Listing<'_, LegacyResult> {
        Listing::new(self, vec![Word("projects"), Project(project), Word("results")], query.pairs())
    }

    /// GET /projects/{projectId}/results/{referenceId}; `None` where no test taker has a result under this reference id,
    /// and an error where several have it or the answer is the record of another one. "Not found" is asked again where
    /// the list of test takers names the person. `known` is who has this reference id, where that was read already.
    pub async fn result(
        &self,
        project: ProjectId,
        id: &ReferenceLookup,
        shape: ResultsApi,
        known: Option<Vec<Read<TestTaker>>>,
    ) -> Result<Option<SingleResult>, Error> {
        let people = async {
            match known {
                Some(people) => Ok(people),
                None => self.with_reference_id(project, id).await,
            }
        };
        if matches!(id.as_str(), "." | "..") {
            let person = one_person(people.await?)?;
            return Ok(person.map(|read| SingleResult { sent: read.sent, source: ResultSource::List }));
        }
        let path = [Word("projects"), Project(project), Word("results"), Reference(id.as_str())];
        let request = Request::get(&path);
        let (answer, people) = join(self.send(&request), people).await;
        let answer = match answer {
            Err(error) if error.is_not_found() => None,
            other => Some(other?),
        };
        let answer = match (answer, one_person(people?)?) {
            (Some(answer), _) => answer,
            (None, None) => return Ok(None),
            (None, Some(person)) => match self.result_again(&request).await? {
                Some(answer) => answer,
                None => return Ok(in_list_alone(person)),
            },
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
        Ok(Some(SingleResult { sent, source: ResultSource::Single }))
    }

    /// Asks once more for a result that was not found; `None` where it never is.
    async fn result_again(&self, request: &Request<'_>) -> Result<Option<SuccessBody>, Error> {
        for attempt in 0..READS_OF_A_MISSING_RESULT - 1 {
            tokio::time::sleep(backoff(attempt)).await;
            match self.send(request).await {
                Err(error) if error.is_not_found() => {}
                answer => return answer.map(Some),
            }
        }
        Ok(None)
    }
}

/// What the list knows of a person whose result is not found: nothing, or a result that must not be taken for absent.
fn in_list_alone(person: Read<TestTaker>) -> Option<SingleResult> {
    let has_result = person.record.status().is_some() || person.record.completed().is_some();
    has_result.then_some(SingleResult { sent: person.sent, source: ResultSource::ListAlone })
}

/// Reference ids are not unique, and the single read shows one of several people without a word.
fn one_person(mut people: Vec<Read<TestTaker>>) -> Result<Option<Read<TestTaker>>, Error> {
    if people.len() > 1 {
        return Err(Error::SharedReferenceId(people.iter().map(|read| read.record.entry_id()).collect()));
    }
    Ok(people.pop())
}
