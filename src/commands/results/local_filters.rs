//! What is decided here and not by the service, over the whole list: which results to show.

use clap::Args;
use jiff::Timestamp;

use crate::commands::results::result_words::{OnlyFlaggedArg, ResultWord, ResultWords, is_one_of};
use crate::commands::shared::people_filters::time;
use crate::model::results::Finding;
use crate::model::time::parse_service_time;

/// Filters that work here, over the whole list.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters of this program, over the whole list")]
pub struct PickArgs {
    /// Only people whose latest result is one of these, such as HighRisk,Emergency; any word may be named, and `unlisted`
    /// is every result that the specification does not list
    #[arg(long, value_name = "RESULT,…", value_delimiter = ',', hide_possible_values = true, value_parser = ResultWords)]
    result: Vec<ResultWord>,
    #[command(flatten)]
    flagged: OnlyFlaggedArg,
    /// Only people who completed at this time or later: a time with its zone, or an age such as 24h
    #[arg(long, value_name = "TIME", value_parser = time)]
    completed_since: Option<Timestamp>,
    /// Only people who completed nothing so far
    #[arg(long, conflicts_with_all = ["completed_since", "completed_only"])]
    not_completed: bool,
}

impl PickArgs {
    /// Whether one of the options is there.
    pub fn is_given(&self) -> bool {
        self.is_about_flagged() || !self.result.is_empty() || self.completed_since.is_some() || self.not_completed
    }

    /// Whether people who are flagged are asked for.
    pub fn is_about_flagged(&self) -> bool {
        self.flagged.is_given()
    }

    /// Whether a result is to be shown.
    pub fn wants(&self, finding: &dyn Finding) -> bool {
        let status = finding.status();
        if !self.flagged.wants(status) || !self.result.is_empty() && !is_one_of(status, &self.result) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::results::LegacyResult;

    fn finding(status: Option<&str>, completed: Option<&str>) -> LegacyResult {
        let json = serde_json::json!({ "status": status, "dateCompleted": completed });
        serde_json::from_value(json).expect("a result")
    }

    /// The options of a line, read as the program reads them.
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        picks: PickArgs,
        /// Another part of the line refers to it.
        #[arg(long)]
        completed_only: bool,
    }

    fn line(text: &str) -> Line {
        let words = std::iter::once("assessctl").chain(text.split_whitespace());
        <Line as clap::Parser>::try_parse_from(words).expect("a line")
    }

    fn wants(text: &str, finding: &LegacyResult) -> bool {
        line(text).picks.wants(finding)
    }

    #[test]
    fn a_result_is_picked_by_its_word_in_any_case() {
        let named = "--result HighRisk,emergency,Critical";
        for (status, wanted) in
            [(Some("highrisk"), true), (Some("Critical"), true), (Some("Completed"), false), (None, false)]
        {
            assert_eq!(wants(named, &finding(status, None)), wanted, "{status:?}");
        }
    }

    #[test]
    fn flagged_is_the_usual_list_or_the_one_that_is_named() {
        let (risk, unknown) = (finding(Some("HighRisk"), None), finding(Some("Critical"), None));
        assert!(wants("--flagged", &risk) && wants("--flagged", &unknown));
        assert!(!wants("--flagged", &finding(Some("Completed"), None)));
        assert!(wants(
            "--flagged HighRisk --completed-since 2020-01-01T00:00:00Z",
            &finding(Some("HighRisk"), Some("2026-03-01T06:00:00Z"))
        ));
        assert!(!wants("--flagged=HighRisk", &unknown));
    }

    #[test]
    fn completions_are_picked_by_time_and_an_unreadable_one_is_not_hidden() {
        for (completed, wanted) in [
            (Some("2026-03-01T06:00:00Z"), true),
            (Some("2026-03-01T05:59:59.999"), false),
            (Some("some day"), true),
            (Some(""), false),
            (None, false),
        ] {
            let found = wants("--completed-since 2026-03-01T06:00:00Z", &finding(None, completed));
            assert_eq!(found, wanted, "{completed:?}");
        }
        assert!(wants("--not-completed", &finding(Some("Started"), None)));
        assert!(wants("--not-completed", &finding(Some("Started"), Some(""))));
        assert!(!wants("--not-completed", &finding(None, Some("2026-03-01T06:00:00Z"))));
    }
}
