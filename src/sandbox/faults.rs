//! Rehearsed failures: what can go wrong with a request, for which operations, and when.

use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use clap::ValueEnum;

use super::operation::Operation;
use crate::model::time::parse_duration;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The connection ends before the work is done.
    CloseBefore,
    /// The connection ends after the work was done.
    CloseAfter,
    /// The work is done, and the answer is a 500.
    ErrorAfter,
    /// 503 before the work, with these seconds of `Retry-After`.
    Unavailable(Option<u64>),
    /// 429 before the work, with these seconds of `Retry-After`.
    TooMany(Option<u64>),
    /// The work is done, and the body is shorter than its head promises.
    Truncate,
    /// The work waits this long.
    Delay(Duration),
    /// The connection ends at once, and the work is done this much later.
    Late(Duration),
    /// Before the work somebody is enrolled, removed or renamed in the project that it is about.
    Move,
    /// Lists of people lack those who were enrolled less than this long ago.
    Stale(Duration),
}

/// Which of the requests that a fault is limited to are hit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    Always,
    /// The n-th since the service started, counted from 1.
    Nth(u64),
    /// This share of them, 0 to 1, drawn with this seed: the same requests in the same order fail the same way.
    Share(f64, u64),
}

/// One rehearsed failure: `KIND@OPERATIONS:WHEN`, as in `close-before@enrol:share=0.1,seed=7`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    kind: FaultKind,
    /// Empty: all of them.
    operations: Vec<Operation>,
    when: When,
}

/// Why a text is no fault; the message lists the words that are known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// The word before `@` is none that we know.
    #[error(
        "{0:?} is no kind of fault; known are close-before, close-after, 500-after, 503, 429, truncate, \
         delay=TIME such as delay=200ms, late=TIME, move (of projects' operations) and stale=TIME"
    )]
    Kind(String),
    /// A word between `@` and `:` is none that we know.
    #[error("{word:?} is no operation; known are * and {}", operation_names())]
    Operation {
        /// What the user gave.
        word: String,
    },
    /// A part after `:` is none that we know, or its value is out of range.
    #[error(
        "{0:?} says not when; known are share=0..1, seed=NUMBER (with share), nth=1.. and retry-after=SECONDS \
         (with 503 and 429), separated by commas"
    )]
    When(String),
    /// Two parts that do not go together.
    #[error("{0} do not go together in one fault; give two faults")]
    Both(&'static str),
    /// A seed for nothing.
    #[error("seed needs a share beside it, as in share=0.1,seed=7")]
    SeedAlone,
    /// A fault that lasts, without its length.
    #[error("{0}")]
    Delay(String),
}

fn operation_names() -> String {
    Operation::value_variants().iter().map(|operation| operation.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let (what, when) = text.split_once(':').unwrap_or((text, ""));
        let (kind, operations) = what.split_once('@').unwrap_or((what, "*"));
        let mut fault = Self { kind: parse_kind(kind)?, operations: parse_operations(operations)?, when: When::Always };
        fault.refine(when)?;
        Ok(fault)
    }
}

fn parse_kind(word: &str) -> Result<FaultKind, FaultError> {
    Ok(match word {
        "close-before" => FaultKind::CloseBefore,
        "close-after" => FaultKind::CloseAfter,
        "500-after" => FaultKind::ErrorAfter,
        "503" => FaultKind::Unavailable(None),
        "429" => FaultKind::TooMany(None),
        "truncate" => FaultKind::Truncate,
        "move" => FaultKind::Move,
        _ => match word.split_once('=') {
            Some(("delay", length)) => FaultKind::Delay(parse_duration(length).map_err(FaultError::Delay)?),
            Some(("late", length)) => FaultKind::Late(parse_duration(length).map_err(FaultError::Delay)?),
            Some(("stale", length)) => FaultKind::Stale(parse_duration(length).map_err(FaultError::Delay)?),
            _ => return Err(FaultError::Kind(word.to_owned())),
        },
    })
}

fn parse_operations(words: &str) -> Result<Vec<Operation>, FaultError> {
    if words == "*" {
        return Ok(Vec::new());
    }
    let known =
        |word: &str| Operation::from_str(word, false).map_err(|_| FaultError::Operation { word: word.to_owned() });
    words.split(',').map(known).collect()
}

impl Fault {
    /// Takes in what stands after `:`.
    fn refine(&mut self, words: &str) -> Result<(), FaultError> {
        let (mut share, mut seed, mut nth) = (None, None, None);
        for word in words.split(',').filter(|word| !word.is_empty()) {
            let unknown = || FaultError::When(word.to_owned());
            let (name, value) = word.split_once('=').ok_or_else(unknown)?;
            match (name, &mut self.kind) {
                ("share", _) => {
                    share = Some(value.parse().ok().filter(|s| (0.0..=1.0).contains(s)).ok_or_else(unknown)?);
                }
                ("seed", _) => seed = Some(value.parse().map_err(|_| unknown())?),
                ("nth", _) => nth = Some(value.parse().ok().filter(|n| *n > 0).ok_or_else(unknown)?),
                ("retry-after", FaultKind::Unavailable(seconds) | FaultKind::TooMany(seconds)) => {
                    *seconds = Some(value.parse().map_err(|_| unknown())?);
                }
                _ => return Err(unknown()),
            }
        }
        self.when = match (share, seed, nth) {
            (Some(_), _, Some(_)) => return Err(FaultError::Both("share and nth")),
            (None, Some(_), _) => return Err(FaultError::SeedAlone),
            (Some(share), seed, None) => When::Share(share, seed.unwrap_or(0)),
            (None, None, Some(nth)) => When::Nth(nth),
            (None, None, None) => When::Always,
        };
        Ok(())
    }
}

/// How a fault spoils a request, delays apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    CloseBefore,
    Refuse {
        status: StatusCode,
        retry_after: Option<u64>,
    },
    CloseAfter,
    /// The connection breaks now, and the work is done so much later.
    Late(Duration),
    ErrorAfter,
    Truncate,
}

/// What is in store for one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FaultPlan {
    /// How long the work waits.
    pub(super) delay: Duration,
    /// With which seed people move before the work, if they do.
    pub(super) moves: Option<u64>,
    /// How far behind lists of people are.
    pub(super) stale: Duration,
    /// What else goes wrong; of several faults the first.
    pub(super) effect: Option<Effect>,
}

/// A fault with what it remembers of the requests so far.
#[derive(Debug)]
struct Running {
    fault: Fault,
    seen: u64,
    random: fastrand::Rng,
}

impl Running {
    fn new(fault: Fault) -> Self {
        let seed = if let When::Share(_, seed) = fault.when { seed } else { 0 };
        Self { fault, seen: 0, random: fastrand::Rng::with_seed(seed) }
    }

    /// Whether the next request of this operation is hit. Requests of other operations are not counted.
    fn hits(&mut self, operation: Operation) -> bool {
        if !self.fault.operations.is_empty() && !self.fault.operations.contains(&operation) {
            return false;
        }
        self.seen += 1;
        match self.fault.when {
            When::Always => true,
            When::Nth(nth) => self.seen == nth,
            When::Share(share, _) => self.random.f64() < share,
        }
    }
}

/// All faults of a running service.
#[derive(Debug)]
pub(super) struct Faults(Mutex<Vec<Running>>);

impl Faults {
    pub(super) fn new(faults: Vec<Fault>) -> Self {
        Self(Mutex::new(faults.into_iter().map(Running::new).collect()))
    }

    /// Counts a request and says what goes wrong with it.
    pub(super) fn next(&self, operation: Operation) -> FaultPlan {
        let mut plan = FaultPlan::default();
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for one in running.iter_mut() {
            if !one.hits(operation) {
                continue;
            }
            let effect = match one.fault.kind {
                FaultKind::Delay(delay) => {
                    plan.delay = plan.delay.saturating_add(delay);
                    continue;
                }
                FaultKind::Move => {
                    plan.moves = Some(one.random.u64(..));
                    continue;
                }
                FaultKind::Stale(age) => {
                    plan.stale = plan.stale.max(age);
                    continue;
                }
                FaultKind::CloseBefore => Effect::CloseBefore,
                FaultKind::CloseAfter => Effect::CloseAfter,
                FaultKind::Late(delay) => Effect::Late(delay),
                FaultKind::ErrorAfter => Effect::ErrorAfter,
                FaultKind::Truncate => Effect::Truncate,
                FaultKind::Unavailable(retry_after) => {
                    Effect::Refuse { status: StatusCode::SERVICE_UNAVAILABLE, retry_after }
                }
                FaultKind::TooMany(retry_after) => {
                    Effect::Refuse { status: StatusCode::TOO_MANY_REQUESTS, retry_after }
                }
            };
            plan.effect = plan.effect.or(Some(effect));
        }
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Fault {
        text.parse().expect("a fault of the grammar")
    }

    fn strikes(text: &str, requests: usize) -> Vec<bool> {
        let faults = Faults::new(vec![fault(text)]);
        (0..requests).map(|_| faults.next(Operation::Enrol).effect.is_some()).collect()
    }

    #[test]
    fn a_fault_without_limits_hits_every_request() {
        assert_eq!(strikes("503", 3), [true; 3]);
        assert_eq!(strikes("503@*", 3), [true; 3]);
    }

    #[test]
    fn the_nth_request_alone_is_hit_and_other_operations_are_not_counted() {
        assert_eq!(strikes("500-after@enrol:nth=3", 5), [false, false, true, false, false]);
        let faults = Faults::new(vec![fault("429@enrol,remove:nth=2")]);
        assert_eq!(faults.next(Operation::ListProjects).effect, None);
        assert_eq!(faults.next(Operation::Remove).effect, None);
        assert!(faults.next(Operation::Enrol).effect.is_some());
    }

    #[test]
    fn a_share_with_a_seed_is_the_same_each_time_and_about_as_large_as_said() {
        let once = strikes("close-before@enrol:share=0.1,seed=7", 10_000);
        assert_eq!(once, strikes("close-before@enrol:share=0.1,seed=7", 10_000));
        assert_ne!(once, strikes("close-before@enrol:share=0.1,seed=8", 10_000));
        let hit = once.iter().filter(|hit| **hit).count();
        assert!((800..1200).contains(&hit), "{hit}");
    }

    #[test]
    fn delays_add_up_beside_the_first_other_fault() {
        let faults = vec![fault("delay=200ms@*"), fault("503:retry-after=1"), fault("429"), fault("delay=1s@enrol")];
        let plan = Faults::new(faults).next(Operation::Enrol);
        assert_eq!(plan.delay, Duration::from_millis(1200));
        let refused = Effect::Refuse { status: StatusCode::SERVICE_UNAVAILABLE, retry_after: Some(1) };
        assert_eq!(plan.effect, Some(refused));
    }

    #[test]
    fn what_is_no_fault_is_refused_with_the_words_that_are_known() {
        let message = |text: &str| text.parse::<Fault>().expect_err("no fault").to_string();
        assert!(message("explode@enrol").contains("close-before, close-after, 500-after"));
        assert!(message("503@enroll").contains("list-projects, create-project"));
        assert!(message("503@enroll").contains("enrol,"));
        assert!(message("503@enrol:often").contains("share=0..1"));
        for bad in ["503:share=2", "503:share=x", "503:nth=0", "truncate:retry-after=1", "503:nth=", "503@:nth=1", ""] {
            assert!(bad.parse::<Fault>().is_err(), "{bad}");
        }
        assert!(message("503:share=0.1,nth=1").contains("together"));
        assert!(message("503:seed=1").contains("share"));
        assert!(message("delay=soon").contains("length of time"));
    }
}
