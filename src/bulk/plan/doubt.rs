//! Rows in doubt: their answer was lost, so they are looked up until they are found or the settle time is over.

use std::cmp::Reverse;
use std::time::Duration;

use crate::model::testtakers::EntryId;

use super::{Action, Plan};
use crate::bulk::answer::Stop;
use crate::bulk::outcome::{Ended, Outcome};

/// When a row in doubt is looked up, in seconds after its answer was lost; then once a minute.
const LOOKS: [u64; 7] = [1, 2, 4, 8, 15, 30, 60];

/// A row whose answer was lost.
pub(super) struct Doubt {
    since: Duration,
    looks: usize,
    /// The answer was a 409: a no, if the row turns out not to be enrolled.
    conflict: bool,
    words: String,
}

/// The time between the loss of an answer and look number `n`, counted from 0.
fn look_after(n: usize) -> Duration {
    let minutes_more = n.saturating_sub(LOOKS.len() - 1) as u64;
    Duration::from_secs(LOOKS[n.min(LOOKS.len() - 1)] + 60 * minutes_more)
}

impl Plan {
    /// Puts a row in doubt.
    pub(super) fn doubt(&mut self, now: Duration, row: usize, words: String, conflict: bool) {
        self.doubts.insert(row, Doubt { since: now, looks: 0, conflict, words });
        if self.may_look() {
            let first = look_after(0).min(self.settings.settle);
            self.looks.push(Reverse((now + first, row)));
        } else {
            self.leave_doubt(row);
        }
    }

    /// Whether reads can still tell: not with a refused key, a project that is gone, a wrong address, or a user who
    /// wants to leave.
    pub(super) fn may_look(&self) -> bool {
        matches!(self.stop, None | Some(Stop::NoAnswer(_) | Stop::WrongIds | Stop::Existing))
    }

    /// Takes what a look found, without the entries that are other rows'.
    pub(super) fn looked(&mut self, now: Duration, row: usize, found: &[EntryId]) {
        let mut ours: Vec<EntryId> = found.iter().copied().filter(|entry| !self.is_claimed(*entry)).collect();
        ours.sort_unstable();
        ours.dedup();
        let Some(first) = ours.first().copied() else { return self.looked_in_vain(now, row) };
        self.doubts.remove(&row);
        let others: Vec<String> = ours[1..].iter().map(ToString::to_string).collect();
        let ended = if others.is_empty() {
            Ended::new(Outcome::Enrolled).at(first).saying("the answer was lost; found by looking it up")
        } else {
            let message = format!("the answer was lost; enrolled more than once, also as entry {}", others.join(", "));
            Ended::new(Outcome::Duplicate).at(first).saying(message)
        };
        self.end_row(row, ended);
    }

    fn is_claimed(&self, entry: EntryId) -> bool {
        self.ends.iter().flatten().any(|ended| ended.entry == Some(entry))
    }

    /// Looks again later, until the settle time is over.
    pub(super) fn looked_in_vain(&mut self, now: Duration, row: usize) {
        let settle = self.settings.settle;
        let Some(doubt) = self.doubts.get_mut(&row) else { return };
        if now >= doubt.since + settle {
            return self.leave_doubt(row);
        }
        doubt.looks += 1;
        // A slow service may have used up the time of the next look already.
        let next = (doubt.since + look_after(doubt.looks).min(settle)).max(now);
        self.looks.push(Reverse((next, row)));
    }

    /// Ends a row that was not found: in doubt for good, or refused where that was the answer.
    fn leave_doubt(&mut self, row: usize) {
        let Some(doubt) = self.doubts.remove(&row) else { return };
        let looked_long_enough = doubt.conflict && self.may_look();
        let outcome = if looked_long_enough { Outcome::Refused } else { Outcome::InDoubt };
        self.end_row(row, Ended::new(outcome).saying(doubt.words));
    }

    /// Ends all doubts without looking any more.
    pub(super) fn leave_doubts(&mut self) {
        self.looks.clear();
        let rows: Vec<usize> = self.doubts.keys().copied().collect();
        for row in rows {
            if matches!(self.under_way.get(&row), Some(Action::Look(_))) {
                self.under_way.remove(&row);
            }
            self.leave_doubt(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::look_after;

    #[test]
    fn looks_come_soon_and_then_once_a_minute() {
        let seconds: Vec<u64> = (0..10).map(|n| look_after(n).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 15, 30, 60, 120, 180, 240]);
    }
}
