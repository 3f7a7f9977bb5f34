//! `testtakers import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::enrol_run::{self, EnrolWish, SettleArgs};
use crate::bulk::enrol::OnExisting;
use crate::bulk::outcome::{Of, Outcome, RowEnd, Run};
use crate::commands::account::{Account, rows, write_failed};
use crate::commands::project::ProjectArgs;
use crate::commands::roster_args::{RosterArgs, check, keep_apart};
use crate::commands::session::Session;
use crate::model::people::NewTestTaker;
use crate::model::verdict::Verdict;
use crate::output::OutputArgs;
use crate::roster::{Needs, Roster};

/// Enrol people from a CSV or Excel file
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers import people.csv -p Demo\n  assessctl testtakers import staff.xlsx --dry-run\n  assessctl testtakers import people.csv --skip-invalid --failed-out failed.csv"
)]
pub struct ImportPeople {
    /// CSV or Excel file of people; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    project: ProjectArgs,
    /// If enrolled: skip (default), update or fail
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        default_value = "skip",
        hide_default_value = true,
        hide_possible_values = true
    )]
    on_existing: Existing,
    /// Leave rows with mistakes out
    #[arg(long)]
    skip_invalid: bool,
    /// Enrol people again if removed elsewhere
    #[arg(long)]
    again: bool,
    /// Only show what would be done
    #[arg(long, alias = "dryrun")]
    dry_run: bool,
    /// Write rows that did not succeed to this CSV
    #[arg(long, value_name = "FILE")]
    failed_out: Option<PathBuf>,
    #[command(flatten)]
    settle: SettleArgs,
    #[command(flatten)]
    roster: RosterArgs,
    #[command(flatten)]
    show: OutputArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Existing {
    Skip,
    Update,
    Fail,
}

impl ImportPeople {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if !self.dry_run {
            session.may_write()?;
        }
        let account = Account::new(session, &self.show)?;
        keep_apart(&[Some(&self.file), self.show.to.as_deref(), self.failed_out.as_deref()])?;
        let roster = self.roster.read(session, &self.file, Needs::Enrolment, None)?;
        check(session, &roster, self.skip_invalid)?;
        let project = self.project.find(session).await?;
        let (valid, people) = valid(&roster);
        let wish = EnrolWish {
            again: self.again,
            shared_mailboxes: self.roster.shared_mailboxes,
            on_existing: match self.on_existing {
                Existing::Skip => OnExisting::Skip,
                Existing::Update => OnExisting::Update,
                Existing::Fail => OnExisting::Fail,
            },
            is_dry_run: self.dry_run,
        };
        let run = enrol_run::run(session, &project, &people, self.settle, wish, "testtakers import").await?;
        let run = with_invalid(&roster, &valid, run);
        let failed = self.failed_out.map_or(Ok(()), |to| write_failed(&to, &roster, &run));
        let verdict = account.end(session, &rows(&roster), &run, Of::Many, &session.place(&project));
        failed?;
        verdict
    }
}

/// The rows without a mistake, and their people.
pub(super) fn valid(roster: &Roster) -> (Vec<usize>, Vec<NewTestTaker>) {
    let people = roster.rows.iter().enumerate();
    people.filter_map(|(at, row)| Some((at, roster.who(row)?.new_test_taker()?))).unzip()
}

/// A run over the valid rows as one over all: rows with mistakes are invalid.
pub(super) fn with_invalid(roster: &Roster, rows: &[usize], run: Run) -> Run {
    let mut ends: Vec<RowEnd> = vec![RowEnd::new(Outcome::Invalid); roster.rows.len()];
    for mistake in &roster.mistakes {
        if let Some(row) = mistake.row {
            ends[row].message.clone_from(&mistake.message);
        }
    }
    for (row, end) in rows.iter().zip(run.ends) {
        ends[*row] = end;
    }
    let differing = run.differing.iter().map(|at| rows[*at]).collect();
    Run { ends, differing, ..run }
}
