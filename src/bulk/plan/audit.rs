//! The audit at the end: one more verified list is held against what was enrolled.

use std::time::Duration;

use crate::bulk::outcome::Outcome;
use crate::model::testtakers::EntryId;

use super::doubt::gap;
use super::{Action, Phase, Plan};

/// So many lists may miss somebody whom the service enrolled, because reads lag behind.
const TRIES: u32 = 3;

impl Plan {
    /// Asks for the list where it is time.
    pub(super) fn audit(&mut self, now: Duration) {
        if let Phase::Auditing { tries, again_at: Some(at) } = self.phase
            && at <= now
        {
            self.phase = Phase::Auditing { tries: tries + 1, again_at: None };
            self.actions.push(Action::Audit);
        }
    }

    /// Takes what the list shows. Whoever is missing may only be late; after three lists somebody removed them.
    pub(super) fn audited(&mut self, now: Duration, missing: Vec<usize>, twice: Vec<(usize, Vec<EntryId>)>) {
        let Phase::Auditing { tries, .. } = self.phase else { return };
        for (row, entries) in twice {
            let others: Vec<String> = entries.iter().map(ToString::to_string).collect();
            let words = format!("enrolled more than once, also as entry {}", others.join(", "));
            self.revise(row, Outcome::Duplicate, words);
        }
        if missing.is_empty() {
            self.phase = Phase::Over;
        } else if tries < TRIES {
            self.phase = Phase::Auditing { tries, again_at: Some(now + gap(self.settings.settle)) };
        } else {
            for row in missing {
                let words = "was enrolled, and the project's list does not have this entry";
                self.revise(row, Outcome::Gone, words.to_owned());
            }
            self.phase = Phase::Over;
        }
    }

    fn revise(&mut self, row: usize, outcome: Outcome, words: String) {
        if let Some(Some(ended)) = self.ends.get_mut(row) {
            self.counts.remove(ended.outcome);
            self.counts.add(outcome);
            ended.outcome = outcome;
            ended.message = Some(words.into());
        }
    }
}
