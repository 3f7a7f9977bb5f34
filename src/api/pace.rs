//! The pace that all requests share: how many are under way, how far apart they start, and one gate for all waits.

#[cfg(test)]
mod model;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::{Mutex, Notify};
use tokio::time::{Instant, sleep_until};

/// Requests that may be under way at first; more with each window of successes.
const FIRST: u32 = 4;
/// With this many refusals among the latest 20 answers, the service is limiting us.
const MANY: u32 = 3;
const LATEST: u32 = (1 << 20) - 1;
/// The longest time between two starts.
const SLOWEST: Duration = Duration::from_secs(2);
/// The time over which the rate of served requests is measured.
const WINDOW: Duration = Duration::from_secs(10);

/// The pace of one client. The limits of the service are not shown, so they are found.
pub(super) struct Pace {
    /// Held while waiting for a slot and for the gate: requests start in the order in which they came.
    starts: Mutex<()>,
    /// A request has ended, so that the one that waits for a slot looks again.
    freed: Notify,
    state: RefCell<State>,
}

struct State {
    /// Requests that are under way, and how many may be.
    under_way: u32,
    limit: u32,
    most: u32,
    /// No request starts before.
    opens: Instant,
    /// Time between two starts; none until the service refuses.
    gap: Duration,
    /// Refusals of requests that started before do not count: those under way together count once.
    cut: Instant,
    refusals_in_a_row: u32,
    served_at_this_limit: u32,
    /// When the latest requests were served.
    served: VecDeque<Instant>,
    /// When the latest series of nothing but refusals began.
    refused_since: Option<Instant>,
    /// One bit an answer, the latest last: whether it was a refusal.
    history: u32,
}

/// A request's leave to be sent now; dropped, it makes room for the next.
pub struct Turn<'p> {
    pace: &'p Pace,
    began: Instant,
}

impl Pace {
    pub(super) fn new(most: u32) -> Self {
        let now = Instant::now();
        let state = State {
            under_way: 0,
            limit: FIRST.min(most),
            most,
            opens: now,
            gap: Duration::ZERO,
            cut: now,
            refusals_in_a_row: 0,
            served_at_this_limit: 0,
            served: VecDeque::new(),
            refused_since: None,
            history: 0,
        };
        Self { starts: Mutex::new(()), freed: Notify::new(), state: RefCell::new(state) }
    }

    /// Waits for a slot, then for the gate.
    pub(super) async fn turn(&self) -> Turn<'_> {
        let _first = self.starts.lock().await;
        loop {
            let State { under_way, limit, opens, .. } = *self.state.borrow();
            if under_way >= limit {
                self.freed.notified().await;
            } else if opens > Instant::now() {
                sleep_until(opens).await;
            } else {
                break;
            }
        }
        let now = Instant::now();
        let mut state = self.state.borrow_mut();
        state.under_way += 1;
        state.opens = state.opens.max(now.checked_sub(state.gap).unwrap_or(now)) + state.gap;
        Turn { pace: self, began: now }
    }

    /// How long the service has answered nothing but refusals.
    pub(super) fn refused_for(&self) -> Duration {
        self.state.borrow().refused_since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl Turn<'_> {
    /// An answer that is no refusal: 2xx, and a 4xx other than 429.
    pub(super) fn served(&self) {
        let (mut state, now) = (self.pace.state.borrow_mut(), Instant::now());
        state.note(false);
        state.refused_since = None;
        state.served.push_back(now);
        if state.served.len() > 100 {
            state.served.pop_front();
        }
        state.refusals_in_a_row = 0;
        state.served_at_this_limit += 1;
        if state.served_at_this_limit >= state.limit && state.limit < state.most {
            (state.limit, state.served_at_this_limit) = (state.limit + 1, 0);
        }
        state.gap = state.gap.mul_f64(if state.history.count_ones() == 0 { 0.99 } else { 0.999 });
    }

    /// 429 and 503: no request starts before the time that the service asked for. Where the service is limiting us, there
    /// is also a growing pause of our own, and all requests go slower. Returns the wait, if this refusal made it longer.
    pub(super) fn refused(&self, asked: Option<Duration>) -> Option<Duration> {
        let (mut state, now) = (self.pace.state.borrow_mut(), Instant::now());
        state.note(true);
        state.refused_since.get_or_insert(now);
        let mut pause = asked.unwrap_or_default();
        if self.began >= state.cut {
            state.cut = now;
            state.refusals_in_a_row += 1;
            if state.history.count_ones() >= MANY {
                pause = pause.max(backoff(state.refusals_in_a_row - 1));
                state.slow_down(now);
            }
        }
        let opens = now + pause;
        let is_longer = opens > state.opens;
        state.opens = state.opens.max(opens);
        (is_longer && !pause.is_zero()).then_some(pause)
    }
}

impl State {
    fn note(&mut self, refused: bool) {
        self.history = (self.history << 1 | u32::from(refused)) & LATEST;
    }

    /// Half as many at a time, and a tenth slower than was served lately.
    fn slow_down(&mut self, now: Instant) {
        self.limit = (self.limit / 2).max(1);
        self.served_at_this_limit = 0;
        let lately = self.served.iter().filter(|at| now.duration_since(**at) < WINDOW);
        let count = u32::try_from(lately.clone().count()).unwrap_or(u32::MAX);
        let measured = lately.min().map(|first| now.duration_since(*first).mul_f64(1.1) / count.max(1));
        self.gap = measured.unwrap_or(self.gap * 2).max(self.gap).min(SLOWEST);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.pace.state.borrow_mut().under_way -= 1;
        self.pace.freed.notify_one();
    }
}

/// A random pause after attempt `n`, counted from 0: up to 0.5 s, 1 s, 2 s … 20 s.
pub(super) fn backoff(n: u32) -> Duration {
    Duration::from_millis(500).saturating_mul(1 << n.min(6)).min(Duration::from_secs(20)).mul_f64(fastrand::f64())
}
