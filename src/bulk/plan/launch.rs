//! What a plan launches next.

use std::cmp::Reverse;
use std::time::Duration;

use super::{Action, AtEnd, Due, Phase, Place, Plan, RowTask, doubt};
use crate::bulk::early_stop::{IN_A_ROW, Stop};
use crate::bulk::outcome::{Outcome, RowResult};

impl Plan {
    pub(super) fn is_paused(&self) -> bool {
        self.stop.is_some() || self.lost_in_a_row >= IN_A_ROW
    }

    /// Launches what there is room for, and has the intents of what comes next written down.
    pub(super) fn launch(&mut self, now: Duration) {
        self.fill(now);
        self.begin_sending();
        self.journal(now);
        // What was just begun, or skipped, may leave a row to be changed as the next one.
        self.fill(now);
        self.finish_up(now);
    }

    fn fill(&mut self, now: Duration) {
        while self.under_way.len() < self.settings.concurrency {
            let Some((row, task)) = self.next(now) else { break };
            self.under_way.insert(row, (task, now));
            self.actions.push(match task {
                RowTask::Ask => Action::Ask(row),
                RowTask::Send => Action::Send(row),
                RowTask::Look => {
                    let settle = self.settings.settle;
                    let doubt = self.doubts.get(&row);
                    let closely = doubt.is_none_or(|doubt| doubt.looks.may_end_now(now, settle));
                    Action::Look { row, closely }
                }
                RowTask::ReadBack | RowTask::Find => Action::ReadBack(row),
                RowTask::Update => Action::Update(row),
            });
        }
    }

    /// Looks go first, because they end doubt; then what shows that the service is what we take it for; then rows.
    fn next(&mut self, now: Duration) -> Option<(usize, RowTask)> {
        if let Some(row) = pop_due(&mut self.looks, now) {
            return Some((row, RowTask::Look));
        }
        if self.stop.is_none() && self.is_paused() && self.doubts.is_empty() {
            // Nothing is left that could show whether the service is there.
            self.stop(Stop::NoAnswer("three answers in a row were lost, and nothing answered since".to_owned()));
        }
        if let Some(row) = self.to_find.pop() {
            return Some((row, RowTask::Find));
        }
        if let Some(row) = self.freshness.next_reading() {
            return Some((row, RowTask::ReadBack));
        }
        if self.is_paused() {
            return None;
        }
        if let Some(row) = self.to_read_back.take() {
            return Some((row, RowTask::ReadBack));
        }
        match self.phase {
            Phase::Asking => self.next_unasked().map(|row| (row, RowTask::Ask)),
            Phase::Sending => {
                if let Some(row) = self.ready.pop_front() {
                    return Some((row, RowTask::Send));
                }
                self.next_difference().map(|row| (row, RowTask::Update))
            }
            Phase::Comparing | Phase::Auditing { .. } | Phase::Over => None,
        }
    }

    fn next_unasked(&mut self) -> Option<usize> {
        while self.next_row < self.ends.len() {
            let row = self.next_row;
            self.next_row += 1;
            if self.ends.get(row).is_none() && self.places[row] == Place::Unasked {
                self.to_compare = true;
                return Some(row);
            }
        }
        None
    }

    /// Everything is compared: nothing was sent so far.
    fn begin_sending(&mut self) {
        let asked = self.phase == Phase::Asking && self.next_row >= self.ends.len();
        if !asked || self.under_way.values().any(|(task, _)| *task == RowTask::Ask) || self.stop.is_some() {
            return;
        }
        if std::mem::take(&mut self.to_compare) {
            // Nothing is judged before every row was asked about: a record may contradict any of them.
            self.phase = Phase::Comparing;
            self.actions.push(Action::Compare);
            return;
        }
        self.begin();
    }

    /// Every row has its place.
    pub(super) fn begin(&mut self) {
        self.phase = Phase::Sending;
        self.next_row = 0;
        if self.settings.on_existing.forbids(self.counts.of(Outcome::Existing)) {
            return self.stop(Stop::Existing);
        }
        if self.settings.dry_run {
            for row in (0..self.ends.len()).filter(|row| !self.missing.contains_key(row)).collect::<Vec<_>>() {
                let updates = self.places[row] == Place::Differs;
                self.end_row(row, RowResult::new(if updates { Outcome::WouldUpdate } else { Outcome::WouldEnrol }));
            }
        }
    }

    pub(super) fn has_room_for_intents(&self) -> bool {
        self.journaling.is_empty() && self.ready.len() * 2 <= self.settings.concurrency
    }

    /// Has the next intents written down, in groups as large as what is under way, while half a group is ready to go.
    fn journal(&mut self, now: Duration) {
        if self.phase != Phase::Sending || self.is_paused() || !self.has_room_for_intents() {
            return;
        }
        while self.journaling.len() < self.settings.concurrency {
            let Some(row) = self.next_intent(now) else { break };
            self.places[row] = Place::Busy;
            self.journaling.push(row);
        }
        if !self.journaling.is_empty() {
            self.actions.push(Action::Journal(self.journaling.clone()));
        }
    }

    fn next_intent(&mut self, now: Duration) -> Option<usize> {
        if let Some(row) = pop_due(&mut self.retries, now) {
            return Some(row);
        }
        while let Some(row) = self.again.pop_front() {
            if self.ends.get(row).is_none() && self.groups.enter(row) {
                return Some(row);
            }
        }
        // A row that waits for its next attempt keeps its place, or a service that is away would see every row once.
        if self.retries.len() >= self.settings.concurrency {
            return None;
        }
        while let Some(row) = self.next_of(Place::New) {
            if self.groups.is_blocked(row) {
                self.end_row(row, doubt::waits_for_other());
            } else if self.groups.enter(row) {
                return Some(row);
            }
        }
        None
    }

    /// The next row that is to be changed, if the next open row is one.
    fn next_difference(&mut self) -> Option<usize> {
        let row = self.next_of(Place::Differs)?;
        self.places[row] = Place::Busy;
        Some(row)
    }

    /// The next open row, if it stands so; rows are taken in their order.
    fn next_of(&mut self, place: Place) -> Option<usize> {
        while self.next_row < self.ends.len() {
            let row = self.next_row;
            if self.ends.get(row).is_none() && self.places[row] != Place::Busy {
                if self.places[row] != place {
                    return None;
                }
                self.next_row += 1;
                return Some(row);
            }
            self.next_row += 1;
        }
        None
    }

    /// With nothing left to send: what is in doubt is waited for, or left; then comes the audit.
    fn finish_up(&mut self, now: Duration) {
        let sent_all = self.phase == Phase::Sending && self.next_row >= self.ends.len() && self.is_idle();
        if sent_all
            && self.settings.at_end == AtEnd::Leave
            && self.doubts.values().all(|doubt| doubt.looks.have_begun())
        {
            self.leave_doubts();
        }
        if sent_all && self.doubts.is_empty() && self.missing.is_empty() && self.is_idle() {
            let audits = self.touched && self.stop.is_none() && !self.settings.dry_run;
            self.phase = if audits { Phase::Auditing { lists: 0, again_at: Some(now) } } else { Phase::Over };
        }
        self.audit(now);
        self.fill(now);
    }
}

pub(super) fn pop_due(due: &mut Due, now: Duration) -> Option<usize> {
    let is_due = due.peek().is_some_and(|Reverse((at, _))| *at <= now);
    if is_due { due.pop().map(|Reverse((_, row))| row) } else { None }
}
