//! Counting results: how many of each, who completed, who is flagged. What is not known is never called safe.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::model::people::TestTaker;
use crate::model::results::{RESULTS, is_finished, is_flagged};

/// The results of a project, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub enrolled: u32,
    /// People whose latest assessment is finished, with any result.
    pub completed: u32,
    /// People whose latest result needs action.
    pub flagged: u32,
    /// People without a result.
    pub without: u32,
    /// Results that the specification does not list.
    pub unlisted: u32,
    counts: BTreeMap<String, u32>,
    /// Latest completions by their day (UTC).
    pub days: BTreeMap<Date, u32>,
}

impl Tally {
    pub fn of<'p>(people: impl IntoIterator<Item = &'p TestTaker>) -> Self {
        let mut tally = Self::default();
        for person in people {
            let result = person.outcome();
            tally.enrolled += 1;
            tally.completed += u32::from(result.is_some_and(is_finished));
            tally.flagged += u32::from(result.is_some_and(is_flagged));
            tally.without += u32::from(result.is_none());
            *tally.counts.entry(result.unwrap_or_default().to_lowercase()).or_default() += 1;
            if let Some(time) = person.completed() {
                *tally.days.entry(time.to_zoned_datetime(TimeZone::UTC).date()).or_default() += 1;
            }
        }
        let listed: u32 = RESULTS.iter().map(|result| tally.having(result)).sum();
        tally.unlisted = tally.enrolled - tally.without - listed;
        tally
    }

    /// How many have this result of the specification.
    pub fn having(&self, result: &str) -> u32 {
        self.counts.get(&result.to_lowercase()).copied().unwrap_or_default()
    }

    /// People who completed with a result that needs no action.
    pub fn safe(&self) -> u32 {
        self.completed - self.flagged
    }

    /// Completed of enrolled, 0 to 1; `None` where nobody is enrolled.
    pub fn completion_rate(&self) -> Option<f64> {
        rate(self.completed, self.enrolled)
    }

    /// Safe of completed, 0 to 1; `None` where nobody completed.
    pub fn safety_rate(&self) -> Option<f64> {
        rate(self.safe(), self.completed)
    }
}

/// A share, rounded down to four decimals: 1 means everybody. Each format shows the same number.
fn rate(part: u32, whole: u32) -> Option<f64> {
    (whole > 0).then(|| (f64::from(part) * 10_000.0 / f64::from(whole)).floor() / 10_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_not_called_safe() {
        let person = |result: Option<&str>, completed: Option<&str>| TestTaker {
            result: result.map(str::to_owned),
            date_completed: completed.map(str::to_owned),
            ..TestTaker::default()
        };
        let day = Some("2026-03-01T06:00:00Z");
        let people = [
            person(Some("Completed"), day),
            person(Some("completed"), day),
            person(Some("HighRisk"), day),
            person(Some("Unheard"), day),
            person(None, day),
            person(Some("Incomplete"), day),
            person(Some("NotStarted"), None),
        ];
        let tally = Tally::of(&people);
        assert_eq!((tally.enrolled, tally.completed, tally.flagged, tally.safe()), (7, 5, 3, 2));
        assert_eq!((tally.without, tally.unlisted, tally.having("Completed")), (0, 2, 2));
        assert_eq!((tally.completion_rate(), tally.safety_rate()), (Some(0.7142), Some(0.4)));
        assert_eq!((Tally::default().completion_rate(), Tally::default().safety_rate()), (None, None));
    }
}
