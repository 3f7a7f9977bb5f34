//! `journal show`: which state of a person the user sees, and for which people.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use crate::bulk::compare::Relation;
use crate::bulk::known::KnownPeople;
use crate::commands::people::{Named, PersonRow};
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::journal::people::{Known, State};
use crate::model::time::utc;
use crate::model::verdict::Verdict;
use crate::output::{Cell, Columns, OutputArgs, Shape};
use crate::roster::ReadOptions;

const COLUMNS: Columns = Columns {
    all: "line email referenceId state since projectEntryId enrolmentId",
    table: "line email referenceId state since projectEntryId",
    quiet: &[("id:", "projectEntryId"), ("ref:", "referenceId"), ("email:", "email")],
    noun: ("person", "people"),
};

/// Show what this machine remembers of the people of a project or file
#[derive(Args)]
#[command(after_help = "\
Without FILE, no e-mail or reference id is shown: the journal has only hashes.

Examples:
  assessctl journal show -p Demo
  assessctl journal show people.csv")]
pub struct ShowJournal {
    /// CSV or Excel file of people; - is stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    roster: ReadOptions,
    #[command(flatten)]
    show: OutputArgs,
}

impl ShowJournal {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, Shape::Many)?;
        let written = [self.show.to.as_deref()];
        let read = |file: &PathBuf| session.read_roster(file, &self.roster, Some(true), &written);
        let named = self.file.as_ref().map(read).transpose()?.map(Named::from);
        let project = self.project.find(session).await?;
        let journal = session.journal_to_read()?;
        let people = journal.people(project.id);
        let known = people.load(Timestamp::now())?;
        let nobody = PersonRow::default();
        let records: Vec<_> = match &named {
            None => {
                // Whoever is in doubt has no entry to be named by.
                let is_shown =
                    |known: &&Known| !session.console.is_quiet() || !matches!(known.state, State::Open { .. });
                known.iter().filter(is_shown).map(|known| cells(&nobody, Some(known.state))).collect()
            }
            Some(named) => {
                let known = KnownPeople::new(known);
                let valid = named.rows.iter().filter(|row| row.invalid.is_none());
                let related = |row: &PersonRow| known.related(row.identity(&people), self.roster.shared_mailboxes);
                // Beside a row that contradicts them, somebody's entry would look like the row's.
                let is_theirs = |relation| matches!(relation, Relation::Same | Relation::SameEmail);
                let theirs = |row| related(row).into_iter().next().filter(|one| is_theirs(one.relation));
                valid.map(|row| cells(row, theirs(row).map(|one| one.state))).collect()
            }
        };
        output.print(&records).map(|_| named.map_or(Verdict::Done, |named| named.verdict()))
    }
}

fn cells(PersonRow { line, person, .. }: &PersonRow, known: Option<State>) -> Vec<Cell<'_>> {
    let (state, since, entry, enrolment) = match known {
        None => (None, None, None, None),
        Some(State::Open { since, .. }) => (Some("in-doubt"), Some(since), None, None),
        Some(State::Enrolled { entry, enrolment, at }) => (Some("enrolled"), Some(at), Some(entry), enrolment),
        Some(State::Removed { entry, at, .. }) => (Some("removed"), Some(at), Some(entry), None),
    };
    vec![
        line.and_then(|line| i64::try_from(line).ok()).into(),
        person.email.as_deref().into(),
        person.reference_id.as_deref().into(),
        state.into(),
        since.map(utc).into(),
        entry.map(|entry| i64::from(entry.0)).into(),
        enrolment.map(|id| id.to_string()).into(),
    ]
}
