//! Removals: written down before the DELETE, which repeats as 204.

use futures_util::StreamExt as _;

use super::each_row::{Stopper, each_row, in_groups};
use super::outcome::{Outcome, RowEnd};
use super::service::Clock;
use super::update::failed;
use crate::api::Client;
use crate::journal::people::People;
use crate::model::people::{EntryId, TestTaker};
use crate::model::projects::ProjectId;

/// Where people are removed, and what remembers it.
pub struct Removal<'a> {
    pub client: &'a Client,
    pub project: ProjectId,
    /// The caller holds the project's lock.
    pub journal: People<'a>,
    pub clock: Clock,
    pub most: usize,
    pub stop: &'a Stopper<'a>,
}

impl Removal<'_> {
    /// Removes people, and gives each an end. `ended` counts them. They are written down in groups, each just before its first
    /// DELETE.
    pub async fn run(&self, people: &[&TestTaker], ended: impl Fn(usize)) -> Vec<RowEnd> {
        let entries: Vec<Option<EntryId>> = people.iter().map(|person| person.entry_id()).collect();
        let mut ends = vec![RowEnd::new(Outcome::NotAttempted); people.len()];
        let rows: Vec<usize> = (0..people.len()).filter(|row| entries[*row].is_some()).collect();
        let launched = in_groups(&rows, self.most, self.stop, |group| {
            let intents = group.iter().filter_map(|row| {
                let (reference, email) = (people[*row].reference_id.as_deref(), people[*row].email.as_deref());
                Some((self.journal.identity(reference, email.unwrap_or_default()), entries[*row]?))
            });
            self.journal.removing(&intents.collect::<Vec<_>>())
        });
        let mut answers = std::pin::pin!(each_row(launched, self.most, self.stop, |row| async move {
            let entry = people[row].entry_id().unwrap_or(EntryId(0));
            self.client.remove(self.project, entry, people[row]).await
        }));
        let mut count = 0;
        while let Some((row, answer)) = answers.next().await {
            let entry = entries[row].unwrap_or(EntryId(0));
            let end = match answer {
                Some(Ok(())) => {
                    if let Err(failure) = self.journal.removed(entry, self.clock.now()) {
                        self.stop.set(failure);
                    }
                    RowEnd::new(Outcome::Removed)
                }
                Some(Err(error)) => failed(&error, self.stop),
                None => RowEnd::new(Outcome::InDoubt).message("no answer had come when the run was stopped"),
            };
            ends[row] = end.entry(entry);
            count += 1;
            ended(count);
        }
        ends
    }
}
