//! Rows in doubt: their answer was lost, so they are looked up until they are found, or found absent for certain.

use std::cmp::Reverse;
use std::time::Duration;

use crate::model::testtakers::EntryId;

use super::freshness::{Reads, Unproven};
use super::settle::{Looks, look_after};
use super::{Action, Fact, FoundEntries, Plan, RowTask};
use crate::api::ATTEMPTS;
use crate::bulk::compare::list;
use crate::bulk::early_stop::Stop;
use crate::bulk::outcome::{Outcome, RowResult};

/// What the answer said, if anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// It was lost.
    Nothing,
    /// No: it counts if the row turns out not to be enrolled.
    No,
    /// Done, without saying as which entry: such a row is not sent again by itself, whatever reads show.
    Done,
}

/// A row whose answer was lost.
pub(super) struct Doubt {
    pub(super) looks: Looks,
    said: Reply,
    /// It is another row that is in doubt.
    pub(super) held: bool,
    /// An entry that may be the row, as the last look saw it.
    perhaps: Option<EntryId>,
    words: String,
}

impl Doubt {
    /// The answer was lost just now.
    fn new(now: Duration, words: String, said: Reply) -> Self {
        Self { looks: Looks::new(now, now), said, held: false, perhaps: None, words }
    }

    /// An earlier run, or another process, left the row in doubt.
    pub(super) fn earlier(now: Duration, since: Duration, answered: bool) -> Self {
        let (words, said) = if answered {
            ("an earlier answer did not say which entry this is", Reply::Done)
        } else {
            ("an earlier attempt was not answered", Reply::Nothing)
        };
        Self { looks: Looks::new(since, now), ..Self::new(now, words.to_owned(), said) }
    }

    /// Another row of the journal holds this one up.
    pub(super) fn held(now: Duration, since: Duration, answered: bool) -> Self {
        Self { held: true, ..Self::earlier(now, since, answered) }
    }

    /// How the row ends where nothing more is found out.
    fn ended(self) -> RowResult {
        match (self.held, self.perhaps) {
            (true, _) => waits_for_other(),
            (false, Some(entry)) => RowResult::new(Outcome::InDoubt)
                .with_message(format!("{}; entry {entry} may be this person", self.words)),
            (false, None) => RowResult::new(Outcome::InDoubt).with_message(self.words),
        }
    }
}

/// The end of a row that must not be sent beside one in doubt.
pub(super) fn waits_for_other() -> RowResult {
    RowResult::new(Outcome::NotAttempted).with_message(
        "a row with the same e-mail or reference id is in doubt: `assessctl journal show --in-doubt` lists it",
    )
}

/// Whether a row ended because another one is in doubt.
pub(super) fn waited(ended: &RowResult) -> bool {
    ended.outcome == Outcome::NotAttempted && ended.message == waits_for_other().message
}

/// The end of a row of which it is not known whether it is enrolled.
pub(super) fn still_unknown() -> RowResult {
    RowResult::new(Outcome::InDoubt).with_message("an earlier attempt was not answered")
}

impl Plan {
    /// Puts a row in doubt.
    pub(super) fn doubt(&mut self, now: Duration, row: usize, words: String, said: Reply) {
        self.lost_before.insert(row);
        self.groups.occupy(row);
        let fact = if said == Reply::Done { Fact::Answered } else { Fact::GivenUp };
        self.actions.push(Action::Note(row, fact));
        self.doubts.insert(row, Doubt::new(now, words, said));
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

    /// Takes what a look found that was launched then, without the entries that are other rows'.
    pub(super) fn looked(&mut self, now: Duration, launched: Duration, row: usize, found: &FoundEntries) {
        let is_free = |entry: &EntryId| !self.has_claimed(*entry);
        let mut ours: Vec<EntryId> = found.ours.iter().copied().filter(is_free).collect();
        ours.sort_unstable();
        ours.dedup();
        let perhaps = found.perhaps.filter(is_free);
        let Some(first) = ours.first().copied() else { return self.found_nothing(now, launched, row, perhaps) };
        if self.doubts.remove(&row).is_none() {
            return;
        }
        self.touched = true;
        self.actions.push(Action::Note(row, Fact::Enrolled(first, None)));
        let (outcome, message) = match &ours[1..] {
            [] => (Outcome::Enrolled, "the answer was lost; found by looking it up".to_owned()),
            others => {
                let message = format!("the answer was lost; enrolled more than once, also as entry {}", list(others));
                (Outcome::Duplicate, message)
            }
        };
        self.end_row(row, RowResult::new(outcome).with_entry(first).with_message(message));
    }

    /// Counts an absence, and ends the doubt where it is certain. It was the reads' state when the look was launched.
    fn found_nothing(&mut self, now: Duration, launched: Duration, row: usize, perhaps: Option<EntryId>) {
        let settle = self.settings.settle;
        let Some(doubt) = self.doubts.get_mut(&row) else { return };
        doubt.perhaps = perhaps.or(doubt.perhaps.filter(|entry| !self.claimed.has(i64::from(entry.0))));
        let looks = &mut doubt.looks;
        looks.found_nothing(launched, settle);
        let reads = self.freshness.judge(looks.since(), launched, settle);
        let is_long_ago = looks.need_no_witness(launched, settle);
        match reads {
            Reads::Fresh if looks.show_absence() => return self.mark_absent(row),
            Reads::Unknown if looks.show_absence() && is_long_ago => return self.mark_absent(row),
            Reads::Stale(why) if looks.show_absence() && is_long_ago => return self.leave_unproven(row, why),
            Reads::Unknown | Reads::Late | Reads::Stale(_) if looks.want_witness() => {
                self.freshness.need(looks.since());
            }
            _ => {}
        }
        let next = looks.next(now, settle);
        self.looks.push(Reverse((next, row)));
    }

    /// A look that was not answered says nothing.
    pub(super) fn could_not_look(&mut self, now: Duration, row: usize) {
        let settle = self.settings.settle;
        let stopped = self.stop.is_some();
        let Some(doubt) = self.doubts.get_mut(&row) else { return };
        doubt.looks.failed();
        if doubt.looks.are_given_up(now, settle, stopped) {
            return self.leave_doubt(row);
        }
        let next = doubt.looks.next(now, settle);
        self.looks.push(Reverse((next, row)));
    }

    /// The row is certainly not enrolled.
    fn mark_absent(&mut self, row: usize) {
        let Some(doubt) = self.doubts.remove(&row) else { return };
        let may_send = self.exact[row] || self.settings.resend_in_doubt;
        if doubt.held && doubt.said != Reply::Done {
            self.actions.push(Action::Release(row));
        } else if doubt.perhaps.is_some() || doubt.said == Reply::Done {
            return self.end_row(row, doubt.ended());
        } else if doubt.said == Reply::No {
            self.actions.push(Action::Note(row, Fact::Refused));
            return self.end_row(row, RowResult::new(Outcome::Refused).with_message(doubt.words));
        } else if may_send {
            self.actions.push(Action::Note(row, Fact::Free));
        } else {
            return self.end_row(row, doubt.ended());
        }
        let attempts = self.attempts.get(&row).map_or(0, |(attempts, _)| *attempts) + 1;
        if self.stop.is_some() || attempts >= ATTEMPTS {
            let message =
                format!("is not enrolled: its answer was lost, and looking it up found no one ({})", doubt.words);
            return self.end_row(row, RowResult::new(Outcome::NotAttempted).with_message(message));
        }
        self.attempts.insert(row, (attempts, doubt.words));
        self.again.push_back(row);
    }

    /// Ends a row that could not be found out about: in doubt.
    fn leave_doubt(&mut self, row: usize) {
        let Some(doubt) = self.doubts.remove(&row) else { return };
        self.end_row(row, doubt.ended());
    }

    /// Ends a row in doubt whose absence proves nothing.
    fn leave_unproven(&mut self, row: usize, why: Unproven) {
        if let Some(doubt) = self.doubts.get_mut(&row) {
            let because = match why {
                Unproven::By(entry) => format!(": entry {entry} is not shown either"),
                Unproven::Unlisted => " without the project's list, which the next run reads".to_owned(),
            };
            doubt.words = format!("{}; looking it up proves nothing{because}", doubt.words);
        }
        self.leave_doubt(row);
    }

    /// Ends all doubts without looking any more.
    pub(super) fn leave_doubts(&mut self) {
        self.looks.clear();
        let mut rows: Vec<usize> = self.doubts.keys().copied().collect();
        rows.sort_unstable();
        for row in rows {
            if matches!(self.under_way.get(&row), Some((RowTask::Look, _))) {
                self.under_way.remove(&row);
            }
            self.leave_doubt(row);
        }
    }
}
