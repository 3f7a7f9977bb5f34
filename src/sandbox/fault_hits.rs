//! The faults of a running service: which requests they hit, and what then goes wrong.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;

use super::fault_kinds::FaultKind;
use super::fault_spell::Respelling;
use super::fault_syntax::Fault;
use super::operation::Operation;

/// What goes wrong with one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FaultPlan {
    /// How long the work waits.
    pub(super) delay: Duration,
    /// With which seed people move before the work, if they do.
    pub(super) moves: Option<u64>,
    /// What goes wrong with the request as a whole; of several faults the first.
    pub(super) effect: Option<FaultKind>,
    /// What a refusal says in `Retry-After`, in seconds.
    pub(super) retry_after: Option<u64>,
    /// Whether the body ends in the middle.
    pub(super) cut: bool,
    /// Whether the body's length is left unsaid.
    pub(super) http10: bool,
    /// What goes wrong in the work itself.
    pub(super) work: WorkFaults,
}

/// What goes wrong in the work itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WorkFaults {
    /// How far behind lists of people are.
    pub(super) lag: Duration,
    /// With which seed equal sort keys are put into an order, if not by entry id.
    pub(super) unordered: Option<u64>,
    /// How many records a page has at most.
    pub(super) cap: Option<u32>,
    /// How many records a page lacks at its end.
    pub(super) missing: usize,
    /// The page that is answered instead.
    pub(super) repeat: Option<u32>,
    /// Whether pages beyond the end are the last one.
    pub(super) clamp: bool,
    /// How pages beyond the end are refused: status and seconds of `Retry-After`.
    pub(super) end: Option<(StatusCode, Option<u64>)>,
    /// Beyond how many records pages are refused.
    pub(super) window: Option<u32>,
    /// How an enrolment is spelt.
    pub(super) spelling: Vec<Respelling>,
}

/// A fault with what it remembers of the requests so far.
#[derive(Debug)]
struct Running {
    fault: Fault,
    /// When the first of its requests came.
    first: Option<Instant>,
    /// Requests that it could have hit.
    seen: u64,
    /// Requests that it has hit.
    hit: u64,
    /// When those came that a rate let through.
    passed: VecDeque<Instant>,
    random: fastrand::Rng,
}

impl Running {
    fn new(fault: Fault) -> Self {
        let random = fastrand::Rng::with_seed(fault.when.seed);
        Self { fault, first: None, seen: 0, hit: 0, passed: VecDeque::new(), random }
    }

    /// Whether the next request is hit. Those of other operations and for other pages are not counted.
    fn hits(&mut self, operation: Operation, page: u32, now: Instant) -> bool {
        let when = self.fault.when;
        if !self.fault.operations.contains(&operation) || when.page.is_some_and(|wanted| wanted != page) {
            return false;
        }
        let age = now.duration_since(*self.first.get_or_insert(now));
        if age < when.after || when.length.is_some_and(|length| age >= when.after.saturating_add(length)) {
            return false;
        }
        self.seen += 1;
        if when.over.is_some_and(|(count, length)| self.passes(count, length, now)) {
            return false;
        }
        let drawn = when.share.is_none_or(|share| self.random.f64() < share);
        let hit = drawn && when.nth.is_none_or(|nth| self.seen >= nth) && when.times.is_none_or(|most| self.hit < most);
        self.hit += u64::from(hit);
        hit
    }

    /// Whether a request is among so many in such a length of time.
    fn passes(&mut self, count: usize, length: Duration, now: Instant) -> bool {
        while self.passed.front().is_some_and(|time| now.duration_since(*time) >= length) {
            self.passed.pop_front();
        }
        let passes = self.passed.len() < count;
        if passes {
            self.passed.push_back(now);
        }
        passes
    }

    /// Adds what the fault does to what other faults do to the same request.
    fn add_to(&mut self, plan: &mut FaultPlan) {
        let work = &mut plan.work;
        match &self.fault.kind {
            FaultKind::Delay(delay) => plan.delay = plan.delay.saturating_add(*delay),
            FaultKind::Move => plan.moves = Some(self.random.u64(..)),
            FaultKind::Cut => plan.cut = true,
            FaultKind::Http10 => plan.http10 = true,
            FaultKind::Lag(length) => work.lag = work.lag.max(*length),
            FaultKind::Unordered => work.unordered = Some(self.random.u64(..)),
            FaultKind::Cap(most) => work.cap = Some(work.cap.map_or(*most, |cap| cap.min(*most))),
            FaultKind::Short(count) => work.missing = work.missing.max(*count as usize),
            FaultKind::Empty => work.missing = usize::MAX,
            FaultKind::Repeat(page) => work.repeat = Some(*page),
            FaultKind::Clamp => work.clamp = true,
            FaultKind::End(status) => work.end = Some((*status, self.fault.retry_after)),
            FaultKind::Window(records) => work.window = Some(*records),
            FaultKind::Spell(ways) => work.spelling.extend(ways),
            whole if plan.effect.is_none() => {
                plan.effect = Some(whole.clone());
                plan.retry_after = self.fault.retry_after;
            }
            _ => {}
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

    /// Counts a request, for this page where it is for one, and says what goes wrong with it.
    pub(super) fn next(&self, operation: Operation, page: u32) -> FaultPlan {
        self.at(operation, page, Instant::now())
    }

    fn at(&self, operation: Operation, page: u32, now: Instant) -> FaultPlan {
        let mut plan = FaultPlan::default();
        for one in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            if one.hits(operation, page, now) {
                one.add_to(&mut plan);
            }
        }
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(texts: &[&str]) -> Faults {
        Faults::new(texts.iter().map(|text| text.parse().expect("a fault of the grammar")).collect())
    }

    /// Which of so many enrolments are hit, one each 100 ms.
    fn hits(text: &str, requests: u32) -> Vec<bool> {
        let (faults, start) = (faults(&[text]), Instant::now());
        let at = |n| faults.at(Operation::Enrol, 1, start + Duration::from_millis(100) * n);
        (0..requests).map(|n| at(n).effect.is_some()).collect()
    }

    /// The numbers of those that are hit, counted from 1.
    fn numbers(text: &str, requests: u32) -> Vec<usize> {
        hits(text, requests).iter().zip(1..).filter(|(hit, _)| **hit).map(|(_, number)| number).collect()
    }

    #[test]
    fn a_fault_without_limits_hits_every_request() {
        for text in ["503", "503@*", "503@enrol", "503@en*"] {
            assert_eq!(numbers(text, 3), [1, 2, 3], "{text}");
        }
    }

    #[test]
    fn each_condition_picks_its_requests() {
        for (text, wanted) in [
            ("500-after@enrol:nth=3", &[3][..]),
            ("429:times=2", &[1, 2]),
            ("404:nth=3,times=2", &[3, 4]),
            ("503:after=200ms", &[3, 4, 5, 6]),
            ("503:for=200ms", &[1, 2]),
            ("503:after=100ms,for=200ms", &[2, 3]),
            ("503:after=100ms,nth=2", &[3]),
            ("429:over=2/300ms", &[3, 6]),
            ("429:over=0/1s,times=1", &[1]),
            ("503:share=1,times=1", &[1]),
            ("503:share=0", &[]),
        ] {
            assert_eq!(numbers(text, 6), wanted, "{text}");
        }
    }

    #[test]
    fn other_operations_and_other_pages_are_not_counted() {
        let faults = faults(&["429@enrol,remove:nth=2", "404@list-results:page=3,times=1"]);
        let refused = |operation, page| faults.next(operation, page).effect.is_some();
        assert!(!refused(Operation::ListProjects, 1));
        assert!(!refused(Operation::Remove, 1));
        assert!(refused(Operation::Enrol, 1));
        assert_eq!([1, 2, 3, 3].map(|page| refused(Operation::ListResults, page)), [false, false, true, false]);
    }

    #[test]
    fn a_share_with_a_seed_is_the_same_each_time_and_about_as_large_as_said() {
        let once = hits("close-before@enrol:share=0.1,seed=7", 10_000);
        assert_eq!(once, hits("close-before@enrol:share=0.1,seed=7", 10_000));
        assert_ne!(once, hits("close-before@enrol:share=0.1,seed=8", 10_000));
        let hit = once.iter().filter(|hit| **hit).count();
        assert!((800..1200).contains(&hit), "{hit}");
    }

    #[test]
    fn delays_add_up_beside_the_first_other_fault() {
        let faults = faults(&["delay=200ms@*", "503:retry-after=1", "429", "delay=1s@enrol", "cut"]);
        let plan = faults.next(Operation::Enrol, 1);
        assert_eq!(plan.delay, Duration::from_millis(1200));
        assert_eq!(plan.effect, Some(FaultKind::Refuse(StatusCode::SERVICE_UNAVAILABLE)));
        assert_eq!(plan.retry_after, Some(1));
        assert!(plan.cut);
    }
}
