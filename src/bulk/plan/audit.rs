//! The audit at the end: one more verified list is held against what was enrolled, and what it does not show is looked for.

use std::time::Duration;

use crate::bulk::compare::list;
use crate::bulk::early_stop::Stop;
use crate::bulk::outcome::Outcome;
use crate::model::testtakers::EntryId;

use super::{Action, Phase, Plan};

impl Plan {
    /// Asks for the list, or for the rows that it did not show, where it is time.
    pub(super) fn audit(&mut self, now: Duration) {
        let Phase::Auditing { lists, again_at: Some(at) } = self.phase else { return };
        if at > now {
            return;
        }
        self.phase = Phase::Auditing { lists: lists + 1, again_at: None };
        // Rows that the service spells otherwise are not found by what was sent, and many are not asked about one by one.
        // The last look is by the list: an entry is known there however it is spelt.
        let last = lists > 0 && at >= self.settled_at;
        let whole = last || !self.suspects.is_empty() || self.unseen.iter().any(|row| self.respelt.contains(row));
        let many = self.pages.is_some_and(|pages| self.unseen.len() > pages);
        if lists == 0 || whole || many {
            self.actions.push(Action::Audit { whole: lists > 0 || whole });
        } else {
            self.to_find = self.unseen.iter().copied().collect();
            self.to_find.reverse();
        }
    }

    /// Takes what the list shows. A row that it does not have may only be late: it is looked for until the settle time is
    /// over.
    pub(super) fn audited(
        &mut self,
        now: Duration,
        missing: Vec<usize>,
        twice: Vec<(usize, Vec<EntryId>)>,
        pages: Option<usize>,
    ) {
        if !matches!(self.phase, Phase::Auditing { .. }) {
            return;
        }
        // A few rows are all sent before any was read back: here is the first read that shows one.
        if self.id_checks_left > 0 && twice.iter().any(|(row, _)| missing.contains(row)) {
            return self.stop(Stop::WrongIds);
        }
        for (row, entries) in twice {
            self.revise(row, Outcome::Duplicate, format!("enrolled more than once, also as entry {}", list(&entries)));
        }
        self.pages = pages.or(self.pages);
        self.unseen.clear();
        for row in missing {
            if self.suspects.remove(&row) {
                self.mark_gone(row);
            } else {
                self.unseen.insert(row);
            }
        }
        self.suspects.clear();
        self.look_again(now);
    }

    /// Ends a row as gone: an earlier run enrolled it, and neither the list nor an exact look-up shows its entry.
    pub(super) fn mark_gone(&mut self, row: usize) {
        self.revise(
            row,
            Outcome::Gone,
            "was enrolled by this machine and removed since (--again enrols it anew)".into(),
        );
    }

    /// Ends a row otherwise than it had.
    pub(super) fn revise(&mut self, row: usize, outcome: Outcome, words: String) {
        if let Some(ended) = self.ends.get_mut(row) {
            self.counts.remove(ended.outcome);
            self.counts.add(outcome);
            ended.outcome = outcome;
            ended.message = Some(words.into());
        }
    }
}
