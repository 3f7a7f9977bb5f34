//! What is shown of a run over many rows: records, rows to feed in again, a summary, and the exit code.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;

use super::session::Session;
use crate::bulk::outcome::{Of, Outcome, Run};
use crate::files::Target;
use crate::model::text::counted;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Cell, Columns, Output, OutputArgs, Shape};
use crate::roster::{Person, Roster};

/// The fields of a row, and how it ended.
pub const COLUMNS: Columns = Columns {
    all: &[
        "line",
        "email",
        "firstName",
        "lastName",
        "birthYear",
        "referenceId",
        "outcome",
        "projectEntryId",
        "enrolmentId",
        "message",
    ],
    table: &["line", "email", "referenceId", "outcome", "projectEntryId", "message"],
    ids: &["line", "referenceId", "projectEntryId", "enrolmentId"],
    times: &[],
    quiet: &[],
    noun: ("row", "rows"),
    red: None,
};

/// A row of a run.
pub struct AccountRow {
    /// Its line in the file; `None` where there is no file.
    pub line: Option<usize>,
    pub person: Person,
}

/// How a run is shown.
pub struct Account {
    output: Output,
    /// Every row, and not only those that need somebody.
    pub is_complete: bool,
}

impl Account {
    /// Checks the options before anything is sent.
    pub fn new(session: &Session, show: &OutputArgs) -> Result<Self, Failure> {
        Ok(Self { output: session.output(show, &COLUMNS, Shape::Many)?, is_complete: show.is_given() })
    }

    /// Shows a run and gives its end. `place` is where it worked.
    pub fn end(
        self,
        session: &Session,
        rows: &[AccountRow],
        run: &Run,
        of: Of,
        place: &str,
    ) -> anyhow::Result<Verdict> {
        let counts = format!("{}{place}", run.counts());
        let parts: Vec<&str> = [counts.as_str()].into_iter().chain(run.notes.iter().map(String::as_str)).collect();
        let is_complete = self.is_complete;
        let is_shown = |row: usize| is_complete || run.ends[row].needs_attention();
        self.show(session, rows, run, is_shown, &parts.join("; "))?;
        ended(run, of)
    }

    /// Shows these rows of a run, and its summary.
    pub fn show(
        self,
        session: &Session,
        rows: &[AccountRow],
        run: &Run,
        is_shown: impl Fn(usize) -> bool,
        summary: &str,
    ) -> anyhow::Result<()> {
        let shown = rows.iter().zip(&run.ends).enumerate().filter(|(at, _)| is_shown(*at));
        let records: Vec<Vec<Cell<'_>>> = shown
            .map(|(_, (AccountRow { line, person }, end))| {
                vec![
                    line.and_then(|line| i64::try_from(line).ok()).into(),
                    person.email.as_deref().into(),
                    person.first_name.as_deref().into(),
                    person.last_name.as_deref().into(),
                    person.birth_year.map(i64::from).into(),
                    person.reference_id.as_deref().into(),
                    end.outcome.word(run.is_rehearsed).into(),
                    end.entry.map(|entry| i64::from(entry.0)).into(),
                    end.enrolment.map(|id| id.to_string()).into(),
                    Some(end.message.as_str()).filter(|message| !message.is_empty()).into(),
                ]
            })
            .collect();
        let is_printed = self.is_complete || !(records.is_empty() || session.console.is_quiet());
        let printed = if is_printed { self.output.print(&records).map(drop) } else { Ok(()) };
        session.console.say(summary);
        // What was done is said, also where it could not be printed.
        printed
    }
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

/// The rows of a file.
pub fn rows(roster: &Roster) -> Vec<AccountRow> {
    let rows = roster.rows.iter();
    rows.map(|row| AccountRow { line: Some(row.line), person: roster.who(row).unwrap_or_default() }).collect()
}

/// Writes the rows that did not succeed, with their original columns, so that they can be fed in again once they are right.
pub fn write_failed(to: &Path, roster: &Roster, run: &Run) -> anyhow::Result<()> {
    let kept: Vec<usize> =
        (0..roster.headers.len()).filter(|at| !is_ours(roster, *at, &["outcome", "message"])).collect();
    let mut target = Target::create(to).with_context(|| format!("cannot write {}", to.display()))?;
    let mut csv = csv::Writer::from_writer(Vec::new());
    let header = kept.iter().map(|at| roster.headers[*at].name.as_str());
    csv.write_record(header.chain(["outcome", "message"]))?;
    for (row, end) in roster.rows.iter().zip(&run.ends) {
        if end.needs_attention() || end.outcome == Outcome::NotAttempted {
            let cells = roster.cells(row);
            let cells = kept.iter().map(|at| cells.get(*at).map_or("", |cell| cell.as_ref()));
            csv.write_record(cells.chain([end.outcome.word(run.is_rehearsed), &end.message]))?;
        }
    }
    let bytes = csv.into_inner().context("cannot write the rows")?;
    target.write_all(&bytes).and_then(|()| target.commit()).with_context(|| format!("cannot write {}", to.display()))
}

/// Whether a column is one that we write ourselves, from an earlier report.
fn is_ours(roster: &Roster, at: usize, names: &[&str]) -> bool {
    let header = &roster.headers[at];
    header.field.is_none() && names.iter().any(|name| header.name.eq_ignore_ascii_case(name))
}
