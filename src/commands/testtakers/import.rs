//! `testtakers import`: what is done with rows that have mistakes and with people who are enrolled or were removed.

use std::path::PathBuf;

use clap::Args;

use super::roster_run::{RosterRun, new_people};
use crate::bulk::enrol::{EnrolOptions, OnExisting};
use crate::bulk::outcome::Of;
use crate::commands::session::Session;
use crate::commands::work::Work;
use crate::model::verdict::Verdict;

/// Enrol people from a CSV or Excel file
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers import people.csv -p Demo\n  assessctl testtakers import staff.xlsx --dry-run\n  assessctl testtakers import people.csv --skip-invalid --failed-out failed.csv"
)]
pub struct ImportPeople {
    /// CSV or Excel file of people; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// If enrolled: skip, update, or fail all rows
    #[arg(long, value_name = "WHAT", default_value = "skip", hide_default_value = true, hide_possible_values = true)]
    on_existing: OnExisting,
    /// Leave out rows with mistakes, enrol the rest
    #[arg(long)]
    skip_invalid: bool,
    /// Also enrol people whom others removed
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    with: RosterRun,
}

impl ImportPeople {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let (account, named) = self.with.read(session, &self.file, self.skip_invalid, None)?;
        let project = self.with.project.find(session).await?;
        let work = Work::begin(session, &project, "testtakers import", self.with.bulk.dry_run).await?;
        let (again, on_existing) = (self.again, self.on_existing);
        let options = EnrolOptions { again, on_existing, ..self.with.settle.options(session)? };
        let people = new_people(&named);
        let rows = work.rows(&people, self.with.roster.shared_mailboxes)?;
        let run = work.run(work.enrol(rows, options, None)).await?;
        account.end(&named, &named.over_all(run), Of::Many, &project)
    }
}
