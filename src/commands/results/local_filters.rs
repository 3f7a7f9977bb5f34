//! What is decided here and not by the service, over the whole list: which results to show, and which to alert about.

use clap::Args;
use jiff::Timestamp;

use crate::commands::shared::filters::time;
use crate::commands::shared::session::Session;
use crate::model::counted::counted;
use crate::model::results::Finding;
use crate::model::status::TestStatus;
use crate::model::time::parse_service_time;
use crate::model::verdict::Verdict;

/// Filters that work here, over the whole list.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters of this program, over the whole list")]
pub struct PickArgs {
    /// Only people whose latest result is one of these, such as HighRisk,Emergency
    #[arg(long, value_name = "RESULT,…", value_delimiter = ',', ignore_case = true, hide_possible_values = true)]
    result: Vec<TestStatus>,
    /// Only people who completed at this time or later: a time with its zone, or an age such as 24h
    #[arg(long, value_name = "TIME", value_parser = time)]
    completed_since: Option<Timestamp>,
    /// Only people who completed nothing so far
    #[arg(long, conflicts_with_all = ["completed_since", "completed_only"])]
    not_completed: bool,
}

impl PickArgs {
    /// Whether a result is to be shown.
    pub fn wants(&self, finding: &dyn Finding) -> bool {
        if !self.result.is_empty() && !is_one_of(finding.status(), &self.result) {
            return false;
        }
        match (finding.completed(), self.completed_since) {
            (completed, _) if self.not_completed => completed.is_none(),
            (_, None) => true,
            // A time that cannot be read could be any: leaving the person out would hide a result.
            (Some(completed), Some(since)) => parse_service_time(completed).is_none_or(|time| time >= since),
            (None, Some(_)) => false,
        }
    }
}

fn is_one_of(status: Option<&str>, wanted: &[TestStatus]) -> bool {
    status.is_some_and(|status| wanted.iter().any(|wanted| wanted.word().eq_ignore_ascii_case(status)))
}

/// `--fail-on`
#[derive(Debug, Args)]
pub struct AlertArgs {
    /// End with exit code 8 if one of these results is shown, such as HighRisk,Emergency; the output is written all the
    /// same
    #[arg(long, value_name = "RESULT,…", value_delimiter = ',', ignore_case = true, hide_possible_values = true)]
    fail_on: Vec<TestStatus>,
}

impl AlertArgs {
    /// Begins to count.
    pub fn watch(&self) -> Alert<'_> {
        Alert { wanted: &self.fail_on, count: 0 }
    }
}

/// Counts the results that `--fail-on` names.
#[derive(Debug)]
pub struct Alert<'a> {
    wanted: &'a [TestStatus],
    count: u64,
}

impl Alert<'_> {
    /// Looks at a result that is shown.
    pub fn see(&mut self, status: Option<&str>) {
        self.count += u64::from(is_one_of(status, self.wanted));
    }

    /// How the command ends, once its output is written. The count is told, also with `-q`; nobody is named.
    pub fn end(&self, session: &Session) -> Verdict {
        if self.count == 0 {
            return Verdict::Done;
        }
        let names: Vec<&str> = self.wanted.iter().map(TestStatus::word).collect();
        let results = counted(self.count, "result is", "results are");
        session.talk.warn(&format!("{results} one of {}", names.join(", ")));
        Verdict::Matched
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::results::LegacyResult;

    fn finding(status: Option<&str>, completed: Option<&str>) -> LegacyResult {
        let json = serde_json::json!({ "status": status, "dateCompleted": completed });
        serde_json::from_value(json).expect("a result")
    }

    fn picks(result: &[TestStatus], since: Option<&str>, not_completed: bool) -> PickArgs {
        let completed_since = since.map(|time| time.parse().expect("a time"));
        PickArgs { result: result.to_vec(), completed_since, not_completed }
    }

    #[test]
    fn a_result_is_picked_by_its_word_in_any_case() {
        let picks = picks(&[TestStatus::HighRisk, TestStatus::Emergency], None, false);
        assert!(picks.wants(&finding(Some("highrisk"), None)));
        assert!(!picks.wants(&finding(Some("Completed"), None)));
        assert!(!picks.wants(&finding(None, None)));
    }

    #[test]
    fn completions_are_picked_by_time_and_an_unreadable_one_is_not_hidden() {
        let since = picks(&[], Some("2026-03-01T06:00:00Z"), false);
        for (completed, wanted) in [
            (Some("2026-03-01T06:00:00Z"), true),
            (Some("2026-03-01T05:59:59.999"), false),
            (Some("some day"), true),
            (None, false),
        ] {
            assert_eq!(since.wants(&finding(None, completed)), wanted, "{completed:?}");
        }
        let open = picks(&[], None, true);
        assert!(open.wants(&finding(Some("Started"), None)));
        assert!(!open.wants(&finding(None, Some("2026-03-01T06:00:00Z"))));
    }

    #[test]
    fn only_results_that_are_named_are_counted() {
        let args = AlertArgs { fail_on: vec![TestStatus::HighRisk] };
        let mut alert = args.watch();
        for status in [Some("HighRisk"), Some("Completed"), None, Some("HIGHRISK")] {
            alert.see(status);
        }
        assert_eq!(alert.count, 2);
    }
}
