//! The commands about what this machine remembers. `journal list`, which counts it by project, is here; the others have files.

mod forget;
mod show;
mod undo;

use clap::{Args, Subcommand};

use super::session::Session;
use super::{Ended, plain_columns};
use crate::journal::forget::Remembered;
use crate::model::time::utc;
use crate::model::verdict::Verdict;
use crate::output::{Cell, Columns, OutputArgs, Shape};

/// Enrolments from this machine: show, undo, forget
#[derive(Subcommand)]
pub enum JournalVerb {
    #[command(alias = "ls")]
    List(ListJournal),
    #[command(alias = "get")]
    Show(show::ShowJournal),
    Undo(undo::UndoImport),
    Forget(forget::ForgetJournal),
}

const COLUMNS: Columns =
    plain_columns("projectId enrolled inDoubt removed latest", &[("", "projectId")], ("project", "projects"));

/// List the projects that this machine remembers
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl journal list")]
pub struct ListJournal {
    #[command(flatten)]
    show: OutputArgs,
}

impl ListJournal {
    pub fn run(&self, session: &Session) -> Ended {
        let output = session.output(&self.show, &COLUMNS, Shape::Many)?;
        let projects = session.journal_to_read()?.projects()?;
        let count = |count: usize| Cell::Json(count.into());
        let cells = |known: &Remembered| {
            let [enrolled, in_doubt, removed] = [known.enrolled, known.in_doubt, known.removed].map(count);
            vec![known.project.to_string().into(), enrolled, in_doubt, removed, known.latest.map(utc).into()]
        };
        let records: Vec<Vec<Cell<'_>>> = projects.iter().map(cells).collect();
        output.print(&records).map(|_| Verdict::Done)
    }
}
