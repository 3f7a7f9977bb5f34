//! What the reads of a run tell: look-ups, read-backs, and reads that failed.

use std::time::Duration;

use crate::bulk::early_stop::Stop;
use crate::bulk::outcome::{Outcome, RowResult};
use crate::model::testtakers::EntryId;

use super::freshness::Unproven;
use super::{FoundEntries, Plan, RowTask};

impl Plan {
    /// A GET answered: the service is there.
    pub(super) fn answered_read(&mut self, row: usize) -> Option<(RowTask, Duration)> {
        self.lost_in_a_row = 0;
        self.unanswered_in_a_row = 0;
        self.under_way.remove(&row)
    }

    pub(super) fn read_failed(&mut self, now: Duration, row: usize, stop: Option<Stop>, words: String) {
        let task = self.under_way.remove(&row).map(|(task, _)| task);
        if let Some(stop) = stop {
            return self.stop(stop);
        }
        match task {
            Some(RowTask::Ask) => {
                let is_in_doubt = self.lost_before.contains(&row);
                let outcome = if is_in_doubt { Outcome::InDoubt } else { Outcome::NotAttempted };
                self.end_row(row, RowResult::new(outcome).with_message(format!("could not be looked up: {words}")));
                self.unanswered(words);
            }
            Some(RowTask::Look) if self.missing.contains_key(&row) => {
                self.missing_looked(row, &FoundEntries::default());
            }
            Some(RowTask::Look) => self.could_not_look(now, row),
            Some(RowTask::Find) => self.was_looked_for(now, row, false),
            Some(RowTask::ReadBack) => self.freshness.reading_failed(),
            _ => {}
        }
    }

    /// The read record of an enrolled row must carry the entry id that POST answered: our reading, checked on the first
    /// own row that shows up in a read. The same read shows how fresh reads are.
    pub(super) fn was_read_back(&mut self, now: Duration, row: usize, found: &[EntryId]) {
        let Some(ended) = self.ends.get(row) else { return };
        let (Some(entry), earlier) = (ended.entry, ended.earlier) else { return };
        self.freshness.read_back(row, now, found.contains(&entry));
        if self.id_checks_left == 0 || earlier {
            return;
        }
        self.id_checks_left = if found.is_empty() { self.id_checks_left.saturating_sub(1) } else { 0 };
        if !found.is_empty() && !found.contains(&entry) {
            self.stop(Stop::WrongIds);
        }
    }

    /// A row that an earlier run enrolled was looked up exactly, because what was read did not have it.
    pub(super) fn missing_looked(&mut self, row: usize, found: &FoundEntries) {
        let Some((result, again)) = self.missing.remove(&row) else { return };
        let is_there = result.entry.is_some_and(|entry| found.ours.contains(&entry));
        if is_there || self.stop.is_some() {
            return self.end_row(row, result);
        }
        // Reads that lack an enrolled entry prove no absence, also where another one stands in its place.
        if let (false, Some(entry)) = (again, result.entry) {
            self.freshness.lacking = Some(Unproven::By(entry));
        }
        let other = found.ours.iter().find(|entry| !self.has_claimed(**entry));
        if let (false, Some(other)) = (again, other) {
            let words = "was enrolled by this machine as another entry, which is gone";
            return self.end_row(row, RowResult::new(Outcome::Existing).with_entry(*other).with_message(words));
        }
        if again {
            if self.settings.dry_run {
                return self.end_row(row, RowResult::new(Outcome::WouldEnrol));
            }
            return self.again.push_back(row);
        }
        self.end_row(row, result);
        if self.listed {
            self.mark_gone(row);
        } else {
            self.touched = true;
            self.suspects.insert(row);
        }
    }
}
