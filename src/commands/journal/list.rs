//! `assessctl journal list`: services and projects, with how many rows ended how.

use clap::Args;

use crate::commands::journal::time::utc;
use crate::commands::shared::session::Session;
use crate::journal::rows::summaries;
use crate::journal::store::Store;
use crate::model::verdict::Verdict;
use crate::output::{Columns, Shape};

/// What is printed for each project.
pub const COLUMNS: Columns<'static> =
    Columns::of(&["service", "project", "first", "last", "rows", "enrolled", "refused", "notAttempted", "inDoubt"])
        .uncut(&["project"]);

/// List what is remembered: services and projects, with how many rows ended how
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assessctl journal list
  assessctl journal list -o json")]
pub struct ListJournal {}

impl ListJournal {
    /// Runs the command, which has no arguments.
    pub fn run(session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&COLUMNS, Shape::Many)?;
        for summary in summaries(&Store::open(&session.settings.state_dir()?)?)? {
            let [rows, enrolled, refused, free, open] = summary.counts;
            printer.push(&serde_json::to_string(&serde_json::json!({
                "service": summary.service,
                "project": summary.project,
                "first": utc(summary.first),
                "last": utc(summary.last),
                "rows": rows,
                "enrolled": enrolled,
                "refused": refused,
                "notAttempted": free,
                "inDoubt": open,
            }))?)?;
        }
        printer.finish()?;
        Ok(Verdict::Done)
    }
}
