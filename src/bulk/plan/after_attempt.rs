//! What the answer to one attempt means for a row.

use std::cmp::Reverse;
use std::time::Duration;

use super::doubt::Reply;
use super::{Action, Fact, Plan};
use crate::api::{ATTEMPTS, LONGEST_WAIT, backoff_ceiling};
use crate::bulk::answer_evidence::Answer;
use crate::bulk::early_stop::{ALIKE, IN_A_ROW, Stop};
use crate::bulk::outcome::{Outcome, RowOutcome, RowResult};
use crate::model::testtakers::Enrolment;

impl Plan {
    pub(super) fn judge(&mut self, now: Duration, launched: Duration, row: usize, answer: Answer) {
        if !matches!(answer, Answer::Lost { .. }) {
            self.lost_in_a_row = 0;
        }
        if matches!(answer, Answer::Done { .. } | Answer::DoneIdUnknown(_) | Answer::Refused(_)) {
            self.alike = None;
        }
        match answer {
            Answer::Done { enrolment, remark, .. } => {
                self.settles_from(now);
                self.enrolled((launched, now), row, &enrolment, remark);
            }
            Answer::DoneIdUnknown(words) => self.doubt(now, row, words, Reply::Done),
            Answer::Lost { words, status } => {
                self.lost_in_a_row += 1;
                self.doubt(now, row, words, if status == Some(409) { Reply::No } else { Reply::Nothing });
                self.alike(status);
            }
            Answer::NeverSent { words, permanent } => {
                let attempts = if permanent { ATTEMPTS } else { 0 };
                self.try_again(now, row, Duration::ZERO, words, attempts);
            }
            Answer::RefusedForNow { wait, words } => self.try_again(now, row, wait, words, 0),
            // The first attempt may be what the second one collides with.
            Answer::Refused(words) if self.lost_before.contains(&row) => self.doubt(now, row, words, Reply::No),
            Answer::Refused(words) => {
                self.actions.push(Action::Note(row, Fact::Refused));
                self.end_row(row, RowResult::new(Outcome::Refused).with_message(words));
            }
            Answer::Stop(stop) => {
                if let Stop::Redirect(words) = &stop {
                    let words = words.clone();
                    self.doubt(now, row, words, Reply::Nothing);
                } else {
                    self.actions.push(Action::Note(row, Fact::Free));
                    self.end_row(row, RowResult::new(Outcome::NotAttempted));
                }
                self.stop(stop);
            }
        }
    }

    /// The service answers creates alike, whatever the row: nothing more is sent.
    fn alike(&mut self, status: Option<u16>) {
        let Some(status) = status.filter(|status| *status == 409 || *status >= 500) else { return };
        let before = self.alike.filter(|(known, _)| *known == status).map_or(0, |(_, count)| count);
        self.alike = Some((status, before + 1));
        if before + 1 >= ALIKE {
            self.stop(Stop::Alike(format!("the service answers each enrolment with {status}")));
        }
    }

    fn enrolled(
        &mut self,
        (launched, now): (Duration, Duration),
        row: usize,
        enrolment: &Enrolment,
        remark: Option<String>,
    ) {
        self.unanswered_in_a_row = 0;
        self.touched = true;
        let (entry, id) = (enrolment.project_entry_id, enrolment.id);
        self.actions.push(Action::Note(row, Fact::Enrolled(entry, Some(id))));
        let mut ended = RowResult::new(Outcome::Enrolled).with_entry(entry);
        ended.enrolment = Some(id);
        ended.message = remark.map(Into::into);
        self.end_row(row, ended);
        self.freshness.created((row, entry), launched, now);
        // With nothing left to send there is nothing left to stop.
        if self.id_checks_left > 0 && self.to_read_back.is_none() && self.next_row < self.ends.len() {
            self.to_read_back = Some(row);
        }
    }

    pub(super) fn updated(&mut self, row: usize, did: RowOutcome) {
        self.under_way.remove(&row);
        let is_unanswered = did.ended.outcome == Outcome::NotAttempted && !did.why.is_empty();
        self.end_row(row, did.ended);
        match did.stop {
            Some(stop) => self.stop(stop),
            None if is_unanswered => self.unanswered(did.why),
            None => self.unanswered_in_a_row = 0,
        }
    }

    /// A row had no answer after all attempts.
    pub(super) fn unanswered(&mut self, words: String) {
        self.unanswered_in_a_row += 1;
        if self.unanswered_in_a_row >= IN_A_ROW {
            self.stop(Stop::NoAnswer(words));
        }
    }

    /// Sends a row again later: the service did nothing. Four attempts, and after three rows that had theirs nothing
    /// more is launched.
    fn try_again(&mut self, now: Duration, row: usize, wait: Duration, words: String, used: u32) {
        // A row that was in doubt is free only by being found absent; the attempt that was not made changes nothing.
        self.actions.push(Action::Note(row, Fact::Free));
        let attempts = self.attempts.get(&row).map_or(0, |(attempts, _)| *attempts).max(used) + 1;
        let too_long = wait > LONGEST_WAIT;
        if attempts >= ATTEMPTS || too_long || self.stop.is_some() {
            self.attempts.remove(&row);
            self.end_row(row, RowResult::new(Outcome::NotAttempted).with_message(words.clone()));
            self.unanswered_in_a_row += 1;
            if too_long || used > 0 || self.unanswered_in_a_row >= IN_A_ROW {
                self.stop(Stop::NoAnswer(words));
            }
            return;
        }
        let pause = wait.max(self.backoff(attempts - 1));
        self.attempts.insert(row, (attempts, words));
        self.retries.push(Reverse((now + pause, row)));
    }

    fn backoff(&mut self, n: u32) -> Duration {
        backoff_ceiling(n).mul_f64(self.random.f64())
    }
}
