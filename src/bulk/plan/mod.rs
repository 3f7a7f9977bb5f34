//! The plan of a run: a pure machine that decides on each attempt. Clock, network and disk are outside.
//!
//! It carries these rules. An intent is durable before the first byte is sent (W1). A row has at most one open attempt
//! (W2). Nothing is sent a second time unless the service certainly did nothing, or the row was looked up and found
//! absent after the settle time, in reads that are fresh (W3). Enrolled is final (W4): whether the list still has
//! a person is said, not mended. A journal that cannot be written stops the run.

mod after_attempt;
#[cfg(test)]
mod attempt_tests;
mod audit;
mod doubt;
mod freshness;
mod groups;
#[cfg(test)]
mod late_tests;
mod launch;
mod protocol;
mod query;
mod reads;
mod row_ends;
mod settle;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use crate::api::IdBitmap;
use crate::journal::row_store::Fact;

use super::early_stop::{GRACE, INTERRUPTED, Stop};
use super::outcome::{Counts, Outcome, RowResult};
use doubt::Doubt;
use freshness::Freshness;
use groups::Groups;
pub use protocol::{Action, AtEnd, Event, FoundEntries, PlanSettings, Progress, RowState};
use row_ends::RowEnds;
pub use settle::SETTLE;

/// How many of our own rows are read to find out whether read records carry the entry id.
const ID_CHECKS: u32 = 5;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Asking,
    /// Every row was asked about; how they stand is being judged.
    Comparing,
    Sending,
    /// The list was read, or the rows that it did not show looked for, so often.
    Auditing {
        lists: usize,
        again_at: Option<Duration>,
    },
    Over,
}

/// What is under way for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowTask {
    Ask,
    Send,
    Look,
    ReadBack,
    /// Looking for an enrolled row that the list does not show.
    Find,
    Update,
}

/// Where a row stands that has not ended; what it has ended as is kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Unasked,
    New,
    Differs,
    /// In doubt, under way, or waiting in one of the queues.
    Busy,
}

type Due = BinaryHeap<Reverse<(Duration, usize)>>;

fn next_due(due: &Due) -> Option<Duration> {
    due.peek().map(|Reverse((at, _))| *at)
}

/// The state of a run. `now` is the time since 1970, as it was at the start and counted on by a clock that never goes
/// back, so that it can be compared with the journal's times.
#[derive(Default)]
pub struct Plan {
    settings: PlanSettings,
    most: usize,
    random: fastrand::Rng,
    ends: RowEnds,
    places: Vec<Place>,
    /// Rows that can be looked up exactly, by their reference id.
    exact: Vec<bool>,
    counts: Counts,
    claimed: IdBitmap,
    phase: Phase,
    next_row: usize,
    under_way: HashMap<usize, (RowTask, Duration)>,
    journaling: Vec<usize>,
    ready: VecDeque<usize>,
    again: VecDeque<usize>,
    attempts: HashMap<usize, (u32, String)>,
    retries: Due,
    doubts: HashMap<usize, Doubt>,
    /// Rows whose answer was lost once: a later no is evidence, not an answer.
    lost_before: HashSet<usize>,
    looks: Due,
    groups: Groups,
    freshness: Freshness,
    lost_in_a_row: u32,
    unanswered_in_a_row: u32,
    to_read_back: Option<usize>,
    id_checks_left: u32,
    /// Something was written, or came out of doubt: the list is to be held against it.
    touched: bool,
    /// Rows were asked about.
    to_compare: bool,
    /// The last creates' status, where all of them had the same one, and how many they were.
    alike: Option<(u16, u32)>,
    /// Rows that an earlier run enrolled and that are looked up because they are not in what was read; sent anew then?
    missing: HashMap<usize, (RowResult, bool)>,
    /// Rows that an earlier run enrolled and that a look-up did not find: if the list lacks them too, they are gone.
    suspects: HashSet<usize>,
    /// Enrolled rows that the list does not show.
    unseen: BTreeSet<usize>,
    unseen_count: usize,
    to_find: Vec<usize>,
    /// Enrolled rows whose e-mail or reference id the service stored otherwise.
    respelt: HashSet<usize>,
    /// When the settle time of everything that was enrolled is over.
    settled_at: Duration,
    /// About how many requests the list takes.
    pages: Option<usize>,
    /// The project's list was read before anything was sent.
    listed: bool,
    waited: usize,
    still_shown: usize,
    stop: Option<Stop>,
    grace_ends: Option<Duration>,
    actions: Vec<Action>,
}

impl Plan {
    /// A run over so many rows as `exact` has places; it says which have a reference id. `groups` numbers rows that share
    /// their e-mail or reference id: of each group one row at a time is sent, and while one is in doubt the others wait.
    /// Each row is new until [`start`](Self::start) says otherwise, which is before the first step.
    pub fn new(settings: PlanSettings, exact: Vec<bool>, groups: HashMap<usize, usize>) -> Self {
        let concurrency = settings.concurrency.max(1);
        Self {
            most: concurrency,
            settings: PlanSettings { concurrency, ..settings },
            random: fastrand::Rng::with_seed(settings.seed),
            ends: RowEnds::none(exact.len()),
            places: vec![Place::New; exact.len()],
            exact,
            groups: Groups::new(groups),
            id_checks_left: ID_CHECKS,
            listed: true,
            ..Self::default()
        }
    }

    /// Sets how many requests may be under way now; never more than the settings allow.
    pub fn set_room(&mut self, room: usize) {
        self.settings.concurrency = room.clamp(1, self.most);
    }

    /// Takes an event and says what to launch now.
    pub fn step(&mut self, now: Duration, event: Event) -> Vec<Action> {
        self.absorb(now, event);
        if self.grace_ends.is_some_and(|ends| now >= ends) {
            self.abandon();
        }
        self.launch(now);
        std::mem::take(&mut self.actions)
    }

    /// Whether nothing is under way and nothing will be launched.
    pub fn is_finished(&self) -> bool {
        let over = self.phase == Phase::Over || self.stop.is_some();
        over && self.is_idle() && self.doubts.is_empty() && self.missing.is_empty()
    }

    /// Nothing is under way, and no row waits to be sent.
    fn is_idle(&self) -> bool {
        self.under_way.is_empty()
            && self.journaling.is_empty()
            && self.ready.is_empty()
            && self.again.is_empty()
            && self.retries.is_empty()
    }

    /// When time alone makes something due.
    pub fn wakes_at(&self) -> Option<Duration> {
        // What is due and has no room yet is launched when something ends, not by time.
        let look = next_due(&self.looks).filter(|_| self.under_way.len() < self.settings.concurrency);
        let retry = next_due(&self.retries).filter(|_| !self.is_paused() && self.has_room_for_intents());
        let audit = if let Phase::Auditing { again_at, .. } = self.phase { again_at } else { None };
        look.into_iter().chain(retry).chain(audit).chain(self.grace_ends).min()
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        let total = self.ends.len();
        match self.phase {
            Phase::Asking => Progress::Asking(self.next_row.saturating_sub(self.under_way.len()), total),
            Phase::Sending if self.next_row >= total && self.counts.total() + self.doubts.len() == total => {
                Progress::Settling(self.doubts.len())
            }
            Phase::Sending => Progress::Sending(self.counts.total(), total),
            Phase::Auditing { .. } if !self.unseen.is_empty() => Progress::Settling(self.unseen.len()),
            Phase::Comparing | Phase::Auditing { .. } | Phase::Over => Progress::Auditing,
        }
    }

    /// The end of a row, once it has one.
    pub fn ended(&self, row: usize) -> Option<&RowResult> {
        self.ends.get(row)
    }

    /// Gives a row the place that it starts from.
    pub fn start(&mut self, now: Duration, row: usize, start: RowState) {
        self.places[row] = match start {
            RowState::Ended(ended) => return self.end_row(row, ended),
            RowState::StillShown { entry, left } => return self.leave_still_shown(row, entry, left),
            RowState::Unseen { result, since } => {
                self.touched = true;
                self.unseen.insert(row);
                if let Some(entry) = result.entry {
                    self.freshness.unseen((row, entry), since);
                }
                self.settles_from(since);
                return self.end_row(row, result);
            }
            RowState::Missing { result, again } => {
                self.missing.insert(row, (result, again));
                self.looks.push(Reverse((now, row)));
                Place::Busy
            }
            RowState::Unasked { in_doubt } => {
                if in_doubt {
                    self.groups.occupy(row);
                    self.lost_before.insert(row);
                }
                Place::Unasked
            }
            RowState::New => Place::New,
            RowState::Differs(entry) => {
                self.claimed.add(i64::from(entry.0));
                Place::Differs
            }
            RowState::Doubt { since, answered } => {
                self.groups.occupy(row);
                self.lost_before.insert(row);
                self.doubts.insert(row, Doubt::earlier(now, since, answered));
                Place::Busy
            }
            RowState::Held { since, answered } => {
                self.groups.occupy(row);
                self.doubts.insert(row, Doubt::held(now, since, answered));
                Place::Busy
            }
        };
        if let Some(doubt) = self.doubts.get(&row) {
            if self.settings.dry_run {
                let held = doubt.held;
                self.doubts.remove(&row);
                let ended = if held { doubt::waits_for_other() } else { doubt::still_unknown() };
                self.end_row(row, ended);
            } else {
                self.looks.push(Reverse((now, row)));
            }
        }
    }

    fn absorb(&mut self, now: Duration, event: Event) {
        match event {
            Event::Tick => {}
            Event::Asked(row) => {
                self.answered_read(row);
            }
            Event::Compared => self.begin(),
            Event::Freed(row, state) => {
                self.answered_read(row);
                if self.doubts.remove(&row).is_some() && self.ends.get(row).is_none() {
                    self.start(now, row, state);
                    self.again.extend((self.places[row] == Place::New && self.ends.get(row).is_none()).then_some(row));
                }
            }
            Event::Journaled(contested) => self.journaled(now, contested),
            Event::JournalFailed(failure) => {
                for row in std::mem::take(&mut self.journaling) {
                    self.end_row(row, RowResult::new(Outcome::NotAttempted).with_message(failure.cause.clone()));
                }
                self.stop(Stop::journal(&failure));
            }
            Event::Answered(row, answer) => {
                let launched = self.under_way.remove(&row).map_or(now, |(_, launched)| launched);
                if self.ends.get(row).is_none() {
                    self.judge(now, launched, row, answer);
                }
            }
            Event::Looked(row, found) => match self.answered_read(row) {
                Some((RowTask::ReadBack, _)) => self.was_read_back(now, row, &found.ours),
                Some((RowTask::Find, _)) => {
                    let found = self.entry(row).is_some_and(|entry| found.ours.contains(&entry));
                    self.was_looked_for(now, row, found);
                }
                Some(_) if self.missing.contains_key(&row) => self.missing_looked(row, &found),
                Some((_, launched)) => self.looked(now, launched, row, &found),
                None => {}
            },
            Event::Updated(row, did) => self.updated(row, did),
            Event::ReadFailed(row, stop, words) => self.read_failed(now, row, stop, words),
            Event::Audited { missing, twice, pages } => self.audited(now, missing, twice, pages),
            Event::AuditFailed(words) => self.stop(Stop::Unaudited(words)),
            Event::OutOfTime => self.stop(Stop::OutOfTime("the deadline has passed".to_owned())),
            Event::Interrupted { terminated } => {
                self.grace_ends.get_or_insert(now + GRACE);
                self.stop(Stop::Interrupted { terminated });
            }
        }
    }

    /// The intents are durable: their rows may be sent. Where another process was first, it is its attempt that counts.
    fn journaled(&mut self, now: Duration, contested: Vec<(usize, RowState)>) {
        let taken: HashSet<usize> = contested.iter().map(|(row, _)| *row).collect();
        for row in std::mem::take(&mut self.journaling) {
            if taken.contains(&row) {
                continue;
            }
            if self.stop.is_some() {
                self.actions.push(Action::Note(row, Fact::Free));
                self.end_row(row, RowResult::new(Outcome::NotAttempted));
            } else {
                self.ready.push_back(row);
            }
        }
        for (row, start) in contested {
            self.start(now, row, start);
            let ended = self.ends.get(row).filter(|ended| ended.outcome == Outcome::Enrolled);
            if let Some(entry) = ended.and_then(|ended| ended.entry) {
                self.freshness.unseen((row, entry), now);
            }
        }
        if !self.may_look() {
            self.leave_doubts();
        }
    }

    /// Ends a row, once, and what can't be sent because of it. Rows that waited for it may go.
    fn end_row(&mut self, row: usize, ended: RowResult) {
        let mut ending = vec![(row, ended)];
        while let Some((row, ended)) = ending.pop() {
            if self.ends.get(row).is_some() {
                continue;
            }
            self.attempts.remove(&row);
            self.waited += usize::from(doubt::waited(&ended));
            if let Some(entry) = ended.entry {
                self.claimed.add(i64::from(entry.0));
            }
            self.counts.add(ended.outcome);
            let (freed, blocked) = self.groups.leave(row, ended.outcome == Outcome::InDoubt);
            self.ends.set(row, ended);
            ending.extend(blocked.into_iter().map(|other| (other, doubt::waits_for_other())));
            match freed {
                Some(other) if self.stop.is_some() => ending.push((other, RowResult::new(Outcome::NotAttempted))),
                freed => self.again.extend(freed),
            }
        }
    }

    /// Launches nothing more. Where reads cannot tell any more, doubt stays.
    fn stop(&mut self, stop: Stop) {
        if self.stop.as_ref().is_none_or(|before| stop.outranks(before)) {
            self.stop = Some(stop);
        }
        for Reverse((_, row)) in std::mem::take(&mut self.retries) {
            let (_, words) = self.attempts.remove(&row).unwrap_or_default();
            self.end_row(row, RowResult::new(Outcome::NotAttempted).with_message(words));
        }
        for row in std::mem::take(&mut self.ready) {
            self.actions.push(Action::Note(row, Fact::Free));
            self.end_row(row, RowResult::new(Outcome::NotAttempted));
        }
        for row in std::mem::take(&mut self.again) {
            self.end_row(row, RowResult::new(Outcome::NotAttempted));
        }
        self.to_read_back = None;
        self.to_find.clear();
        self.looks.retain(|Reverse((_, row))| self.doubts.contains_key(row));
        for (row, (result, _)) in std::mem::take(&mut self.missing) {
            self.end_row(row, result);
        }
        self.phase = Phase::Over;
        if !self.may_look() {
            self.leave_doubts();
        }
    }

    /// The grace of an interrupted run is over: what is under way is not waited for.
    fn abandon(&mut self) {
        for (row, (task, _)) in std::mem::take(&mut self.under_way) {
            if task == RowTask::Send {
                self.actions.push(Action::Note(row, Fact::GivenUp));
            }
            if matches!(task, RowTask::Send | RowTask::Update) {
                self.end_row(row, RowResult::new(Outcome::InDoubt).with_message(INTERRUPTED));
            }
        }
        self.leave_doubts();
    }
}
