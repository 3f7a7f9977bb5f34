//! The settle time: how long and how often a row is looked for whose answer was lost, or that the list does not show yet.

use std::time::Duration;

use super::{AtEnd, Phase, Plan, RowTask};
use crate::bulk::outcome::{Outcome, RowResult};
use crate::model::testtakers::EntryId;

/// The settle time unless the user says otherwise. Our assumption: within it a service has done what it was sent, and its
/// lists show it.
pub const SETTLE: &str = "5m";
/// When a row is looked for, in seconds after its answer was lost or the list did not show it; then once a minute.
const LOOKS: [u64; 7] = [1, 2, 4, 8, 15, 30, 60];
/// After the settle time, this many looks in a row must find nothing.
const ABSENCES: u32 = 3;
/// What is said of a row that the list does not show while it may lag behind.
const UNSEEN: &str = "the project's list does not show this entry yet";

/// The time between the loss of an answer and look number `n`, counted from 0.
pub(super) fn look_after(n: usize) -> Duration {
    let minutes_more = n.saturating_sub(LOOKS.len() - 1) as u64;
    Duration::from_secs(LOOKS[n.min(LOOKS.len() - 1)] + 60 * minutes_more)
}

/// The time between looks once the settle time is over.
fn gap(settle: Duration) -> Duration {
    Duration::from_secs(10).min(settle / 10)
}

/// The looks at one row whose answer was lost.
pub(super) struct Looks {
    /// When the answer was given up.
    since: Duration,
    /// When looking began.
    from: Duration,
    count: usize,
    /// Looks in a row that found nothing after the settle time.
    absences: u32,
}

impl Looks {
    /// None yet at a row whose answer was given up then.
    pub(super) fn new(since: Duration, now: Duration) -> Self {
        Self { since, from: now, count: 0, absences: 0 }
    }

    pub(super) fn since(&self) -> Duration {
        self.since
    }

    pub(super) fn have_begun(&self) -> bool {
        self.count > 0
    }

    /// Whether one that is launched now may be the last, so that it has to be close.
    pub(super) fn may_end_now(&self, now: Duration, settle: Duration) -> bool {
        now >= self.since + settle && self.absences + 1 >= ABSENCES
    }

    /// Counts one that found nothing. Only those launched after the settle time show an absence.
    pub(super) fn found_nothing(&mut self, launched: Duration, settle: Duration) {
        self.count += 1;
        self.absences = if launched >= self.since + settle { self.absences + 1 } else { 0 };
    }

    /// Counts one that was not answered, which says nothing.
    pub(super) fn failed(&mut self) {
        self.count += 1;
    }

    /// Whether enough of them found nothing. They count if the reads were fresh.
    pub(super) fn show_absence(&self) -> bool {
        self.absences >= ABSENCES
    }

    /// Whether it is time to find out how fresh reads are.
    pub(super) fn want_witness(&self) -> bool {
        self.absences > 0
    }

    /// Whether one launched then counts as fresh without a witness.
    pub(super) fn need_no_witness(&self, launched: Duration, settle: Duration) -> bool {
        launched >= self.since + 2 * settle
    }

    /// Whether nothing more is expected of reads that are not answered; sooner in a run that stops.
    pub(super) fn are_given_up(&self, now: Duration, settle: Duration, stopped: bool) -> bool {
        now >= self.since.max(self.from) + 2 * settle || (stopped && now >= self.since + settle)
    }

    /// When to look next. Soon and then rarely; just when the settle time is over, and then as often as certainty takes.
    pub(super) fn next(&self, now: Duration, settle: Duration) -> Duration {
        let settled = self.since + settle;
        if now < settled {
            // A slow service may have used up the time of the next look already.
            return (self.from + look_after(self.count)).min(settled).max(now);
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

impl Plan {
    /// Something was enrolled then: until its settle time is over, the list may lack it.
    pub(super) fn settles_from(&mut self, enrolled: Duration) {
        self.settled_at = self.settled_at.max(enrolled + self.settings.settle);
    }

    /// Ends a row that is not sent while an entry that may be its own is shown although it was removed.
    pub(super) fn leave_still_shown(&mut self, row: usize, entry: EntryId, left: Duration) {
        self.still_shown += 1;
        let seconds = left.as_secs() + 1;
        let time = if seconds > 60 { format!("{}m", seconds.div_ceil(60)) } else { format!("{seconds}s") };
        let ended = RowResult::new(Outcome::NotAttempted).with_entry(entry);
        self.end_row(row, ended.with_message(format!(
            "entry {entry} was removed a short time ago and the service still shows it: run the same command again in {time}"
        )));
    }

    /// An enrolled row was looked for.
    pub(super) fn was_looked_for(&mut self, now: Duration, row: usize, found: bool) {
        if found {
            self.unseen.remove(&row);
        }
        self.look_again(now);
    }

    /// Looks for what is unseen later, where there is something and time is left.
    pub(super) fn look_again(&mut self, now: Duration) {
        let Phase::Auditing { lists, .. } = self.phase else { return };
        let is_looking = self.under_way.values().any(|(task, _)| *task == RowTask::Find);
        if !self.to_find.is_empty() || is_looking {
            return;
        }
        let waits = self.settings.at_end == AtEnd::Wait && self.settings.wait_for_list;
        if self.unseen.is_empty() || !waits || now >= self.settled_at {
            self.phase = Phase::Over;
            return;
        }
        let again_at = Some((now + look_after(lists.saturating_sub(1))).min(self.settled_at));
        self.phase = Phase::Auditing { lists, again_at };
    }

    /// Says of the rows that were not seen that they were not; how many there are.
    pub(super) fn tell_unseen(&mut self) -> usize {
        for row in std::mem::take(&mut self.unseen) {
            if let Some(ended) = self.ends.get_mut(row)
                && ended.outcome == Outcome::Enrolled
            {
                self.unseen_count += 1;
                ended.message = Some(match ended.message.take() {
                    Some(known) => format!("{known}; {UNSEEN}").into(),
                    None => UNSEEN.into(),
                });
            }
        }
        self.unseen_count
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ABSENCES, Looks, gap, look_after};

    const SETTLE: Duration = Duration::from_mins(1);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Looks at a row that was lost after 100 s, of which so many found nothing when the settle time was over.
    fn absent(absences: u32) -> Looks {
        let mut looks = Looks::new(at(100), at(100));
        for _ in 0..absences {
            looks.found_nothing(at(160), SETTLE);
        }
        looks
    }

    #[test]
    fn looks_come_soon_and_then_once_a_minute() {
        let seconds: Vec<u64> = (0..10).map(|n| look_after(n).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 15, 30, 60, 120, 180, 240]);
    }
    #[test]
    fn a_look_that_failed_was_one_all_the_same() {
        let mut looks = Looks::new(at(100), at(100));
        assert!(!looks.have_begun());
        assert_eq!(looks.next(at(100), SETTLE), at(101));
        looks.failed();
        assert!(looks.have_begun());
        assert_eq!(looks.next(at(101), SETTLE), at(102));
    }

    #[test]
    fn looks_are_given_up_after_twice_the_settle_time_and_in_a_run_that_stops_after_one() {
        let given_up = |from, now, stopped| Looks::new(at(100), at(from)).are_given_up(at(now), SETTLE, stopped);
        assert_eq!([given_up(100, 219, false), given_up(100, 220, false)], [false, true]);
        assert_eq!([given_up(200, 319, false), given_up(200, 320, false)], [false, true], "from where looking began");
        assert_eq!([given_up(200, 159, true), given_up(200, 160, true)], [false, true]);
    }

    #[test]
    fn looks_after_the_settle_time_are_close_until_they_show_the_absence_and_then_rare() {
        assert_eq!([gap(SETTLE), gap(Duration::from_mins(5))], [at(6), at(10)]);
        assert_eq!(absent(2 * ABSENCES - 1).next(at(170), SETTLE), at(176));
        assert_eq!(absent(2 * ABSENCES).next(at(170), SETTLE), at(206));
        assert_eq!(absent(2 * ABSENCES).next(at(210), SETTLE), at(220), "not later than twice the settle time");
        assert_eq!(absent(2 * ABSENCES).next(at(220), SETTLE), at(226));
    }
}
