//! `assessctl testtakers import`: each row of a CSV enrolled exactly once, and every row accounted for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use super::interrupt::Interrupt;
use super::progress::Bar;
use super::roster::{RosterArgs, refuse, say_understanding};
use super::session::{ProjectArg, Session};
use crate::api::{Client, Reached};
use crate::bulk::answer::Stop;
use crate::bulk::outcome::{Counts, Ended, Outcome};
use crate::bulk::plan::{Progress, Settings};
use crate::bulk::report::Report;
use crate::bulk::roster::Roster;
use crate::bulk::run::{Finished, Options, run};
use crate::journal::lock::Lock;
use crate::model::format::Format;
use crate::model::projects::ProjectId;
use crate::model::time::parse_duration;
use crate::model::verdict::{Failure, Verdict};
use crate::output::file::Replacement;
use crate::output::{self, Columns, Printer, Shape};

/// Arguments of `testtakers import`.
#[derive(Debug, Args)]
pub struct ImportTestTakers {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    roster: RosterArgs,
    /// Leave rows with mistakes out instead of refusing the file
    #[arg(long)]
    skip_invalid: bool,
    /// What to do about people who are enrolled already
    #[arg(long, value_enum, ignore_case = true, default_value = "skip", value_name = "WHAT")]
    on_existing: OnExisting,
    /// Show what would be done, and send nothing
    #[arg(long)]
    dry_run: bool,
    /// How long to look for a row whose answer was lost
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
    settle: Duration,
    /// Write the report, every row with its outcome, to this CSV
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write the rows that have to be fixed, with their original columns, to this CSV
    #[arg(long, value_name = "FILE")]
    failed_out: Option<PathBuf>,
}

/// `--on-existing`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnExisting {
    /// Leave them as they are
    Skip,
    /// Send nothing at all
    Fail,
}

impl ImportTestTakers {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        self.keep_files_apart(session)?;
        let roster = self.roster.read(session)?;
        say_understanding(session, &roster);
        if roster.is_blocked() || !(roster.mistakes.is_empty() || self.skip_invalid) {
            return Err(refuse(&roster).into());
        }
        if !self.dry_run {
            session.may_write_many("enrol", Some(roster.row_count()), &self.project)?;
        }
        let outputs = Outputs::open(session, &roster, self.report.as_deref(), self.failed_out.as_deref())?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        let _lock = self.lock(session, project)?;
        let finished = self.send(session, &client, project, &roster).await?;
        let written = outputs.write(session, &finished, self.dry_run);
        session.talk.note(&summary(&finished.counts, client.reached()));
        written?;
        match failure(&finished, self.failed_out.is_some()) {
            Some(failure) => Err(failure.into()),
            None => Ok(Verdict::Done),
        }
    }

    /// An output in the roster's place would lose its rows, and two in one place would lose one of them.
    fn keep_files_apart(&self, session: &Session) -> Result<(), Failure> {
        let roster = Some(&self.roster.file).filter(|file| file.as_os_str() != "-");
        let files = [
            ("the roster", roster),
            ("--report", self.report.as_ref()),
            ("--failed-out", self.failed_out.as_ref()),
            ("--to", session.show.to.as_ref()),
        ];
        let mut seen: Vec<(&str, PathBuf)> = Vec::new();
        for (what, file) in files {
            let Some(place) = file.and_then(|file| place(file)) else { continue };
            if let Some((other, _)) = seen.iter().find(|(_, known)| *known == place) {
                return Err(
                    Failure::usage(format!("{what} and {other} are the same file")).hint("give each a file of its own")
                );
            }
            seen.push((what, place));
        }
        Ok(())
    }

    /// One import at a time into one project; a dry run disturbs nobody.
    fn lock(&self, session: &Session, project: ProjectId) -> anyhow::Result<Option<Lock>> {
        if self.dry_run {
            return Ok(None);
        }
        Ok(Some(Lock::take(&session.settings.state_dir()?, &session.service_name()?, project)?))
    }

    /// Runs the import.
    async fn send(
        &self,
        session: &Session,
        client: &Client,
        project: ProjectId,
        roster: &Roster,
    ) -> anyhow::Result<Finished> {
        let plan = Settings {
            // The client's gate holds fewer under way while the service takes no more.
            concurrency: session.settings.concurrency.value.most() as usize,
            settle: self.settle,
            dry_run: self.dry_run,
            fail_on_existing: self.on_existing == OnExisting::Fail,
            seed: fastrand::u64(..),
        };
        let options = Options { plan, allow_doubles: self.roster.allow_doubles };
        let bar = Bar::new(session);
        watched_run(client, project, roster, options, |progress| bar.show(progress)).await
    }
}

/// The counts, and how fast it went where that says something.
pub(super) fn summary(counts: &Counts, reached: Reached) -> String {
    if reached.is_telling() { format!("{counts} ({reached})") } else { counts.to_string() }
}

/// Runs a plan until its end or the user's: a first signal lets what is under way finish, a second one leaves at once.
pub(super) async fn watched_run(
    client: &Client,
    project: ProjectId,
    roster: &Roster,
    options: Options,
    tell: impl FnMut(Progress),
) -> anyhow::Result<Finished> {
    let interrupt = Interrupt::watch()?;
    let interrupted = async { interrupt.requested().await == Verdict::Terminated };
    match interrupt.unless_pressed(run(client, project, roster, options, interrupted, tell)).await {
        Ok(finished) => finished.context("cannot read who is enrolled; nothing was sent"),
        Err(verdict) => {
            Err(Failure::new(verdict, "left at once: what came of the last requests is not known").hint(LOOK).into())
        }
    }
}

/// Where a regular file stands or would stand, through symbolic links; `None` for pipes and devices.
fn place(file: &Path) -> Option<PathBuf> {
    if let Ok(place) = std::fs::canonicalize(file) {
        return Some(place).filter(|place| place.is_file());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(std::fs::canonicalize(folder).ok()?.join(file.file_name()?))
}

/// What is written at the end. Everything is checked before the first request: a slip must not follow a write.
struct Outputs<'r> {
    report: Report<'r>,
    printer: Printer,
    report_file: Option<Printer>,
    failed_file: Option<Replacement>,
}

impl<'r> Outputs<'r> {
    fn open(
        session: &Session,
        roster: &'r Roster,
        report_to: Option<&Path>,
        failed_to: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let report = Report::new(roster);
        let names: Vec<&str> = report.columns().iter().map(String::as_str).collect();
        let table: Vec<&str> = report.in_table().iter().map(String::as_str).collect();
        let columns = Columns::of(&names).in_table(&table).uncut(&["line", "outcome", "projectEntryId"]);
        let printer = session.printer_beside_csv(&columns, Shape::Many)?;
        let csv = |path: &Path| {
            let to = Some(path.to_owned());
            let options = output::Options { format: Format::Csv, to, excel: session.show.excel, ..Default::default() };
            Printer::new(&columns, Shape::Many, &options)
        };
        let report_file = report_to.map(csv).transpose()?;
        let unwritable = |path: &Path| format!("cannot write to {}", path.display());
        let failed_file =
            failed_to.map(|path| Replacement::begin(path).with_context(|| unwritable(path))).transpose()?;
        Ok(Self { report, printer, report_file, failed_file })
    }

    /// Writes everything, also where one of them fails; the first failure is told.
    fn write(self, session: &Session, finished: &Finished, dry_run: bool) -> anyhow::Result<()> {
        let Self { report, mut printer, mut report_file, failed_file } = self;
        let table = session.show.format == Format::Table;
        let mut shown = 0;
        let mut pushed = Ok(());
        for (row, ended) in finished.ends.iter().enumerate() {
            let record = report.record(row, ended);
            if !table || dry_run || needs_attention(ended, finished.stop.as_ref()) {
                shown += 1;
                pushed = pushed.and(printer.push(&record));
            }
            if let Some(file) = &mut report_file {
                pushed = pushed.and(file.push(&record));
            }
        }
        let reported = report_file.map_or(Ok(()), Printer::finish);
        let to_fix = failed_file.map_or(Ok(()), |mut file| {
            report.write_failed(&finished.ends, session.show.excel, &mut file)?;
            file.commit()
        });
        // A table without rows would be a lone header.
        let printed = if table && shown == 0 && session.show.to.is_none() { Ok(()) } else { printer.finish() };
        pushed.and(reported).and(printed)?;
        to_fix.context("cannot write the rows to fix")
    }
}

/// Whether a table shows the row: what went as it should needs no line, and what was never launched is counted.
fn needs_attention(ended: &Ended, stop: Option<&Stop>) -> bool {
    match ended.outcome {
        Outcome::Existing => stop == Some(&Stop::Existing),
        Outcome::NotAttempted => ended.message.is_some(),
        outcome => outcome.is_to_fix() || outcome == Outcome::InDoubt,
    }
}

/// Why a run ended otherwise than it should, in one line, and what to type next.
pub(super) fn failure(finished: &Finished, failed_out: bool) -> Option<Failure> {
    let Finished { counts, verdict, stop, .. } = finished;
    let cause = cause(counts, stop.as_ref());
    let failure = Failure::new(*verdict, cause);
    let again = "run the same command again: it continues where this run stopped";
    let in_doubt = counts.of(Outcome::InDoubt) > 0;
    Some(match verdict {
        Verdict::Done => return None,
        Verdict::Interrupted | Verdict::Terminated | Verdict::Unfinished if in_doubt => failure.hint(LOOK),
        Verdict::Interrupted | Verdict::Terminated | Verdict::Unfinished => failure.hint(again),
        Verdict::Key => failure.hint("check the API key, then run the same command again"),
        Verdict::Usage => {
            failure.hint("the base URL is probably wrong; `assessctl config show` tells where it comes from")
        }
        Verdict::Refused => failure.hint("--on-existing skip leaves them as they are"),
        Verdict::NoAnswer => failure.hint("try again later"),
        Verdict::RowsToFix if !failed_out => {
            failure.hint("--failed-out FILE writes these rows into a file of their own")
        }
        _ => failure,
    })
}

const LOOK: &str = "look before you repeat: `assessctl testtakers list --filter EMAIL` tells whether they are enrolled";

fn cause(counts: &Counts, stop: Option<&Stop>) -> String {
    let of = |outcome| counts.of(outcome);
    let unfinished = || {
        let parts = [(of(Outcome::InDoubt), "in doubt"), (of(Outcome::NotAttempted), "not attempted")];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        parts.collect::<Vec<_>>().join(", ")
    };
    match stop {
        Some(Stop::Key(words)) => format!("the service refused the key: {words}"),
        Some(Stop::Gone(words)) => format!("the project is gone: {words}"),
        Some(Stop::Redirect(words) | Stop::NoAnswer(words) | Stop::OutOfTime(words)) => {
            format!("stopped with {}: {words}", unfinished())
        }
        Some(Stop::WrongIds) => "stopped: the ids of the service's list are not the entry ids that it answers when it \
             enrols, so nobody could be told apart"
            .to_owned(),
        Some(Stop::Existing) => format!("{} of the rows are enrolled already; nothing was sent", of(Outcome::Existing)),
        Some(Stop::Interrupted { .. }) => match unfinished() {
            left if left.is_empty() => "interrupted".to_owned(),
            left => format!("interrupted: {left}"),
        },
        None if counts.any(Outcome::is_unfinished) => format!("not finished: {}", unfinished()),
        None => {
            let to_fix = Outcome::ALL.into_iter().filter(|outcome| outcome.is_to_fix()).map(of).sum::<usize>();
            format!("{to_fix} of {} rows need somebody's attention", counts.total())
        }
    }
}
