//! `assessctl journal show`: the rows of a project, without names.

use clap::Args;

use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::journal::clock::utc;
use crate::journal::row_store::{KeyState, KnownRow};
use crate::model::cell::Cell;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::output::{Columns, Record, Shape};

/// What is printed for each row.
const COLUMNS: Columns<'static> =
    Columns::of(&["row", "line", "outcome", "projectEntryId", "enrolmentId", "attempts", "sent", "known", "account"])
        .in_table(&["row", "line", "outcome", "projectEntryId", "attempts", "sent"])
        .times(&["sent", "known"])
        .called("row", "rows");

/// Show the rows of a project: no names, only numbers, lines, entry ids and times
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Records(&COLUMNS)).printing(JsonShape::Many, JsonSource::Own))]
#[command(after_help = "\
Examples:
  assessctl journal show -p Demo
  assessctl journal show -p Demo --in-doubt")]
pub struct ShowRows {
    #[command(flatten)]
    project: ProjectArg,
    /// Only rows that may or may not be enrolled
    #[arg(long)]
    in_doubt: bool,
}

fn cells<'a>(known: &KnownRow, account: Option<&'a str>) -> [Cell<'a>; 9] {
    let (outcome, entry, enrolment, when) = match known.state {
        KeyState::Open { .. } => ("in-doubt", None, None, None),
        KeyState::Free => ("not-attempted", None, None, None),
        KeyState::Refused => ("refused", None, None, None),
        KeyState::Enrolled { entry, enrolment, known } => ("enrolled", Some(entry), enrolment, Some(known)),
    };
    [
        known.number.into(),
        known.line.into(),
        outcome.into(),
        entry.into(),
        enrolment.map(|id| id.to_string()).into(),
        known.attempts.into(),
        utc(known.intended).into(),
        when.map(utc).into(),
        account.into(),
    ]
}

impl ShowRows {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&COLUMNS, Shape::Many)?;
        let rows = self.project.open(session).await?.rows()?;
        let accounts = rows.accounts()?;
        let mut count = 0;
        for known in rows.all(self.in_doubt)? {
            count += 1;
            let account = accounts.get(&known.number).map(String::as_str);
            printer.push(Record::Cells(&cells(&known, account)))?;
        }
        let place = session.place_of_list();
        printer.at(&place, session.guesses_the_project()).finish()?;
        // Rows look alike in every project.
        let said = format!("{}{place}", counted(count, "row", "rows"));
        match count {
            0 => {}
            _ if session.guesses_the_project() => session.console.note(&said),
            _ => session.console.aside(&said),
        }
        Ok(Verdict::Done)
    }
}
