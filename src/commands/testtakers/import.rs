//! `assessctl testtakers import`: each row of a CSV enrolled exactly once, and every row accounted for.

use std::path::PathBuf;

use clap::Args;

use crate::bulk::on_existing::OnExisting;
use crate::bulk::outcome::{Finished, Outcome};
use crate::bulk::roster::Roster;
use crate::bulk::run_plan::Enrolling;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::{ProjectArg, ProjectContext};
use crate::commands::shared::roster_file::{RosterArgs, accept, say_understanding};
use crate::commands::shared::run_account::{Outputs, count, keep_apart, summary};
use crate::commands::shared::run_failure::{InDoubt, end_of_parts, failure};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::commands::testtakers::enrol_run::{DoubtArgs, EnrolRun, LockMode};
use crate::commands::testtakers::import_links::ImportLinksArgs;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;

/// Enrol each person of a CSV or workbook exactly once, and account for every row
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Write, Prints::Rows).with_status().with_people().with_secrets().printing(JsonShape::Many, JsonSource::OwnAndNamed))]
#[command(after_help = "\
Files are taken as they arrive from spreadsheets and HR systems. Everything is checked before anything is sent; \
running the same command again continues where it stopped.

Each row is enrolled once for one state directory. What another machine, another account or the portal does is found by \
comparing and told, and so is a request that takes effect later than --settle.

Examples:
  assessctl testtakers import -p Demo people.csv --dry-run
  assessctl testtakers import -p Demo people.csv --assign-reference-ids \\
      --with-links links.csv
  assessctl testtakers import -p Demo people.csv --report report.csv \\
      --failed-out fix.csv
  assessctl testtakers import -p Demo people.csv --skip-invalid --settle 1m \\
      -o ndjson")]
pub struct ImportTestTakers {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    roster: RosterArgs,
    /// Leave rows with mistakes out instead of refusing the file
    #[arg(long)]
    skip_invalid: bool,
    #[command(flatten)]
    known: KnownArgs,
    /// Show what would be done, and send nothing
    #[arg(long)]
    dry_run: bool,
    /// Give rows without a reference id one that stays the same, so that they can be looked up exactly
    #[arg(long)]
    assign_reference_ids: bool,
    #[command(flatten)]
    doubt: DoubtArgs,
    /// Write the report, every row with its outcome, to this CSV or workbook (.xlsx)
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write the rows that have to be fixed, with their original columns, to this CSV or workbook (.xlsx)
    #[arg(long, value_name = "FILE")]
    failed_out: Option<PathBuf>,
    #[command(flatten)]
    links: ImportLinksArgs,
}

/// What becomes of people that the service or this machine knows.
#[derive(Debug, Args)]
struct KnownArgs {
    /// What to do about people who are enrolled already, but not by this machine: what it did counts as done
    #[arg(long, value_enum, ignore_case = true, default_value = "skip", value_name = "WHAT")]
    on_existing: OnExisting,
    /// Enrol people anew whom this machine enrolled and who were removed since
    #[arg(long)]
    again: bool,
}

impl ImportTestTakers {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        self.keep_files_apart(session)?;
        if self.failed_out.is_some() || self.links.with_links.is_some() {
            session.refuse_masked("a file to work with")?;
        }
        let mut roster = self.roster.read(session)?;
        if self.assign_reference_ids {
            roster.assign_reference_ids();
        }
        say_understanding(session, &roster);
        accept(session, &roster, self.skip_invalid)?;
        if !self.dry_run {
            session.may_write_many("enrol", Some(roster.row_count()), &self.project)?;
        }
        let files = [self.report.as_deref(), self.failed_out.as_deref()];
        let outputs = Outputs::open(session, Some(session.options_beside_csv()), &roster, files)?;
        let mut handout = self.links.open(session.show.excel)?;
        let context = self.project.open(session).await?;
        roster.assign(context.project);
        let _lock = if self.dry_run { None } else { Some(context.lock()?) };
        if let Some(handout) = &mut handout {
            handout.prepare(&context).await?;
        }
        let finished = self.send(&context, &roster).await?;
        count(session, &finished.counts);
        let written = outputs.write(session, &finished, self.dry_run);
        session.console.summary(&summary(session, &finished.counts, context.client.stats()));
        written?;
        let failed = failure(&finished, self.failed_out.is_some(), InDoubt::Awaited);
        let links = match handout.filter(|_| finished.stop.is_none()) {
            Some(handout) => handout.run(&context, self.doubt.settle, &roster, &finished.ends).await?,
            None => None,
        };
        let changes = finished.counts.any(Outcome::is_change);
        end_of_parts(session.console, failed.into_iter().chain(links).collect(), changes)
    }

    fn keep_files_apart(&self, session: &Session) -> Result<(), Failure> {
        let roster = Some(&self.roster.file).filter(|file| file.as_os_str() != "-");
        keep_apart([
            ("the roster", roster),
            ("--report", self.report.as_ref()),
            ("--failed-out", self.failed_out.as_ref()),
            ("--with-links", self.links.with_links.as_ref()),
            ("--to", session.show.to.as_ref()),
        ])
    }

    /// Runs the import.
    async fn send(&self, context: &ProjectContext<'_>, roster: &Roster) -> anyhow::Result<Finished> {
        let enrol_run = EnrolRun {
            // The client's gate holds fewer under way while the service takes no more.
            concurrency: context.session.settings.concurrency.value.most() as usize,
            lock_mode: if self.dry_run { LockMode::DryRun } else { LockMode::Locked },
            on_existing: self.known.on_existing,
            again: self.known.again,
            allow_duplicates: self.roster.reading.allow_duplicates,
        };
        let bar = RunBar::new(context.session.console);
        let enrolling = Enrolling::all(context.project, roster);
        enrol_run.run(context, enrolling, self.doubt, |progress| bar.show(progress)).await
    }
}
