//! How many requests may be under way, and how soon the next one may start: a pure machine, its clock outside.
//!
//! The number under way grows by one for each window of successes and is halved by a refusal, at most once per round
//! trip (AIMD). Alone that draws far more than 10 % of extra refusals from a service that limits a rate, as the
//! simulation of seven services in the tests shows: so the first refusal sets a request rate as well, which is cut in the
//! same way and grows back slowly.

use std::collections::VecDeque;
use std::time::Duration;

use crate::model::pace::{Concurrency, MaxRate};

/// Requests under way at first, where nobody says how many.
const FIRST: u32 = 2;
/// What a refusal leaves of the rate.
const CUT: f64 = 0.7;
/// Slowest rate that refusals lead to, in requests a second.
const SLOWEST: f64 = 0.5;
/// Up to this share of the rate that was refused, the rate grows back quickly; beyond it, slowly.
const NEAR: f64 = 0.95;
/// Successes in which it grows back that far.
const QUICKLY: u32 = 12;
/// Growth for each success beyond: so much that refusals at random, 2 % of them, do not make it slower and slower.
const SLOWLY: f64 = 1.002;
/// Latest successes over which the rate is measured.
const MEASURED: u32 = 32;
/// Fewer successes measure nothing.
const TOO_FEW: u32 = 4;
/// A longer silence than this is not the service's doing, unless it asked for it.
const SILENCE: Duration = Duration::from_secs(1);

/// What a request that wants to start is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// Start now.
    Go(Ticket),
    /// Ask again at this time.
    At(Duration),
    /// Ask again when another one has ended.
    Full,
}

/// A request under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ticket {
    launched: Duration,
}

/// What an answer says about the pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// The service had time for it.
    Served,
    /// 429 or 503: too fast.
    Refused,
    /// Nothing: no answer, or an error of another kind.
    Nothing,
}

/// A rate that a refusal has set.
#[derive(Clone, Copy, Debug)]
struct Rate {
    now: f64,
    /// What was refused.
    refused: f64,
    /// Successes since.
    served: u32,
    /// Whether that refusal came soon after another one.
    soon: bool,
}

impl Rate {
    fn cut(refused: f64, soon: bool) -> Self {
        Self { now: (refused * CUT).max(SLOWEST), refused, served: 0, soon }
    }

    /// What a refusal at this rate makes of it, where the latest successes came at `measured`. One soon after another says
    /// little, for a service may refuse now and then whatever the rate; but a third one says that the rate is far too high.
    fn refused(self, measured: f64, told_to_wait: bool) -> Self {
        let soon = self.served < QUICKLY;
        let refused = match () {
            () if told_to_wait => measured.min(self.now),
            () if soon && !self.soon => self.refused,
            // Measured before this rate was set.
            () if !soon && self.served < MEASURED => self.now,
            () => measured.min(self.now),
        };
        Self::cut(refused, soon)
    }

    fn grow(&mut self) {
        self.served += 1;
        let near = self.refused * NEAR;
        if self.now < near {
            self.now += (NEAR - CUT) * self.refused / f64::from(QUICKLY);
        } else {
            self.now *= SLOWLY;
        }
    }
}

/// The state of the pace. `now` is the time since its start and never goes back.
#[derive(Debug)]
pub struct Limiter {
    most: u32,
    max_rate: Option<f64>,
    limit: u32,
    under_way: u32,
    /// Successes since the limit changed, while it was what held requests back.
    served: u32,
    was_full: bool,
    rate: Option<Rate>,
    /// Off only in the simulation that shows what concurrency alone comes to.
    rates: bool,
    /// When the last cut was: of the requests launched before it, no other refusal counts.
    cut: Option<Duration>,
    opens: Duration,
    next: Duration,
    /// The latest successes.
    successes: VecDeque<Duration>,
    /// Successes since the last cut, and in how much time of wanting to send.
    since_cut: u32,
    active: Duration,
    active_until: Duration,
    /// For how long of it the service asked to wait.
    paused: Duration,
}

impl Limiter {
    /// A pace at which nothing was refused yet.
    pub fn new(concurrency: Concurrency, max_rate: Option<MaxRate>) -> Self {
        let limit = match concurrency {
            Concurrency::Auto => FIRST,
            Concurrency::AtMost(number) => number.max(1),
        };
        Self {
            most: concurrency.most().max(1),
            max_rate: max_rate.map(MaxRate::per_second),
            limit,
            under_way: 0,
            served: 0,
            was_full: false,
            rate: None,
            rates: true,
            cut: None,
            opens: Duration::ZERO,
            next: Duration::ZERO,
            successes: VecDeque::with_capacity(MEASURED as usize),
            since_cut: 0,
            active: Duration::ZERO,
            active_until: Duration::ZERO,
            paused: Duration::ZERO,
        }
    }

    /// How many requests may be under way now.
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Asks for a start.
    pub fn ask(&mut self, now: Duration) -> Turn {
        let at = self.opens();
        if now < at {
            return Turn::At(at);
        }
        if self.under_way >= self.limit {
            self.was_full = true;
            return Turn::Full;
        }
        self.under_way += 1;
        self.was_full |= self.under_way == self.limit;
        if let Some(interval) = self.interval() {
            // One interval of lateness is made up for: timers are coarse.
            self.next = self.next.max(now.saturating_sub(interval)) + interval;
        }
        Turn::Go(Ticket { launched: now })
    }

    /// Ends a request.
    pub fn end(&mut self, ticket: Ticket, now: Duration, feedback: Feedback) {
        self.under_way = self.under_way.saturating_sub(1);
        self.note_activity(now);
        match feedback {
            Feedback::Served => self.served(now),
            Feedback::Refused if self.cut.is_none_or(|cut| ticket.launched >= cut) => self.cut(now),
            Feedback::Refused | Feedback::Nothing => {}
        }
    }

    /// Nobody starts before then; a longer pause that is already set stays.
    pub fn shut_until(&mut self, time: Duration) {
        self.opens = self.opens.max(time);
    }

    /// When the next request may start, as far as it is known.
    pub fn opens(&self) -> Duration {
        self.opens.max(self.next)
    }

    /// Time between two starts.
    fn interval(&self) -> Option<Duration> {
        let rates = [self.max_rate, self.rate.map(|rate| rate.now)];
        let slowest = rates.into_iter().flatten().min_by(f64::total_cmp)?;
        Some(Duration::from_secs_f64(1.0 / slowest))
    }

    fn served(&mut self, now: Duration) {
        if self.successes.len() == MEASURED as usize {
            self.successes.pop_front();
        }
        self.successes.push_back(now);
        self.since_cut += 1;
        if let Some(rate) = &mut self.rate {
            rate.grow();
        }
        self.served += 1;
        if self.served >= self.limit {
            // A limit that nobody reached says nothing about a higher one.
            if self.was_full {
                self.limit = (self.limit + 1).min(self.most);
            }
            self.served = 0;
            self.was_full = false;
        }
    }

    fn cut(&mut self, now: Duration) {
        if self.rates {
            let told_to_wait = self.was_told_to_wait();
            self.rate = match (self.rate, self.measured(now)) {
                (Some(rate), measured) => Some(rate.refused(measured.unwrap_or(rate.now), told_to_wait)),
                (None, measured) => measured.map(|measured| Rate::cut(measured, false)),
            };
        }
        self.cut = Some(now);
        self.limit = (self.limit / 2).max(1);
        (self.served, self.was_full) = (0, false);
        (self.since_cut, self.active, self.paused) = (0, Duration::ZERO, Duration::ZERO);
    }

    /// Counts the time in which requests were sent or held back; not that in which nobody wanted to send.
    fn note_activity(&mut self, now: Duration) {
        let silence = now.saturating_sub(self.active_until);
        let paused = self.opens.saturating_sub(self.active_until).min(silence);
        let held_back = self.next.saturating_sub(self.active_until).max(paused);
        self.active += silence.min(SILENCE + held_back);
        self.paused += paused;
        self.active_until = now;
    }

    /// Whether the service had us wait for most of the time since the last cut.
    fn was_told_to_wait(&self) -> bool {
        self.paused * 2 > self.active
    }

    /// Successes a second: the latest ones, unless the service had us wait for most of the time since the last cut.
    /// Then it counts over longer spans than we do, and what it took since then, pauses included, tells best.
    fn measured(&self, now: Duration) -> Option<f64> {
        let (count, span) = if self.was_told_to_wait() {
            (self.since_cut, self.active)
        } else {
            let count = u32::try_from(self.successes.len()).unwrap_or(TOO_FEW);
            (count, now.saturating_sub(*self.successes.front()?))
        };
        (count >= TOO_FEW && !span.is_zero()).then(|| f64::from(count) / span.as_secs_f64())
    }
}

#[cfg(test)]
#[path = "limiter_worlds.rs"]
mod worlds;

#[cfg(test)]
mod tests {
    use super::*;

    const AUTO: Concurrency = Concurrency::Auto;

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn go(limiter: &mut Limiter, now: Duration) -> Ticket {
        match limiter.ask(now) {
            Turn::Go(ticket) => ticket,
            other => panic!("not now: {other:?}"),
        }
    }

    /// One round trip in which as many are under way as may be; how many those were.
    fn round(limiter: &mut Limiter, start: u64, feedback: Feedback) -> usize {
        let mut tickets = Vec::new();
        while let Turn::Go(ticket) = limiter.ask(at(start)) {
            tickets.push(ticket);
        }
        for ticket in &tickets {
            limiter.end(*ticket, at(start + 100), feedback);
        }
        tickets.len()
    }

    #[test]
    fn the_number_under_way_grows_by_one_for_each_window_of_successes_up_to_its_ceiling() {
        let mut limiter = Limiter::new(AUTO, None);
        let windows: Vec<usize> = (0..40).map(|n| round(&mut limiter, n * 100, Feedback::Served)).collect();
        assert_eq!(windows[..4], [2, 3, 4, 5]);
        assert_eq!(windows.last(), Some(&32));
    }

    #[test]
    fn refusals_of_one_round_trip_halve_it_once() {
        let mut limiter = Limiter::new(Concurrency::AtMost(16), None);
        limiter.rates = false;
        assert_eq!(round(&mut limiter, 0, Feedback::Refused), 16);
        assert_eq!(round(&mut limiter, 100, Feedback::Refused), 8);
        assert_eq!(round(&mut limiter, 200, Feedback::Nothing), 4);
    }

    #[test]
    fn a_ceiling_that_nobody_reaches_does_not_rise() {
        let mut limiter = Limiter::new(AUTO, None);
        for n in 0..100 {
            let ticket = go(&mut limiter, at(n));
            limiter.end(ticket, at(n), Feedback::Served);
        }
        assert_eq!(round(&mut limiter, 200, Feedback::Served), 2);
    }

    #[test]
    fn a_rate_of_the_users_is_kept_from_the_first_request_on() {
        let mut limiter = Limiter::new(Concurrency::AtMost(8), Some(MaxRate::new(2.0).expect("a rate")));
        let _first = go(&mut limiter, at(1000));
        let _made_up_for = go(&mut limiter, at(1000));
        assert_eq!(limiter.ask(at(1000)), Turn::At(at(1500)));
        let _later = go(&mut limiter, at(1500));
        assert_eq!(limiter.ask(at(1600)), Turn::At(at(2000)));
    }

    #[test]
    fn a_shut_gate_opens_at_the_latest_of_its_times() {
        let mut limiter = Limiter::new(AUTO, None);
        limiter.shut_until(at(5000));
        limiter.shut_until(at(2000));
        assert_eq!(limiter.ask(at(4999)), Turn::At(at(5000)));
        assert!(matches!(limiter.ask(at(5000)), Turn::Go(_)));
    }
}
