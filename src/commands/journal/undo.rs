//! `journal undo`: which people of a file this machine enrolled and may remove again, and why the others stay.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use crate::bulk::each_row::Planned;
use crate::bulk::find_people::{Others, PeopleIndex};
use crate::bulk::known::KnownPeople;
use crate::bulk::outcome::{Of, Outcome, RowEnd};
use crate::commands::people::{Named, PersonRow};
use crate::commands::person::everybody;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::commands::testtakers::remove::RemovalArgs;
use crate::journal::people::{Known, People};
use crate::model::people::EntryId;
use crate::model::person::PersonRef;
use crate::model::verdict::Verdict;
use crate::roster::ReadOptions;

/// Remove the people in a file who were enrolled from this machine
#[derive(Args)]
#[command(after_help = "\
It does not matter which import enrolled them. Others stay, and so does anybody
whose enrolment the service never confirmed.

Examples:
  assessctl journal undo people.csv --dry-run
  assessctl journal undo people.csv --yes")]
pub struct UndoImport {
    /// CSV or Excel file of people; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    roster: ReadOptions,
    #[command(flatten)]
    removal: RemovalArgs,
}

impl UndoImport {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut account = self.removal.bulk.begin(session)?;
        account.existing = "not touched";
        let written = [self.removal.bulk.show.to.as_deref()];
        let named = Named::from(session.read_roster(&self.file, &self.roster, true, &written)?);
        let project = self.project.find(session).await?;
        let records = everybody(session, project.id).await?;
        let index = PeopleIndex::new(records.iter().map(|read| &read.record));
        let journal = session.journal_to_read()?;
        let people = journal.people(project.id);
        let known = KnownPeople::new(people.load(Timestamp::now())?);
        let answered = known.all().filter(|known| known.state.enrolment().is_some());
        let answered: HashSet<EntryId> = answered.filter_map(|known| known.state.entry()).collect();
        let planned = |row| planned(row, &index, &answered, known.of(row.identity(&people)), people);
        let mut rows: Vec<Planned<'_>> = named.rows.iter().map(planned).collect();
        named.excuse_fresh(session, project.id, None, &mut rows)?;
        let run = self.removal.remove(session, &project, &rows, "journal undo").await?;
        account.end(&named, &run, Of::Removals, &project)
    }
}

/// The person of a row whom this machine enrolled, or how the row ends without one.
fn planned<'l>(
    row: &PersonRow,
    index: &PeopleIndex<'l>,
    answered: &HashSet<EntryId>,
    known: Option<&Known>,
    people: People<'_>,
) -> Planned<'l> {
    if let Some(invalid) = &row.invalid {
        return Err(invalid.clone());
    }
    // Whichever reference id they were enrolled with.
    let named = index.find_one(&row.person, None, Others::Names);
    if let Ok(record) = named
        && record.entry_id().is_some_and(|entry| answered.contains(&entry))
    {
        return Ok(record);
    }
    let Some(entry) = known.and_then(|known| known.state.entry()).filter(|entry| answered.contains(entry)) else {
        return Err(RowEnd::new(Outcome::Existing).message("not enrolled from here"));
    };
    match index.of(&PersonRef::Id(entry)) {
        [record, ..] if people.of_record(record) == row.identity(&people) => Ok(record),
        [] => Err(RowEnd::new(Outcome::Absent).entry(entry)),
        _ => Err(RowEnd::new(Outcome::Conflict)
            .entry(entry)
            .message("the entry has another reference id or e-mail than this row")),
    }
}
