//! Rehearsed failures: what can go wrong, how it is typed, and which requests it hits.

use std::str::FromStr;
use std::time::Duration;

use axum::http::StatusCode;
use clap::ValueEnum;

use crate::model::time::duration;

/// The operations of the specification, by the names of the client's methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Operation {
    Projects,
    CreateProject,
    Project,
    ProjectLink,
    Testtakers,
    Enrol,
    Update,
    Remove,
    Link,
    Results,
    Result,
    RedirectUris,
    AddRedirectUris,
}

impl Operation {
    /// Whether it answers pages of a list.
    fn is_list(self) -> bool {
        matches!(self, Self::Projects | Self::Testtakers | Self::Results | Self::RedirectUris)
    }

    /// Whether it shows what is there.
    fn is_read(self) -> bool {
        self.is_list() || matches!(self, Self::Project | Self::Result)
    }

    fn names(fit: fn(Self) -> bool) -> String {
        let names = Self::value_variants().iter().filter(|operation| fit(**operation));
        let names = names.filter_map(|operation| Some(operation.to_possible_value()?.get_name().to_owned()));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Delay(Duration),
    /// With this status, and this many seconds of `Retry-After`.
    Refuse(StatusCode, Option<u64>),
    CloseBefore,
    CloseAfter,
    Late(Duration),
    Lag(Duration),
}

/// How each kind is written, and what it does.
const KINDS: [(&str, &str); 6] = [
    ("delay=TIME", "the request waits TIME, then is done and answered"),
    ("refuse=STATUS", "nothing is done, and the answer is STATUS, 400 to 599"),
    ("close-before", "the connection ends, and nothing is done"),
    ("close-after", "the request is done, then the connection ends"),
    ("late=TIME", "the connection ends; the request is done TIME later"),
    ("lag=TIME", "lists are as they were TIME ago"),
];

/// What may follow after commas, and what it means. All conditions must hold.
const CONDITIONS: [(&str, &str); 6] = [
    ("times=N", "at most N requests"),
    ("nth=N", "the N-th request; with times=3: the N-th and two more"),
    ("share=0..1", "this fraction of the requests: 0.1 is one in ten"),
    ("seed=N", "decides which requests are in the share"),
    ("page=N", "only requests for this page of a list"),
    ("retry-after=SECONDS", "with refuse: the answer has this Retry-After"),
];

/// The grammar as help text.
pub fn fault_help() -> String {
    let line = |(word, meaning): &(&str, &str)| format!("  {word:<21}{meaning}\n");
    let [kinds, conditions] = [KINDS, CONDITIONS].map(|table| table.iter().map(line).collect::<String>());
    format!(
        "FAULT is KIND[@OPERATION][,CONDITION…]. Kinds:\n{kinds}Conditions:\n{conditions}\
         Operations (without one, all of them):\n  {}",
        Operation::names(|_| true)
    )
}

/// One rehearsed failure, with what it remembers of the requests so far.
#[derive(Clone, Debug)]
pub struct Fault {
    kind: Kind,
    /// `None` is every operation.
    operation: Option<Operation>,
    nth: Option<u64>,
    times: Option<u64>,
    share: f64,
    page: Option<u32>,
    random: fastrand::Rng,
    /// Requests of its operation and page so far.
    seen: u64,
    /// Those that it hit.
    hit: u64,
}

impl FromStr for Fault {
    /// Why a text is no fault, with the words that are known.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split(',');
        let what = words.next().unwrap_or_default();
        let (kind, operation) = what.split_once('@').map_or((what, None), |(kind, name)| (kind, Some(name)));
        let kind = read_kind(kind).ok_or_else(|| format!("has the unknown kind {kind:?}; known: {}", known(&KINDS)))?;
        let fit = if matches!(kind, Kind::Lag(_)) { Operation::is_read } else { |_| true };
        let operation = operation.map(|name| read_operation(name, fit)).transpose()?;
        // The text is the seed, so that two faults of one share do not draw the same requests.
        let seed = text.bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
        let random = fastrand::Rng::with_seed(seed);
        let (nth, times, page) = (None, None, None);
        let mut fault = Self { kind, operation, nth, times, share: 1.0, page, random, seen: 0, hit: 0 };
        for word in words {
            let unknown = || format!("has the unknown condition {word:?}; known: {}", known(&CONDITIONS));
            fault.refine(word).ok_or_else(unknown)?;
        }
        Ok(fault)
    }
}

fn known(table: &[(&str, &str)]) -> String {
    table.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ")
}

fn read_kind(text: &str) -> Option<Kind> {
    let status = |value: &str| {
        value.parse().ok().filter(|status: &StatusCode| status.is_client_error() || status.is_server_error())
    };
    match text.split_once('=') {
        None if text == "close-before" => Some(Kind::CloseBefore),
        None if text == "close-after" => Some(Kind::CloseAfter),
        Some(("delay", time)) => duration(time).ok().map(Kind::Delay),
        Some(("refuse", value)) => status(value).map(|status| Kind::Refuse(status, None)),
        Some(("late", time)) => duration(time).ok().map(Kind::Late),
        Some(("lag", time)) => duration(time).ok().map(Kind::Lag),
        _ => None,
    }
}

fn read_operation(name: &str, fit: fn(Operation) -> bool) -> Result<Operation, String> {
    let named = <Operation as ValueEnum>::from_str(name, false).ok().filter(|operation| fit(*operation));
    named.ok_or_else(|| format!("needs one of these in place of {name:?}: {}", Operation::names(fit)))
}

impl Fault {
    /// Takes in one condition; `None` where it is none, or not for this fault.
    fn refine(&mut self, word: &str) -> Option<()> {
        let (name, value) = word.split_once('=')?;
        match (name, &mut self.kind) {
            ("nth", _) => self.nth = Some(value.parse().ok().filter(|nth| *nth > 0)?),
            ("times", _) => self.times = Some(value.parse().ok()?),
            ("share", _) => self.share = value.parse().ok().filter(|share| (0.0..=1.0).contains(share))?,
            ("seed", _) => value.parse::<u64>().map(drop).ok()?,
            ("page", _) if self.operation.is_some_and(Operation::is_list) => self.page = Some(value.parse().ok()?),
            ("retry-after", Kind::Refuse(_, seconds)) => *seconds = Some(value.parse().ok()?),
            _ => return None,
        }
        Some(())
    }

    /// Whether the next request is hit. Requests of other operations and for other pages are not counted.
    fn hits(&mut self, operation: Operation, page: u32) -> bool {
        let is_any = || operation.is_read() || !matches!(self.kind, Kind::Lag(_));
        let is_own = self.operation.map_or_else(is_any, |own| own == operation);
        if !is_own || self.page.is_some_and(|own| own != page) {
            return false;
        }
        self.seen += 1;
        let is_drawn = self.random.f64() < self.share;
        let times = self.times.unwrap_or(if self.nth.is_some() { 1 } else { u64::MAX });
        let hit = is_drawn && self.seen >= self.nth.unwrap_or(1) && self.hit < times;
        self.hit += u64::from(hit);
        hit
    }
}

/// What goes wrong with one request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Troubles {
    pub(super) delay: Duration,
    pub(super) lag: Duration,
    /// What ends the request another way; of several faults the first.
    pub(super) end: Option<Kind>,
}

/// Counts a request, for this page if it is for one, and says what goes wrong with it.
pub(super) fn troubles(faults: &mut [Fault], operation: Operation, page: u32) -> Troubles {
    let mut troubles = Troubles::default();
    for fault in faults.iter_mut().filter_map(|fault| fault.hits(operation, page).then_some(fault.kind)) {
        match fault {
            Kind::Delay(time) => troubles.delay = troubles.delay.saturating_add(time),
            Kind::Lag(time) => troubles.lag = troubles.lag.max(time),
            end => troubles.end = troubles.end.or(Some(end)),
        }
    }
    troubles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(texts: &[&str]) -> Vec<Fault> {
        texts.iter().map(|text| text.parse().expect("a fault")).collect()
    }

    /// The numbers of the enrolments that are hit, counted from 1.
    fn hits(text: &str, requests: usize) -> Vec<usize> {
        let mut faults = faults(&[text]);
        (1..=requests).filter(|_| troubles(&mut faults, Operation::Enrol, 1).end.is_some()).collect()
    }

    #[test]
    fn each_condition_picks_its_requests() {
        for (text, wanted) in [
            ("close-before", &[1, 2, 3, 4][..]),
            ("refuse=503@enrol,nth=3", &[3]),
            ("refuse=429,times=2", &[1, 2]),
            ("close-after@enrol,times=2,nth=2", &[2, 3]),
            ("late=1s,share=0", &[]),
            ("close-after@remove", &[]),
        ] {
            assert_eq!(hits(text, 4), wanted, "{text}");
        }
    }

    #[test]
    fn other_operations_and_other_pages_are_not_counted() {
        let mut faults = faults(&["refuse=429@enrol,nth=2", "refuse=404@results,page=3,times=1"]);
        let mut refused = |operation, page| troubles(&mut faults, operation, page).end.is_some();
        assert_eq!(
            [Operation::Enrol, Operation::Remove, Operation::Enrol].map(|one| refused(one, 1)),
            [false, false, true]
        );
        assert_eq!([1, 3, 3].map(|page| refused(Operation::Results, page)), [false, true, false]);
    }

    #[test]
    fn a_share_draws_the_same_requests_each_time_and_others_with_another_seed() {
        let once = hits("close-before@enrol,share=0.1,seed=7", 10_000);
        assert_eq!(once, hits("close-before@enrol,share=0.1,seed=7", 10_000));
        assert_ne!(once, hits("close-before@enrol,share=0.1,seed=8", 10_000));
        assert!((800..1200).contains(&once.len()), "{}", once.len());
    }

    #[test]
    fn delays_add_up_beside_the_first_end() {
        let mut faults =
            faults(&["delay=200ms", "refuse=503,retry-after=1", "close-before", "delay=1s@enrol", "lag=8s"]);
        let wanted = Troubles {
            delay: Duration::from_millis(1200),
            lag: Duration::ZERO,
            end: Some(Kind::Refuse(StatusCode::SERVICE_UNAVAILABLE, Some(1))),
        };
        assert_eq!(troubles(&mut faults, Operation::Enrol, 1), wanted);
        assert_eq!(troubles(&mut faults, Operation::Results, 1).lag, Duration::from_secs(8));
    }

    #[test]
    fn what_is_no_fault_is_refused_with_the_words_that_are_known() {
        let message = |text: &str| text.parse::<Fault>().expect_err("no fault");
        assert!(message("explode@enrol").contains("close-before, close-after, late=TIME"));
        assert!(message("refuse=503@enroll").contains("projects, create-project, project,"));
        assert!(
            message("lag=8s@enrol")
                .ends_with("\"enrol\": projects, project, testtakers, results, result, redirect-uris")
        );
        for bad in [
            "",
            "refuse=200",
            "refuse=600",
            "refuse",
            "late",
            "delay=soon",
            "close-before=1",
            "close-before,often",
            "close-before,nth=0",
            "close-before,share=2",
            "close-before,seed=x",
            "close-before,retry-after=1",
            "refuse=503@enrol,page=1",
            "refuse=503,page=1",
        ] {
            assert!(bad.parse::<Fault>().is_err(), "{bad}");
        }
    }

    #[test]
    fn each_word_of_the_tables_is_understood() {
        let help = fault_help();
        for (word, _) in KINDS {
            let fault = word.replace("TIME", "1s").replace("STATUS", "503");
            assert!(fault.parse::<Fault>().is_ok() && help.contains(word), "{word}");
        }
        for (word, _) in CONDITIONS {
            let condition = word.replace("0..1", "0.5").replace("SECONDS", "1").replace('N', "1");
            let fault = format!("refuse=503@results,{condition}");
            assert!(fault.parse::<Fault>().is_ok() && help.contains(word), "{word}");
        }
        assert!(help.contains("add-redirect-uris"));
    }
}
