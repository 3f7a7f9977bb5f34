//! What a plan tells of its rows, what it is told about them beside its events, and its end.

use super::doubt::still_unknown;
use super::freshness::Unproven;
use super::{Place, Plan, RowTask};
use crate::bulk::outcome::{Finished, Outcome, RowResult, Unsettled};
use crate::bulk::run_verdict::verdict;
use crate::model::testtakers::EntryId;

impl Plan {
    /// The rows that were asked about and have no place yet.
    pub fn unasked(&self) -> Vec<usize> {
        (0..self.ends.len())
            .filter(|row| self.ends.get(*row).is_none() && self.places[*row] == Place::Unasked)
            .collect()
    }

    /// Whether it is not known whether a row is enrolled.
    pub fn is_in_doubt(&self, row: usize) -> bool {
        self.doubts.contains_key(&row)
    }

    /// Whether an entry is known to be a row's, or was one's.
    pub fn is_of_roster(&self, entry: EntryId) -> bool {
        self.has_claimed(entry) || self.missing.values().any(|(result, _)| result.entry == Some(entry))
    }

    /// Whether an entry is known to be a row's.
    pub fn has_claimed(&self, entry: EntryId) -> bool {
        self.claimed.has(i64::from(entry.0))
    }

    /// The entry that a row has, as far as is known: of one that has ended, or is looked up because it is missing.
    pub fn entry(&self, row: usize) -> Option<EntryId> {
        let missing = self.missing.get(&row).and_then(|(result, _)| result.entry);
        self.ended(row).and_then(|ended| ended.entry).or(missing)
    }

    /// Whether a row was enrolled, or found enrolled, by this run, or is not in what was read: only those are held against
    /// the list one by one.
    pub fn is_fresh(&self, row: usize) -> bool {
        self.unseen.contains(&row)
            || self.suspects.contains(&row)
            || self.ended(row).is_some_and(|ended| !ended.earlier)
    }

    /// Says that the project's list was not read: rows are asked about one by one. `has_enrolled` says that there are
    /// people that the list would have to show.
    pub fn without_list(&mut self, has_enrolled: bool) {
        self.listed = false;
        if has_enrolled {
            self.freshness.lacking = Some(Unproven::Unlisted);
        }
    }

    /// Says that reads have not shown an entry that was enrolled from here.
    pub fn reads_lack(&mut self, entry: EntryId) {
        self.freshness.lacking = Some(if self.listed { Unproven::By(entry) } else { Unproven::Unlisted });
    }

    /// Says that the service stored a row's e-mail or reference id otherwise.
    pub fn respelt(&mut self, row: usize) {
        self.respelt.insert(row);
    }

    /// Says that the journal has a row in doubt: a run that did not come to it leaves it so.
    pub fn leave_in_doubt(&mut self, row: usize) {
        match self.ended(row) {
            None => self.end_row(row, still_unknown()),
            Some(ended) if ended.outcome == Outcome::NotAttempted => {
                let words = ended.message.as_deref().unwrap_or_default().to_owned();
                self.revise(row, Outcome::InDoubt, words);
            }
            Some(_) => {}
        }
    }

    /// Takes a row whose answer came and can't be judged, because the journal can't be read: the next run looks it up.
    pub fn leave_unjudged(&mut self, row: usize, why: &str) {
        if self.under_way.remove(&row).is_some_and(|(task, _)| task == RowTask::Send) {
            self.end_row(row, RowResult::new(Outcome::InDoubt).with_message(why.to_owned()));
        }
    }

    /// The end of each row, and of the whole. What was never launched was not attempted.
    pub fn end(mut self) -> Finished {
        for row in 0..self.ends.len() {
            self.end_row(row, RowResult::new(Outcome::NotAttempted));
        }
        let open = Unsettled { unseen: self.tell_unseen(), waiting: self.waited, still_shown: self.still_shown };
        // A command for one person does not wait for the list, and has nothing to repeat.
        let counted = if self.settings.wait_for_list { open } else { Unsettled { unseen: 0, ..open } };
        let verdict = verdict(&self.counts, self.stop.as_ref(), counted);
        let ends = self.ends.into_all();
        let mut counts = self.counts;
        counts.earlier = ends.iter().filter(|end| end.is_done_earlier()).count();
        Finished { ends, counts, verdict, stop: self.stop, open: counted }
    }
}
