//! Filters of our own over results, and `--fail-on`.

use clap::Args;
use jiff::Timestamp;

use super::words::{ResultWord, has};
use crate::commands::session::Session;
use crate::model::people::{TestTaker, is_finished, is_flagged};
use crate::model::text::counted;
use crate::model::time::instant;
use crate::model::verdict::Verdict;

/// Which results are shown.
#[derive(Args)]
pub struct PickArgs {
    /// Only results that need action
    #[arg(long)]
    pub flagged: bool,
    /// Only these, such as HighRisk or flagged
    #[arg(long, value_name = "RESULT,…", value_delimiter = ',', alias = "status")]
    pub result: Vec<ResultWord>,
    /// Completed at this time or later
    #[arg(long, value_name = "TIME", value_parser = instant, alias = "since")]
    pub completed_since: Option<Timestamp>,
}

impl PickArgs {
    pub fn keeps(&self, person: &TestTaker) -> bool {
        (!self.flagged || person.outcome().is_some_and(is_flagged))
            && (self.result.is_empty() || has(&self.result, person.outcome()))
            && self.completed_since.is_none_or(|since| is_completed_since(person, since))
    }
}

/// A time that cannot be read hides nobody.
fn is_completed_since(person: &TestTaker, since: Timestamp) -> bool {
    person.date_completed.is_some() && person.completed().is_none_or(|completed| completed >= since)
}

/// `--fail-on`: the exit code is 8 where one of these results is shown.
#[derive(Args)]
pub struct AlertArgs {
    /// End with 8 if one of these is there
    #[arg(long, value_name = "RESULT,…", value_delimiter = ',')]
    pub fail_on: Vec<ResultWord>,
}

impl AlertArgs {
    /// Whether a result is one to alert of.
    pub fn matches(&self, person: &TestTaker) -> bool {
        has(&self.fail_on, person.outcome())
    }

    /// How a command ends that showed these people.
    pub fn verdict<'p>(&self, session: &Session, people: impl Iterator<Item = &'p TestTaker>) -> Verdict {
        verdict_of(session, people.filter(|person| self.matches(person)).count())
    }
}

/// How a command ends that showed so many results of `--fail-on`.
pub fn verdict_of(session: &Session, alerts: usize) -> Verdict {
    if alerts == 0 {
        return Verdict::Done;
    }
    session.console.say(&format!("{} of --fail-on", counted(alerts, "result", "results")));
    Verdict::Alert
}

/// Whether a person has a finished assessment, since then: no unfinished result may be taken for a good one.
pub fn is_finished_since(person: &TestTaker, since: Option<Timestamp>) -> bool {
    person.outcome().is_some_and(is_finished)
        && since.is_none_or(|since| person.completed().is_some_and(|at| at >= since))
}
