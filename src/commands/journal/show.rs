//! `journal show`.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use crate::bulk::known::KnownPeople;
use crate::commands::project::ProjectArgs;
use crate::commands::roster_args::{RosterArgs, check};
use crate::commands::session::Session;
use crate::journal::database::Journal;
use crate::journal::people::{Known, State};
use crate::model::time::utc;
use crate::model::verdict::Verdict;
use crate::output::{Cell, Columns, OutputArgs, Shape};
use crate::roster::{Needs, Person};

const COLUMNS: Columns = Columns {
    all: &["line", "email", "referenceId", "state", "since", "projectEntryId", "enrolmentId"],
    table: &["line", "email", "referenceId", "state", "since", "projectEntryId"],
    ids: &["line", "referenceId", "projectEntryId", "enrolmentId"],
    times: &["since"],
    quiet: &[("id:", "projectEntryId")],
    noun: ("person", "people"),
    red: None,
};

/// Show what this machine knows of a project's people, or of a file's rows
#[derive(Args)]
#[command(after_help = "\
The journal holds no names: without FILE, people are shown by their ids.

Examples:
  assessctl journal show -p Demo
  assessctl journal show people.csv")]
pub struct ShowJournal {
    /// CSV or Excel file of people; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    roster: RosterArgs,
    #[command(flatten)]
    show: OutputArgs,
}

impl ShowJournal {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, Shape::Many)?;
        let roster = match &self.file {
            Some(file) => {
                let roster = self.roster.read(session, file, Needs::Enrolment, None)?;
                check(session, &roster, true)?;
                Some(roster)
            }
            None => None,
        };
        let project = self.project.find(session).await?;
        let journal = Journal::open_to_read(&session.settings()?.state_dir)?;
        let people = journal.people(project.id);
        let known = people.load(Timestamp::now())?;
        let records = match &roster {
            None => known.iter().map(|known| record(None, &Person::default(), Some(known))).collect(),
            Some(roster) => {
                let known = KnownPeople::new(known);
                let rows = roster.rows.iter().filter_map(|row| Some((row.line, roster.who(row)?)));
                let row = |(line, person): (usize, Person)| {
                    let email = person.email.as_deref().unwrap_or_default();
                    let found = known.of(people.identity(person.reference_id.as_deref(), email)).copied();
                    record(Some(line), &person, found.as_ref())
                };
                rows.map(row).collect::<Vec<_>>()
            }
        };
        output.print(&records)?;
        Ok(Verdict::Done)
    }
}

/// Owned cells, because each row's person is made here.
fn record(line: Option<usize>, person: &Person, known: Option<&Known>) -> Vec<Cell<'static>> {
    let text = |text: Option<&str>| text.map(str::to_owned).into();
    let (state, since, entry, enrolment) = match known.map(|known| known.state) {
        None => (None, None, None, None),
        Some(State::Open { since, .. }) => (Some("in-doubt"), Some(since), None, None),
        Some(State::Enrolled { entry, enrolment, at }) => (Some("enrolled"), Some(at), Some(entry), enrolment),
        Some(State::Removed { entry, at, .. }) => (Some("removed"), Some(at), Some(entry), None),
    };
    vec![
        line.and_then(|line| i64::try_from(line).ok()).into(),
        text(person.email.as_deref()),
        text(person.reference_id.as_deref()),
        text(state),
        since.map(utc).into(),
        entry.map(|entry| i64::from(entry.0)).into(),
        enrolment.map(|id| id.to_string()).into(),
    ]
}
