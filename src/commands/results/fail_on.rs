//! `--fail-on`: which results a command alerts about, by its exit code.

use std::collections::BTreeMap;

use clap::Args;

use crate::commands::results::result_words::{ResultWord, ResultWords, is_one_of};
use crate::commands::shared::session::Session;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::flagged::UNLISTED;
use crate::model::results::Finding;
use crate::model::test_status::TestStatus;

/// `--fail-on`
#[derive(Debug, Args)]
pub struct AlertArgs {
    /// End with exit code 8 if one of these results is shown, such as HighRisk,Emergency; any word may be named, and
    /// `unlisted` is every result that the specification does not list; the output is written all the same
    #[arg(long, value_name = "RESULT,…", value_delimiter = ',', hide_possible_values = true, value_parser = ResultWords)]
    fail_on: Vec<ResultWord>,
}

impl AlertArgs {
    /// Begins to count.
    pub fn watch(&self) -> Alert<'_> {
        Alert { wanted: &self.fail_on, counts: BTreeMap::new() }
    }
}

/// Counts the results that `--fail-on` names.
#[derive(Debug)]
pub struct Alert<'a> {
    wanted: &'a [ResultWord],
    /// By the word of the specification or of the line, or else as unlisted: a service may have any number of words.
    counts: BTreeMap<String, u64>,
}

impl Alert<'_> {
    /// Whether results are named that must not be passed over.
    pub fn is_gate(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Whether a result is one to alert about.
    pub fn is_about(&self, status: Option<&str>) -> bool {
        is_one_of(status, self.wanted)
    }

    /// The same of a word, which is empty where there is no result.
    pub fn is_about_word(&self, word: &str) -> bool {
        self.is_about(Some(word).filter(|word| !word.is_empty()))
    }

    /// Looks at a result that is shown.
    pub fn see(&mut self, status: Option<&str>) {
        let Some(status) = status.filter(|status| self.is_about(Some(status))) else { return };
        *self.counts.entry(self.called(status)).or_default() += 1;
    }

    fn called(&self, status: &str) -> String {
        let named = self.wanted.iter().map(ResultWord::word).find(|word| word.eq_ignore_ascii_case(status));
        TestStatus::listed(status)
            .map_or_else(|| named.unwrap_or(UNLISTED).to_owned(), |listed| listed.word().to_owned())
    }

    /// How the command ends that showed one person's result: as absent where there is none, so that no script takes
    /// it for a good one, and for a gate also where the test is not over.
    pub fn end_of_one(&self, session: &Session, finding: &dyn Finding) -> Verdict {
        let result = finding.status();
        let why = match result {
            None if finding.completed().is_some() => "no result, although a test was completed",
            None => "no result so far: no test was begun",
            Some(_) if self.is_gate() && self.counts.is_empty() && is_none_yet(result) => "the test is not over",
            Some(_) => return self.end(session),
        };
        session.console.warn(&format!("{why} (exit code 4)"));
        Verdict::NotFound
    }

    /// Whether a result was seen to alert about.
    pub fn is_raised(&self) -> bool {
        !self.counts.is_empty()
    }

    /// How the command ends, once its output is written. The count is told, also with `-q`; no person is named.
    pub fn end(&self, session: &Session) -> Verdict {
        let Some(said) = self.said() else { return Verdict::Done };
        session.console.warn(&said);
        Verdict::Matched
    }

    /// How many results of which word there were to alert about, if any.
    fn said(&self) -> Option<String> {
        let all: u64 = self.counts.values().sum();
        match self.counts.keys().next() {
            None => None,
            Some(word) if self.counts.len() == 1 => {
                Some(format!("{} {word}", counted(all, "result is", "results are")))
            }
            Some(_) => {
                let each: Vec<_> = self.counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
                Some(format!("{} alerts: {}", counted(all, "result is", "results are"), each.join(", ")))
            }
        }
    }
}

/// Whether there is no result, or a test is still to be done, or to be done again (our reading of the names).
pub fn is_none_yet(result: Option<&str>) -> bool {
    use TestStatus::{
        Confirming, CouldNotCompleteConnectionIssues, CouldNotCompleteNpServerIssues, CouldNotCompleteTimedOut,
        CouldNotCompleteUnsupportedDevice, InProgress, Incomplete, NotStarted, Started,
    };
    let Some(word) = result else { return true };
    TestStatus::listed(word).is_some_and(|status| {
        matches!(
            status,
            Started
                | InProgress
                | NotStarted
                | Incomplete
                | Confirming
                | CouldNotCompleteConnectionIssues
                | CouldNotCompleteNpServerIssues
                | CouldNotCompleteTimedOut
                | CouldNotCompleteUnsupportedDevice
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_result_is_final_or_open_and_an_unknown_one_is_not_called_open() {
        assert!([None, Some("notstarted"), Some("Confirming")].into_iter().all(is_none_yet));
        assert!(!["Completed", "HighRisk", "Emergency", "Critical"].into_iter().any(|word| is_none_yet(Some(word))));
    }

    #[test]
    fn only_results_that_are_named_are_counted_and_each_by_its_word() {
        let wanted = ["HighRisk", "critical", "unlisted"].map(|word| ResultWord::parse(word).expect("a word"));
        let mut alert = Alert { wanted: &wanted, counts: BTreeMap::new() };
        alert.see(Some("Completed"));
        assert_eq!(alert.said(), None);
        alert.see(Some("HighRisk"));
        assert_eq!(alert.said().as_deref(), Some("1 result is HighRisk"));
        for status in [None, Some("HIGHRISK"), Some("Critical"), Some("Impaired"), Some("Strange")] {
            alert.see(status);
        }
        assert_eq!(alert.said().as_deref(), Some("5 results are alerts: 2 HighRisk, 1 critical, 2 unlisted"));
    }
}
