//! The account of a run over many rows: its files and its summary.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Context as _;

use crate::api::Stats;
use crate::bulk::early_stop::Stop;
use crate::bulk::outcome::{Counts, Finished, Outcome, RowResult};
use crate::bulk::report::Report;
use crate::bulk::roster::Roster;
use crate::commands::shared::mask::Renamed;
use crate::commands::shared::session::Session;
use crate::files::{Replacement, is_stream, whole_name};
use crate::model::cell::Cell;
use crate::model::failure::Failure;
use crate::model::output_format::Format;
use crate::output::{self, Columns, Options, Printer, Record, Shape, check_ending};

/// The counts, where that was, and how fast it went where that says something.
pub fn summary(session: &Session, counts: &Counts, stats: Stats) -> String {
    let place = session.place();
    if stats.is_telling() { format!("{counts}{place}; {stats}") } else { format!("{counts}{place}") }
}

/// Notes for `--status` how many rows ended how, and how many of those that are enrolled an earlier run enrolled.
pub fn count(session: &Session, counts: &Counts) {
    session.counts.add("rows", counts.total());
    for outcome in Outcome::ALL.into_iter().filter(|outcome| counts.of(*outcome) > 0) {
        session.counts.add(outcome.name(), counts.of(outcome));
    }
    if counts.earlier > 0 {
        session.counts.add("enrolled-earlier", counts.earlier);
    }
}

/// An output in the roster's place would lose its rows, and two in one place would lose one of them.
pub fn keep_apart<const N: usize>(files: [(&str, Option<&PathBuf>); N]) -> Result<(), Failure> {
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (what, file) in files {
        let Some(place) = file.filter(|file| !is_stream(file)).map(|file| whole_name(file)) else { continue };
        if let Some((other, _)) = seen.iter().find(|(_, known)| *known == place) {
            let cause = format!("{what} and {other} are the same file");
            return Err(Failure::usage(cause).hint("give each a file of its own"));
        }
        seen.push((what, place));
    }
    Ok(())
}

/// What is written at the end. Everything is checked before the first request: a slip must not follow a write.
pub struct Outputs<'r> {
    report: Report<'r>,
    /// `None` where something else is printed.
    printer: Option<Printer>,
    report_file: Option<Printer>,
    failed_file: Option<FailedFile>,
}

/// The rows to fix: CSV, or a workbook where the file is called so.
enum FailedFile {
    Csv(Replacement),
    Workbook(Box<Printer>),
}

/// The format of a file that is CSV unless it is called a workbook; an error where it is called anything else.
fn csv_or_workbook(to: &Path) -> Result<Format, output::Error> {
    if to.extension().and_then(OsStr::to_str).and_then(Format::of_ending) == Some(Format::Xlsx) {
        return Ok(Format::Xlsx);
    }
    check_ending(to, Format::Csv.ending()).map(|()| Format::Csv)
}

impl<'r> Outputs<'r> {
    /// `show` says how the report is printed; `None` for not at all. The files are those of `--report` and `--failed-out`.
    pub fn open(
        session: &Session,
        show: Option<Options>,
        roster: &'r Roster,
        [report_to, failed_to]: [Option<&Path>; 2],
    ) -> anyhow::Result<Self> {
        let report = Report::new(roster);
        let names: Vec<&str> = report.columns().iter().map(String::as_str).collect();
        let table: Vec<&str> = report.in_table().iter().map(String::as_str).collect();
        let columns = Columns::of(&names).called("row", "rows").in_table(&table).prose(&["message"]);
        let show = show.map(|show| of_rows(&report, Options { is_account: true, ..show }));
        let printer = show.map(|show| Printer::new(&columns, Shape::Many, &show)).transpose()?;
        let report_file = match report_to {
            Some(to) => Some(Printer::new(&columns, Shape::Many, &of_rows(&report, beside(session, to)?))?),
            None => None,
        };
        let failed_file = failed_to.map(|to| FailedFile::begin(session, roster, to)).transpose()?;
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
                pushed = pushed.and(printer.as_mut().map_or(Ok(()), |printer| printer.push(Record::Cells(&record))));
            }
            if let Some(file) = &mut report_file {
                pushed = pushed.and(file.push(Record::Cells(&record)));
            }
        }
        let reported = report_file.map_or(Ok(()), Printer::finish);
        let to_fix = failed_file.map_or(Ok(()), |file| file.write(&report, &finished.ends, session.show.excel));
        // A table without rows would be a lone header.
        let lone = table && shown == 0 && session.show.to.is_none();
        let printed = printer.filter(|_| !lone).map_or(Ok(()), Printer::finish);
        pushed.and(reported).and(printed)?;
        to_fix.context("cannot write the rows to fix")
    }
}

/// Has a mask know what the columns of a report are.
fn of_rows(report: &Report<'_>, options: Options) -> Options {
    let mask = options.mask.map(|mask| Rc::new(Renamed { mask, fields: report.fields() }) as Rc<_>);
    Options { mask, ..options }
}

/// How a file beside the output is written.
fn beside(session: &Session, to: &Path) -> Result<Options, output::Error> {
    let format = csv_or_workbook(to)?;
    let excel = session.show.excel && format == Format::Csv;
    let (console, mask) = (session.show.console, session.show.mask.clone());
    Ok(Options { format, excel, mask, console, to: Some(to.to_owned()), ..Default::default() })
}

impl FailedFile {
    fn begin(session: &Session, roster: &Roster, to: &Path) -> anyhow::Result<Self> {
        if csv_or_workbook(to)? == Format::Xlsx {
            let names: Vec<&str> = roster.columns.headers.iter().map(|(name, _)| name.as_str()).collect();
            let columns = Columns::of(&names).called("row to fix", "rows to fix");
            let printer = Printer::new(&columns, Shape::Many, &beside(session, to)?)?;
            return Ok(Self::Workbook(Box::new(printer)));
        }
        let begun = Replacement::begin_shared(to, None);
        Ok(Self::Csv(begun.with_context(|| format!("cannot write to {}", to.display()))?))
    }

    fn write(self, report: &Report<'_>, ends: &[RowResult], excel: bool) -> anyhow::Result<()> {
        match self {
            Self::Csv(mut file) => {
                report.write_failed(ends, excel, &mut file)?;
                Ok(file.commit()?)
            }
            Self::Workbook(mut printer) => {
                for cells in report.failed(ends) {
                    printer.push(Record::Cells(&cells.map(Cell::from).collect::<Vec<_>>()))?;
                }
                Ok(printer.finish()?)
            }
        }
    }
}

/// Whether a table shows the row: what went as it should needs no line, and what was never launched is counted.
fn needs_attention(ended: &RowResult, stop: Option<&Stop>) -> bool {
    match ended.outcome {
        Outcome::Existing => stop == Some(&Stop::Existing),
        _ => ended.needs_attention(),
    }
}
