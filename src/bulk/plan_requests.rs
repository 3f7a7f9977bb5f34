//! The network side of a run: what each action asks of the service.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;

use futures_util::StreamExt as _;

use crate::api::{Client, Error, PeopleQuery};
use crate::journal::written_fields::WrittenFields;
use crate::model::list_query::PAGE_SIZE_MAX;
use crate::model::list_query::ReferenceLookup;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{Change, EntryId, TestTaker, TestTakerUpdate};

use super::answer_evidence::{Answer, classify};
use super::compare::Comparison;
use super::compare::match_rule::search_words;
use super::find_people::AT_A_TIME;
use super::outcome::{Outcome, RowOutcome};
use super::roster::Roster;
use super::run_state_machine::Completion;
use super::update::{as_it_is, not_attempted, send, unremembered, wanted};
use super::update_sender::{LATE_READ, UpdateSender};

pub(super) type Task<'w, 'a> = Pin<Box<dyn Future<Output = Completion<'a>> + 'w>>;

/// The service, the project and the roster that the requests of a run are about.
pub(super) struct Work<'a> {
    pub(super) client: &'a Client,
    project: ProjectId,
    roster: &'a Roster,
    /// What was written into records.
    written: &'a RefCell<WrittenFields>,
    /// The project's list was read to its end, so that it is not too long for an audit.
    pub(super) whole: bool,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        client: &'a Client,
        (project, roster): (ProjectId, &'a Roster),
        written: &'a RefCell<WrittenFields>,
        whole: bool,
    ) -> Self {
        Self { client, project, roster, written, whole }
    }

    /// Asks by reference id and by e-mail whether the service holds a row.
    pub(super) fn ask(&self, row: usize) -> Task<'_, 'a> {
        Box::pin(async move { Completion::Asked(row, self.records(row, true).await.map_err(Into::into)) })
    }

    /// Looks a row up; `closely` by its e-mail too, and by what of it a service cannot spell otherwise.
    pub(super) fn look(&self, row: usize, closely: bool) -> Task<'_, 'a> {
        Box::pin(async move {
            let found = async {
                let mut found = self.records(row, closely).await?;
                if let Some(person) = self.roster.person(row).filter(|_| closely) {
                    for words in search_words(&person) {
                        let alike = self.client.with_text(self.project, &words).await?;
                        found.extend(alike.into_iter().map(|read| read.record));
                    }
                }
                Ok(found)
            };
            Completion::Looked(row, found.await.map_err(|error: Error| error.into()))
        })
    }

    /// The records with a row's reference id, exactly, and with its e-mail where it has none or both are asked for.
    async fn records(&self, row: usize, both: bool) -> Result<Vec<TestTaker>, Error> {
        let Some(person) = self.roster.person(row) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        if let Some(id) = &person.reference_id {
            found = self.client.with_reference_id(self.project, &ReferenceLookup::from(id)).await?;
        }
        if person.reference_id.is_none() || both {
            found.extend(self.client.with_email(self.project, person.email.as_str()).await?);
        }
        Ok(found.into_iter().map(|read| read.record).collect())
    }

    /// One attempt to enrol a row.
    pub(super) async fn send(&self, row: usize) -> Answer {
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
    pub(super) async fn update(&self, row: usize, entry: Option<EntryId>) -> RowOutcome {
        let Some((person, entry)) = self.roster.person(row).zip(entry) else {
            return RowOutcome::ended(not_attempted(String::new()));
        };
        let now = match as_it_is(self.client, self.project, person.email.as_str(), entry).await {
            Ok(now) => now,
            Err(outcome) => return outcome,
        };
        let sender = UpdateSender { client: self.client, project: self.project, written: self.written };
        let carried = [person.reference_id.is_none(), person.first_name.is_none(), person.last_name.is_none()];
        let now = match sender.up_to_date(now, carried).await {
            Ok(Some(now)) => now,
            Ok(None) => return RowOutcome::ended(not_attempted(LATE_READ.to_owned()).with_entry(entry)),
            Err(failure) => return unremembered(Outcome::NotAttempted, entry, &failure),
        };
        let update = TestTakerUpdate {
            reference_id: wanted(person.reference_id.map(Change::Set), now.reference_id.as_deref()),
            first_name: wanted(person.first_name.map(Change::Set), now.first_name.as_deref()),
            last_name: wanted(person.last_name.map(Change::Set), now.last_name.as_deref()),
        };
        send(&sender, &now, &update, None).await
    }

    /// Reads the list, or what is to be found of these rows, and holds it against their entries.
    pub(super) async fn audit(&self, mut audit: Box<Comparison<'a>>, rows: Vec<usize>, list: bool) -> Completion<'a> {
        let read = if list {
            // Not needed while the list is read, and as long as the roster.
            drop(rows);
            self.see_list(&mut audit).await.map(Some)
        } else {
            self.see_each(&mut audit, rows).await.map(|()| None)
        };
        Completion::Audited(read.map(|pages| (audit, pages)).map_err(Into::into))
    }

    /// About how many requests the list took is the answer.
    async fn see_list(&self, audit: &mut Comparison<'_>) -> Result<usize, Error> {
        let people = self.client.test_takers(self.project, &PeopleQuery::default()).verified(true).await?;
        let mut count = 0;
        people.each_person(|person| {
            count += 1;
            audit.add_listed(&person);
        })?;
        Ok(count / PAGE_SIZE_MAX as usize + 1)
    }

    /// Side by side, as many as the client's throttle lets through.
    async fn see_each(&self, audit: &mut Comparison<'_>, rows: Vec<usize>) -> Result<(), Error> {
        let looks = futures_util::stream::iter(rows.into_iter().map(|row| self.records(row, false)));
        let mut looks = std::pin::pin!(looks.buffer_unordered(AT_A_TIME));
        while let Some(found) = looks.next().await {
            for record in found? {
                audit.add_record(&record);
            }
        }
        Ok(())
    }
}
