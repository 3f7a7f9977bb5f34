//! A model of the pace: the real one, with a clock of the test's own, against services that limit their clients in
//! different ways.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{Instant, sleep};

use super::{Pace, backoff};

const ROUND_TRIP: Duration = Duration::from_millis(100);

/// How a service limits its clients.
#[derive(Clone, Copy)]
enum Limit {
    /// So many requests a second, with bursts of as many.
    PerSecond(f64),
    /// So many in each minute of the clock.
    PerMinute(u32),
    /// So many at once.
    Slots(usize),
    /// So many in any span of so many seconds.
    Sliding(usize, u64),
    /// None, but everything is refused from one second to another.
    Down(u64, u64),
    /// None, but so many of a thousand requests are refused for reasons of the service's own.
    Random(u64),
    None,
}

struct World {
    name: &'static str,
    limit: Limit,
    /// Whether a refusal says how long to wait.
    says_when: bool,
    requests: u32,
    /// The least share of the ideal throughput, and the most refusals, in a hundred requests.
    bounds: (f64, f64),
}

struct Service {
    limit: Limit,
    began: Instant,
    tokens: f64,
    filled: Duration,
    minute: u64,
    count: u32,
    busy: VecDeque<Duration>,
    rng: fastrand::Rng,
    refusals: u32,
}

impl Service {
    fn new(limit: Limit) -> Self {
        let tokens = if let Limit::PerSecond(rate) = limit { rate } else { 0.0 };
        let rng = fastrand::Rng::with_seed(7);
        let (filled, busy) = (Duration::ZERO, VecDeque::new());
        Self { limit, began: Instant::now(), tokens, filled, minute: 0, count: 0, busy, rng, refusals: 0 }
    }

    /// Serves a request, or says how long to wait.
    fn take(&mut self) -> Result<(), Duration> {
        let served = self.serve(self.began.elapsed());
        self.refusals += u32::from(served.is_err());
        served
    }

    fn serve(&mut self, now: Duration) -> Result<(), Duration> {
        let second = Duration::from_secs(1);
        let serve_if = |is_free: bool| if is_free { Ok(()) } else { Err(second) };
        match self.limit {
            Limit::None => Ok(()),
            Limit::Down(from, to) => serve_if(!(from..to).contains(&now.as_secs())),
            Limit::Random(share) => serve_if(self.rng.u64(0..1000) >= share),
            Limit::PerSecond(rate) => {
                self.tokens = rate.min(self.tokens + now.saturating_sub(self.filled).as_secs_f64() * rate);
                self.filled = now;
                serve_if(self.tokens >= 1.0)?;
                self.tokens -= 1.0;
                Ok(())
            }
            Limit::PerMinute(most) => {
                let minute = now.as_secs() / 60;
                if minute != self.minute {
                    (self.minute, self.count) = (minute, 0);
                }
                if self.count == most {
                    return Err(Duration::from_secs((minute + 1) * 60).saturating_sub(now));
                }
                self.count += 1;
                Ok(())
            }
            Limit::Slots(most) => self.hold(most, now, ROUND_TRIP),
            Limit::Sliding(most, seconds) => self.hold(most, now, Duration::from_secs(seconds)),
        }
    }

    /// Takes one of `most` places for a time.
    fn hold(&mut self, most: usize, now: Duration, time: Duration) -> Result<(), Duration> {
        while self.busy.front().is_some_and(|until| *until <= now) {
            self.busy.pop_front();
        }
        if self.busy.len() == most {
            return Err(Duration::from_secs(1));
        }
        self.busy.push_back(now + time);
        Ok(())
    }
}

/// Sends all requests of a world, with as many workers as there may be slots; each is repeated as the client does it.
async fn run(world: &World, most: u32) -> (f64, f64) {
    let (pace, service, left) = (Pace::new(most), RefCell::new(Service::new(world.limit)), Cell::new(world.requests));
    let began = Instant::now();
    let worker = async || {
        while left.get() > 0 {
            left.set(left.get() - 1);
            for refusals in 0.. {
                let turn = pace.turn().await;
                sleep(ROUND_TRIP / 2).await;
                let answer = service.borrow_mut().take();
                sleep(ROUND_TRIP / 2 + Duration::from_millis(fastrand::u64(0..5))).await;
                match answer {
                    Ok(()) => turn.served(),
                    Err(wait) => {
                        let _ = turn.refused(world.says_when.then_some(wait));
                    }
                }
                drop(turn);
                if answer.is_ok() {
                    break;
                }
                sleep(backoff(refusals)).await;
            }
        }
    };
    join_all((0..most).map(|_| worker())).await;
    let took = began.elapsed().as_secs_f64();
    let refusals = service.borrow().refusals;
    (ideal(world, most) / took * 100.0, f64::from(refusals) * 100.0 / f64::from(world.requests))
}

/// The shortest time in seconds in which a client that knew the limit could be done.
fn ideal(world: &World, most: u32) -> f64 {
    let requests = f64::from(world.requests);
    let at_once = |slots: f64| requests / slots * ROUND_TRIP.as_secs_f64();
    match world.limit {
        Limit::PerSecond(rate) => (requests - rate) / rate,
        Limit::PerMinute(count) => f64::from((world.requests - 1) / count) * 60.0,
        Limit::Slots(slots) => at_once(f64::from(u32::try_from(slots).expect("a few slots"))),
        Limit::Sliding(count, seconds) => {
            let count = f64::from(u32::try_from(count).expect("a few"));
            (requests - count) / count * Duration::from_secs(seconds).as_secs_f64()
        }
        Limit::Down(from, to) => at_once(f64::from(most)) + Duration::from_secs(to - from).as_secs_f64(),
        Limit::Random(_) | Limit::None => at_once(f64::from(most)),
    }
}

const fn world(name: &'static str, limit: Limit, says_when: bool, requests: u32, bounds: (f64, f64)) -> World {
    World { name, limit, says_when, requests, bounds }
}

const WORLDS: [World; 11] = [
    world("5/s", Limit::PerSecond(5.0), true, 600, (82.0, 15.0)),
    world("10/s, no Retry-After", Limit::PerSecond(10.0), false, 1_000, (92.0, 15.0)),
    world("100/min", Limit::PerMinute(100), true, 1_000, (92.0, 22.0)),
    world("50/s", Limit::PerSecond(50.0), true, 3_000, (85.0, 20.0)),
    world("100 in any 10 s, no Retry-After", Limit::Sliding(100, 10), false, 1_000, (70.0, 18.0)),
    world("four slots", Limit::Slots(4), false, 3_000, (60.0, 10.0)),
    world("2 % at random", Limit::Random(20), false, 3_000, (75.0, 4.0)),
    // Each refusal closes the gate for a second, as the service asks.
    world("2 % at random, Retry-After 1", Limit::Random(20), true, 3_000, (15.0, 4.0)),
    world("all refused for 10 s", Limit::Down(1, 11), false, 10_000, (60.0, 2.0)),
    world("all refused at first", Limit::Down(0, 5), false, 10_000, (75.0, 2.0)),
    world("no limit", Limit::None, false, 3_000, (90.0, 0.0)),
];

#[tokio::test(start_paused = true)]
async fn in_each_world_it_comes_near_the_ideal_and_is_rarely_refused() {
    for world in &WORLDS {
        fastrand::seed(7);
        let (share, refused) = run(world, 16).await;
        println!("{:32} {share:5.1} % of the ideal, {refused:4.1} % refused", world.name);
        let (least, most) = world.bounds;
        assert!(share >= least && refused <= most, "{}: {share:.1} % of the ideal, {refused:.1} %", world.name);
    }
}

#[tokio::test(start_paused = true)]
async fn one_gate_holds_all_requests() {
    let pace = Pace::new(16);
    let (began, seconds) = (Instant::now(), Duration::from_secs);
    let (first, second) = (pace.turn().await, pace.turn().await);
    assert_eq!(first.refused(Some(seconds(9))), Some(seconds(9)));
    assert_eq!(second.refused(Some(seconds(5))), None, "the gate is closed for longer");
    drop((first, second));
    let starts = join_all((0..4).map(async |_| {
        let turn = pace.turn().await;
        turn.served();
        (turn, began.elapsed())
    }));
    assert!(starts.await.iter().all(|(_, start)| (seconds(9)..seconds(10)).contains(start)));
}

#[tokio::test(start_paused = true)]
async fn requests_start_in_the_order_in_which_they_came() {
    let (pace, order) = (Pace::new(2), RefCell::new(Vec::new()));
    let request = async |number: u64| {
        let turn = pace.turn().await;
        order.borrow_mut().push(number);
        sleep(Duration::from_millis(10 - number)).await;
        let _ = if number.is_multiple_of(3) { turn.refused(None) } else { None };
    };
    join_all((0..10).map(request)).await;
    assert!(order.borrow().is_sorted(), "{order:?}");
}

#[tokio::test(start_paused = true)]
async fn the_time_of_nothing_but_refusals_begins_with_the_first_and_ends_with_an_answer() {
    let (pace, minutes) = (Pace::new(4), Duration::from_mins);
    let refuse = async || pace.turn().await.refused(None);
    sleep(minutes(9)).await;
    refuse().await;
    assert_eq!(pace.refused_for().as_secs(), 0, "idle time does not count");
    sleep(minutes(6)).await;
    refuse().await;
    assert!(pace.refused_for() >= minutes(6));
    pace.turn().await.served();
    assert!(pace.refused_for().is_zero());
}
