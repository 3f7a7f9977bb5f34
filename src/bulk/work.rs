//! The network side of a run: what each action asks of the service.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use tokio::time::Instant;

use crate::api::{Client, Error, PeopleQuery, Read};
use crate::journal::rows::KnownRow;
use crate::model::listing::ReferenceLookup;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{Change, EntryId, NewTestTaker, TestTaker, TestTakerUpdate};
use crate::model::verdict::Failure;

use super::answer::{Answer, classify, stop};
use super::compare::{Comparison, may_be};
use super::outcome::{Outcome, RowOutcome, RowResult};
use super::plan::Action;
use super::roster::Roster;
use super::update::wanted;

/// What came of an action.
pub(super) enum Completion<'a> {
    Asked(usize, Result<Vec<TestTaker>, Error>),
    Answered(usize, Answer),
    Looked(usize, Result<Vec<TestTaker>, Error>),
    Updated(usize, RowOutcome),
    Journaled(Vec<usize>, Result<Result<Vec<KnownRow>, Failure>, String>),
    Audited(Result<Box<Comparison<'a>>, Error>),
}

pub(super) type Task<'w, 'a> = Pin<Box<dyn Future<Output = Completion<'a>> + 'w>>;

/// Who is asked about which roster.
pub(super) struct Work<'a> {
    client: &'a Client,
    project: ProjectId,
    roster: &'a Roster,
    pub(super) comparison: RefCell<Comparison<'a>>,
    /// The project's list was read to its end.
    whole: bool,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        client: &'a Client,
        project: ProjectId,
        roster: &'a Roster,
        comparison: Comparison<'a>,
        whole: bool,
    ) -> Self {
        Self { client, project, roster, comparison: RefCell::new(comparison), whole }
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.client.deadline()
    }

    /// Lets go whatever waits for its turn to be sent.
    pub(super) fn close(&self) {
        self.client.close();
    }

    pub(super) fn room(&self) -> usize {
        self.client.room()
    }

    pub(super) fn row_count(&self) -> usize {
        self.roster.row_count()
    }

    /// Begins what is to be asked of the service; `None` for what is not its business.
    pub(super) fn start(&self, action: &Action) -> Option<Task<'_, 'a>> {
        match *action {
            Action::Ask(row) => Some(self.ask_about(row)),
            Action::Send(row) => Some(Box::pin(async move { Completion::Answered(row, self.send(row).await) })),
            Action::Look(row) | Action::ReadBack(row) => {
                Some(Box::pin(async move { Completion::Looked(row, self.look(row).await) }))
            }
            Action::Update(row) => Some(Box::pin(async move { Completion::Updated(row, self.update(row).await) })),
            Action::Journal(_) | Action::Note(..) | Action::Release(_) | Action::Audit => None,
        }
    }

    pub(super) fn ask_about(&self, row: usize) -> Task<'_, 'a> {
        Box::pin(async move { Completion::Asked(row, self.ask(row).await) })
    }

    /// The entries of those records that may be the row.
    pub(super) fn like(&self, row: usize, records: &[TestTaker]) -> Vec<EntryId> {
        let person = self.roster.person(row);
        let ours = |record: &&TestTaker| person.as_ref().is_some_and(|person| may_be(person, record));
        records.iter().filter(ours).map(TestTaker::entry_id).collect()
    }

    /// Asks for a row by reference id and by e-mail.
    async fn ask(&self, row: usize) -> Result<Vec<TestTaker>, Error> {
        let Some(person) = self.roster.person(row) else { return Ok(Vec::new()) };
        let mut found = self.look_up(&person).await?;
        if person.reference_id.is_some() {
            found.extend(records(self.client.with_email(self.project, person.email.as_str()).await?));
        }
        Ok(found)
    }

    async fn look(&self, row: usize) -> Result<Vec<TestTaker>, Error> {
        match self.roster.person(row) {
            Some(person) => self.look_up(&person).await,
            None => Ok(Vec::new()),
        }
    }

    /// By reference id, exactly; by e-mail where there is none.
    async fn look_up(&self, person: &NewTestTaker) -> Result<Vec<TestTaker>, Error> {
        let found = match &person.reference_id {
            Some(id) => self.client.with_reference_id(self.project, &ReferenceLookup::from(id)).await?,
            None => self.client.with_email(self.project, person.email.as_str()).await?,
        };
        Ok(records(found))
    }

    async fn send(&self, row: usize) -> Answer {
        let Some(person) = self.roster.person(row) else {
            return Answer::Refused("the row has a mistake".to_owned());
        };
        match classify(&person, self.client.enrol(self.project, &person).await) {
            // Attempts are the plan's, but they come out of the run's one budget.
            Answer::NeverSent { words, .. } | Answer::RefusedForNow { words, .. } if !self.client.may_repeat() => {
                Answer::NeverSent { words, permanent: true }
            }
            answer => answer,
        }
    }

    /// Gives an enrolled person the row's names and reference id. What the row does not say stays.
    async fn update(&self, row: usize) -> RowOutcome {
        let not_attempted = |words: String| RowResult::new(Outcome::NotAttempted).with_message(words);
        let Some(person) = self.roster.person(row) else { return RowOutcome::ended(not_attempted(String::new())) };
        let entry = self.comparison.borrow().differs(row);
        let found = match self.client.with_email(self.project, person.email.as_str()).await {
            Ok(found) => records(found),
            Err(error) => {
                let words = error.to_string();
                return RowOutcome { ended: not_attempted(words.clone()), stop: stop(&error), why: words };
            }
        };
        let Some(now) = found.into_iter().find(|record| Some(record.entry_id()) == entry) else {
            return RowOutcome::ended(not_attempted("is not found by its e-mail any more".to_owned()));
        };
        let update = TestTakerUpdate {
            reference_id: wanted(person.reference_id.map(Change::Set), now.reference_id.as_deref()),
            first_name: wanted(person.first_name.map(Change::Set), now.first_name.as_deref()),
            last_name: wanted(person.last_name.map(Change::Set), now.last_name.as_deref()),
        };
        match self.client.update(self.project, &now, &update).await {
            Ok(_) => RowOutcome::ended(RowResult::new(Outcome::Updated).with_entry(now.entry_id())),
            Err(error) => RowOutcome::failed(now.entry_id(), &error),
        }
    }

    /// Reads the list once more, and holds it against the entries of our rows. Where the list is too long, each of them
    /// is asked about.
    pub(super) async fn audit(&self, ours: Vec<(usize, EntryId)>) -> Completion<'a> {
        let mut audit = Box::new(self.comparison.borrow().fresh_copy());
        for (row, entry) in &ours {
            audit.reserve(*row, *entry);
        }
        let read = if self.whole {
            // Not needed while the list is read, and as long as the roster.
            drop(ours);
            self.see_list(&mut audit).await
        } else {
            self.see_each(&mut audit, &ours).await
        };
        Completion::Audited(read.map(|()| audit))
    }

    async fn see_list(&self, audit: &mut Comparison<'_>) -> Result<(), Error> {
        let people = self.client.test_takers(self.project, &PeopleQuery::default()).verified(false).await?;
        people.each_record(|record: TestTaker| audit.see(&record))
    }

    async fn see_each(&self, audit: &mut Comparison<'_>, ours: &[(usize, EntryId)]) -> Result<(), Error> {
        for (row, _) in ours {
            for record in self.look(*row).await? {
                audit.see(&record);
            }
        }
        Ok(())
    }
}

fn records(found: Vec<Read<TestTaker>>) -> Vec<TestTaker> {
    found.into_iter().map(|read| read.record).collect()
}

/// The next thing under way that ends; for ever where there is none.
pub(super) async fn next<'a>(under_way: &mut Vec<Task<'_, 'a>>) -> Completion<'a> {
    poll_fn(|context| {
        for index in 0..under_way.len() {
            if let Poll::Ready(came) = under_way[index].as_mut().poll(context) {
                drop(under_way.swap_remove(index));
                return Poll::Ready(came);
            }
        }
        Poll::Pending
    })
    .await
}
