//! `assessctl journal show`: the rows of a project, without names.

use clap::Args;
use serde::Serialize;

use crate::commands::journal::time::utc;
use crate::commands::shared::journal::rows;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::journal::rows::{KeyState, KnownRow};
use crate::model::testtakers::EntryId;
use crate::model::verdict::Verdict;
use crate::output::{Columns, Shape};

/// What is printed for each row.
pub const COLUMNS: Columns<'static> =
    Columns::of(&["row", "line", "outcome", "projectEntryId", "enrolmentId", "attempts", "sent", "known"])
        .uncut(&["row", "projectEntryId"]);

/// Show the rows of a project: no names, only numbers, lines, entry ids and times
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assessctl journal show -p Demo
  assessctl journal show -p Demo --in-doubt")]
pub struct ShowRows {
    #[command(flatten)]
    project: ProjectArg,
    /// Only rows of which nobody knows whether they are enrolled
    #[arg(long)]
    in_doubt: bool,
}

/// A row as `journal show` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownRow {
    row: i64,
    line: u32,
    outcome: &'static str,
    project_entry_id: Option<EntryId>,
    enrolment_id: Option<uuid::Uuid>,
    attempts: u32,
    sent: String,
    known: Option<String>,
}

impl From<KnownRow> for ShownRow {
    fn from(known: KnownRow) -> Self {
        let (outcome, entry, enrolment, when) = match known.state {
            KeyState::Open { .. } => ("in-doubt", None, None, None),
            KeyState::Free => ("not-attempted", None, None, None),
            KeyState::Refused => ("refused", None, None, None),
            KeyState::Enrolled { entry, enrolment, known } => ("enrolled", Some(entry), enrolment, Some(known)),
        };
        Self {
            row: known.number,
            line: known.line,
            outcome,
            project_entry_id: entry,
            enrolment_id: enrolment,
            attempts: known.attempts,
            sent: utc(known.intended),
            known: when.map(utc),
        }
    }
}

impl ShowRows {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&COLUMNS, Shape::Many)?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        for known in rows(session, project)?.all(self.in_doubt)? {
            printer.push(&serde_json::to_string(&ShownRow::from(known))?)?;
        }
        printer.finish()?;
        Ok(Verdict::Done)
    }
}
