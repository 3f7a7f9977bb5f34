//! The operations on test takers (specification, Test takers).

use reqwest::Method;

use super::client::Client;
use super::error::{Class, Error};
use super::list_record::Read;
use super::projects::word;
use super::read_list::Listing;
use super::retries::{ATTEMPTS, Repeat, backoff};
use super::send::Request;
use super::url_path::Segment::{Entry, Project, Word};
use crate::model::field_rules::{FILTER_MAX, Filter, same_email};
use crate::model::list_query::{Order, PeopleFilters, ReferenceLookup};
use crate::model::projects::ProjectId;
use crate::model::testtakers::{
    Change, Enrolment, EntryId, NewTestTaker, TestTaker, TestTakerOrderBy, TestTakerUpdate,
};

/// Query of the test taker list and of the results list.
#[derive(Clone, Debug)]
pub struct PeopleQuery {
    /// Sort field.
    pub order_by: TestTakerOrderBy,
    /// Sort direction.
    pub order: Order,
    /// The shared filters.
    pub filters: PeopleFilters,
}

impl Default for PeopleQuery {
    fn default() -> Self {
        Self { order_by: TestTakerOrderBy::FullName, order: Order::Asc, filters: PeopleFilters::default() }
    }
}

/// The filters as query parameters.
pub(super) fn filter_pairs(filters: &PeopleFilters) -> Vec<(&'static str, String)> {
    let reference = filters.reference_id.as_ref().map(|id| id.as_str().to_owned());
    let pairs = [
        ("filter", filters.filter.as_ref().map(|filter| filter.as_str().to_owned())),
        ("completedOnly", filters.completed_only.map(|flag| flag.to_string())),
        ("hasReferenceId", filters.has_reference_id.map(|flag| flag.to_string())),
        ("referenceId", reference),
        ("hasLastTestSent", filters.has_last_test_sent.map(|flag| flag.to_string())),
        ("lastTestSentFromUtc", filters.last_test_sent_from.map(|time| time.to_string())),
        ("lastTestSentToUtc", filters.last_test_sent_to.map(|time| time.to_string())),
    ];
    pairs.into_iter().filter_map(|(name, value)| value.map(|value| (name, value))).collect()
}

impl PeopleQuery {
    pub(super) fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = vec![("order", word(&self.order)), ("orderBy", word(&self.order_by))];
        pairs.extend(filter_pairs(&self.filters));
        pairs
    }
}

impl Client {
    /// GET /projects/{projectId}/testtakers.
    pub fn test_takers(&self, project: ProjectId, query: &PeopleQuery) -> Listing<'_, TestTaker> {
        Listing::new(self, vec![Word("projects"), Project(project), Word("testtakers")], query.pairs())
    }

    /// The test takers with exactly this reference id, compared byte for byte by us: the service may ignore case.
    pub async fn with_reference_id(
        &self,
        project: ProjectId,
        id: &ReferenceLookup,
    ) -> Result<Vec<Read<TestTaker>>, Error> {
        let filters = PeopleFilters { reference_id: Some(id.clone()), ..PeopleFilters::default() };
        let found = self.test_takers(project, &PeopleQuery { filters, ..PeopleQuery::default() }).look_up().await?;
        Ok(found.into_iter().filter(|read| read.record.reference_id.as_deref() == Some(id.as_str())).collect())
    }

    /// The test takers with this e-mail address, ignoring case.
    pub async fn with_email(&self, project: ProjectId, email: &str) -> Result<Vec<Read<TestTaker>>, Error> {
        // A longer address can't be filtered for whole; its beginning finds it as well.
        let start: String = email.chars().take(FILTER_MAX).collect();
        let filters = PeopleFilters { filter: start.parse::<Filter>().ok(), ..PeopleFilters::default() };
        let found = self.test_takers(project, &PeopleQuery { filters, ..PeopleQuery::default() }).look_up().await?;
        let same = found.into_iter().filter(|read| {
            let other = read.record.email.as_deref();
            other.is_some_and(|other| same_email(other, email))
        });
        Ok(same.collect())
    }

    /// POST /projects/{projectId}/testtakers: one attempt, because a second one could enrol the person twice.
    pub async fn enrol(&self, project: ProjectId, person: &NewTestTaker) -> Result<Enrolment, Error> {
        let path = [Word("projects"), Project(project), Word("testtakers")];
        self.send(&Request::new(Method::POST, &path, Repeat::Once).json(person)?).await?.read()
    }

    /// PATCH /projects/{projectId}/testtakers/{id}. After a lost answer the record is read back and compared before
    /// another attempt, because what omitted fields do is not shown.
    pub async fn update(
        &self,
        project: ProjectId,
        before: &TestTaker,
        update: &TestTakerUpdate,
    ) -> Result<Read<TestTaker>, Error> {
        let path = [Word("projects"), Project(project), Word("testtakers"), Entry(before.entry_id())];
        let (mut attempt, mut unknown) = (0, None);
        loop {
            let request = Request::new(Method::PATCH, &path, Repeat::UnlessLost).json(update)?;
            let error = match self.send(&request).await {
                Ok(answer) => match Read::<TestTaker>::of(&answer) {
                    Ok(read) if read.record.id == before.id => return Ok(read),
                    Ok(_) => Error::OtherRecord("its id differs"),
                    Err(error) => error,
                },
                Err(error) => error,
            };
            attempt += 1;
            if !error.can_be_looked_up() {
                return Err(error.prefer_ambiguous(unknown));
            }
            // Where it cannot be read back, what the update did stays unknown.
            let Ok(read) = self.read_back(project, before, update).await else { return Err(error) };
            if let Some(read) = read {
                return Ok(read);
            }
            if attempt >= ATTEMPTS || error.class() == Class::DoneUnreadable {
                return Err(error);
            }
            if !self.throttle.sleep(backoff(attempt), true).await {
                return Err(error);
            }
            unknown = Some(error);
        }
    }

    /// The test taker, if it now has what the update wanted. It is found by its e-mail, which no update changes.
    async fn read_back(
        &self,
        project: ProjectId,
        before: &TestTaker,
        update: &TestTakerUpdate,
    ) -> Result<Option<Read<TestTaker>>, Error> {
        let found = self.with_email(project, before.email.as_deref().unwrap_or_default()).await?;
        Ok(found.into_iter().find(|read| read.record.id == before.id && has_arrived(update, &read.record)))
    }

    /// DELETE /projects/{projectId}/testtakers/{id}: answers 204 again when repeated.
    pub async fn remove(&self, project: ProjectId, entry: EntryId) -> Result<(), Error> {
        let path = [Word("projects"), Project(project), Word("testtakers"), Entry(entry)];
        self.send(&Request::new(Method::DELETE, &path, Repeat::Safe)).await.map(|_| ())
    }
}

/// Whether a record has each value that an update set. A cleared text may come back as null or empty.
fn has_arrived(update: &TestTakerUpdate, now: &TestTaker) -> bool {
    fn same<T>(wanted: &Change<T>, text: impl Fn(&T) -> &str, now: Option<&str>) -> bool {
        match wanted {
            Change::Leave => true,
            Change::Clear => now.unwrap_or("").is_empty(),
            Change::Set(value) => now == Some(text(value)),
        }
    }
    same(&update.reference_id, |id| id.as_str(), now.reference_id.as_deref())
        && same(&update.first_name, |name| name.as_str(), now.first_name.as_deref())
        && same(&update.last_name, |name| name.as_str(), now.last_name.as_deref())
}
