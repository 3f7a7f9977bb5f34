//! What a run over many rows shows: which rows, the file of those to feed in again, the summary, and how the command ends.

use std::path::{Path, PathBuf};

use clap::Args;

use super::people::{Named, PersonRow};
use super::project::ProjectArgs;
use super::session::Session;
use crate::bulk::outcome::{Of, Outcome, RowEnd, Run};
use crate::model::projects::ProjectRef;
use crate::model::text::counted;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Cell, Columns, Output, OutputArgs, Place, Shape};
use crate::roster::{Header, Roster};

/// Options of commands that change people.
#[derive(Args)]
pub struct BulkArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Only show what would be done
    #[arg(long, alias = "dryrun")]
    pub dry_run: bool,
    #[command(flatten)]
    pub show: OutputArgs,
}

/// The fields of a row, and how it ended.
pub const COLUMNS: Columns = Columns {
    all: "line email firstName lastName birthYear referenceId outcome projectEntryId enrolmentId message",
    table: "line email referenceId outcome projectEntryId message",
    quiet: &[],
    noun: ("row", "rows"),
};

impl BulkArgs {
    /// Checks, before anything is read or sent, whether this profile may change something, and how the run is shown.
    pub fn begin<'s>(&self, session: &'s Session) -> Result<Account<'s>, Failure> {
        if !self.dry_run {
            session.may_write()?;
        }
        let output = session.output(&self.show, &COLUMNS, Shape::Many)?;
        let (is_complete, existing) = (self.show.is_given(), "already enrolled");
        Ok(Account { session, output, is_complete, failed_out: None, existing })
    }
}

/// How a run is shown.
pub struct Account<'s> {
    pub session: &'s Session,
    output: Output,
    /// Every row, and not only those that need somebody.
    pub is_complete: bool,
    /// Where rows go that did not succeed.
    pub failed_out: Option<PathBuf>,
    /// What the outcome `existing` is called in the summary.
    pub existing: &'static str,
}

impl Account<'_> {
    /// Shows a run, and gives its end. `of`: what it is, if it is not of one person.
    pub fn end(&self, named: &Named, run: &Run, of: Of, project: &ProjectRef) -> anyhow::Result<Verdict> {
        let counts = run.counts().summary(&[], self.existing);
        let parts = [&[counts], &run.notes[..]].concat().join(", ");
        let summary = format!("in {}: {parts}", self.session.place(project));
        self.show(named, run, |end| self.is_complete || end.needs_attention(), &summary)?;
        ended(run, if named.roster.is_none() && named.rows.len() == 1 { Of::One } else { of })
    }

    /// Shows these rows of a run, and its summary.
    pub fn show(
        &self,
        named: &Named,
        run: &Run,
        is_shown: impl Fn(&RowEnd) -> bool,
        summary: &str,
    ) -> anyhow::Result<()> {
        let shown = named.rows.iter().zip(&run.ends).filter(|(_, end)| is_shown(end));
        let records: Vec<Vec<Cell<'_>>> = shown.map(|(row, end)| cells(row, end, run.is_rehearsed)).collect();
        let failed = match (&self.failed_out, &named.roster) {
            (Some(to), Some(roster)) => write_failed(to, roster, run),
            _ => Ok(()),
        };
        let is_printed = self.is_complete || !records.is_empty();
        let printed = if is_printed { self.output.print(&records).map(drop) } else { Ok(()) };
        summary.lines().for_each(|line| self.session.console.say(line));
        // What was done is said, also where it could not be printed.
        printed.and(failed)
    }
}

fn cells<'a>(PersonRow { line, person, .. }: &'a PersonRow, end: &'a RowEnd, is_rehearsed: bool) -> Vec<Cell<'a>> {
    vec![
        line.and_then(|line| i64::try_from(line).ok()).into(),
        person.email.as_deref().into(),
        person.first_name.as_deref().into(),
        person.last_name.as_deref().into(),
        person.birth_year.map(i64::from).into(),
        person.reference_id.as_deref().into(),
        end.outcome.word(is_rehearsed).into(),
        end.entry.map(|entry| i64::from(entry.0)).into(),
        end.enrolment.map(|id| id.to_string()).into(),
        Some(end.message.as_str()).filter(|message| !message.is_empty()).into(),
    ]
}

/// The exit code of a run, and why it did not go to its end.
pub fn ended(run: &Run, of: Of) -> anyhow::Result<Verdict> {
    let verdict = run.verdict(of);
    if let Some(failure) = &run.failure {
        return Err(Failure { verdict, ..failure.clone() }.into());
    }
    let counts = run.counts();
    let open = counts.of(Outcome::InDoubt) + counts.of(Outcome::NotAttempted);
    match verdict {
        Verdict::Unfinished | Verdict::NothingDone if open > 0 => {
            let cause = format!("{} in doubt or not sent", counted(open, "row is", "rows are"));
            Err(Failure::new(verdict, cause).hint("run the same command again: it continues").into())
        }
        verdict => Ok(verdict),
    }
}

/// Writes the rows that did not succeed, with their original columns, so that they can be fed in again once they are right.
fn write_failed(to: &Path, roster: &Roster, run: &Run) -> anyhow::Result<()> {
    // Columns of an earlier report, which are written again.
    let is_ours = |header: &Header| header.field.is_none() && ["outcome", "message"].contains(&header.name.as_str());
    let kept = |count| (0..count).filter(|at: &usize| !roster.headers.get(*at).is_some_and(is_ours));
    let header = kept(roster.headers.len()).map(|at| roster.headers[at].name.as_str());
    let mut csv = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    // In front, where a row with too few or too many cells does not move them.
    csv.write_record(["outcome", "message"].into_iter().chain(header))?;
    for (row, end) in roster.rows.iter().zip(&run.ends) {
        // What is held needs no correction.
        let is_told = end.needs_attention() && end.outcome != Outcome::Held;
        if is_told || end.outcome == Outcome::NotAttempted {
            let cells = roster.cells(row);
            // Cells that are not under their headers stay so, or the next run would take them for sound.
            let count = if end.outcome == Outcome::Invalid { cells.len() } else { roster.headers.len() };
            let cells = kept(count).map(|at| cells.get(at).unwrap_or_default());
            csv.write_record([end.outcome.word(run.is_rehearsed), &end.message].into_iter().chain(cells))?;
        }
    }
    let bytes = csv.into_inner()?;
    Place::of(Some(to)).write(|out| Ok(out.write_all(&bytes)?)).map(drop)
}
