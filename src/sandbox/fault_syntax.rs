//! One rehearsed failure as it is typed: `KIND@OPERATIONS:WHEN`, as in `close-before@enrol:share=0.1,seed=7`.

use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;

use super::fault_kinds::{FaultKind, KINDS, KindWord};
use super::operation::{Operation, Scope};
use crate::model::time::parse_duration;

/// Which of the requests that a fault is about are hit. All conditions must hold; the requests that `page`, `after` and
/// `for` let through are those that `nth`, `share` and `over` count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct When {
    /// This share of them, 0 to 1.
    pub(super) share: Option<f64>,
    /// With which the share is drawn: the same requests in the same order fail the same way.
    pub(super) seed: u64,
    /// From the n-th on, counted from 1; without `times` that one alone.
    pub(super) nth: Option<u64>,
    /// No more than so many.
    pub(super) times: Option<u64>,
    /// Requests for this page of a list alone.
    pub(super) page: Option<u32>,
    /// Those beyond so many in any such length of time.
    pub(super) over: Option<(usize, Duration)>,
    /// Not before so long after the first of them.
    pub(super) after: Duration,
    /// For so long.
    pub(super) length: Option<Duration>,
}

/// The words after `:`, with what follows them and what they mean.
const WHENS: [(&str, &str, &str); 9] = [
    ("share", "=0..1", "this share of the requests"),
    ("seed", "=N", "beside share: which requests; the same seed hits the same ones again"),
    ("nth", "=N", "the N-th request alone; with times from the N-th on"),
    ("times", "=N", "at most so many requests"),
    ("page", "=N", "requests for this page of a list"),
    ("over", "=N/TIME", "those beyond N in any such length of time, as a rate limit does"),
    ("after", "=TIME", "not before so long after the first request"),
    ("for", "=TIME", "for so long, from the first request or after"),
    ("retry-after", "=SECONDS", "beside a refusal: what it says in Retry-After"),
];

/// One rehearsed failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub(super) kind: FaultKind,
    /// What a refusal says in `Retry-After`, in seconds.
    pub(super) retry_after: Option<u64>,
    pub(super) operations: Vec<Operation>,
    pub(super) when: When,
}

fn operation_names(scope: Scope) -> String {
    let operations = Operation::value_variants().iter().filter(|operation| operation.is_in(scope));
    operations.map(|operation| operation.name()).collect::<Vec<_>>().join(", ")
}

fn joined(words: &[(String, String)]) -> String {
    words.iter().map(|(syntax, _)| syntax.as_str()).collect::<Vec<_>>().join(", ")
}

/// The words of one part of the grammar: how each is written, and what it means.
fn kinds() -> Vec<(String, String)> {
    KINDS.iter().map(|kind| (kind.syntax(), kind.meaning.to_owned())).collect()
}

fn whens() -> Vec<(String, String)> {
    WHENS.map(|(word, value, meaning)| (format!("{word}{value}"), meaning.to_owned())).to_vec()
}

/// The grammar as help text.
pub fn fault_help() -> String {
    format!(
        "Rehearse a failure: KIND@OPERATION,…:WHEN,… (may be repeated)\n\n\
         OPERATION is the name of one, such as enrol, or the beginning of several, such as list-*; without @ all are \
         meant. Of a fault that not all operations can have, those are meant that can.\n\n\
         KIND is one of\n{}\n\nWHEN is one or more of\n{}",
        lines(kinds(), "- ", ": ", ""),
        lines(whens(), "- ", ": ", ""),
    )
}

/// The words as lines, each between these pieces of text.
fn lines(words: Vec<(String, String)>, before: &str, between: &str, after: &str) -> String {
    let lines = words.into_iter().map(|(syntax, meaning)| format!("{before}{syntax}{between}{meaning}{after}"));
    lines.collect::<Vec<_>>().join("\n")
}

impl FromStr for Fault {
    /// Why a text is no fault; the message lists the words that are known.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (what, when) = text.split_once(':').unwrap_or((text, ""));
        let (kind, operations) = what.split_once('@').unwrap_or((what, "*"));
        let (word, made) = KindWord::find(kind)
            .ok_or_else(|| format!("{kind:?} is not a kind of fault; known: {}", joined(&kinds())))?;
        let kind =
            made.ok_or_else(|| format!("{kind:?} is not a fault; expected {}: {}", word.syntax(), word.meaning))?;
        let operations = parse_operations(operations, word.scope)?;
        let mut fault = Self { kind, retry_after: None, operations, when: When::default() };
        fault.refine(when)?;
        Ok(fault)
    }
}

/// The operations that are named, by their names or by how these begin.
fn parse_operations(words: &str, scope: Scope) -> Result<Vec<Operation>, String> {
    let mut named = Vec::new();
    for word in words.split(',') {
        let fits: Vec<Operation> = match word.strip_suffix('*') {
            Some(start) => {
                Operation::value_variants().iter().filter(|o| o.name().starts_with(start)).copied().collect()
            }
            None => <Operation as ValueEnum>::from_str(word, false).into_iter().collect(),
        };
        if fits.is_empty() {
            return Err(format!("{word:?} is not an operation; known: * and {}", operation_names(Scope::Any)));
        }
        let before = named.len();
        named.extend(fits.into_iter().filter(|operation| operation.is_in(scope)));
        if named.len() == before {
            return Err(format!("this fault cannot happen to {word:?}; possible: {}", operation_names(scope)));
        }
    }
    Ok(named)
}

impl Fault {
    /// Takes in what stands after `:`.
    fn refine(&mut self, words: &str) -> Result<(), String> {
        let mut seed = None;
        for word in words.split(',').filter(|word| !word.is_empty()) {
            self.take(word, &mut seed).ok_or_else(|| {
                format!("{word:?} does not say when; known: {}, separated by commas", joined(&whens()))
            })?;
        }
        let When { share, nth, page, .. } = self.when;
        if share.is_some() && nth.is_some() {
            return Err("share and nth do not go together in one fault; give two faults".to_owned());
        }
        if seed.is_some() && share.is_none() {
            return Err("seed needs a share beside it, as in share=0.1,seed=7".to_owned());
        }
        if page.is_some() && !self.operations.iter().any(|operation| operation.is_in(Scope::Lists)) {
            return Err("page is about lists, as in 404@list-results:page=3".to_owned());
        }
        self.when.seed = seed.unwrap_or(0);
        self.when.times = self.when.times.or(nth.map(|_| 1));
        Ok(())
    }

    /// Takes in one word of those after `:`; `None` where it is none of them.
    fn take(&mut self, word: &str, seed: &mut Option<u64>) -> Option<()> {
        let (name, value) = word.split_once('=')?;
        let when = &mut self.when;
        match name {
            "share" => when.share = Some(value.parse().ok().filter(|share| (0.0..=1.0).contains(share))?),
            "seed" => *seed = Some(value.parse().ok()?),
            "nth" => when.nth = Some(value.parse().ok().filter(|nth| *nth > 0)?),
            "times" => when.times = Some(value.parse().ok()?),
            "page" => when.page = Some(value.parse().ok().filter(|page| *page > 0)?),
            "over" => {
                let (count, length) = value.split_once('/')?;
                when.over = Some((count.parse().ok()?, parse_duration(length).ok()?));
            }
            "after" => when.after = parse_duration(value).ok()?,
            "for" => when.length = Some(parse_duration(value).ok()?),
            "retry-after" if matches!(self.kind, FaultKind::Refuse(_) | FaultKind::End(_)) => {
                self.retry_after = Some(value.parse().ok()?);
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_is_no_fault_is_refused_with_the_words_that_are_known() {
        let message = |text: &str| text.parse::<Fault>().expect_err("no fault");
        assert!(message("explode@enrol").contains("close-before, close-after, late=TIME"));
        assert!(message("503@enroll").contains("list-projects, create-project"));
        assert!(message("503@enroll").contains("enrol,"));
        assert!(message("503@enrol:often").contains("share=0..1"));
        for bad in [
            "503:share=2",
            "503:share=x",
            "503:nth=0",
            "truncate:retry-after=1",
            "503:nth=",
            "503@:nth=1",
            "",
            "200",
            "600",
            "cap=0",
            "empty=1",
            "spell=",
            "spell=nfc,rot13",
            "503:over=5",
            "503:over=5/soon",
            "status=100",
            "short@enrol",
            "spell=nfc@update",
            "503@enrol:page=1",
            "503@x*",
        ] {
            assert!(bad.parse::<Fault>().is_err(), "{bad}");
        }
        assert!(message("503:share=0.1,nth=1").contains("together"));
        assert!(message("503:seed=1").contains("share"));
        assert!(message("delay=soon").contains("expected delay=TIME: the work waits so long"));
        assert!(
            message("short=1@enrol")
                .ends_with("possible: list-projects, list-test-takers, list-results, list-redirect-uris")
        );
    }

    #[test]
    fn the_beginning_of_names_means_those_operations_that_can_have_the_fault() {
        let operations = |text: &str| text.parse::<Fault>().expect("a fault").operations;
        assert_eq!(operations("503").len(), Operation::value_variants().len());
        assert_eq!(operations("cap=50").len(), 4);
        assert_eq!(operations("lag=8s@list-*"), [Operation::ListTestTakers, Operation::ListResults]);
        assert_eq!(operations("spell=nfc@*"), [Operation::Enrol]);
    }

    #[test]
    fn the_readme_says_what_the_table_says() {
        let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        let readme = std::fs::read_to_string(readme).expect("the README");
        for (header, words) in [("| KIND | what happens |", kinds()), ("| WHEN | which requests |", whens())] {
            let table = format!("{header}\n| --- | --- |\n{}\n", lines(words, "| `", "` | ", " |"));
            assert!(readme.contains(&table), "README.md lacks\n{table}");
        }
    }
}
