//! Services of many kinds, and what the limiter makes of each: throughput as a share of the ideal, and refusals beyond need.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use super::{Feedback, Limiter, Turn};
use crate::model::concurrency::Concurrency;

/// Round trip of a request that is served, and of one that is refused.
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
    Sliding(u32, u32),
    /// None, but so many refusals in a row after so many served.
    Burst(u32, u32),
    /// None, but so many of a thousand requests are refused for reasons of the service's own.
    Moody(u64),
    None,
}

struct World {
    name: &'static str,
    limit: Limit,
    retry_after: bool,
    requests: u32,
}

const WORLDS: [World; 13] = [
    World { name: "5/s", limit: Limit::PerSecond(5.0), retry_after: true, requests: 3_000 },
    World { name: "10/s, no Retry-After", limit: Limit::PerSecond(10.0), retry_after: false, requests: 5_000 },
    World { name: "100/min", limit: Limit::PerMinute(100), retry_after: true, requests: 6_000 },
    World { name: "50/s", limit: Limit::PerSecond(50.0), retry_after: true, requests: 20_000 },
    World { name: "four slots", limit: Limit::Slots(4), retry_after: false, requests: 20_000 },
    World { name: "2 % at random", limit: Limit::Moody(20), retry_after: false, requests: 20_000 },
    World { name: "2 %, Retry-After", limit: Limit::Moody(20), retry_after: true, requests: 5_000 },
    World { name: "100 in any 10 s", limit: Limit::Sliding(100, 10), retry_after: false, requests: 5_000 },
    World { name: "36 in a row", limit: Limit::Burst(200, 36), retry_after: false, requests: 20_000 },
    World { name: "36 at once", limit: Limit::Burst(0, 36), retry_after: false, requests: 20_000 },
    World { name: "36 in a row, early", limit: Limit::Burst(20, 36), retry_after: false, requests: 20_000 },
    World { name: "36 in a row, late", limit: Limit::Burst(5000, 36), retry_after: false, requests: 20_000 },
    World { name: "no limit", limit: Limit::None, retry_after: false, requests: 20_000 },
];

/// What the service remembers.
struct Service {
    limit: Limit,
    tokens: f64,
    filled: Duration,
    minute: u64,
    in_minute: u32,
    busy: VecDeque<Duration>,
    dice: u64,
    count: u32,
}

impl Service {
    fn new(limit: Limit) -> Self {
        let tokens = if let Limit::PerSecond(rate) = limit { rate } else { 0.0 };
        Self {
            limit,
            tokens,
            filled: Duration::ZERO,
            minute: 0,
            in_minute: 0,
            busy: VecDeque::new(),
            dice: 7,
            count: 0,
        }
    }

    /// Takes a request, or says how long to wait.
    fn take(&mut self, now: Duration) -> Result<(), Duration> {
        match self.limit {
            Limit::None => Ok(()),
            Limit::Burst(after, count) => {
                self.count += 1;
                let is_refused = self.count > after && self.count <= after + count;
                if is_refused { Err(Duration::ZERO) } else { Ok(()) }
            }
            Limit::Sliding(count, seconds) => {
                let since = now.saturating_sub(Duration::from_secs(seconds.into()));
                while self.busy.front().is_some_and(|served| *served <= since) && now.as_secs() >= seconds.into() {
                    self.busy.pop_front();
                }
                if self.busy.len() >= count as usize {
                    return Err(Duration::ZERO);
                }
                self.busy.push_back(now);
                Ok(())
            }
            Limit::Moody(share) => {
                self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if (self.dice >> 33) % 1000 < share { Err(Duration::from_secs(1)) } else { Ok(()) }
            }
            Limit::PerSecond(rate) => {
                let refilled = now.saturating_sub(self.filled).as_secs_f64() * rate;
                self.tokens = (self.tokens + refilled).min(rate);
                self.filled = now;
                if self.tokens < 1.0 {
                    return Err(Duration::from_secs(1));
                }
                self.tokens -= 1.0;
                Ok(())
            }
            Limit::PerMinute(count) => {
                let minute = now.as_secs() / 60;
                if minute != self.minute {
                    (self.minute, self.in_minute) = (minute, 0);
                }
                if self.in_minute == count {
                    return Err(Duration::from_secs((minute + 1) * 60).saturating_sub(now));
                }
                self.in_minute += 1;
                Ok(())
            }
            Limit::Slots(slots) => {
                while self.busy.front().is_some_and(|free| *free <= now) {
                    self.busy.pop_front();
                }
                if self.busy.len() == slots {
                    return Err(Duration::ZERO);
                }
                self.busy.push_back(now + ROUND_TRIP);
                Ok(())
            }
        }
    }
}

/// The shortest time in which a client that knew the limit could be done.
fn ideal(world: &World) -> f64 {
    let requests = f64::from(world.requests);
    let most = |at_once: f64| requests / at_once * ROUND_TRIP.as_secs_f64();
    match world.limit {
        Limit::PerSecond(rate) => (requests - rate) / rate,
        Limit::PerMinute(count) => f64::from((world.requests - 1) / count) * 60.0,
        #[expect(clippy::cast_precision_loss, reason = "a handful of slots")]
        Limit::Slots(slots) => most(slots as f64),
        Limit::Sliding(count, seconds) => (requests - f64::from(count)) / f64::from(count) * f64::from(seconds),
        // A program that knew that the rate is not why would keep the pauses that are asked for, and nothing else.
        Limit::Moody(_) if world.retry_after => simulate(world, Client::KeepsPauses, 7).1,
        Limit::Burst(..) | Limit::None | Limit::Moody(_) => most(32.0),
    }
}

/// Share of the ideal throughput and share of extra requests, in percent.
struct Figures {
    throughput: f64,
    refusals: f64,
    /// Served in the second that begins 30 s after the last refusal, where the run takes so long.
    back: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The answer to the request launched then: served, or refused for so long; which attempt it was.
    Answer {
        launched: Duration,
        refused: Option<Duration>,
        attempt: u32,
    },
    /// A request wants to be sent again.
    Again {
        attempt: u32,
    },
    Tick,
}

/// Who is simulated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Client {
    Whole,
    /// Without a rate.
    ConcurrencyAlone,
    /// Takes every refusal for a success, but for the pause that it asks for.
    KeepsPauses,
}

fn run(world: &World, client: Client, seed: u64) -> Figures {
    let (figures, end) = simulate(world, client, seed);
    Figures { throughput: ideal(world) / end * 100.0, ..figures }
}

/// Runs a world with the real limiter, one request after the other wanting to start at once. The throughput is told as the
/// seconds that it took.
fn simulate(world: &World, client: Client, seed: u64) -> (Figures, f64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut limiter = Limiter::new(Concurrency::Auto, None);
    limiter.rates = client != Client::ConcurrencyAlone;
    let mut service = Service::new(world.limit);
    let mut events = BinaryHeap::from([Reverse((Duration::ZERO, Event::Tick))]);
    let (mut waiting, mut left) = (VecDeque::from(vec![0; world.requests as usize]), world.requests);
    let (mut refusals, mut end) = (0_u32, Duration::ZERO);
    let (mut last, mut back) = (Duration::ZERO, 0);
    while let Some(Reverse((now, event))) = events.pop() {
        match event {
            Event::Tick => {}
            Event::Again { attempt } => waiting.push_front(attempt),
            Event::Answer { launched, refused, attempt } => {
                let is_told = refused.is_some() && client != Client::KeepsPauses;
                let feedback = if is_told { Feedback::Refused } else { Feedback::Served };
                limiter.end(super::Ticket { launched }, now, feedback);
                match refused {
                    None => {
                        (left, end) = (left - 1, now);
                        back += u32::from((29..31).contains(&now.saturating_sub(last).as_secs()));
                    }
                    Some(wait) => {
                        refusals += 1;
                        (last, back) = (now, 0);
                        let ceiling = 0.5 * f64::from(2_u32.pow(attempt.min(5)));
                        let own = Duration::from_secs_f64(random.f64() * ceiling.min(20.0));
                        let pause = if world.retry_after { wait.max(own) } else { own };
                        if world.retry_after {
                            limiter.shut_until(now + pause + Duration::from_millis(random.u64(0..250)));
                        }
                        events.push(Reverse((now + pause, Event::Again { attempt: attempt + 1 })));
                    }
                }
            }
        }
        while let Some(attempt) = waiting.front().copied() {
            match limiter.ask(now) {
                Turn::Full => break,
                Turn::At(time) => {
                    events.push(Reverse((time, Event::Tick)));
                    break;
                }
                Turn::Go(ticket) => {
                    waiting.pop_front();
                    let jitter = Duration::from_micros(random.u64(0..5_000));
                    let refused = service.take(now + ROUND_TRIP / 2).err();
                    let answer = Event::Answer { launched: ticket.launched, refused, attempt };
                    events.push(Reverse((now + ROUND_TRIP + jitter, answer)));
                }
            }
        }
    }
    assert_eq!(left, 0, "{}: each request is served in the end", world.name);
    let refusals = f64::from(refusals) / f64::from(world.requests) * 100.0;
    (Figures { throughput: 0.0, refusals, back: back / 2 }, end.as_secs_f64())
}

#[test]
fn in_each_world_it_comes_near_the_ideal_and_is_rarely_refused() {
    for world in &WORLDS {
        for seed in 0..2 {
            let Figures { throughput, refusals, back } = run(world, Client::Whole, seed);
            let enough = match world.limit {
                Limit::Moody(_) => 60.0,
                Limit::Sliding(..) => 80.0,
                // What a burst costs at the beginning of a run is told by how soon it is over.
                Limit::Burst(..) => 50.0,
                _ => 90.0,
            };
            assert!(throughput >= enough, "{} with seed {seed}: {throughput:.1} % of the ideal", world.name);
            assert!(refusals < 10.0, "{} with seed {seed}: {refusals:.1} % refused", world.name);
            let is_back = !matches!(world.limit, Limit::Burst(..)) || back >= 160;
            assert!(is_back, "{} with seed {seed}: {back} a second after 30 s, of 320", world.name);
        }
    }
}

/// The figures of one seed, with a rate and with concurrency alone: share of the ideal throughput, share of requests
/// refused beyond need.
const FIGURES: &str = "\
service                ideal  refused | alone: ideal  refused
5/s                     92 %      4 % |        78 %     61 %
10/s, no Retry-After   100 %      5 % |       100 %     66 %
100/min                 98 %      1 % |       100 %     15 %
50/s                    94 %      1 % |        88 %      9 %
four slots              90 %      6 % |        87 %      7 %
2 % at random           75 %      2 % |        27 %      2 %
2 %, Retry-After        82 %      2 % |        61 %      2 %
100 in any 10 s         96 %      6 % |        97 %     94 %
36 in a row             90 %      0 % |        93 %      0 %
36 at once              90 %      0 % |        90 %      0 %
36 in a row, early      53 %      0 % |        91 %      0 %
36 in a row, late       94 %      0 % |        94 %      0 %
no limit                95 %      0 % |        95 %      0 %
";

#[test]
fn the_figures_are_those_and_concurrency_alone_would_be_refused_far_more() {
    let line = |world: &World| {
        let (both, alone) = (run(world, Client::Whole, 7), run(world, Client::ConcurrencyAlone, 7));
        format!(
            "{:22} {:3.0} %    {:3.0} % |       {:3.0} %    {:3.0} %\n",
            world.name, both.throughput, both.refusals, alone.throughput, alone.refusals
        )
    };
    let head = "service                ideal  refused | alone: ideal  refused\n".to_owned();
    let table = std::iter::once(head).chain(WORLDS.iter().map(line)).collect::<String>();
    assert_eq!(table, FIGURES, "\n{table}");
}
