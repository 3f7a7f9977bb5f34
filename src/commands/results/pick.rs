//! Which results our own filters keep, which `--fail-on` alerts about, and which `results get` counts as found.

use clap::Args;
use jiff::Timestamp;

use crate::commands::project::ProjectsArgs;
use crate::commands::session::Session;
use crate::model::people::TestTaker;
use crate::model::results::{RESULTS, is_finished, is_flagged};
use crate::model::text::{counted, or_known};
use crate::model::time::instant;
use crate::model::verdict::Verdict;

/// Which results are shown.
#[derive(Args)]
pub struct PickArgs {
    #[command(flatten)]
    pub projects: ProjectsArgs,
    /// Only results that need action
    #[arg(long, aliases = ["risk", "at-risk", "high-risk"])]
    pub flagged: bool,
    /// Only these; 'none' means no result yet
    #[arg(long, value_name = "RESULT,…", value_parser = word, value_delimiter = ',', alias = "status")]
    pub result: Vec<&'static str>,
    /// Completed at this time or later
    #[arg(long, value_name = "TIME", value_parser = instant, alias = "since")]
    pub completed_since: Option<Timestamp>,
    #[command(flatten)]
    pub alert: AlertArgs,
}

impl PickArgs {
    /// Fails where a time such as `24h` is wrong. Asked after a list, by whose answers the clocks are compared.
    pub async fn check_clock(&self, session: &Session) -> anyhow::Result<()> {
        if self.completed_since.is_some() { session.check_clock(300).await } else { Ok(()) }
    }

    pub fn keeps(&self, person: &TestTaker) -> bool {
        (!self.flagged || person.outcome().is_some_and(is_flagged))
            && (self.result.is_empty() || has(&self.result, person.outcome()))
            && self.completed_since.is_none_or(|since| {
                // A time that is missing or cannot be read hides no result that needs action.
                let is_finished = person.date_completed.is_some() || person.outcome().is_some_and(is_flagged);
                is_finished && person.completed().is_none_or(|completed| completed >= since)
            })
    }
}

/// `--fail-on`: the exit code is 8 where one of these results is shown.
#[derive(Args)]
pub struct AlertArgs {
    /// Exit with 8 if one of these is found
    #[arg(long, value_name = "RESULT,…", value_parser = word, value_delimiter = ',')]
    pub fail_on: Vec<&'static str>,
}

impl AlertArgs {
    /// Whether a result is one to alert about.
    pub fn matches(&self, person: &TestTaker) -> bool {
        has(&self.fail_on, person.outcome())
    }

    /// Whether `results get` opens something: it looks for a finished result, and not only for a person.
    pub fn is_gate(&self, completed_since: Option<Timestamp>) -> bool {
        completed_since.is_some() || !self.fail_on.is_empty()
    }

    /// Whether `results get` finds a person. A gate must not take an unfinished result for a good one, nor one whose time is
    /// not known for a new one.
    pub fn counts(&self, completed_since: Option<Timestamp>, person: &TestTaker) -> bool {
        // The clocks were compared: a time to come is that of a device whose own clock is wrong.
        let completed = person.completed().filter(|at| at.duration_since(Timestamp::now()).as_mins() < 5);
        let is_new = completed_since.is_none_or(|since| completed.is_some_and(|at| at >= since));
        !self.is_gate(completed_since) || self.matches(person) || (is_new && person.outcome().is_some_and(is_finished))
    }

    /// How a command ends that showed these people.
    pub fn verdict<'p>(&self, session: &Session, people: impl Iterator<Item = &'p TestTaker>) -> Verdict {
        let alerts = people.filter(|person| self.matches(person)).count();
        if alerts == 0 {
            return Verdict::Done;
        }
        let alerts = counted(alerts, "result matches", "results match");
        session.console.warn(&format!("{alerts} --fail-on {}", self.fail_on.join(",")));
        Verdict::Alert
    }
}

/// The word for every result that needs action.
const FLAGGED: &str = "flagged";

/// The word for no result yet.
const NONE: &str = "none";

/// Reads a word of the specification, or one of ours. Another one is refused: a gate that looks for `Failed` would let
/// everybody through. A result that the specification does not list yet is flagged.
fn word(text: &str) -> Result<&'static str, String> {
    let known: Vec<&str> = [FLAGGED, NONE].into_iter().chain(RESULTS).collect();
    let found = known.iter().find(|word| word.eq_ignore_ascii_case(text.trim()));
    found.copied().ok_or_else(|| format!("does not know this result{}", or_known(text, &known)))
}

/// Whether one of the words means this result.
fn has(words: &[&str], result: Option<&str>) -> bool {
    words.iter().any(|word| match result {
        Some(result) if *word == FLAGGED => is_flagged(result),
        Some(result) => word.eq_ignore_ascii_case(result),
        None => *word == NONE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_result_is_refused() {
        let read = word;
        assert!(
            read("HighRisk").is_ok() && read("highrisk").is_ok() && read("FLAGGED").is_ok() && read("none").is_ok()
        );
        assert!(read("HighRsik").is_err() && read("Failed").is_err() && read("flaged").is_err());
        for separated in
            ["HighRisk;Emergency", "HighRisk|Emergency", "HighRisk/Emergency", "HighRisk Emergency", "", "*"]
        {
            assert!(read(separated).is_err(), "{separated}");
        }
    }

    #[test]
    fn a_result_that_needs_action_is_kept_without_its_time() {
        let since = PickArgs {
            projects: ProjectsArgs::default(),
            flagged: false,
            result: Vec::new(),
            completed_since: Some(Timestamp::now()),
            alert: AlertArgs { fail_on: Vec::new() },
        };
        let keeps = |result: &str, date_completed: Option<&str>| {
            let (result, date_completed) = (Some(result.to_owned()), date_completed.map(str::to_owned));
            since.keeps(&TestTaker { result, date_completed, ..TestTaker::default() })
        };
        assert!(keeps("Emergency", None) && keeps("Completed", Some("soon")) && !keeps("NotStarted", None));
        assert!(!keeps("Emergency", Some("2020-01-01T00:00:00Z")));
    }

    #[test]
    fn flagged_means_all_that_need_action_and_none_means_no_result() {
        let words = ["flagged", "Incomplete"].map(|text| word(text).expect("a word"));
        assert!(has(&words, Some("Emergency")) && has(&words, Some("incomplete")) && has(&words, Some("Unheard")));
        assert!(!has(&words, Some("Completed")) && !has(&words, None));
        let none = [word("None").expect("a word")];
        assert!(has(&none, None) && !has(&none, Some("NotStarted")));
    }
}
