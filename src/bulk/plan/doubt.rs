//! Rows in doubt: their answer was lost, so they are looked up until they are found, or found absent for certain.

use std::cmp::Reverse;
use std::time::Duration;

use crate::model::testtakers::EntryId;

use super::{Action, Fact, FoundEntries, Plan, RowTask};
use crate::api::ATTEMPTS;
use crate::bulk::answer::Stop;
use crate::bulk::outcome::{Outcome, RowResult};

/// When a row in doubt is looked up, in seconds after its answer was lost; then once a minute.
const LOOKS: [u64; 7] = [1, 2, 4, 8, 15, 30, 60];
/// So many looks in a row, after the settle time, must find nothing.
const ABSENCES: u32 = 3;

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
    /// When the answer was given up.
    since: Duration,
    /// When looking began.
    looked_from: Duration,
    looks: usize,
    /// Looks in a row that found nothing after the settle time.
    absences: u32,
    said: Reply,
    /// It is another row that is in doubt.
    held: bool,
    /// An entry that may be the row, as the last look saw it.
    perhaps: Option<EntryId>,
    words: String,
}

impl Doubt {
    /// The answer was lost just now.
    fn new(now: Duration, words: String, said: Reply) -> Self {
        Self { since: now, looked_from: now, looks: 0, absences: 0, said, held: false, perhaps: None, words }
    }

    /// An earlier run, or another process, left the row in doubt.
    pub(super) fn earlier(now: Duration, since: Duration, answered: bool) -> Self {
        let (words, said) = if answered {
            ("an earlier answer did not say which entry this is", Reply::Done)
        } else {
            ("an earlier attempt was not answered", Reply::Nothing)
        };
        Self { since, ..Self::new(now, words.to_owned(), said) }
    }

    /// Another row of the journal holds this one up.
    pub(super) fn held(now: Duration, since: Duration, answered: bool) -> Self {
        Self { held: true, ..Self::earlier(now, since, answered) }
    }

    pub(super) fn is_held(&self) -> bool {
        self.held
    }

    /// Whether a look that is launched now may be the last one, so that it has to be close.
    pub(super) fn is_about_to_be_absent(&self, now: Duration, settle: Duration) -> bool {
        now >= self.since + settle && self.absences + 1 >= ABSENCES
    }

    pub(super) fn was_looked_up(&self) -> bool {
        self.looks > 0
    }
}

/// How fresh reads are: whether something that we created after a lost answer is visible.
#[derive(Debug, Default)]
pub(super) struct Freshness {
    /// The youngest row of ours that was answered, and when it was launched.
    witness: Option<(usize, Duration)>,
    /// A doubt needs a witness that was launched after this.
    wanted: Option<Duration>,
    reading: Option<(usize, Duration)>,
    /// What was created then was seen in a read that ended then.
    seen: Option<(Duration, Duration)>,
}

impl Freshness {
    pub(super) fn created(&mut self, row: usize, launched: Duration) {
        if self.witness.is_none_or(|(_, known)| known < launched) {
            self.witness = Some((row, launched));
        }
    }

    /// The row to read back, where a doubt needs a witness and there is one that was not seen yet.
    pub(super) fn next_reading(&mut self) -> Option<usize> {
        let (row, launched) = self.witness?;
        let wanted = self.wanted.take()?;
        if self.reading.is_some() || launched <= wanted || self.seen.is_some_and(|(seen, _)| seen > wanted) {
            return None;
        }
        self.reading = Some((row, launched));
        Some(row)
    }

    pub(super) fn read_back(&mut self, row: usize, now: Duration, found: bool) {
        if let Some((_, launched)) = self.reading.take_if(|(reading, _)| *reading == row)
            && found
        {
            self.seen = Some((launched, now));
        }
    }

    pub(super) fn reading_failed(&mut self) {
        self.reading = None;
    }

    /// Whether a look that was launched then shows the world as it was after `since`.
    fn shows(&self, since: Duration, look: Duration) -> bool {
        self.seen.is_some_and(|(created, seen)| created > since && look >= seen)
    }
}

/// The time between looks once the settle time is over.
pub(super) fn gap(settle: Duration) -> Duration {
    Duration::from_secs(10).min(settle / 10)
}

/// The time between the loss of an answer and look number `n`, counted from 0.
pub(super) fn look_after(n: usize) -> Duration {
    let minutes_more = n.saturating_sub(LOOKS.len() - 1) as u64;
    Duration::from_secs(LOOKS[n.min(LOOKS.len() - 1)] + 60 * minutes_more)
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
        let is_free = |entry: &EntryId| !self.claimed.contains(entry);
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
        let others: Vec<String> = ours[1..].iter().map(ToString::to_string).collect();
        let ended = if others.is_empty() {
            RowResult::new(Outcome::Enrolled)
                .with_entry(first)
                .with_message("the answer was lost; found by looking it up")
        } else {
            let message = format!("the answer was lost; enrolled more than once, also as entry {}", others.join(", "));
            RowResult::new(Outcome::Duplicate).with_entry(first).with_message(message)
        };
        self.end_row(row, ended);
    }

    /// Counts an absence, and ends the doubt where it is certain. It was the reads' state when the look was launched.
    fn found_nothing(&mut self, now: Duration, launched: Duration, row: usize, perhaps: Option<EntryId>) {
        let settle = self.settings.settle;
        let Some(doubt) = self.doubts.get_mut(&row) else { return };
        doubt.looks += 1;
        doubt.perhaps = perhaps.or(doubt.perhaps.filter(|entry| !self.claimed.contains(entry)));
        doubt.absences = if launched >= doubt.since + settle { doubt.absences + 1 } else { 0 };
        let fresh = self.freshness.shows(doubt.since, launched) || launched >= doubt.since + 2 * settle;
        if doubt.absences >= ABSENCES && fresh {
            return self.is_absent(row);
        }
        if doubt.absences > 0 && !fresh {
            self.freshness.wanted = Some(self.freshness.wanted.map_or(doubt.since, |since| since.max(doubt.since)));
        }
        let next = doubt.next_look(now, settle);
        self.looks.push(Reverse((next, row)));
    }

    /// A look that was not answered says nothing.
    pub(super) fn could_not_look(&mut self, now: Duration, row: usize) {
        let settle = self.settings.settle;
        let stopped = self.stop.is_some();
        let Some(doubt) = self.doubts.get_mut(&row) else { return };
        doubt.looks += 1;
        if now >= doubt.since.max(doubt.looked_from) + 2 * settle || (stopped && now >= doubt.since + settle) {
            return self.leave_doubt(row);
        }
        let next = doubt.next_look(now, settle);
        self.looks.push(Reverse((next, row)));
    }

    /// The row is certainly not enrolled.
    fn is_absent(&mut self, row: usize) {
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

impl Doubt {
    /// How the row ends where nothing more is found out.
    fn ended(self) -> RowResult {
        match (self.held, self.perhaps) {
            (true, _) => waits_for_other(),
            (false, Some(entry)) => RowResult::new(Outcome::InDoubt)
                .with_message(format!("{}; entry {entry} may be this person", self.words)),
            (false, None) => RowResult::new(Outcome::InDoubt).with_message(self.words),
        }
    }

    /// Soon and then rarely; just when the settle time is over, and then as often as certainty takes.
    fn next_look(&self, now: Duration, settle: Duration) -> Duration {
        let settled = self.since + settle;
        if now < settled {
            // A slow service may have used up the time of the next look already.
            return (self.looked_from + look_after(self.looks)).min(settled).max(now);
        }
        let twice = self.since + 2 * settle;
        // Three looks show the absence; after that only twice the settle time, or a witness, adds something.
        if self.absences >= 2 * ABSENCES && now < twice {
            (now + 6 * gap(settle)).min(twice)
        } else {
            now + gap(settle)
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
