//! `assessctl testtakers check`: the mistakes of a CSV or workbook, without sending anything.

use clap::Args;

use crate::bulk::roster::Mistake;
use crate::commands::shared::roster_file::{RosterArgs, mistaken, say_understanding};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::output_format::Format;
use crate::output::{Columns, Record, Shape};

const COLUMNS: Columns<'static> = Columns::of(&["file", "line", "column", "cell", "field", "message"])
    .in_table(&["line", "column", "field", "message"])
    .called("mistake", "mistakes")
    .no_truncate(&["cell", "field"])
    .prose(&["message"]);

/// The same of a workbook: there people look for cells.
const CELLS: Columns<'static> = COLUMNS.in_table(&["cell", "field", "message"]);

/// Check a CSV or workbook of people and list its mistakes; nothing is sent
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Records(&COLUMNS)).printing(JsonShape::Many, JsonSource::Own))]
#[command(after_help = "\
Examples:
  assessctl testtakers check people.csv
  assessctl testtakers check people.csv --delimiter , --encoding utf-8 -o json")]
pub struct CheckRoster {
    #[command(flatten)]
    roster: RosterArgs,
}

impl CheckRoster {
    /// Runs the command. Mistakes are its result: they go to standard output, and the run ends as refused.
    pub fn run(&self, session: &Session) -> anyhow::Result<Verdict> {
        let roster = self.roster.check(session)?;
        let is_sheet = roster.sheet().is_some();
        let mut printer = session.printer_beside_csv(if is_sheet { &CELLS } else { &COLUMNS }, Shape::Many)?;
        say_understanding(session, &roster);
        for mistake in &roster.mistakes {
            let Mistake { line, column, about, message, .. } = mistake;
            // `header` and `row` where it is no single field.
            let field = about.to_string();
            let name = &roster.name;
            printer.push(Record::Cells(&[
                name.into(),
                (*line).into(),
                (*column).into(),
                roster.cell_name(mistake).into(),
                field.into(),
                message.into(),
            ]))?;
        }
        // A table without mistakes would be a lone header.
        if !roster.mistakes.is_empty() || session.show.format != Format::Table || session.show.to.is_some() {
            printer.finish()?;
        }
        if !roster.mistakes.is_empty() {
            return Err(mistaken(&roster, "", "correct them, or import with --skip-invalid").into());
        }
        session.console.note(&format!("{}: {}, no mistake", roster.name, counted(roster.row_count(), "row", "rows")));
        Ok(Verdict::Done)
    }
}
