//! The network side of a run: what each action asks of the service.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use tokio::time::Instant;

use crate::api::{Client, Error, PeopleQuery, Read};
use crate::journal::rows::Known;
use crate::model::listing::ReferenceLookup;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{Change, EntryId, NewTestTaker, TestTaker, TestTakerUpdate};
use crate::model::verdict::Failure;

use super::answer::{Answer, judge, stop};
use super::compare::{Comparison, may_be};
use super::outcome::{Ended, Outcome};
use super::plan::Action;
use super::roster::Roster;
use super::sweep::Did;
use super::update::wanted;

/// What came of an action.
pub(super) enum Came<'a> {
    Asked(usize, Result<Vec<TestTaker>, Error>),
    Answered(usize, Answer),
    Looked(usize, Result<Vec<TestTaker>, Error>),
    Updated(usize, Did),
    Journaled(Vec<usize>, Result<Result<Vec<Known>, Failure>, String>),
    Audited(Result<Box<Comparison<'a>>, Error>),
}

pub(super) type Doing<'w, 'a> = Pin<Box<dyn Future<Output = Came<'a>> + 'w>>;

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

    pub(super) fn room(&self) -> usize {
        self.client.room()
    }

    pub(super) fn row_count(&self) -> usize {
        self.roster.row_count()
    }

    /// Begins what is to be asked of the service; `None` for what is not its business.
    pub(super) fn start(&self, action: &Action) -> Option<Doing<'_, 'a>> {
        match *action {
            Action::Ask(row) => Some(self.ask_about(row)),
            Action::Send(row) => Some(Box::pin(async move { Came::Answered(row, self.send(row).await) })),
            Action::Look(row) | Action::ReadBack(row) => {
                Some(Box::pin(async move { Came::Looked(row, self.look(row).await) }))
            }
            Action::Update(row) => Some(Box::pin(async move { Came::Updated(row, self.update(row).await) })),
            Action::Journal(_) | Action::Note(..) | Action::Audit => None,
        }
    }

    pub(super) fn ask_about(&self, row: usize) -> Doing<'_, 'a> {
        Box::pin(async move { Came::Asked(row, self.ask(row).await) })
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
        match judge(&person, self.client.enrol(self.project, &person).await) {
            // Attempts are the plan's, but they come out of the run's one budget.
            Answer::NeverSent { words, .. } | Answer::RefusedForNow { words, .. } if !self.client.may_repeat() => {
                Answer::NeverSent { words, permanent: true }
            }
            answer => answer,
        }
    }

    /// Gives an enrolled person the row's names and reference id. What the row does not say stays.
    async fn update(&self, row: usize) -> Did {
        let not_attempted = |words: String| Ended::new(Outcome::NotAttempted).saying(words);
        let Some(person) = self.roster.person(row) else { return Did::ended(not_attempted(String::new())) };
        let entry = self.comparison.borrow().differs(row);
        let found = match self.client.with_email(self.project, person.email.as_str()).await {
            Ok(found) => records(found),
            Err(error) => {
                let words = error.to_string();
                return Did { ended: not_attempted(words.clone()), stop: stop(&error), why: words };
            }
        };
        let Some(now) = found.into_iter().find(|record| Some(record.entry_id()) == entry) else {
            return Did::ended(not_attempted("is not found by its e-mail any more".to_owned()));
        };
        let update = TestTakerUpdate {
            reference_id: wanted(person.reference_id.map(Change::Set), now.reference_id.as_deref()),
            first_name: wanted(person.first_name.map(Change::Set), now.first_name.as_deref()),
            last_name: wanted(person.last_name.map(Change::Set), now.last_name.as_deref()),
        };
        match self.client.update(self.project, &now, &update).await {
            Ok(_) => Did::ended(Ended::new(Outcome::Updated).at(now.entry_id())),
            Err(error) => Did::failed(now.entry_id(), &error),
        }
    }

    /// Reads the list once more, and holds it against the entries of our rows. Where the list is too long, each of them
    /// is asked about.
    pub(super) async fn audit(&self, ours: Vec<(usize, EntryId)>) -> Came<'a> {
        let mut audit = Box::new(self.comparison.borrow().afresh());
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
        Came::Audited(read.map(|()| audit))
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
pub(super) async fn next<'a>(under_way: &mut Vec<Doing<'_, 'a>>) -> Came<'a> {
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

/// Sleeps until then; for ever where there is no time to wake at.
pub(super) async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}
