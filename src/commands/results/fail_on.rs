//! `--fail-on`: which results a command alerts about, by its exit code.

use clap::Args;

use crate::commands::results::result_words::{ResultWord, ResultWords, is_one_of, warn_of_slips};
use crate::commands::shared::session::Session;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
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
    pub fn watch(&self, session: &Session) -> Alert<'_> {
        warn_of_slips(session.console, &self.fail_on);
        Alert { wanted: &self.fail_on, count: 0 }
    }
}

/// Counts the results that `--fail-on` names.
#[derive(Debug)]
pub struct Alert<'a> {
    wanted: &'a [ResultWord],
    count: u64,
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
        self.count += u64::from(self.is_about(status));
    }

    /// How the command ends that showed one person's result: as absent where there is none, so that no script takes
    /// it for a good one, and for a gate also where the test is not over.
    pub fn end_of_one(&self, session: &Session, result: Option<&str>) -> Verdict {
        let why = match result {
            None => "no result so far: no test was begun",
            Some(_) if self.is_gate() && self.count == 0 && is_none_yet(result) => "the test is not over",
            Some(_) => return self.end(session),
        };
        session.console.warn(&format!("{why} (exit code 4)"));
        Verdict::NotFound
    }

    /// How the command ends, once its output is written. The count is told, also with `-q`; no person is named.
    pub fn end(&self, session: &Session) -> Verdict {
        if self.count == 0 {
            return Verdict::Done;
        }
        let names: Vec<&str> = self.wanted.iter().map(ResultWord::word).collect();
        let results = counted(self.count, "result is", "results are");
        session.console.warn(&format!("{results} one of {}", names.join(", ")));
        Verdict::Matched
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
    fn only_results_that_are_named_are_counted() {
        let wanted = ["HighRisk", "unlisted"].map(|word| ResultWord::parse(word).expect("a word"));
        let mut alert = Alert { wanted: &wanted, count: 0 };
        for status in [Some("HighRisk"), Some("Completed"), None, Some("HIGHRISK"), Some("Critical")] {
            alert.see(status);
        }
        assert_eq!(alert.count, 3);
    }
}
