//! `sandbox set`.

use clap::Args;
use jiff::Timestamp;

use super::project;
use crate::commands::Ended;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::people::RESULTS;
use crate::model::person::PersonRef;
use crate::model::projects::ProjectState;
use crate::model::text::{ProjectName, nearest};
use crate::model::time::instant;
use crate::model::verdict::{Failure, Verdict};
use crate::sandbox::{IDENTITY_STATUSES, PersonChanges, set_person, set_project};

/// Set a person's result or a project's state
#[derive(Args)]
#[command(after_help = "\
Examples:
  assessctl sandbox set EMP-00017 --result HighRisk
  assessctl sandbox set id:3 --result Completed --completed 2h
  assessctl sandbox set --state Inactive")]
pub struct SetInSandbox {
    /// Person: id:ENTRY_ID, ref:REFERENCE_ID or email:ADDRESS
    #[arg(value_name = "PERSON", required_unless_present_any = ["state", "name"])]
    person: Option<PersonRef>,
    #[command(flatten)]
    project: ProjectArgs,
    /// Latest result, also a word that the specification does not list
    #[arg(long, value_name = "WORD", value_parser = result)]
    result: Option<String>,
    /// When the latest test was completed: a time, or an age such as 2h
    #[arg(long, value_name = "TIME", value_parser = instant)]
    completed: Option<Timestamp>,
    /// When the latest invitation was sent
    #[arg(long, value_name = "TIME", value_parser = instant)]
    sent: Option<Timestamp>,
    /// Whether the person is a top performer
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    top_performer: Option<bool>,
    /// Status of the latest identity verification, such as NotVerified
    #[arg(long, value_name = "WORD", value_parser = IDENTITY_STATUSES, hide_possible_values = true)]
    identity: Option<String>,
    /// State of the project: Draft, Active, Inactive, ActiveExpired or Deleted
    #[arg(long, ignore_case = true, conflicts_with = "person", hide_possible_values = true)]
    state: Option<ProjectState>,
    /// Name of the project
    #[arg(long, value_name = "NAME", conflicts_with = "person")]
    name: Option<ProjectName>,
}

impl SetInSandbox {
    pub fn run(self, session: &Session) -> Ended {
        let (project, folder) = (project(&self.project, session)?, session.sandbox_folder()?);
        let changes = PersonChanges {
            result: self.result,
            completed: self.completed,
            last_test_sent: self.sent,
            top_performer: self.top_performer,
            identity_status: self.identity,
        };
        match (&self.person, changes == PersonChanges::default()) {
            (Some(person), false) => set_person(&folder, &project, person, &changes)?,
            (None, true) => set_project(&folder, &project, self.state, self.name.as_ref())?,
            _ => return Err(Failure::usage("PERSON and an option such as --result go together").into()),
        }
        session.console.note(&format!("changed in {project} (sandbox)"));
        Ok(Verdict::Done)
    }
}

/// A result that is not listed rehearses one that the service may have tomorrow; a near miss is a slip.
fn result(text: &str) -> Result<String, String> {
    let known = RESULTS.iter().find(|word| word.eq_ignore_ascii_case(text)).copied();
    match (known, nearest(text, RESULTS)) {
        (None, Some(near)) => Err(format!("did you mean {near}?")),
        (None, None) if text.is_empty() => Err("is empty".to_owned()),
        (known, _) => Ok(known.unwrap_or(text).to_owned()),
    }
}
