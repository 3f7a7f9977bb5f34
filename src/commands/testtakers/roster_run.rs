//! What the commands that enrol have in common: how long they wait for lost answers, and where rows go that failed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::bulk::enrol::{EnrolOptions, OnExisting};
use crate::commands::account::{Account, BulkArgs};
use crate::commands::people::Named;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::people::NewTestTaker;
use crate::model::time::duration;
use crate::model::verdict::Failure;
use crate::output::Place;
use crate::roster::ReadOptions;

/// How long rows in doubt are looked for.
#[derive(Args, Clone, Copy, Debug)]
pub struct SettleArgs {
    /// Check lost requests this long
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub settle: Duration,
    /// Check lost requests only once
    #[arg(long)]
    pub no_wait: bool,
}

impl SettleArgs {
    /// People who are in the project, or were removed elsewhere, are left as they are.
    pub fn options(&self, session: &Session) -> Result<EnrolOptions, Failure> {
        Ok(EnrolOptions {
            most: usize::from(session.settings()?.concurrency),
            settle: self.settle,
            waits: !self.no_wait,
            again: false,
            on_existing: OnExisting::Skip,
        })
    }
}

/// Options of commands that enrol the people of a file.
#[derive(Args)]
pub struct RosterRun {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Write rows that did not succeed to this CSV
    #[arg(long, value_name = "FILE")]
    failed_out: Option<PathBuf>,
    #[command(flatten)]
    pub settle: SettleArgs,
    #[command(flatten)]
    pub roster: ReadOptions,
    #[command(flatten)]
    pub bulk: BulkArgs,
}

impl RosterRun {
    /// Checks the options, and reads the file.
    pub fn read<'s>(
        &self,
        session: &'s Session,
        file: &Path,
        skips_invalid: bool,
        only: Option<(String, String)>,
    ) -> Result<(Account<'s>, Named), Failure> {
        let mut account = self.bulk.begin(session)?;
        account.failed_out.clone_from(&self.failed_out);
        Place::of(self.failed_out.as_deref()).check()?;
        let written = [self.bulk.show.to.as_deref(), self.failed_out.as_deref()];
        let options = ReadOptions { only, ..self.roster.clone() };
        Ok((account, session.read_roster(file, &options, skips_invalid, &written)?.into()))
    }
}

/// The people of the rows without a mistake.
pub fn new_people(named: &Named) -> Vec<NewTestTaker> {
    named.rows.iter().filter(|row| row.invalid.is_none()).filter_map(|row| row.person.new_test_taker()).collect()
}
