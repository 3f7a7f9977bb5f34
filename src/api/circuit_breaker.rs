//! When so many answers are lost that the service seems to be away: a pure machine, its clock outside.
//!
//! Three lost answers in a row, or half of the last twenty: no write is launched for 30 s, then one GET asks whether
//! the service is there, never a POST.

use std::collections::VecDeque;
use std::time::Duration;

/// Lost answers in a row that hold writes back.
const IN_A_ROW: usize = 3;
/// Of so many answers, half of them lost hold writes back too.
const LATEST: usize = 20;
/// How long nothing is launched before a probe.
const PAUSE: Duration = Duration::from_secs(30);
/// Probes without an answer until waiting is given up.
const PROBES: u32 = 4;

/// Whether a write may be launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// Yes.
    Now,
    /// Not before this time, or before a probe that is under way has ended.
    NotBefore(Duration),
    /// Send a probe, and tell what came of it.
    Probe,
    /// No: several probes were not answered.
    GivenUp,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    until: Duration,
    probing: bool,
    probes: u32,
}

/// What the latest answers say about the service.
#[derive(Debug, Default)]
pub struct CircuitBreaker {
    /// Whether each was lost, the latest last.
    latest: VecDeque<bool>,
    held: Option<Held>,
}

impl CircuitBreaker {
    /// Takes the end of a request: whether its answer was lost.
    pub fn ended(&mut self, now: Duration, lost: bool) {
        if self.held.is_some() {
            return;
        }
        if self.latest.len() == LATEST {
            self.latest.pop_front();
        }
        self.latest.push_back(lost);
        let count = self.latest.iter().filter(|lost| **lost).count();
        let in_a_row = self.latest.iter().rev().take_while(|lost| **lost).count();
        if in_a_row >= IN_A_ROW || (self.latest.len() == LATEST && count * 2 >= LATEST) {
            self.held = Some(Held { until: now + PAUSE, probing: false, probes: 0 });
        }
    }

    /// Asks whether a write may be launched. After [`Launch::Probe`] the caller must report with [`probed`](Self::probed).
    pub fn ask(&mut self, now: Duration) -> Launch {
        let Some(held) = &mut self.held else { return Launch::Now };
        if held.probing || now < held.until {
            return if held.probes >= PROBES { Launch::GivenUp } else { Launch::NotBefore(held.until) };
        }
        held.probing = true;
        Launch::Probe
    }

    /// Takes what came of a probe.
    pub fn probed(&mut self, now: Duration, answered: bool) {
        if answered {
            *self = Self::default();
        } else if let Some(held) = &mut self.held {
            *held = Held { until: now + PAUSE, probing: false, probes: held.probes + 1 };
        }
    }

    /// When the next probe is due, where writes are held back.
    pub fn until(&self) -> Option<Duration> {
        self.held.map(|held| held.until)
    }

    /// Whether writes are free to go.
    pub fn is_over(&self) -> bool {
        self.held.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn after(answers: &[bool]) -> CircuitBreaker {
        let mut breaker = CircuitBreaker::default();
        for lost in answers {
            breaker.ended(at(0), *lost);
        }
        breaker
    }

    #[test]
    fn three_lost_answers_in_a_row_hold_writes_back_and_two_do_not() {
        assert!(after(&[true, true, false, true, true]).is_over());
        assert!(!after(&[true, true, true]).is_over());
    }

    #[test]
    fn half_of_the_last_twenty_do_too() {
        let every_other: Vec<bool> = (0..20).map(|n| n % 2 == 0).collect();
        assert!(after(&every_other[..19]).is_over());
        assert!(!after(&every_other).is_over());
        let mut one_less = every_other;
        one_less[0] = false;
        assert!(after(&one_less).is_over());
    }

    #[test]
    fn after_thirty_seconds_one_probe_asks_and_an_answer_lets_writes_go() {
        let mut breaker = after(&[true; 3]);
        assert_eq!(breaker.ask(at(29)), Launch::NotBefore(at(30)));
        assert_eq!(breaker.ask(at(30)), Launch::Probe);
        assert_eq!(breaker.ask(at(31)), Launch::NotBefore(at(30)), "one probe at a time");
        breaker.probed(at(32), true);
        assert_eq!(breaker.ask(at(32)), Launch::Now);
    }

    #[test]
    fn several_probes_without_an_answer_end_the_waiting() {
        let mut breaker = after(&[true; 3]);
        for n in 1..=4 {
            assert_eq!(breaker.ask(at(30 * n)), Launch::Probe);
            breaker.probed(at(30 * n), false);
        }
        assert_eq!(breaker.ask(at(121)), Launch::GivenUp);
    }
}
