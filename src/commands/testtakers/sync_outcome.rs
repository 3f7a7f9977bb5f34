//! How a sync ended: rows, leavers and pairs, and what of it failed.

use std::collections::HashSet;

use crate::bulk::outcome::{Finished, Outcome, RowResult};
use crate::commands::shared::run_failure::{AGAIN, InDoubt, failure};
use crate::commands::testtakers::sync_compare::SyncLook;
use crate::commands::testtakers::sync_joined::Unseen;
use crate::commands::testtakers::sync_remove_leavers::Removed;
use crate::commands::testtakers::sync_summary::Ends;
use crate::journal::held_syncs::Hold;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;

/// How everyone ended.
pub struct SyncEnds {
    /// The rows of each part.
    pub rows: Vec<Finished>,
    /// The leavers of each part, in their order.
    pub leavers: Vec<Vec<RowResult>>,
    /// The old entries of the pairs, in their order.
    pub pairs: Vec<RowResult>,
    /// Runs that enrolled people under another e-mail.
    again: Vec<Finished>,
    removed: Vec<Removed>,
    /// How many joined and were not seen: their old entries stay.
    unseen: usize,
}

impl SyncEnds {
    /// Before anything is sent: what is held is held, and nothing else is attempted.
    pub fn begin(look: &SyncLook, projects: &[ProjectId], hold: Option<&Hold>) -> Self {
        let waiting = if hold.is_some() { Outcome::Held } else { Outcome::NotAttempted };
        let leavers = look.parts.iter().map(|part| {
            let each = part.classes.leavers.iter();
            each.map(|leaver| RowResult::new(waiting).with_entry(leaver.person.entry_id())).collect()
        });
        let pairs = look.pairs.iter().map(|pair| {
            let waits = is_held(hold, projects[pair.from], pair.entry());
            RowResult::new(if waits { Outcome::Held } else { Outcome::NotAttempted }).with_entry(pair.entry())
        });
        let (leavers, pairs) = (leavers.collect(), pairs.collect());
        Self { rows: Vec::new(), leavers, pairs, again: Vec::new(), removed: Vec::new(), unseen: 0 }
    }

    /// Takes how the rows of the next part ended, and the run that enrolled some of them under another e-mail.
    pub fn sent(&mut self, rows: Finished, again: Option<Finished>) {
        self.rows.push(rows);
        self.again.extend(again);
    }

    /// Whether removals may follow: everything that they depend on was done and is known.
    pub fn goes_on(&self) -> bool {
        self.rows.iter().chain(&self.again).all(is_finished)
    }

    /// An old entry stays because its person was not seen to have joined.
    pub fn stays(&mut self, unseen: Unseen) {
        self.unseen += usize::from(unseen.was_enrolled);
        self.pairs[unseen.place] = unseen.end;
    }

    /// Whether an old entry may go: nothing has been said of it yet.
    pub fn may_go(&self, pair: usize) -> bool {
        self.pairs[pair].outcome == Outcome::NotAttempted && self.pairs[pair].message.is_none()
    }

    /// Takes what came of the removals from a part: its leavers', where they were asked for, then these pairs'.
    pub fn removed(&mut self, at: usize, pairs: &[usize], removed: Removed) {
        let mut ends = removed.finished.ends.iter().cloned();
        let leavers = removed.finished.ends.len() - pairs.len();
        if leavers > 0 {
            self.leavers[at] = ends.by_ref().take(leavers).collect();
        }
        for (pair, end) in pairs.iter().zip(ends) {
            self.pairs[*pair] = end;
        }
        self.removed.push(removed);
    }

    /// Whether all was done that was to be done: only then is the roster remembered.
    pub fn is_whole(&self) -> bool {
        self.goes_on() && self.unseen == 0 && self.removed.iter().all(Removed::is_whole)
    }

    /// As the account takes them.
    pub fn by_reference(&self) -> Ends<'_> {
        Ends {
            rows: self.rows.iter().map(|rows| rows.ends.iter().collect()).collect(),
            leavers: self.leavers.iter().map(|leavers| leavers.iter().collect()).collect(),
            pairs: self.pairs.iter().collect(),
        }
    }

    /// Entries that are gone, by the parts of their projects.
    pub fn left(&self, look: &SyncLook) -> HashSet<(usize, EntryId)> {
        let is_removed = |end: &&RowResult| end.outcome == Outcome::Removed;
        let mut left = HashSet::new();
        for (at, ends) in self.leavers.iter().enumerate() {
            left.extend(ends.iter().filter(is_removed).filter_map(|end| Some((at, end.entry?))));
        }
        let pairs = look.pairs.iter().zip(&self.pairs).filter(|(_, end)| is_removed(end));
        left.extend(pairs.map(|(pair, _)| (pair.from, pair.entry())));
        left
    }

    /// Whether anything was sent that changed somebody, or may have.
    pub fn changed_somebody(&self) -> bool {
        let removed = self.removed.iter().map(|removed| &removed.finished);
        self.rows.iter().chain(&self.again).chain(removed).any(|run| run.counts.any(Outcome::is_change))
    }

    /// What failed.
    pub fn failures(&self) -> Vec<Failure> {
        let rows = self.rows.iter().filter_map(|rows| failure(rows, true, InDoubt::Awaited));
        let again = self
            .again
            .iter()
            .filter(|again| !is_finished(again))
            .filter_map(|again| failure(again, true, InDoubt::Awaited));
        let mut failures: Vec<Failure> = rows.chain(again).collect();
        if self.unseen > 0 {
            let who = counted(self.unseen, "person who joined is", "people who joined are");
            let cause = format!("{who} not in the list yet; the old entries stay until they are");
            failures.push(Failure::new(Verdict::Unfinished, cause).hint(AGAIN));
        }
        failures.extend(self.removed.iter().filter_map(Removed::failure));
        failures
    }
}

fn is_finished(finished: &Finished) -> bool {
    matches!(finished.verdict, Verdict::Done | Verdict::RowsToFix)
}

/// Whether an old entry waits for a person's approval.
pub fn is_held(hold: Option<&Hold>, project: ProjectId, entry: EntryId) -> bool {
    let mut people = hold.into_iter().flat_map(|hold| &hold.people);
    people.any(|held| held.project == project && held.entry == entry && held.to.is_some())
}
