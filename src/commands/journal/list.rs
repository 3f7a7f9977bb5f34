//! `journal list`.

use clap::Args;

use crate::commands::plain_columns;
use crate::commands::session::Session;
use crate::model::time::utc;
use crate::model::verdict::Verdict;
use crate::output::{Cell, Columns, OutputArgs, Shape};

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
    pub fn run(&self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, Shape::Many)?;
        let projects = session.journal_to_read()?.projects()?;
        let count = |count: usize| Cell::Int(i64::try_from(count).unwrap_or(i64::MAX));
        let records: Vec<Vec<Cell<'_>>> = projects
            .iter()
            .map(|known| {
                vec![
                    known.project.to_string().into(),
                    count(known.enrolled),
                    count(known.in_doubt),
                    count(known.removed),
                    known.latest.map(utc).into(),
                ]
            })
            .collect();
        output.print(&records)?;
        Ok(Verdict::Done)
    }
}
