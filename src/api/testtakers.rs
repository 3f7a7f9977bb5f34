//! The operations on test takers (specification, Test takers).

use std::collections::{HashMap, HashSet};

use clap::ValueEnum;
use reqwest::Method;

use super::client::Client;
use super::error::{Class, Error};
use super::list_record::Read;
use super::projects::word;
use super::read_list::Listing;
use super::rejection::Rejection;
use super::retries::{ATTEMPTS, Repeat, backoff};
use super::send::Request;
use super::success_body::SuccessBody;
use super::url_path::Segment::{Entry, Project, Word};
use crate::model::field_rules::{FILTER_MAX, Filter, filled, same_email};
use crate::model::list_query::{Order, PeopleFilters, ReferenceLookup};
use crate::model::projects::ProjectId;
use crate::model::testtakers::{Enrolment, EntryId, NewTestTaker, TestTaker, TestTakerOrderBy, TestTakerUpdate};
use crate::model::update_effect::{UpdateEffect, effect, was_ignored};

/// Query of the test taker list and of the results list; of the latter in the older shape with an order of its own.
#[derive(Clone, Debug)]
pub struct PeopleQuery<O = TestTakerOrderBy> {
    /// Sort field.
    pub order_by: O,
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
fn filter_pairs(filters: &PeopleFilters) -> Vec<(&'static str, String)> {
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

impl<O: ValueEnum> PeopleQuery<O> {
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
        let found = self.with_text(project, email).await?;
        let same = found.into_iter().filter(|read| {
            let other = read.record.email.as_deref();
            other.is_some_and(|other| same_email(other, email))
        });
        Ok(same.collect())
    }

    /// The test takers in whose e-mail, reference id or full name the service finds this text.
    pub async fn with_text(&self, project: ProjectId, text: &str) -> Result<Vec<Read<TestTaker>>, Error> {
        // A longer text can't be filtered for whole; its beginning finds it as well.
        let start: String = text.chars().take(FILTER_MAX).collect();
        let filters = PeopleFilters { filter: start.parse::<Filter>().ok(), ..PeopleFilters::default() };
        self.test_takers(project, &PeopleQuery { filters, ..PeopleQuery::default() }).look_up().await
    }

    /// The test takers of these entries, from a verified list.
    pub async fn with_entries(
        &self,
        project: ProjectId,
        wanted: &HashSet<EntryId>,
    ) -> Result<HashMap<EntryId, Box<TestTaker>>, Error> {
        let mut known = HashMap::new();
        if wanted.is_empty() {
            return Ok(known);
        }
        let listed = self.test_takers(project, &PeopleQuery::default()).verified(false).await?;
        listed.each_record(|person: Box<TestTaker>| {
            if wanted.contains(&person.entry_id()) {
                known.insert(person.entry_id(), person);
            }
        })?;
        Ok(known)
    }

    /// POST /projects/{projectId}/testtakers: one attempt, because a second one could enrol the person twice.
    pub async fn enrol(&self, project: ProjectId, person: &NewTestTaker) -> Result<Enrolment, Error> {
        let path = [Word("projects"), Project(project), Word("testtakers")];
        self.send(&Request::new(Method::POST, &path, Repeat::Once).json(person)?).await?.read()
    }

    /// PATCH /projects/{projectId}/testtakers/{id}. After a lost answer the record is read back: what omitted fields do is
    /// not shown, so all of them are sent, and sending them again would undo what another update changed meanwhile. It is
    /// sent again only where the record is as it was.
    pub async fn update(
        &self,
        project: ProjectId,
        before: &TestTaker,
        update: &TestTakerUpdate,
    ) -> Result<Read<TestTaker>, Error> {
        let path = [Word("projects"), Project(project), Word("testtakers"), Entry(before.entry_id())];
        let (mut attempt, mut unknown) = (0, None);
        loop {
            let request = Request::new(Method::PATCH, &path, Repeat::UnlessLost).about(before).json(update)?;
            let answer = self.send(&request).await;
            let error = match answer.and_then(|answer| updated(&answer, before, update)) {
                Ok(read) => return Ok(read),
                Err(error) => error,
            };
            attempt += 1;
            if !error.can_be_looked_up() {
                return Err(error.prefer_ambiguous(unknown));
            }
            // Where it cannot be read back, what the update did stays unknown.
            let Ok(Some(read)) = self.read_back(project, before).await else { return Err(error) };
            match effect(before, update, &read.record) {
                UpdateEffect::Done => return Ok(read),
                UpdateEffect::ChangedOtherwise => return Err(Error::ChangedMeanwhile),
                UpdateEffect::NotDone if attempt >= ATTEMPTS || error.class() == Class::DoneUnreadable => {
                    return Err(error);
                }
                UpdateEffect::NotDone => {}
            }
            if !self.throttle.sleep(backoff(attempt), true).await {
                return Err(error);
            }
            unknown = Some(error);
        }
    }

    /// The test taker as the service has it now. It is found by its e-mail, which no update changes.
    async fn read_back(&self, project: ProjectId, before: &TestTaker) -> Result<Option<Read<TestTaker>>, Error> {
        let Some(email) = filled(before.email.as_deref()) else { return Ok(None) };
        let found = self.with_email(project, email).await?;
        Ok(found.into_iter().find(|read| read.record.id == before.id))
    }

    /// DELETE /projects/{projectId}/testtakers/{id}: answers 204 again when repeated, so that a 404 is a refusal. It says
    /// that the person is out of the project only while the project is there and a look by their e-mail does not show the
    /// entry.
    pub async fn remove(&self, project: ProjectId, person: &TestTaker) -> Result<(), Error> {
        let entry = person.entry_id();
        let path = [Word("projects"), Project(project), Word("testtakers"), Entry(entry)];
        let rejection = match self.send(&Request::new(Method::DELETE, &path, Repeat::Safe).about(person)).await {
            Err(error) if error.is_not_found() => match error {
                Error::Rejected(rejection) => rejection,
                error => return Err(error),
            },
            ended => return ended.map(|_| ()),
        };
        self.project(project).await?;
        let is_gone = match filled(person.email.as_deref()) {
            Some(email) => !self.with_email(project, email).await?.iter().any(|read| read.record.entry_id() == entry),
            None => false,
        };
        if is_gone { Ok(()) } else { Err(Error::Rejected(Box::new(Rejection { still_shown: true, ..*rejection }))) }
    }
}

/// The record of the answer to an update, which has the change.
fn updated(answer: &SuccessBody, before: &TestTaker, update: &TestTakerUpdate) -> Result<Read<TestTaker>, Error> {
    let read = Read::<TestTaker>::of(answer)?;
    if read.record.id != before.id {
        return Err(Error::OtherRecord("its id differs"));
    }
    if was_ignored(before, update, &read.record) {
        return Err(answer.foreign("its record does not have the change"));
    }
    Ok(read)
}
