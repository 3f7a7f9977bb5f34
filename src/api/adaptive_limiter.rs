//! How many requests may be under way, and how soon the next one may start: a pure machine, its clock outside.
//!
//! The number under way grows by one for each window of successes and is cut by a refusal, at most once per round trip
//! (AIMD). Alone that draws far more than 10 % of extra refusals from a service that limits a rate, as the simulation of
//! services in the tests shows: so refusals set a request rate as well. It is what the service was seen to serve, the
//! time in which it refused included, and grows back slowly; quickly where nothing is refused any more for long, and where
//! refusals come at random, which a slower rate does not make rarer.

use std::time::Duration;

use crate::model::concurrency::{Concurrency, MaxRate};

/// Requests under way at first, where no number is given.
const FIRST: u32 = 2;
/// What a refusal leaves of the rate.
const GENTLE: f64 = 0.98;
/// What each further refusal before the next success leaves of the rate.
const CUT: f64 = 0.7;
/// Slowest rate that refusals lead to, in requests a second.
const SLOWEST: f64 = 0.5;
/// Growth of the rate with each success.
const SLOWLY: f64 = 1.0007;
/// The same where refusals come at random: more than they take, at 2 % of them.
const AT_RANDOM: f64 = 1.01;
/// Without a refusal for so long, and for `PATIENCE` times as long as it took from the last but one to the last,
/// something else than the rate was the reason, and it doubles every `DOUBLES`.
const CALM: Duration = Duration::from_secs(5);
/// See [`CALM`].
const PATIENCE: u32 = 3;
/// See [`CALM`].
const DOUBLES: Duration = Duration::from_secs(2);
/// With fewer successes than this between two refusals, a rate that was just cut does not explain the second.
const SOON: u32 = 16;
/// From this share of unexplained refusals on, they are taken for random ...
const UNEXPLAINED: f64 = 0.04;
/// ... if no more of the requests than this are refused: a limit refuses more where the rate grows that fast.
const RARE: f64 = 0.04;
/// What the latest refusal weighs in the share of unexplained ones, and the latest answer in that of refusals.
const WEIGHTS: (f64, f64) = (0.03, 0.01);
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

/// A rate that refusals have set.
#[derive(Clone, Copy, Debug)]
struct Rate {
    now: f64,
    /// When it last grew.
    grown: Duration,
}

/// Refusals from the first one on until a request that was launched after it is served.
#[derive(Clone, Copy, Debug)]
struct Refusals {
    /// Of the requests launched before, no other refusal counts.
    cut: Duration,
    /// How many may be under way once it is over.
    limit: u32,
    /// Time of wanting to send before it began.
    active: Duration,
    /// The rate when it began.
    rate: Option<f64>,
}

/// The state of the pace. `now` is the time since its start and never goes back.
#[derive(Debug, Default)]
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
    /// Set while the service refuses.
    refusals: Option<Refusals>,
    /// When it last refused, and how long after the time before.
    refused: Option<(Duration, Duration)>,
    /// Share of the latest refusals that the rate does not explain.
    unexplained: f64,
    /// Share of the latest answers that were refusals.
    refused_share: f64,
    opens: Duration,
    next: Duration,
    /// Successes since the service last stopped refusing, and in how much time of wanting to send.
    successes: u32,
    active: Duration,
    active_until: Duration,
}

impl Limiter {
    /// A pace at which nothing was refused yet.
    pub fn new(concurrency: Concurrency, max_rate: Option<MaxRate>) -> Self {
        let limit = match concurrency {
            Concurrency::Auto => FIRST,
            Concurrency::AtMost(number) => number.max(1),
        };
        let (most, max_rate) = (concurrency.most().max(1), max_rate.map(MaxRate::per_second));
        Self { most, max_rate, limit, rates: true, ..Self::default() }
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
        if feedback == Feedback::Nothing {
            return;
        }
        let refused = if feedback == Feedback::Refused { 1.0 } else { 0.0 };
        self.refused_share += (refused - self.refused_share) * WEIGHTS.1;
        match (feedback, self.refusals) {
            (Feedback::Served, Some(refusals)) if ticket.launched >= refusals.cut => self.end_refusals(refusals, now),
            (Feedback::Refused, None) => self.begin_refusals(now),
            (Feedback::Refused, Some(refusals)) if ticket.launched >= refusals.cut => self.cut_further(refusals, now),
            _ => {}
        }
        if feedback == Feedback::Served {
            self.served(now);
        }
    }

    /// No request starts before then; a longer pause that is already set stays.
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
        self.successes += 1;
        self.grow(now);
        self.served += 1;
        if self.served >= self.limit {
            // A limit that was not reached says nothing about a higher one.
            if self.was_full {
                self.limit = (self.limit + 1).min(self.most);
            }
            self.served = 0;
            self.was_full = false;
        }
    }

    fn grow(&mut self, now: Duration) {
        let is_calm = self.refused.is_some_and(|(at, after)| now.saturating_sub(at) > CALM.max(after * PATIENCE));
        let slowly = if self.is_at_random() { AT_RANDOM } else { SLOWLY };
        let Some(rate) = self.rate.as_mut().filter(|_| self.refusals.is_none()) else { return };
        // Where there was nothing to send, nothing was found out.
        let time = now.saturating_sub(rate.grown).min(SILENCE);
        let quickly = (time.as_secs_f64() / DOUBLES.as_secs_f64()).exp2();
        rate.now *= if is_calm { quickly.max(slowly) } else { slowly };
        rate.grown = now;
    }

    /// Takes the first refusal after a success.
    fn begin_refusals(&mut self, now: Duration) {
        let after = self.refused.map_or(Duration::ZERO, |(at, _)| now.saturating_sub(at));
        self.refused = Some((now, after));
        let rate = self.rate.map(|rate| rate.now);
        if rate.is_some() {
            let unexplained = if self.successes < SOON { 1.0 } else { 0.0 };
            self.unexplained += (unexplained - self.unexplained) * WEIGHTS.0;
        }
        let limit = if self.is_at_random() || rate.is_some() { gentle(self.limit) } else { (self.limit / 2).max(1) };
        if let Some(rate) = &mut self.rate {
            rate.now *= GENTLE;
        }
        self.refusals = Some(Refusals { cut: now, limit, active: self.active, rate });
        self.limit_to(limit);
    }

    /// Whether the service refuses now and then whatever the rate.
    fn is_at_random(&self) -> bool {
        self.unexplained > UNEXPLAINED && self.refused_share < RARE
    }

    /// Takes a refusal although there was one before and no success since.
    fn cut_further(&mut self, refusals: Refusals, now: Duration) {
        if self.rates {
            let rate = self.rate.map(|rate| rate.now).or_else(|| self.measured());
            self.rate = rate.map(|rate| Rate { now: (rate * CUT).max(SLOWEST), grown: now });
        }
        self.refusals = Some(Refusals { cut: now, limit: refusals.limit - refusals.limit / 8, ..refusals });
        self.limit_to((self.limit / 2).max(1));
    }

    /// The service serves again: it is asked as fast as it has served since the last time, and in any case slower than
    /// when it refused.
    fn end_refusals(&mut self, refusals: Refusals, now: Duration) {
        let is_enough = self.successes >= SOON || refusals.rate.is_none();
        let measured = if self.is_at_random() { refusals.rate } else { self.measured().filter(|_| is_enough) };
        let rate = match (measured, refusals.rate) {
            (Some(measured), Some(rate)) => Some(measured.min(rate * GENTLE)),
            (Some(rate), None) => Some(rate * GENTLE),
            (None, Some(rate)) => Some(rate * GENTLE * GENTLE),
            (None, None) => None,
        };
        if let Some(rate) = rate.filter(|_| self.rates) {
            self.rate = Some(Rate { now: rate.max(SLOWEST), grown: now });
        }
        self.limit_to(self.limit.max(refusals.limit));
        self.refusals = None;
        (self.successes, self.active) = (0, Duration::ZERO);
    }

    fn limit_to(&mut self, limit: u32) {
        self.limit = limit;
        (self.served, self.was_full) = (0, false);
    }

    /// Counts the time in which requests were sent or held back; not that in which there was nothing to send.
    fn note_activity(&mut self, now: Duration) {
        let silence = now.saturating_sub(self.active_until);
        let held_back = self.opens().saturating_sub(self.active_until);
        self.active += silence.min(SILENCE + held_back);
        self.active_until = now;
    }

    /// Successes a second since the service last stopped refusing. A second of refusals is left out: they cost a round
    /// trip and a pause of ours, and only those that last longer are the service's limit.
    fn measured(&self) -> Option<f64> {
        let refusing = self.refusals.map_or(Duration::ZERO, |refusals| self.active.saturating_sub(refusals.active));
        let active = self.active.saturating_sub(refusing.min(SILENCE));
        let is_enough = self.successes >= TOO_FEW && !active.is_zero();
        is_enough.then(|| f64::from(self.successes) / active.as_secs_f64())
    }
}

/// One in twenty less, and one at least.
fn gentle(limit: u32) -> u32 {
    (limit - limit.div_ceil(20)).max(1)
}

#[cfg(test)]
#[path = "adaptive_limiter_worlds.rs"]
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

    #[test]
    fn a_rate_grows_quickly_once_nothing_was_refused_for_longer_than_it_takes_to_calm_down() {
        let grown = |after: Duration, now: Duration| {
            let mut limiter = Limiter::new(AUTO, None);
            limiter.refused = Some((Duration::ZERO, after));
            limiter.rate = Some(Rate { now: 10.0, grown: now.saturating_sub(SILENCE) });
            limiter.grow(now);
            limiter.rate.expect("a rate").now
        };
        let is_quick = |rate: f64| rate > 14.0;
        let slow = |rate: f64| (rate - 10.0 * SLOWLY).abs() < 1e-9;
        assert!(slow(grown(Duration::ZERO, CALM)) && is_quick(grown(Duration::ZERO, CALM + at(1))));
        let after = CALM;
        assert!(slow(grown(after, after * PATIENCE)) && is_quick(grown(after, after * PATIENCE + at(1))));
    }

    #[test]
    fn a_refusal_is_unexplained_after_fewer_successes_than_a_cut_rate_would_bring() {
        let unexplained = |successes| {
            let mut limiter = Limiter::new(AUTO, None);
            limiter.rate = Some(Rate { now: 10.0, grown: Duration::ZERO });
            limiter.successes = successes;
            limiter.begin_refusals(at(1000));
            limiter.unexplained > 0.0
        };
        assert_eq!([0, SOON - 1, SOON, SOON + 1].map(unexplained), [true, true, false, false]);
    }

    #[test]
    fn refusals_are_at_random_where_more_than_a_few_are_unexplained_and_they_are_rare() {
        for (unexplained, refused_share, is_at_random) in
            [(UNEXPLAINED, 0.0, false), (UNEXPLAINED + 1e-9, 0.0, true), (1.0, RARE - 1e-9, true), (1.0, RARE, false)]
        {
            let limiter = Limiter { unexplained, refused_share, ..Limiter::new(AUTO, None) };
            assert_eq!(limiter.is_at_random(), is_at_random, "{unexplained} {refused_share}");
        }
    }

    #[test]
    fn when_refusals_are_over_the_rate_is_below_what_was_served_and_what_was_refused() {
        let over = |successes, rate| {
            let active = Duration::from_secs(10);
            let mut limiter = Limiter { successes, active, ..Limiter::new(AUTO, None) };
            limiter.end_refusals(Refusals { cut: at(0), limit: 4, active, rate }, at(1000));
            limiter.rate.map(|rate| rate.now)
        };
        let is = |rate: Option<f64>, expected: f64| rate.is_some_and(|rate| (rate - expected).abs() < 1e-9);
        assert!(is(over(100, None), 10.0 * GENTLE), "ten a second were served");
        assert!(is(over(100, Some(50.0)), 10.0) && is(over(100, Some(10.0)), 10.0 * GENTLE));
        assert!(is(over(SOON - 1, Some(50.0)), 50.0 * GENTLE * GENTLE), "too few to say what is served");
        assert!(is(over(TOO_FEW, None), SLOWEST), "0.4 a second is too slow");
        assert_eq!(over(TOO_FEW - 1, None), None);
    }
}
