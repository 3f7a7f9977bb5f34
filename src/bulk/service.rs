//! What an enrolment needs of the service and of the clock. The model of the tests has the other implementation.

use jiff::Timestamp;
use tokio::time::Instant;

use crate::api::{Client, Error, Read};
use crate::model::people::{Enrolment, NewTestTaker, TestTaker, TestTakerQuery};
use crate::model::projects::ProjectId;

/// A project's people at the service.
pub trait Service {
    /// Sends one creation, once.
    async fn enrol(&self, person: &NewTestTaker) -> Result<Enrolment, Error>;

    /// The whole list, or an error.
    async fn list(&self) -> Result<Vec<TestTaker>, Error>;

    /// Looks one person up, which can show them and proves no absence.
    async fn look_up(&self, person: &NewTestTaker) -> Result<Vec<TestTaker>, Error>;
}

/// A project of the real service.
pub struct ProjectPeople<'c> {
    pub client: &'c Client,
    pub project: ProjectId,
}

impl Service for ProjectPeople<'_> {
    async fn enrol(&self, person: &NewTestTaker) -> Result<Enrolment, Error> {
        let turn = self.client.turn().await?;
        self.client.enrol(self.project, person, turn).await
    }

    async fn list(&self) -> Result<Vec<TestTaker>, Error> {
        records(self.client.test_takers(self.project, &TestTakerQuery::default()).whole().await?)
    }

    async fn look_up(&self, person: &NewTestTaker) -> Result<Vec<TestTaker>, Error> {
        records(match &person.reference_id {
            Some(id) => self.client.with_reference_id(self.project, id).await?,
            None => self.client.with_email(self.project, &person.email).await?,
        })
    }
}

/// Each test taker has an id (specification, Result); without it nobody could be told from anybody else.
fn records(read: Vec<Read<TestTaker>>) -> Result<Vec<TestTaker>, Error> {
    let records: Vec<TestTaker> = read.into_iter().map(|read| read.record).collect();
    if records.iter().any(|record| record.id.is_none()) {
        return Err(Error::Unreadable { why: "a test taker has no id".to_owned(), is_cut: false });
    }
    // A single one may be somebody whose data were deleted.
    let is_nameless = |record: &TestTaker| record.email.is_none() && record.reference_id.is_none();
    if !records.is_empty() && records.iter().all(is_nameless) {
        let why = "no test taker has an e-mail or a reference id, so nobody can be compared".to_owned();
        return Err(Error::Unreadable { why, is_cut: false });
    }
    Ok(records)
}

/// The time since 1970, as it was when the run began and counted on by a clock that never goes back.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    wall: Timestamp,
    start: Instant,
}

impl Clock {
    /// A clock that shows `wall` now.
    pub fn at(wall: Timestamp) -> Self {
        Self { wall, start: Instant::now() }
    }

    pub fn now(&self) -> Timestamp {
        self.wall.saturating_add(self.start.elapsed()).unwrap_or(Timestamp::MAX)
    }
}
