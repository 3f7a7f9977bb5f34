//! `assessctl journal list`: services and projects, with how many rows ended how.

use clap::Args;

use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::journal::clock::utc;
use crate::journal::summaries::summaries;
use crate::model::cell::Cell;
use crate::model::exit_ranks::Verdict;
use crate::output::{Columns, Record, Shape};

/// What is printed for each project.
const COLUMNS: Columns<'static> = Columns::of(&[
    "service",
    "project",
    "first",
    "last",
    "rows",
    "enrolled",
    "refused",
    "notAttempted",
    "inDoubt",
    "accounts",
])
.no_truncate(&["project"])
.times(&["first", "last"]);

/// List what is remembered: services and projects, with how many rows ended how
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Records(&COLUMNS)).printing(JsonShape::Many, JsonSource::Own))]
#[command(after_help = "\
Examples:
  assessctl journal list
  assessctl journal list -o json")]
pub struct ListJournal {}

impl ListJournal {
    /// Runs the command, which has no arguments.
    pub fn run(session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&COLUMNS, Shape::Many)?;
        for summary in summaries(&session.journal()?)? {
            let [rows, enrolled, refused, free, open] = summary.counts;
            let (first, last) = (utc(summary.first).into(), utc(summary.last).into());
            let counts = [rows, enrolled, refused, free, open].map(Cell::from);
            let whose = [summary.service.into(), summary.project.into(), first, last];
            let accounts = [Cell::from(summary.accounts)];
            printer.push(Record::Cells(&[whose.as_slice(), &counts, &accounts].concat()))?;
        }
        printer.finish()?;
        Ok(Verdict::Done)
    }
}
