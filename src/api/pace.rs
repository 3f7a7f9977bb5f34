//! The pace: backoff, `Retry-After`, and the gate that all workers share.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::limiter::{Limiter, Ticket, Told, Turn};
use super::outage::{Launch, Outage};
use crate::model::pace::{Concurrency, MaxRate};

/// Attempts of one request that may be repeated.
pub const ATTEMPTS: u32 = 4;
/// A service that asks for a longer pause is not waited for.
pub const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// The random pause after attempt `n` (counted from 0): up to 0.5 s, 1 s, 2 s … and never more than 20 s.
pub fn backoff(n: u32) -> Duration {
    let ceiling = 0.5 * f64::from(2_u32.saturating_pow(n.min(10)));
    Duration::from_secs_f64(fastrand::f64() * ceiling.min(20.0))
}

/// Reads `Retry-After`: seconds, or an HTTP date counted from the answer's own `Date` (else from `now`).
pub fn retry_after(value: &str, date: Option<&str>, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until = http_date(value)?;
    let from = date.and_then(http_date).unwrap_or(now);
    Some(Duration::try_from(until.duration_since(from)).unwrap_or(Duration::ZERO))
}

/// Reads a date of HTTP.
pub fn http_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::parse(text.trim()).ok().map(|zoned| zoned.timestamp())
}

/// Repeated requests that every run has.
const BUDGET: u64 = 10;
/// One more for each so many requests.
const BUDGET_SHARE: u64 = 5;

/// What a run has asked of the service so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reached {
    /// Requests sent, each attempt counted.
    pub requests: u64,
    /// How many of them were refused because they came too fast: 429 and 503.
    pub refused: u64,
    /// From the first start to the latest end.
    pub took: Duration,
}

impl Reached {
    /// Whether there is something to tell: of a run that took no time, a rate says nothing.
    pub fn is_telling(&self) -> bool {
        self.refused > 0 || self.took >= Duration::from_secs(1)
    }
}

impl fmt::Display for Reached {
    /// `12.4 requests a second, refused 3 times`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let requests = u32::try_from(self.requests).map_or(f64::MAX, f64::from);
        let rate = requests / self.took.as_secs_f64().max(0.001);
        write!(f, "{rate:.1} requests a second, ")?;
        match self.refused {
            0 => f.write_str("never refused"),
            1 => f.write_str("refused once"),
            count => write!(f, "refused {count} times"),
        }
    }
}

/// One gate for all requests of a client: it keeps the number under way and the rate within what the service takes,
/// and when the service asks for a pause, everybody pauses.
#[derive(Debug)]
pub struct Gate {
    start: Instant,
    limiter: RefCell<Limiter>,
    outage: RefCell<Outage>,
    reached: Cell<Reached>,
    repeated: Cell<u64>,
    first: Cell<Option<Instant>>,
    closed: Cell<bool>,
    /// Told when a request has ended or a probe was answered.
    moved: Notify,
}

/// A request's leave to be under way; dropped, it makes room for the next.
#[derive(Debug)]
pub struct Pass<'g> {
    gate: &'g Gate,
    ticket: Ticket,
    told: Cell<Told>,
}

impl Pass<'_> {
    /// Tells what the answer says about the pace.
    pub fn tell(&self, told: Told) {
        self.told.set(told);
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.gate.end(self.ticket, self.told.get());
    }
}

impl Gate {
    /// A gate through which nobody went yet.
    pub fn new(concurrency: Concurrency, max_rate: Option<MaxRate>) -> Self {
        Self {
            start: Instant::now(),
            limiter: RefCell::new(Limiter::new(concurrency, max_rate)),
            outage: RefCell::default(),
            reached: Cell::default(),
            repeated: Cell::default(),
            first: Cell::default(),
            closed: Cell::default(),
            moved: Notify::new(),
        }
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Waits until there is room; `None` for a write once the gate is closed.
    pub async fn pass(&self, write: bool) -> Option<Pass<'_>> {
        loop {
            if write && self.is_closed() {
                return None;
            }
            // Made before the question, so that no answer slips in between.
            let moved = self.moved.notified();
            let turn = self.limiter.borrow_mut().ask(self.now());
            match turn {
                Turn::Go(ticket) => {
                    self.first.set(self.first.get().or_else(|| Some(Instant::now())));
                    return Some(Pass { gate: self, ticket, told: Cell::new(Told::Nothing) });
                }
                Turn::At(time) => tokio::select! {
                    () = tokio::time::sleep_until(self.start + time) => {}
                    () = moved => {}
                },
                Turn::Full => moved.await,
            }
        }
    }

    fn end(&self, ticket: Ticket, told: Told) {
        self.limiter.borrow_mut().end(ticket, self.now(), told);
        let mut reached = self.reached.get();
        reached.requests += 1;
        reached.refused += u64::from(told == Told::Refused);
        reached.took = self.first.get().map(|first| first.elapsed()).unwrap_or_default();
        self.reached.set(reached);
        self.moved.notify_waiters();
    }

    /// For how long the gate is shut.
    pub fn pause(&self) -> Duration {
        self.limiter.borrow().opens().saturating_sub(self.now())
    }

    /// For how long writes are held back at least.
    pub fn hold(&self) -> Duration {
        self.outage.borrow().until().map_or(Duration::ZERO, |until| until.saturating_sub(self.now()))
    }

    /// Shuts the gate for `pause` from now; a longer pause that is already set stays.
    pub fn shut_for(&self, pause: Duration) {
        self.limiter.borrow_mut().shut_until(self.now() + pause);
    }

    /// Takes one repetition out of the run's budget; `false` where it is used up.
    pub fn may_repeat(&self) -> bool {
        let left = self.repeated.get() < BUDGET + self.reached.get().requests / BUDGET_SHARE;
        self.repeated.set(self.repeated.get() + u64::from(left));
        left
    }

    /// Takes the end of a request, all its attempts made: whether its answer was lost. Says whether writes are held
    /// back from now on.
    pub fn note(&self, lost: bool) -> bool {
        let was_free = self.is_free();
        self.outage.borrow_mut().ended(self.now(), lost);
        was_free && !self.is_free()
    }

    /// Whether a write may be launched: waits where nobody else is to probe.
    pub async fn launch(&self) -> Launch {
        loop {
            let moved = self.moved.notified();
            let launch = self.outage.borrow_mut().ask(self.now());
            let Launch::NotBefore(time) = launch else { return launch };
            if self.is_closed() {
                return launch;
            }
            let until = self.start + time;
            if until <= Instant::now() {
                moved.await;
            } else {
                tokio::select! {
                    () = tokio::time::sleep_until(until) => {}
                    () = moved => {}
                }
            }
        }
    }

    /// Takes what came of a probe.
    pub fn probed(&self, answered: bool) {
        self.outage.borrow_mut().probed(self.now(), answered);
        self.moved.notify_waiters();
    }

    /// How many requests may be under way now.
    pub fn limit(&self) -> u32 {
        self.limiter.borrow().limit()
    }

    /// Whether writes are not held back.
    pub fn is_free(&self) -> bool {
        self.outage.borrow().is_over()
    }

    /// Lets no write through any more.
    pub fn close(&self) {
        self.closed.set(true);
        self.moved.notify_waiters();
    }

    /// Whether writes are not let through any more.
    pub fn is_closed(&self) -> bool {
        self.closed.get()
    }

    /// What was asked of the service so far.
    pub fn reached(&self) -> Reached {
        self.reached.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fuzz::{fuzz, lines};

    #[test]
    fn retry_after_is_seconds_or_a_date_against_the_answers_own_date() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
        assert_eq!(retry_after(" 7 ", None, now), Some(Duration::from_secs(7)));
        let date = Some("Wed, 21 Oct 2015 07:28:00 GMT");
        let later = "Wed, 21 Oct 2015 07:28:05 GMT";
        assert_eq!(retry_after(later, date, now), Some(Duration::from_secs(5)));
        assert_eq!(retry_after("Thu, 01 Jan 2026 00:00:03 GMT", None, now), Some(Duration::from_secs(3)));
        assert_eq!(retry_after(later, None, now), Some(Duration::ZERO));
        for odd in ["soon", "-1", "", "1.5", "99999999999999999999999"] {
            assert_eq!(retry_after(odd, None, now), None, "{odd}");
        }
    }

    #[test]
    fn fuzzed_pauses_are_what_they_say_or_nothing() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
        let seeds = lines(include_str!("../../tests/fixtures/fuzz/retry-after.txt"));
        fuzz(200_000, &seeds, &["GMT", "Jan", "Wed, ", ":", "00", "9999", "\n"], |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let (value, date) = text.split_once('\n').map_or((&*text, None), |(value, date)| (value, Some(date)));
            let pause = retry_after(value, date, now);
            let seconds = value.trim().parse::<u64>().ok();
            let until = http_date(value).map(|until| {
                let from = date.and_then(http_date).unwrap_or(now);
                u64::try_from(until.as_second() - from.as_second()).unwrap_or_default()
            });
            assert_eq!(pause.map(|pause| pause.as_secs()), seconds.or(until));
            (seconds.is_some(), until.map(u64::checked_ilog2), date.and_then(http_date).is_some())
        });
    }

    #[test]
    fn a_backoff_grows_to_its_ceiling_and_not_beyond() {
        for n in 0..64 {
            let ceiling = (0.5 * 2_f64.powi(i32::try_from(n).expect("small"))).min(20.0);
            assert!(backoff(n) <= Duration::from_secs_f64(ceiling));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_gate_holds_everybody_until_the_longest_pause_is_over() {
        let gate = Gate::new(Concurrency::Auto, None);
        let start = Instant::now();
        gate.shut_for(Duration::from_secs(5));
        gate.shut_for(Duration::from_secs(2));
        let _pass = gate.pass(true).await;
        assert_eq!(start.elapsed().as_secs(), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_ends_or_is_given_up_makes_room_for_the_next() {
        let gate = Gate::new(Concurrency::AtMost(1), None);
        let first = gate.pass(true).await;
        let (_second, ()) = tokio::join!(gate.pass(true), async { drop(first) });
        assert_eq!(gate.reached().requests, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_gate_turns_waiting_writes_away_and_lets_reads_through() {
        let gate = Gate::new(Concurrency::AtMost(1), None);
        let first = gate.pass(true).await;
        let (second, ()) = tokio::join!(gate.pass(true), async { gate.close() });
        assert!(second.is_none());
        drop(first);
        assert!(gate.pass(false).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn repetitions_have_a_budget_that_grows_with_the_requests() {
        let gate = Gate::new(Concurrency::Auto, None);
        assert_eq!((0..100).filter(|_| gate.may_repeat()).count(), 10);
        for _ in 0..50 {
            drop(gate.pass(true).await);
        }
        assert_eq!((0..100).filter(|_| gate.may_repeat()).count(), 10);
    }

    #[test]
    fn what_was_reached_is_told_in_one_line() {
        let reached = Reached { requests: 31, refused: 2, took: Duration::from_secs(2) };
        assert_eq!(reached.to_string(), "15.5 requests a second, refused 2 times");
    }
}
