//! How fresh the reads of a run are, by what of ours must be in them: that a row is not there proves nothing in old reads.

use std::time::Duration;

use crate::model::testtakers::EntryId;

/// A row of ours that was answered, and that reads have to show.
#[derive(Clone, Copy, Debug)]
struct Witness {
    row: usize,
    entry: EntryId,
    /// The entry was not created before this.
    launched: Duration,
    answered: Duration,
    /// When a read that did not show it ended.
    missed: Option<Duration>,
}

/// Why it proves nothing that a row is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unproven {
    /// This entry, which was enrolled longer ago than the settle time, is not there either.
    By(EntryId),
    /// The project's list, which has to show what was enrolled before, was not read.
    Unlisted,
}

/// What is known of the reads of this run by what must be in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// They show what we created after the answer was lost.
    Fresh,
    /// Nothing of ours tells.
    Unknown,
    /// What was enrolled is not in them, and may only be late.
    Late,
    /// They are old, or nothing shows that they are not.
    Stale(Unproven),
}

/// How fresh reads are: whether something that we created after a lost answer is visible, and what of ours is not.
#[derive(Debug, Default)]
pub(super) struct Freshness {
    /// A row of ours that was answered, the youngest if no doubt waits for it to be seen.
    witness: Option<Witness>,
    /// The youngest one, which is next.
    youngest: Option<Witness>,
    /// A doubt needs a witness that was launched after this.
    needed: Option<Duration>,
    /// The witness is to be read back.
    is_wanted: bool,
    reading: Option<usize>,
    /// What was created then was seen in a read that ended then.
    seen: Option<(Duration, Duration)>,
    /// What of earlier runs, enrolled longer ago than the settle time, reads lack or were not asked for.
    pub(super) lacking: Option<Unproven>,
}

impl Freshness {
    /// A row was answered.
    pub(super) fn created(&mut self, (row, entry): (usize, EntryId), launched: Duration, answered: Duration) {
        let created = Witness { row, entry, launched, answered, missed: None };
        // One that a doubt waits for stays, or reads that lag a little would never be seen to show the youngest.
        let stays = self.needed.is_some() && self.witness.map(|known| known.launched) > self.needed;
        let place = if stays { &mut self.youngest } else { &mut self.witness };
        if place.is_none_or(|known| known.launched <= launched) {
            *place = Some(created);
        }
    }

    /// A row that another run enrolled was not in the list: it shows nothing new, and may show that reads are stale.
    pub(super) fn unseen(&mut self, witness: (usize, EntryId), answered: Duration) {
        self.created(witness, Duration::ZERO, answered);
    }

    /// A doubt that began then needs a witness.
    pub(super) fn need(&mut self, since: Duration) {
        self.needed = self.needed.max(Some(since));
        self.is_wanted = true;
    }

    /// The row to read back, where a doubt needs a witness and there is one that was not seen yet.
    pub(super) fn next_reading(&mut self) -> Option<usize> {
        if !std::mem::take(&mut self.is_wanted) || self.reading.is_some() {
            return None;
        }
        self.reading = self.witness.map(|witness| witness.row);
        self.reading
    }

    pub(super) fn read_back(&mut self, row: usize, now: Duration, found: bool) {
        if self.reading.take_if(|reading| *reading == row).is_none() {
            return;
        }
        match self.witness.as_mut().filter(|witness| witness.row == row) {
            Some(witness) if found => {
                self.seen = self.seen.max(Some((witness.launched, now)));
                self.witness = self.youngest.take();
            }
            Some(witness) => witness.missed = Some(now),
            None => {}
        }
    }

    pub(super) fn reading_failed(&mut self) {
        self.reading = None;
    }

    /// What a look that was launched then says of the world as it was after `since`.
    pub(super) fn judge(&self, since: Duration, look: Duration, settle: Duration) -> Reads {
        if self.seen.is_some_and(|(created, seen)| created > since && look >= seen) {
            return Reads::Fresh;
        }
        match (self.witness, self.lacking) {
            (Some(Witness { entry, answered, missed, .. }), _) => {
                // Where it can't be read at all, nothing shows that reads are fresh.
                let is_missed = missed.is_some_and(|missed| missed >= answered + settle);
                let is_stale = is_missed || look >= answered + 2 * settle;
                if is_stale { Reads::Stale(Unproven::By(entry)) } else { Reads::Late }
            }
            (None, Some(lacking)) => Reads::Stale(lacking),
            (None, None) => Reads::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTLE: Duration = Duration::from_mins(1);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// What is known after these rows were launched at these times and answered ten seconds later; rows count from 0.
    fn created(launched: &[u64]) -> Freshness {
        let mut freshness = Freshness::default();
        create(&mut freshness, 0, launched);
        freshness
    }

    fn create(freshness: &mut Freshness, first: usize, launched: &[u64]) {
        for (row, launched) in (first..).zip(launched) {
            freshness.created((row, EntryId(9)), at(*launched), at(launched + 10));
        }
    }

    #[test]
    fn the_youngest_row_is_the_witness_until_a_doubt_waits_for_one() {
        for (launched, row) in [(&[1, 2], 1), (&[2, 1], 0), (&[2, 2], 1)] {
            let mut freshness = created(launched);
            freshness.need(at(0));
            assert_eq!(freshness.next_reading(), Some(row), "{launched:?}");
        }
    }

    #[test]
    fn a_witness_that_a_doubt_waits_for_stays_and_one_that_shows_it_nothing_goes() {
        for (launched, row) in [(6, 0), (5, 1), (4, 1)] {
            let mut freshness = created(&[launched]);
            freshness.need(at(5));
            create(&mut freshness, 1, &[7]);
            assert_eq!(freshness.next_reading(), Some(row), "launched at {launched}");
        }
    }

    #[test]
    fn a_witness_whose_reading_failed_is_read_again() {
        let mut freshness = created(&[6]);
        freshness.need(at(5));
        assert_eq!(freshness.next_reading(), Some(0));
        freshness.need(at(5));
        assert_eq!(freshness.next_reading(), None, "it is being read");
        freshness.reading_failed();
        freshness.need(at(5));
        assert_eq!(freshness.next_reading(), Some(0));
    }

    #[test]
    fn reads_are_stale_once_the_witness_was_missed_a_settle_time_after_its_answer_or_could_not_be_read_for_two() {
        let judge = |missed: Option<u64>, look| {
            let mut freshness = created(&[6]);
            freshness.need(at(5));
            if let (Some(missed), Some(row)) = (missed, freshness.next_reading()) {
                freshness.read_back(row, at(missed), false);
            }
            freshness.judge(at(5), at(look), SETTLE)
        };
        let stale = Reads::Stale(Unproven::By(EntryId(9)));
        // It was answered at 16.
        assert_eq!([judge(Some(75), 80), judge(Some(76), 80)], [Reads::Late, stale]);
        assert_eq!([judge(None, 135), judge(None, 136)], [Reads::Late, stale]);
        assert_eq!(judge(Some(75), 136), stale);
    }
}
