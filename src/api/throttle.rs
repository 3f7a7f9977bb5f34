//! The throttle that all requests of a client share: how many are under way, how soon the next one starts, and what
//! was asked of the service so far.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::adaptive_limiter::{Feedback, Limiter, Ticket, Turn};
use super::circuit_breaker::{CircuitBreaker, Launch};
use super::error::Error;
use super::retries::most_repeats;
use super::retry_after::LONGEST_WAIT;
use crate::model::concurrency::{Concurrency, MaxRate};

/// Of a run that took less a rate says nothing.
const WORTH_TELLING: Duration = Duration::from_secs(5);

/// What a run has asked of the service so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Requests sent, each attempt counted.
    pub requests: u64,
    /// How many of them were refused because they came too fast: 429 and 503.
    pub refused: u64,
    /// From the first start to the latest end.
    pub took: Duration,
}

impl Stats {
    /// Whether there is something to tell.
    pub fn is_telling(&self) -> bool {
        self.refused > 0 || self.took >= WORTH_TELLING
    }
}

impl fmt::Display for Stats {
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

/// How long a read may wait for its start once the run was interrupted.
const READ_WAIT_AFTER_CLOSING: Duration = Duration::from_secs(1);
/// A pause that is longer than the one before by no more than this is not announced again: many requests are refused at
/// once.
const ANNOUNCED_FROM: Duration = Duration::from_secs(1);

/// One for all requests of a client: it keeps the number under way and the rate within what the service takes,
/// and when the service asks for a pause, all requests pause.
#[derive(Debug)]
pub struct Throttle {
    start: Instant,
    limiter: RefCell<Limiter>,
    breaker: RefCell<CircuitBreaker>,
    stats: Cell<Stats>,
    repeated: Cell<u64>,
    first: Cell<Option<Instant>>,
    closed: Cell<bool>,
    /// The requests that wait for their turn, by the order in which they came.
    waiting: RefCell<BTreeSet<u64>>,
    came: Cell<u64>,
    /// When the service wants to be asked again, where that is longer than we wait.
    told_to_wait: Cell<Option<Timestamp>>,
    /// Notified when a request has ended or waits no longer, or a probe was answered.
    moved: Notify,
}

/// A request's place among those that wait; dropped, it lets the next one ask.
struct Place<'t> {
    throttle: &'t Throttle,
    number: u64,
}

impl Place<'_> {
    fn is_first(&self) -> bool {
        self.throttle.waiting.borrow().first() == Some(&self.number)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.throttle.waiting.borrow_mut().remove(&self.number);
        self.throttle.moved.notify_waiters();
    }
}

/// A request's leave to be under way; dropped, it makes room for the next.
#[derive(Debug)]
pub struct Permit<'t> {
    throttle: &'t Throttle,
    ticket: Ticket,
    feedback: Cell<Feedback>,
}

impl Permit<'_> {
    /// Tells what the answer says about the pace.
    pub fn tell(&self, feedback: Feedback) {
        self.feedback.set(feedback);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.throttle.end(self.ticket, self.feedback.get());
    }
}

impl Throttle {
    /// A throttle that no request went through yet.
    pub fn new(concurrency: Concurrency, max_rate: Option<MaxRate>) -> Self {
        Self {
            start: Instant::now(),
            limiter: RefCell::new(Limiter::new(concurrency, max_rate)),
            breaker: RefCell::default(),
            stats: Cell::default(),
            repeated: Cell::default(),
            first: Cell::default(),
            closed: Cell::default(),
            waiting: RefCell::default(),
            came: Cell::default(),
            told_to_wait: Cell::default(),
            moved: Notify::new(),
        }
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn queue(&self) -> Place<'_> {
        let number = self.came.replace(self.came.get() + 1);
        self.waiting.borrow_mut().insert(number);
        Place { throttle: self, number }
    }

    /// Waits until there is room and all earlier requests have started. The wait ends as soon as it is known that the
    /// request cannot be sent.
    pub async fn permit(&self, write: bool, deadline: Option<Instant>) -> Result<Permit<'_>, Error> {
        let place = self.queue();
        loop {
            if let Some(again) = self.told_to_wait.get() {
                return Err(Error::ToldToWait { again });
            }
            if write && self.is_closed() {
                return Err(Error::Closed);
            }
            // Made before the question, so that no answer slips in between.
            let moved = self.moved.notified();
            let turn = if place.is_first() { self.limiter.borrow_mut().ask(self.now()) } else { Turn::Full };
            match turn {
                Turn::Go(ticket) => {
                    self.first.set(self.first.get().or_else(|| Some(Instant::now())));
                    return Ok(Permit { throttle: self, ticket, feedback: Cell::new(Feedback::Nothing) });
                }
                Turn::At(time) => {
                    let wake = self.start + time;
                    if deadline.is_some_and(|deadline| wake >= deadline) {
                        return Err(self.out_of_time());
                    }
                    // A read that tells what became of a write may go on, but nothing waits long for it.
                    if self.is_closed() && wake > Instant::now() + READ_WAIT_AFTER_CLOSING {
                        return Err(Error::Closed);
                    }
                    tokio::select! {
                        () = tokio::time::sleep_until(wake) => {}
                        () = moved => {}
                    }
                }
                Turn::Full => tokio::select! {
                    () = moved => {}
                    () = sleep_until(deadline) => return Err(self.out_of_time()),
                },
            }
        }
    }

    /// Nothing can start any more before the deadline. Only a pause says when the service may be asked again.
    fn out_of_time(&self) -> Error {
        let pause = Some(self.pause()).filter(|pause| !pause.is_zero());
        Error::OutOfTime { again: pause.and_then(|pause| Timestamp::now().checked_add(pause).ok()), before: None }
    }

    /// Waits before a request is repeated; `false` where a write is not to be repeated, because the throttle was closed.
    pub async fn sleep(&self, pause: Duration, write: bool) -> bool {
        let end = Instant::now() + pause;
        loop {
            let moved = self.moved.notified();
            if write && self.is_closed() {
                return false;
            }
            tokio::select! {
                () = tokio::time::sleep_until(end) => return true,
                () = moved => {}
            }
        }
    }

    fn end(&self, ticket: Ticket, feedback: Feedback) {
        self.limiter.borrow_mut().end(ticket, self.now(), feedback);
        let mut stats = self.stats.get();
        stats.requests += 1;
        stats.refused += u64::from(feedback == Feedback::Refused);
        stats.took = self.first.get().map(|first| first.elapsed()).unwrap_or_default();
        self.stats.set(stats);
        self.moved.notify_waiters();
    }

    /// For how long no request may start.
    pub fn pause(&self) -> Duration {
        self.limiter.borrow().opens().saturating_sub(self.now())
    }

    /// For how long writes are held back at least.
    pub fn hold(&self) -> Duration {
        self.breaker.borrow().until().map_or(Duration::ZERO, |until| until.saturating_sub(self.now()))
    }

    /// Lets no request start for `pause` from now; a longer pause that is already set stays. Where it is longer than we
    /// wait, no request starts in this run any more. Returns whether the pause is worth announcing.
    pub fn shut_for(&self, pause: Duration) -> bool {
        if pause > LONGEST_WAIT {
            let again = Timestamp::now().checked_add(pause).unwrap_or(Timestamp::MAX);
            let is_news = self.told_to_wait.replace(Some(again)).is_none();
            self.moved.notify_waiters();
            return is_news;
        }
        let is_news = pause > self.pause() + ANNOUNCED_FROM;
        self.limiter.borrow_mut().shut_until(self.now() + pause);
        is_news
    }

    /// Takes one repetition out of the run's budget; `false` where it is used up.
    pub fn may_repeat(&self) -> bool {
        let left = self.repeated.get() < most_repeats(self.stats.get().requests);
        self.repeated.set(self.repeated.get() + u64::from(left));
        left
    }

    /// Takes the end of a request, all its attempts made: whether its answer was lost. Returns whether writes are held back
    /// from now on.
    pub fn request_ended(&self, lost: bool) -> bool {
        let was_free = self.is_free();
        self.breaker.borrow_mut().ended(self.now(), lost);
        was_free && !self.is_free()
    }

    /// Whether a write may be launched: waits for a probe that is due, or for another's answer.
    pub async fn launch(&self, deadline: Option<Instant>) -> Launch {
        loop {
            let moved = self.moved.notified();
            let launch = self.breaker.borrow_mut().ask(self.now());
            let Launch::NotBefore(time) = launch else { return launch };
            let due = self.start + time;
            if self.is_closed() || deadline.is_some_and(|deadline| due.max(Instant::now()) >= deadline) {
                return launch;
            }
            // A probe that is under way ends with a word.
            let due = Some(due).filter(|due| *due > Instant::now());
            tokio::select! {
                () = sleep_until(due) => {}
                () = sleep_until(deadline) => {}
                () = moved => {}
            }
        }
    }

    /// Takes what came of a probe.
    pub fn probed(&self, answered: bool) {
        self.breaker.borrow_mut().probed(self.now(), answered);
        self.moved.notify_waiters();
    }

    /// How many requests may be under way now.
    pub fn limit(&self) -> u32 {
        self.limiter.borrow().limit()
    }

    /// Whether writes are not held back.
    pub fn is_free(&self) -> bool {
        self.breaker.borrow().is_over()
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
    pub fn stats(&self) -> Stats {
        self.stats.get()
    }
}

/// Sleeps until then; for ever where there is no such time.
pub async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn every_request_waits_until_the_longest_pause_is_over() {
        let throttle = Throttle::new(Concurrency::Auto, None);
        let start = Instant::now();
        throttle.shut_for(Duration::from_secs(5));
        throttle.shut_for(Duration::from_secs(2));
        let _permit = throttle.permit(true, None).await;
        assert_eq!(start.elapsed().as_secs(), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_ends_or_is_given_up_makes_room_for_the_next() {
        let throttle = Throttle::new(Concurrency::AtMost(1), None);
        let first = throttle.permit(true, None).await;
        let (_second, ()) = tokio::join!(throttle.permit(true, None), async { drop(first) });
        assert_eq!(throttle.stats().requests, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn requests_start_in_the_order_in_which_they_came() {
        let throttle = Throttle::new(Concurrency::AtMost(4), Some("100".parse().expect("a rate")));
        let (started, begin) = (RefCell::new(Vec::new()), Instant::now());
        let request = async |number: u64| {
            // Some come at the moment when one that has waited could start.
            tokio::time::sleep_until(begin + Duration::from_millis(5 * number)).await;
            let permit = throttle.permit(true, None).await;
            started.borrow_mut().push(number);
            tokio::time::sleep(Duration::from_millis(3)).await;
            drop(permit);
        };
        futures_util::future::join_all((0..50).map(request)).await;
        assert_eq!(*started.borrow(), (0..50).collect::<Vec<_>>());
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_throttle_turns_waiting_writes_away_and_lets_reads_through() {
        let throttle = Throttle::new(Concurrency::AtMost(1), None);
        let first = throttle.permit(true, None).await;
        let (second, ()) = tokio::join!(throttle.permit(true, None), async { throttle.close() });
        assert!(matches!(second.err(), Some(Error::Closed)));
        drop(first);
        assert!(throttle.permit(false, None).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_deadline_lets_go_at_once_where_nothing_can_start_before_it() {
        let throttle = Throttle::new(Concurrency::AtMost(1), None);
        let start = Instant::now();
        let deadline = Some(start + Duration::from_secs(5));
        let first = throttle.permit(false, deadline).await;
        assert!(first.is_ok());
        let (second, ()) = tokio::join!(throttle.permit(false, deadline), async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            throttle.shut_for(Duration::from_secs(25));
            drop(first);
        });
        assert!(matches!(second.err(), Some(Error::OutOfTime { .. })));
        assert_eq!(start.elapsed().as_secs(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn an_interruption_lets_go_whatever_waits_for_a_pause_to_end() {
        let throttle = Throttle::new(Concurrency::Auto, None);
        let start = Instant::now();
        throttle.shut_for(Duration::from_mins(1));
        let (read, write, slept, ()) = tokio::join!(
            throttle.permit(false, None),
            throttle.permit(true, None),
            throttle.sleep(Duration::from_mins(1), true),
            async { throttle.close() }
        );
        assert!(matches!((read.err(), write.err(), slept), (Some(Error::Closed), Some(Error::Closed), false)));
        assert!(start.elapsed().is_zero());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_that_is_longer_than_we_wait_ends_the_waiting() {
        let throttle = Throttle::new(Concurrency::Auto, None);
        assert!(throttle.shut_for(Duration::from_secs(30)));
        assert!(!throttle.shut_for(Duration::from_secs(30)), "no news");
        let (waiting, ()) = tokio::join!(throttle.permit(false, None), async {
            assert!(throttle.shut_for(Duration::from_hours(1)));
        });
        assert!(matches!(waiting.err(), Some(Error::ToldToWait { .. })));
    }

    #[tokio::test(start_paused = true)]
    async fn repetitions_have_a_budget_that_grows_with_the_requests() {
        let throttle = Throttle::new(Concurrency::Auto, None);
        assert_eq!((0..100).filter(|_| throttle.may_repeat()).count(), 10);
        for _ in 0..50 {
            drop(throttle.permit(true, None).await);
        }
        assert_eq!((0..100).filter(|_| throttle.may_repeat()).count(), 10);
    }

    #[test]
    fn what_was_reached_is_told_in_one_line() {
        let stats = Stats { requests: 31, refused: 2, took: Duration::from_secs(2) };
        assert_eq!(stats.to_string(), "15.5 requests a second, refused 2 times");
        let of = |refused, seconds| Stats { requests: 31, refused, took: Duration::from_secs(seconds) };
        assert_eq!([of(0, 4), of(0, 5), of(1, 0)].map(|stats| stats.is_telling()), [false, true, true]);
    }
}
