//! Sending: the intent on disk first, then the request, then what its answer proves.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;

use futures_util::stream::{FuturesUnordered, StreamExt as _};

use super::{Enrolling, Job};
use crate::api::{Effect, Error};
use crate::bulk::each_row::{each_row, in_groups};
use crate::bulk::outcome::{Outcome, RowEnd};
use crate::bulk::rules::{fate, stops};
use crate::bulk::service::Service;
use crate::journal::people::{Identity, Known, State};
use crate::model::people::{Enrolment, EntryId, TestTaker};
use crate::model::verdict::{Failure, Verdict};

impl<S: Service> Enrolling<'_, S> {
    /// Sends rows, side by side. Intents are written down in groups, each just before its first row goes; those that are not
    /// launched because the run stops are taken back.
    pub(super) async fn send(&mut self, rows: &[usize]) {
        let Job { service, journal, stop, options, .. } = self.job;
        let (people, identities, written) = (self.rows.people, Rc::clone(&self.rows.identities), Cell::new(0));
        let launched = in_groups(rows, options.most, stop, |group| {
            let intents: Vec<Identity> = group.iter().map(|row| identities[*row]).collect();
            journal.begin(&intents).map(|()| written.set(written.get() + group.len()))
        });
        let mut answers = pin!(each_row(launched, options.most, stop, |row| service.enrol(&people[row])));
        // The rows hold the turns that a look-up waits for, so they must go on at the same time.
        let mut checks = FuturesUnordered::new();
        loop {
            tokio::select! {
                biased;
                Some((row, entry, before, Ok(records))) = checks.next() => self.check_ids(row, entry, before, records),
                Some((row, answer)) = answers.next() => {
                    let enrolled = self.answered(row, answer);
                    if let Some((entry, before)) = enrolled && !std::mem::replace(&mut self.has_checked_ids, true) {
                        let look_up = stop.unless_stopped(service.look_up(&people[row]));
                        checks.push(async move { (row, entry, before, look_up.await) });
                    }
                }
                else => break,
            }
        }
        let unsent = |row: &&usize| self.ends[**row].outcome == Outcome::NotAttempted && !self.doubts.contains_key(row);
        for row in rows[..written.get()].iter().filter(unsent) {
            stop.note(journal.free(self.rows.identities[*row], self.job.clock.now()));
        }
    }

    /// The entry of a person who was enrolled, and the one that they had before.
    fn answered(&mut self, row: usize, answer: Option<Result<Enrolment, Error>>) -> Option<(EntryId, Option<EntryId>)> {
        let (person, now) = (self.rows.identities[row], self.job.clock.now());
        let before = self.rows.known.of(person).and_then(|known| known.state.entry());
        let doubt = match answer {
            // A service may keep one entry for each e-mail.
            Some(Ok(Enrolment { project_entry_id: entry, .. })) if self.rows.known.is_of_other(entry, person) => {
                self.job.stop.note(self.job.journal.free(person, now));
                let why = "the service answered with the entry of somebody else";
                self.end(row, RowEnd::new(Outcome::Conflict).entry(entry).message(why));
                return None;
            }
            Some(Ok(Enrolment { id, project_entry_id: entry })) => {
                let Job { journal, stop, .. } = self.job;
                stop.note(journal.enrolled(person, entry, Some(id), now));
                if let Some(State::Removed { entry: before, .. }) = self.rows.known.of(person).map(|known| known.state)
                {
                    stop.note(journal.succeeded(before, entry));
                }
                let state = State::Enrolled { entry, enrolment: Some(id), at: now };
                self.rows.known.put(Known { identity: person, state });
                self.end(row, RowEnd::new(Outcome::Enrolled).entry(entry).enrolment(Some(id)));
                return Some((entry, before));
            }
            Some(Err(error)) => {
                if let Some(why) = stops(&error) {
                    self.job.stop.set(why);
                }
                let end = fate(&error);
                if error.effect() == Effect::None {
                    self.job.stop.note(self.job.journal.free(person, now));
                    self.end(row, end);
                    return None;
                }
                end
            }
            None => RowEnd::new(Outcome::InDoubt).message("no answer had come when the run was stopped"),
        };
        self.job.stop.note(self.job.journal.lost(person, now));
        self.rows.known.put(Known { identity: person, state: State::Open { since: now, before } });
        self.doubts.insert(row, doubt);
        None
    }

    /// Looks up the first person whom the service enrolled: everything done by entry id rests on the assumption that read
    /// records have the same ids (our assumption).
    fn check_ids(&self, row: usize, entry: EntryId, before: Option<EntryId>, mut records: Vec<TestTaker>) {
        records.retain(|record| record.entry_id() != before);
        let shown = self.rows.compare(&[row], &records, &self.reading(false)).remove(0).same;
        if !shown.is_empty() && !shown.contains(&entry) {
            let shown = shown[0];
            let cause = format!("the service answered entry {entry} for a person whom it shows as {shown}");
            let hint = "assessctl needs both numbers to be the same: report this with the address of your service";
            self.job.stop.set(Failure::new(Verdict::Unforeseen, cause).hint(hint));
        }
    }
}
