//! The modelled service: what it holds, and what its reads show.

use std::time::Duration;

use crate::model::testtakers::EntryId;

/// One enrolment.
#[derive(Clone, Copy, Debug)]
struct Entry {
    id: EntryId,
    person: usize,
    created: Duration,
    removed: Option<Duration>,
}

/// A service that works when it likes and whose reads lag behind, but never go back.
pub(super) struct Service {
    entries: Vec<Entry>,
    /// Requests that will have their effect later.
    late: Vec<(Duration, usize)>,
    lag: Duration,
    shown: Duration,
}

impl Service {
    pub(super) fn new(lag: Duration) -> Self {
        Self { entries: Vec::new(), late: Vec::new(), lag, shown: Duration::ZERO }
    }

    /// Enrols a person then.
    pub(super) fn enrol(&mut self, person: usize, created: Duration) -> EntryId {
        let id = EntryId(i32::try_from(self.entries.len()).expect("few entries") + 1);
        self.entries.push(Entry { id, person, created, removed: None });
        id
    }

    pub(super) fn enrol_late(&mut self, person: usize, at: Duration) {
        self.late.push((at, person));
    }

    pub(super) fn remove(&mut self, id: EntryId, at: Duration) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == id) {
            entry.removed = Some(at);
        }
    }

    /// Lets the late requests take effect that are due.
    pub(super) fn catch_up(&mut self, now: Duration) {
        let (due, late) = std::mem::take(&mut self.late).into_iter().partition(|(at, _)| *at <= now);
        self.late = late;
        let mut due: Vec<(Duration, usize)> = due;
        due.sort_unstable();
        for (at, person) in due {
            self.enrol(person, at);
        }
    }

    /// A read: the entries of a person as they were up to `lag` ago.
    pub(super) fn read(&mut self, now: Duration, random: &mut fastrand::Rng, person: usize) -> Vec<EntryId> {
        self.look(now, random);
        let shown = self.shown;
        self.of(person, shown)
    }

    /// Moves what reads show on: at random, and as far as the lag demands.
    pub(super) fn look(&mut self, now: Duration, random: &mut fastrand::Rng) {
        self.catch_up(now);
        if random.u8(..4) == 0 {
            self.shown = self.shown.max(now.saturating_sub(self.lag.mul_f64(random.f64())));
        }
        self.shown = self.shown.max(now.saturating_sub(self.lag));
    }

    /// What the last read showed of a person.
    pub(super) fn shown(&self, person: usize) -> Vec<EntryId> {
        self.of(person, self.shown)
    }

    /// A person's entries as they were at a time.
    fn of(&self, person: usize, at: Duration) -> Vec<EntryId> {
        let there = |entry: &&Entry| {
            entry.person == person && entry.created <= at && entry.removed.is_none_or(|removed| removed > at)
        };
        self.entries.iter().filter(there).map(|entry| entry.id).collect()
    }

    /// A person's entries once everything has had its effect.
    pub(super) fn finally(&mut self, person: usize) -> Vec<EntryId> {
        self.catch_up(Duration::MAX);
        self.of(person, Duration::MAX)
    }
}
