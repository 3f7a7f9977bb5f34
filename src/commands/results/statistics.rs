//! Counting results: how many of each, who completed, who is flagged, which invitation is open longest.

use std::collections::BTreeMap;

use clap::ValueEnum as _;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::commands::results::result_words::FlaggedArg;
use crate::commands::shared::mask_fields::result_of_many;
use crate::model::counted::counted;
use crate::model::results::Finding;
use crate::model::test_status::TestStatus;
use crate::model::time::parse_service_time;

/// The results of a project, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Everybody in the list.
    pub enrolled: u64,
    /// Those who completed an assessment.
    pub completed: u64,
    /// Those whose latest result is flagged.
    pub flagged: u64,
    /// Those who completed with a listed result that is not flagged.
    pub safe: u64,
    /// Those without a result.
    pub without: u64,
    /// People without a result whose record has a completion time.
    pub completed_without: u64,
    /// How many have each result, by its word.
    counts: BTreeMap<String, u64>,
    /// A result that is no word goes as one that the specification does not list (`--mask`).
    hides_text: bool,
    /// The oldest invitation that no completion followed; the older shape of results does not tell.
    pub oldest_open: Option<Timestamp>,
    /// Latest completions by their day (UTC).
    pub days: BTreeMap<Date, u64>,
}

impl Tally {
    /// None yet.
    pub fn shown(masked: bool) -> Self {
        Self { hides_text: masked, ..Self::default() }
    }

    /// Counts a result.
    pub fn count(&mut self, finding: &dyn Finding, flagged: &FlaggedArg) {
        self.enrolled += 1;
        let is_flagged = flagged.has(finding.status());
        let is_listed = finding.status().is_some_and(|status| TestStatus::listed(status).is_some());
        self.flagged += u64::from(is_flagged);
        match finding.status() {
            Some(status) => {
                let word =
                    TestStatus::listed(status).map_or_else(|| status.to_owned(), |listed| listed.word().to_owned());
                let word = if self.hides_text { result_of_many(&word).to_owned() } else { word };
                *self.counts.entry(word).or_default() += 1;
            }
            None => self.without += 1,
        }
        let completed = finding.completed().map(parse_service_time);
        if completed.is_some() {
            self.completed += 1;
            // What is not known is not called safe.
            self.safe += u64::from(!is_flagged && is_listed);
            self.completed_without += u64::from(finding.status().is_none());
        }
        let completed = completed.flatten();
        if let Some(time) = completed {
            *self.days.entry(time.to_zoned(TimeZone::UTC).date()).or_default() += 1;
        }
        let invited = finding.invited().and_then(parse_service_time);
        if let Some(invited) = invited.filter(|invited| completed.is_none_or(|completed| completed < *invited)) {
            self.oldest_open = Some(self.oldest_open.map_or(invited, |oldest| oldest.min(invited)));
        }
    }

    /// Completed of enrolled, 0 to 1; `None` where no one is enrolled.
    pub fn completion_rate(&self) -> Option<f64> {
        rate(self.completed, self.enrolled)
    }

    /// Completed and safe, of completed, 0 to 1; `None` where no one completed.
    pub fn safety_rate(&self) -> Option<f64> {
        rate(self.safe, self.completed)
    }

    /// How many have this result.
    pub fn of(&self, status: &TestStatus) -> u64 {
        self.counts.get(status.word()).copied().unwrap_or_default()
    }

    /// How many have a result that the specification does not list.
    pub fn unlisted(&self) -> u64 {
        self.counts.iter().filter(|(word, _)| TestStatus::listed(word).is_none()).map(|(_, count)| count).sum()
    }

    /// What is not called safe because it is not known, in words, for readers of the rates alone.
    pub fn not_known(&self) -> Vec<String> {
        let unlisted = counted(self.unlisted(), "result is", "results are");
        let without = counted(self.completed_without, "person", "people");
        let all = [
            (self.unlisted(), format!("{unlisted} not listed by the specification and not counted as safe")),
            (self.completed_without, format!("{without} completed without a result and not counted as safe")),
        ];
        all.into_iter().filter(|(count, _)| *count > 0).map(|(_, said)| said).collect()
    }

    /// Each result that occurs, with its count: the listed ones in the specification's order, then others.
    pub fn shares(&self) -> Vec<(&str, u64)> {
        let in_order = TestStatus::value_variants().iter().map(|status| (status.word(), self.of(status)));
        let others = self
            .counts
            .iter()
            .filter(|(word, _)| TestStatus::listed(word).is_none())
            .map(|(word, count)| (word.as_str(), *count));
        in_order.chain(others).filter(|(_, count)| *count > 0).collect()
    }
}

/// A share, rounded to four decimals: what a table, a CSV and a JSON show is the same number.
#[expect(clippy::cast_precision_loss, reason = "nobody enrols 2^52 people")]
fn rate(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 10_000.0).round() / 10_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testtakers::TestTaker;

    fn tally(people: &[(Option<&str>, Option<&str>, Option<&str>)]) -> Tally {
        let flagged = FlaggedArg::default();
        let mut tally = Tally::default();
        for (id, (result, completed, sent)) in people.iter().enumerate() {
            let json = serde_json::json!({"id": id, "result": result, "dateCompleted": completed,
                "lastTestSentUtc": sent});
            tally.count(&serde_json::from_value::<TestTaker>(json).expect("a result"), &flagged);
        }
        tally
    }

    #[test]
    fn rates_are_of_whom_they_should_be() {
        let (day, later) = (Some("2026-03-01T06:00:00Z"), Some("2026-03-02T06:00:00Z"));
        let tally = tally(&[
            (Some("Completed"), day, day),
            (Some("Completed"), later, None),
            (Some("HighRisk"), later, None),
            (Some("Emergency"), None, None),
            (Some("New"), None, later),
            (None, None, None),
        ]);
        assert_eq!((tally.enrolled, tally.completed, tally.flagged, tally.safe), (6, 3, 3, 2));
        assert_eq!((tally.completion_rate(), tally.safety_rate()), (Some(0.5), Some(0.6667)));
        assert_eq!((tally.without, tally.unlisted(), tally.of(&TestStatus::Completed)), (1, 1, 2));
        let names: Vec<&str> = tally.shares().iter().map(|(word, _)| *word).collect();
        assert_eq!(names, ["Completed", "HighRisk", "Emergency", "New"]);
        assert_eq!(tally.days.values().copied().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_result_that_is_not_listed_or_not_there_is_not_safe_and_case_makes_no_other_result() {
        let day = Some("2026-03-01T06:00:00Z");
        let tally =
            tally(&[(Some("Critical"), day, None), (Some("highRisk"), day, None), (Some("Completed"), day, None)]);
        assert_eq!((tally.safe, tally.flagged, tally.unlisted()), (1, 2, 1));
        assert_eq!(tally.of(&TestStatus::HighRisk), 1);
        let without = super::tests::tally(&[(None, day, None), (Some("Completed"), day, None), (None, None, None)]);
        assert_eq!((without.safe, without.completed, without.completed_without), (1, 2, 1));
        let open = super::tests::tally(&[(Some("Completed"), Some(""), None)]);
        assert_eq!((open.completed, open.enrolled), (0, 1));
    }

    fn oldest(people: &[(Option<&str>, Option<&str>, Option<&str>)]) -> Option<String> {
        tally(people).oldest_open.map(|time| time.to_string())
    }

    #[test]
    fn an_invitation_is_open_until_a_completion_follows_it() {
        let (first, second) = (Some("2026-03-01T06:00:00Z"), Some("2026-03-02T06:00:00Z"));
        assert_eq!(oldest(&[(None, None, second), (None, None, first)]).as_deref(), first);
        assert_eq!(oldest(&[(None, first, second)]).as_deref(), second);
        assert_eq!(oldest(&[(None, second, first), (None, first, first)]), None);
    }

    #[test]
    fn of_nobody_there_is_no_rate() {
        assert_eq!((tally(&[]).completion_rate(), tally(&[]).safety_rate()), (None, None));
    }
}
