//! `assessctl testtakers import`: each row of a CSV enrolled exactly once, and every row accounted for.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use crate::api::{Client, Stats};
use crate::bulk::answer::Stop;
use crate::bulk::outcome::{Counts, Finished, Outcome, RowResult};
use crate::bulk::report::Report;
use crate::bulk::roster::Roster;
use crate::commands::journal::lock;
use crate::commands::shared::progress::Bar;
use crate::commands::shared::roster_file::{RosterArgs, accept, say_understanding};
use crate::commands::shared::run_failure::{LOOK, failure};
use crate::commands::shared::session::{ProjectArg, Session};
use crate::commands::testtakers::enrol_run::{DoubtArgs, Enrolling, Manner, OnExisting};
use crate::commands::testtakers::import_links::LinkArgs;
use crate::model::format::Format;
use crate::model::projects::ProjectId;
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
    /// Write the report, every row with its outcome, to this CSV
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write the rows that have to be fixed, with their original columns, to this CSV
    #[arg(long, value_name = "FILE")]
    failed_out: Option<PathBuf>,
    #[command(flatten)]
    links: LinkArgs,
}

/// What becomes of people whom the service or this machine knows.
#[derive(Debug, Args)]
struct KnownArgs {
    /// What to do about people who are enrolled already
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
        let mut roster = self.roster.read(session)?;
        if self.assign_reference_ids {
            roster.assign_reference_ids();
        }
        say_understanding(session, &roster);
        accept(&roster, self.skip_invalid)?;
        if !self.dry_run {
            session.may_write_many("enrol", Some(roster.row_count()), &self.project)?;
        }
        let outputs = Outputs::open(session, &roster, self.report.as_deref(), self.failed_out.as_deref())?;
        let mut handout = self.links.open()?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        roster.assign(project);
        let _lock = if self.dry_run { None } else { Some(lock(session, project)?) };
        if let Some(handout) = &mut handout {
            handout.prepare(session, &client, project).await?;
        }
        let finished = self.send(session, &client, project, &roster).await?;
        let written = outputs.write(session, &finished, self.dry_run);
        session.talk.note(&summary(&finished.counts, client.stats()));
        written?;
        let failed = failure(&finished, self.failed_out.is_some(), LOOK);
        let links = match handout.filter(|_| finished.stop.is_none()) {
            Some(handout) => handout.run(session, &client, project, &roster, &finished.ends).await?,
            None => None,
        };
        match [failed, links].map(|failure| failure.map(|failure| (failure.verdict, failure))) {
            [None, None] => Ok(Verdict::Done),
            [Some((_, one)), None] | [None, Some((_, one))] => Err(one.into()),
            [Some((enrolling, first)), Some((issuing, second))] => {
                let (worse, other) = if enrolling >= issuing { (first, second) } else { (second, first) };
                session.talk.warn(&other.cause);
                Err(worse.into())
            }
        }
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
    async fn send(
        &self,
        session: &Session,
        client: &Client,
        project: ProjectId,
        roster: &Roster,
    ) -> anyhow::Result<Finished> {
        let enrolling = Enrolling {
            // The client's gate holds fewer under way while the service takes no more.
            concurrency: session.settings.concurrency.value.most() as usize,
            manner: if self.dry_run { Manner::DryRun } else { Manner::Locked },
            on_existing: self.known.on_existing,
            again: self.known.again,
            allow_doubles: self.roster.reading.allow_doubles,
        };
        let bar = Bar::new(session);
        enrolling.run(session, client, (project, roster), self.doubt, |progress| bar.show(progress)).await
    }
}

/// The counts, and how fast it went where that says something.
pub fn summary(counts: &Counts, stats: Stats) -> String {
    if stats.is_telling() { format!("{counts} ({stats})") } else { counts.to_string() }
}

/// An output in the roster's place would lose its rows, and two in one place would lose one of them.
pub fn keep_apart<const N: usize>(files: [(&str, Option<&PathBuf>); N]) -> Result<(), Failure> {
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (what, file) in files {
        let Some(place) = file.and_then(|file| place(file)) else { continue };
        if let Some((other, _)) = seen.iter().find(|(_, known)| *known == place) {
            let cause = format!("{what} and {other} are the same file");
            return Err(Failure::usage(cause).hint("give each a file of its own"));
        }
        seen.push((what, place));
    }
    Ok(())
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
pub struct Outputs<'r> {
    report: Report<'r>,
    /// `None` where something else is printed.
    printer: Option<Printer>,
    report_file: Option<Printer>,
    failed_file: Option<Replacement>,
}

impl<'r> Outputs<'r> {
    pub fn open(
        session: &Session,
        roster: &'r Roster,
        report_to: Option<&Path>,
        failed_to: Option<&Path>,
    ) -> anyhow::Result<Self> {
        // `--excel` is about the roster, and about what is printed only where that is CSV too.
        let excel = session.show.excel && session.show.format == Format::Csv;
        let show = output::Options { excel, ..session.show.clone() };
        Self::prepare(session, Some(&show), roster, report_to, failed_to)
    }

    /// `show` says how the report is printed; `None` for not at all.
    pub fn prepare(
        session: &Session,
        show: Option<&output::Options>,
        roster: &'r Roster,
        report_to: Option<&Path>,
        failed_to: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let report = Report::new(roster);
        let names: Vec<&str> = report.columns().iter().map(String::as_str).collect();
        let table: Vec<&str> = report.in_table().iter().map(String::as_str).collect();
        let columns = Columns::of(&names).in_table(&table).uncut(&["line", "outcome", "projectEntryId"]);
        let printer = show.map(|show| Printer::new(&columns, Shape::Many, show)).transpose()?;
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
    pub fn write(self, session: &Session, finished: &Finished, dry_run: bool) -> anyhow::Result<()> {
        let Self { report, mut printer, mut report_file, failed_file } = self;
        let table = session.show.format == Format::Table;
        let mut shown = 0;
        let mut pushed = Ok(());
        for (row, ended) in finished.ends.iter().enumerate() {
            let record = report.record(row, ended);
            if !table || dry_run || needs_attention(ended, finished.stop.as_ref()) {
                shown += 1;
                pushed = pushed.and(printer.as_mut().map_or(Ok(()), |printer| printer.push(&record)));
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
        let lone = table && shown == 0 && session.show.to.is_none();
        let printed = printer.filter(|_| !lone).map_or(Ok(()), Printer::finish);
        pushed.and(reported).and(printed)?;
        to_fix.context("cannot write the rows to fix")
    }
}

/// Whether a table shows the row: what went as it should needs no line, and what was never launched is counted.
fn needs_attention(ended: &RowResult, stop: Option<&Stop>) -> bool {
    match ended.outcome {
        Outcome::Existing => stop == Some(&Stop::Existing),
        Outcome::NotAttempted => ended.message.is_some(),
        outcome => outcome.is_to_fix() || outcome == Outcome::InDoubt,
    }
}
