//! The plan of a run: a pure machine that decides on each attempt. Clock, network and disk are outside.
//!
//! Rows are first asked about, because one walk through a moving list can miss somebody, and only then sent. A create
//! has one attempt unless it is certain that the service did nothing; a row whose answer was lost is looked up until it
//! is found or the settle time is over, and never sent again.

mod doubt;
mod launch;
#[cfg(test)]
mod tests;
mod verdict;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use crate::model::testtakers::{Enrolment, EntryId};
use crate::model::verdict::Verdict;

use super::answer::{Answer, Stop};
use super::outcome::{Counts, Ended, Outcome};
use doubt::Doubt;
use verdict::verdict;

/// Attempts of a create that was never sent or refused for now.
const ATTEMPTS: u32 = 4;
/// So many lost answers or unanswered rows in a row, and nothing more is launched.
const IN_A_ROW: u32 = 3;
/// A service that asks for a longer pause is not waited for.
const LONGEST_WAIT: Duration = Duration::from_mins(5);
/// How long an interrupted run waits for what is under way.
const GRACE: Duration = Duration::from_secs(30);
/// How many of our own rows are read to find out whether read records carry the entry id.
const ID_CHECKS: u32 = 5;

/// What the user decided.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Requests under way at a time; at least 1.
    pub concurrency: usize,
    /// How long a row in doubt is looked up.
    pub settle: Duration,
    /// Only find out what would be done.
    pub dry_run: bool,
    /// Send nothing if somebody is enrolled already.
    pub fail_on_existing: bool,
    /// Start of the random pauses.
    pub seed: u64,
}

/// What is to be done next. Rows are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Ask whether the service holds the row.
    Ask(usize),
    /// Send the row: one attempt.
    Send(usize),
    /// Look whether a row in doubt is there by now.
    Look(usize),
    /// Read an enrolled row back, to see whether its id is the entry id.
    ReadBack(usize),
}

impl Action {
    fn row(self) -> usize {
        match self {
            Self::Ask(row) | Self::Send(row) | Self::Look(row) | Self::ReadBack(row) => row,
        }
    }
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// Time went by.
    Tick,
    /// A row was asked about: how it stands, or `None` where nothing is related to it.
    Asked(usize, Option<Ended>),
    /// A row was sent.
    Answered(usize, Answer),
    /// A row in doubt was looked up, or an enrolled one read back: the entries that may be it and were not there before.
    Looked(usize, Vec<EntryId>),
    /// A read failed after all its attempts.
    ReadFailed(usize, Option<Stop>, String),
    /// The deadline has passed.
    OutOfTime,
    /// The user wants to stop.
    Interrupted {
        /// SIGTERM instead of SIGINT.
        terminated: bool,
    },
}

/// What goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many records of the project were read.
    Reading(usize),
    /// So many rows were asked about, of so many.
    Asking(usize, usize),
    /// So many rows have ended, of so many.
    Sending(usize, usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Asking,
    Sending,
}

type Due = BinaryHeap<Reverse<(Duration, usize)>>;

/// The state of a run. `now` is the time since its start and never goes back.
pub struct Plan {
    settings: Settings,
    random: fastrand::Rng,
    ends: Vec<Option<Ended>>,
    counts: Counts,
    phase: Phase,
    next_row: usize,
    under_way: HashMap<usize, Action>,
    attempts: HashMap<usize, (u32, String)>,
    retries: Due,
    doubts: HashMap<usize, Doubt>,
    looks: Due,
    twins: HashSet<usize>,
    twin_under_way: Option<usize>,
    held_twins: VecDeque<usize>,
    lost_in_a_row: u32,
    unanswered_in_a_row: u32,
    to_read_back: Option<usize>,
    id_checks_left: u32,
    stop: Option<Stop>,
    grace_ends: Option<Duration>,
}

impl Plan {
    /// A run over rows of which some have ended already (invalid, existing, in conflict). `twins` are rows that a
    /// look-up could take for each other: they are sent one after the other.
    pub fn new(settings: Settings, ends: Vec<Option<Ended>>, twins: HashSet<usize>) -> Self {
        let mut counts = Counts::default();
        ends.iter().flatten().for_each(|ended| counts.add(ended.outcome));
        Self {
            settings: Settings { concurrency: settings.concurrency.max(1), ..settings },
            random: fastrand::Rng::with_seed(settings.seed),
            ends,
            counts,
            phase: Phase::Asking,
            next_row: 0,
            under_way: HashMap::new(),
            attempts: HashMap::new(),
            retries: Due::new(),
            doubts: HashMap::new(),
            looks: Due::new(),
            twins,
            twin_under_way: None,
            held_twins: VecDeque::new(),
            lost_in_a_row: 0,
            unanswered_in_a_row: 0,
            to_read_back: None,
            id_checks_left: ID_CHECKS,
            stop: None,
            grace_ends: None,
        }
    }

    /// Takes an event and says what to launch now.
    pub fn step(&mut self, now: Duration, event: Event) -> Vec<Action> {
        self.absorb(now, event);
        if self.grace_ends.is_some_and(|ends| now >= ends) {
            self.abandon();
        }
        let mut actions = Vec::new();
        while self.under_way.len() < self.settings.concurrency {
            let Some(action) = self.next(now) else { break };
            self.under_way.insert(action.row(), action);
            actions.push(action);
        }
        actions
    }

    /// Whether nothing is under way and nothing will be launched.
    pub fn is_finished(&self) -> bool {
        let launched_all = self.phase == Phase::Sending
            && self.next_row >= self.ends.len()
            && self.retries.is_empty()
            && self.held_twins.is_empty();
        self.under_way.is_empty() && self.doubts.is_empty() && (self.stop.is_some() || launched_all)
    }

    /// When time alone makes something due.
    pub fn wakes_at(&self) -> Option<Duration> {
        let first = |due: &Due| due.peek().map(|Reverse((at, _))| *at);
        let retry = first(&self.retries).filter(|_| !self.is_paused());
        first(&self.looks).into_iter().chain(retry).chain(self.grace_ends).min()
    }

    /// How far the run is: rows asked about, or rows ended, of all rows.
    pub fn progress(&self) -> Progress {
        let total = self.ends.len();
        match self.phase {
            Phase::Asking => Progress::Asking(self.next_row.saturating_sub(self.under_way.len()), total),
            Phase::Sending => Progress::Sending(self.counts.total(), total),
        }
    }

    /// Why nothing more is launched.
    pub fn stopped(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// The end of each row, and of the whole. What was never launched was not attempted.
    pub fn end(mut self) -> (Vec<Ended>, Counts, Verdict) {
        for row in 0..self.ends.len() {
            self.end_row(row, Ended::new(Outcome::NotAttempted));
        }
        let verdict = verdict(&self.counts, self.stop.as_ref());
        (self.ends.into_iter().flatten().collect(), self.counts, verdict)
    }

    fn absorb(&mut self, now: Duration, event: Event) {
        match event {
            Event::Tick => {}
            Event::Asked(row, standing) => {
                self.answered_read(row);
                if let Some(ended) = standing {
                    self.end_row(row, ended);
                }
            }
            Event::Answered(row, answer) => {
                self.under_way.remove(&row);
                if self.ends[row].is_none() {
                    self.judge(now, row, answer);
                }
            }
            Event::Looked(row, found) => match self.answered_read(row) {
                Some(Action::ReadBack(_)) => self.check_id(row, &found),
                _ => self.looked(now, row, &found),
            },
            Event::ReadFailed(row, stop, words) => self.read_failed(now, row, stop, words),
            Event::OutOfTime => self.stop(Stop::OutOfTime("the deadline has passed".to_owned())),
            Event::Interrupted { terminated } => {
                self.grace_ends.get_or_insert(now + GRACE);
                self.stop(Stop::Interrupted { terminated });
            }
        }
    }

    /// A GET answered: the service is there.
    fn answered_read(&mut self, row: usize) -> Option<Action> {
        self.lost_in_a_row = 0;
        self.unanswered_in_a_row = 0;
        self.under_way.remove(&row)
    }

    fn judge(&mut self, now: Duration, row: usize, answer: Answer) {
        if !matches!(answer, Answer::Lost { .. }) {
            self.lost_in_a_row = 0;
        }
        match answer {
            Answer::Done { enrolment, remark } => self.enrolled(row, &enrolment, remark),
            Answer::DoneIdUnknown(words) => self.doubt(now, row, words, false),
            Answer::Lost { words, conflict } => {
                self.lost_in_a_row += 1;
                self.doubt(now, row, words, conflict);
            }
            Answer::NeverSent { words, permanent } => {
                let attempts = if permanent { ATTEMPTS } else { 0 };
                self.try_again(now, row, Duration::ZERO, words, attempts);
            }
            Answer::RefusedForNow { wait, words } => self.try_again(now, row, wait, words, 0),
            Answer::Refused(words) => self.end_row(row, Ended::new(Outcome::Refused).saying(words)),
            Answer::Stop(stop) => {
                if let Stop::Redirect(words) = &stop {
                    let words = words.clone();
                    self.doubt(now, row, words, false);
                }
                self.stop(stop);
            }
        }
    }

    fn enrolled(&mut self, row: usize, enrolment: &Enrolment, remark: Option<String>) {
        self.unanswered_in_a_row = 0;
        let mut ended = Ended::new(Outcome::Enrolled).at(enrolment.project_entry_id);
        ended.enrolment = Some(enrolment.id);
        ended.message = remark.map(Into::into);
        self.end_row(row, ended);
        // With nothing left to send there is nothing left to stop.
        if self.id_checks_left > 0 && self.to_read_back.is_none() && self.next_row < self.ends.len() {
            self.to_read_back = Some(row);
        }
    }

    /// Sends a row again later: the service did nothing. Four attempts, and after three rows that had theirs nothing
    /// more is launched.
    fn try_again(&mut self, now: Duration, row: usize, wait: Duration, words: String, used: u32) {
        let attempts = self.attempts.get(&row).map_or(0, |(attempts, _)| *attempts).max(used) + 1;
        let too_long = wait > LONGEST_WAIT;
        if attempts >= ATTEMPTS || too_long || self.stop.is_some() {
            self.attempts.remove(&row);
            self.end_row(row, Ended::new(Outcome::NotAttempted).saying(words.clone()));
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
        let ceiling = (0.5 * f64::from(2_u32.saturating_pow(n.min(10)))).min(20.0);
        Duration::from_secs_f64(self.random.f64() * ceiling)
    }

    fn read_failed(&mut self, now: Duration, row: usize, stop: Option<Stop>, words: String) {
        let action = self.under_way.remove(&row);
        if let Some(stop) = stop {
            return self.stop(stop);
        }
        match action {
            Some(Action::Ask(_)) => {
                self.end_row(row, Ended::new(Outcome::NotAttempted).saying(format!("could not be looked up: {words}")));
                self.unanswered_in_a_row += 1;
                if self.unanswered_in_a_row >= IN_A_ROW {
                    self.stop(Stop::NoAnswer(words));
                }
            }
            Some(Action::Look(_)) => self.looked_in_vain(now, row),
            _ => {}
        }
    }

    /// The read record of an enrolled row must carry the entry id that POST answered: our reading, checked on the first
    /// own row that shows up in a read.
    fn check_id(&mut self, row: usize, found: &[EntryId]) {
        let Some(entry) = self.ends[row].as_ref().and_then(|ended| ended.entry) else { return };
        self.id_checks_left = if found.is_empty() { self.id_checks_left.saturating_sub(1) } else { 0 };
        if !found.is_empty() && !found.contains(&entry) {
            self.stop(Stop::WrongIds);
        }
    }

    /// Ends a row, once.
    fn end_row(&mut self, row: usize, ended: Ended) {
        if self.ends[row].is_some() {
            return;
        }
        if self.twin_under_way == Some(row) {
            self.twin_under_way = None;
        }
        self.attempts.remove(&row);
        self.counts.add(ended.outcome);
        self.ends[row] = Some(ended);
    }

    /// Launches nothing more. Where reads cannot tell any more, doubt stays.
    fn stop(&mut self, stop: Stop) {
        for Reverse((_, row)) in std::mem::take(&mut self.retries) {
            let (_, words) = self.attempts.remove(&row).unwrap_or_default();
            self.end_row(row, Ended::new(Outcome::NotAttempted).saying(words));
        }
        let worse = matches!(
            (&self.stop, &stop),
            (_, Stop::Interrupted { .. } | Stop::Key(_)) | (Some(Stop::NoAnswer(_)), Stop::OutOfTime(_))
        );
        if self.stop.is_none() || worse {
            self.stop = Some(stop);
        }
        self.to_read_back = None;
        if !self.may_look() {
            self.leave_doubts();
        }
    }

    /// The grace of an interrupted run is over: what is under way is not waited for.
    fn abandon(&mut self) {
        for (row, action) in std::mem::take(&mut self.under_way) {
            if let Action::Send(_) = action {
                let words = "no answer had come when the run was interrupted";
                self.end_row(row, Ended::new(Outcome::InDoubt).saying(words));
            }
        }
        self.leave_doubts();
    }
}
