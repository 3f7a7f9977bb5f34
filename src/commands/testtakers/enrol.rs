//! The commands that enrol: `testtakers enrol` for one person, `testtakers import` for a file, and what `sync` shares with them:
//! how long lost answers are waited for, and where rows go that failed.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::bulk::enrol::{EnrolOptions, OnExisting};
use crate::bulk::outcome::Of;
use crate::bulk::person::Person;
use crate::commands::account::{Account, BulkArgs};
use crate::commands::people::{Named, PersonRow, judge_typed};
use crate::commands::session::Session;
use crate::commands::work::Work;
use crate::model::people::NewTestTaker;
use crate::model::settle::SETTLE;
use crate::model::time::duration;
use crate::model::verdict::{Failure, Verdict};
use crate::output::Place;
use crate::roster::{Field, ReadOptions, Roster, SuspiciousArgs};

/// Enrol one person
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl testtakers enrol --email ann@example.com --reference-id EMP-00017")]
pub struct EnrolPerson {
    #[command(flatten)]
    person: Person,
    #[command(flatten)]
    suspicious: SuspiciousArgs,
    /// Allow others to have the same e-mail address
    #[arg(long)]
    shared_mailboxes: bool,
    #[command(flatten)]
    known: KnownArgs,
    #[command(flatten)]
    settle: SettleArgs,
    #[command(flatten)]
    bulk: BulkArgs,
}

impl EnrolPerson {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let account = self.bulk.begin(session)?;
        let values = [
            (Field::Email, self.person.email.as_deref()),
            (Field::FirstName, self.person.first_name.as_deref()),
            (Field::LastName, self.person.last_name.as_deref()),
            (Field::ReferenceId, self.person.reference_id.as_deref()),
        ];
        judge_typed(&values, &self.suspicious)?;
        let project = self.bulk.project.find(session).await?;
        let named = Named { rows: vec![PersonRow { person: self.person, ..PersonRow::default() }], roster: None };
        let work = Work::begin(session, &project, "testtakers enrol", self.bulk.dry_run).await?;
        let options = self.known.options(self.settle.options(session)?);
        let people = new_people(&named);
        let run = work.run(work.enrol(work.rows(&people, self.shared_mailboxes)?, options, None)).await?;
        account.end(&named, &run, Of::One, &project)
    }
}

/// Enrol people from a CSV or Excel file
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers import people.csv -p Demo\n  assessctl testtakers import staff.xlsx --dry-run\n  assessctl testtakers import people.csv --skip-invalid --failed-out failed.csv"
)]
pub struct ImportPeople {
    #[command(flatten)]
    known: KnownArgs,
    #[command(flatten)]
    with: RosterRun,
}

impl ImportPeople {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let (account, roster) = self.with.read(session)?;
        let named = Named::from(roster);
        let project = self.with.bulk.project.find(session).await?;
        let work = Work::begin(session, &project, "testtakers import", self.with.bulk.dry_run).await?;
        let options = self.known.options(self.with.settle.options(session)?);
        let people = new_people(&named);
        let rows = work.rows(&people, self.with.roster.shared_mailboxes)?;
        let run = work.run(work.enrol(rows, options, None)).await?;
        account.end(&named, &named.over_all(run), Of::Many, &project)
    }
}

/// What becomes of people who are in the project, or were.
#[derive(Args, Clone, Copy, Debug)]
struct KnownArgs {
    /// If enrolled already: skip, update or fail
    #[arg(long, value_name = "WHAT", default_value = "skip", hide_default_value = true, hide_possible_values = true)]
    on_existing: OnExisting,
    /// Enrol even if removed in the portal
    #[arg(long)]
    again: bool,
}

impl KnownArgs {
    fn options(self, options: EnrolOptions) -> EnrolOptions {
        EnrolOptions { again: self.again, on_existing: self.on_existing, ..options }
    }
}

/// How long rows in doubt are looked for.
#[derive(Args, Clone, Copy, Debug)]
pub struct SettleArgs {
    /// Max. wait to verify enrolments [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    settle: Option<Duration>,
    /// Do not wait to verify enrolments
    #[arg(long)]
    no_wait: bool,
}

impl SettleArgs {
    /// People who are in the project, or were removed elsewhere, are left as they are.
    pub fn options(&self, session: &Session) -> Result<EnrolOptions, Failure> {
        let (most, settle) = (usize::from(session.settings()?.concurrency), self.settle.unwrap_or(SETTLE));
        Ok(EnrolOptions { most, settle, waits: !self.no_wait, ..EnrolOptions::default() })
    }
}

/// Options of commands that enrol the people of a file.
#[derive(Args)]
pub struct RosterRun {
    /// CSV or Excel file of people; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Leave out rows with mistakes, enrol the rest
    #[arg(long)]
    pub skip_invalid: bool,
    /// CSV file for rows that failed (is replaced)
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
    pub fn read<'s>(&self, session: &'s Session) -> Result<(Account<'s>, Roster), Failure> {
        let mut account = self.bulk.begin(session)?;
        account.failed_out.clone_from(&self.failed_out);
        Place::of(self.failed_out.as_deref()).check()?;
        let written = [self.bulk.show.to.as_deref(), self.failed_out.as_deref()];
        Ok((account, session.read_roster(&self.file, &self.roster, Some(self.skip_invalid), &written)?))
    }
}

/// The people of the rows without a mistake.
pub fn new_people(named: &Named) -> Vec<NewTestTaker> {
    named.rows.iter().filter(|row| row.invalid.is_none()).filter_map(|row| row.person.new_test_taker()).collect()
}
