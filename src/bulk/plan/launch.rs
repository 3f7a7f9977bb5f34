//! What a plan launches next.

use std::cmp::Reverse;
use std::time::Duration;

use super::{Action, Due, IN_A_ROW, Phase, Plan};
use crate::bulk::answer::Stop;
use crate::bulk::outcome::{Ended, Outcome};

impl Plan {
    pub(super) fn is_paused(&self) -> bool {
        self.stop.is_some() || self.lost_in_a_row >= IN_A_ROW
    }

    /// Looks go first, because they end doubt; then what was refused for now; then fresh rows.
    pub(super) fn next(&mut self, now: Duration) -> Option<Action> {
        if let Some(row) = pop_due(&mut self.looks, now) {
            return Some(Action::Look(row));
        }
        if self.stop.is_none() && self.is_paused() && self.doubts.is_empty() {
            // Nothing is left that could show whether the service is there.
            self.stop(Stop::NoAnswer("three answers in a row were lost, and nothing answered since".to_owned()));
        }
        if self.is_paused() {
            return None;
        }
        if let Some(row) = self.to_read_back.take() {
            return Some(Action::ReadBack(row));
        }
        if let Some(row) = pop_due(&mut self.retries, now) {
            return Some(Action::Send(row));
        }
        // A row that waits for its next attempt keeps its place, or a service that is away would see every row once.
        let is_free = self.under_way.len() + self.retries.len() < self.settings.concurrency;
        if is_free { self.next_fresh() } else { None }
    }

    fn next_fresh(&mut self) -> Option<Action> {
        if self.twin_under_way.is_none()
            && let Some(row) = self.held_twins.pop_front()
        {
            self.twin_under_way = Some(row);
            return Some(Action::Send(row));
        }
        while self.next_row < self.ends.len() {
            let row = self.next_row;
            self.next_row += 1;
            if self.ends[row].is_some() {
                continue;
            }
            if self.phase == Phase::Asking {
                return Some(Action::Ask(row));
            }
            if !self.twins.contains(&row) {
                return Some(Action::Send(row));
            }
            if self.twin_under_way.is_none() {
                self.twin_under_way = Some(row);
                return Some(Action::Send(row));
            }
            self.held_twins.push_back(row);
        }
        if self.phase == Phase::Asking && self.under_way.is_empty() {
            return self.start_sending();
        }
        None
    }

    /// Everything is compared: nothing was sent so far.
    fn start_sending(&mut self) -> Option<Action> {
        self.phase = Phase::Sending;
        self.next_row = 0;
        if self.settings.fail_on_existing && self.counts.of(Outcome::Existing) > 0 {
            self.stop(Stop::Existing);
            return None;
        }
        if self.settings.dry_run {
            for row in 0..self.ends.len() {
                self.end_row(row, Ended::new(Outcome::WouldEnrol));
            }
        }
        self.next_fresh()
    }
}

fn pop_due(due: &mut Due, now: Duration) -> Option<usize> {
    let is_due = due.peek().is_some_and(|Reverse((at, _))| *at <= now);
    if is_due { due.pop().map(|Reverse((_, row))| row) } else { None }
}
