//! `sandbox set`: what the portal and people do to the embedded service.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use jiff::Timestamp;

use crate::commands::sandbox::state_file::failure;
use crate::commands::shared::people_filters::time;
use crate::commands::shared::person_argument::Target;
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::{ProjectState, SANDBOX_PROJECT};
use crate::model::test_status::{IdentityStatus, TestStatus};
use crate::sandbox::{self, Changes, Who};

/// The options of `set` of which at least one says what to change.
const CHANGES: [&str; 7] =
    ["result", "unlisted_result", "completed", "sent", "top_performer", "identity_status", "state"];

/// Do what the portal and people do: set a result, an invitation, a project's state
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Nothing))]
#[command(after_help = "\
Examples:
  assessctl sandbox set ref:EMP-00017 --result HighRisk
  assessctl sandbox set email:anna@example.com --completed 2h \\
      --identity-status Verified
  assessctl sandbox set id:1 --sent 2026-03-01T06:00:00Z --top-performer true
  assessctl sandbox set -p Demo --state Inactive")]
#[command(group(ArgGroup::new("change").multiple(true).required(true).args(CHANGES)))]
pub struct SetState {
    /// Whom: `id:ENTRY_ID`, `ref:REFERENCE_ID` or `email:ADDRESS`
    #[arg(value_name = "TEST_TAKER", required_unless_present = "state")]
    test_taker: Option<Target>,
    /// The project's name or id
    #[arg(short, long, value_name = "NAME_OR_ID", default_value = SANDBOX_PROJECT)]
    project: String,
    /// The latest result; one that ends an assessment completes it now, unless --completed says when
    #[arg(long, value_enum, ignore_case = true)]
    result: Option<TestStatus>,
    /// A result that the specification does not list, to see how a reader bears it
    #[arg(long, value_name = "TEXT", conflicts_with = "result")]
    unlisted_result: Option<String>,
    /// When the latest assessment was completed: a time with its zone, or an age such as 2h
    #[arg(long, value_name = "TIME", value_parser = time)]
    completed: Option<Timestamp>,
    /// When the latest invitation was sent: a time with its zone, or an age such as 2h
    #[arg(long, value_name = "TIME", value_parser = time)]
    sent: Option<Timestamp>,
    /// Whether the test taker is a top performer
    #[arg(long, value_name = "BOOL")]
    top_performer: Option<bool>,
    /// Status of the latest identity verification
    #[arg(long, value_name = "STATUS", value_enum, ignore_case = true)]
    identity_status: Option<IdentityStatus>,
    /// The project's state
    #[arg(long, value_enum, ignore_case = true, conflicts_with = "test_taker")]
    state: Option<ProjectState>,
    /// File that holds the sandbox's state
    #[arg(long, value_name = "FILE")]
    state_file: Option<PathBuf>,
}

impl SetState {
    /// Changes the state in `state`, or in the file that is named.
    pub fn run(&self, state: &Path) -> anyhow::Result<Verdict> {
        let file = self.state_file.as_deref().unwrap_or(state);
        let done = match (&self.test_taker, &self.state) {
            (Some(target), _) => sandbox::set_test_taker(file, &self.project, &who(target), &self.changes()),
            (None, Some(to)) => sandbox::set_project_state(file, &self.project, to),
            (None, None) => return Err(Failure::usage("name a test taker or a project state to set").into()),
        };
        done.map_err(|error| failure(&error))?;
        Ok(Verdict::Done)
    }

    fn changes(&self) -> Changes {
        let unlisted = self.unlisted_result.clone().map(TestStatus::Unlisted);
        Changes {
            result: self.result.clone().or(unlisted),
            completed: self.completed,
            sent: self.sent,
            top_performer: self.top_performer,
            identity_status: self.identity_status.clone(),
        }
    }
}

fn who(target: &Target) -> Who {
    match target {
        Target::Id(entry) => Who::Id(entry.0),
        Target::Reference(id) => Who::Reference(id.as_str().to_owned()),
        Target::Email(address) => Who::Email(address.clone()),
    }
}
