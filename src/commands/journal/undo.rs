//! `journal undo`: which people of a file this machine enrolled and may remove again, and why the others stay.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use crate::bulk::each_row::Planned;
use crate::bulk::find_people::PeopleIndex;
use crate::bulk::known::KnownPeople;
use crate::bulk::outcome::Of;
use crate::bulk::rules::Reading;
use crate::commands::people::{Named, PersonRow};
use crate::commands::person::everybody;
use crate::commands::session::Session;
use crate::commands::testtakers::remove::RemovalArgs;
use crate::model::settle::SETTLE;
use crate::model::verdict::Verdict;
use crate::roster::ReadOptions;

/// Remove the people of a file from the project, if this machine enrolled them
#[derive(Args)]
#[command(after_help = "\
Other people stay, also those whose enrolment the service did not answer.

Examples:
  assessctl journal undo people.csv --dry-run
  assessctl journal undo people.csv --yes")]
pub struct UndoImport {
    /// CSV or Excel file of people; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    roster: ReadOptions,
    #[command(flatten)]
    removal: RemovalArgs,
}

impl UndoImport {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut account = self.removal.bulk.begin(session)?;
        account.existing = "left alone";
        let written = [self.removal.bulk.show.to.as_deref()];
        let named = Named::from(session.read_roster(&self.file, &self.roster, Some(true), &written)?);
        let project = self.removal.bulk.project.find(session).await?;
        let reading = Reading { began: Timestamp::now(), is_whole: true, settle: SETTLE, again: false };
        let records = everybody(session, project.id).await?;
        let index = PeopleIndex::new(records.iter().map(|read| &read.record));
        let journal = session.journal_to_read()?;
        let people = journal.people(project.id);
        let known = KnownPeople::new(people.load(Timestamp::now())?);
        let answered = known.answered();
        let find = |row: &PersonRow| index.answered(&row.person, known.of(row.identity(&people)), &answered, &reading);
        let planned = |row: &PersonRow| row.invalid.clone().map_or_else(|| find(row), Err);
        let mut rows: Vec<Planned<'_>> = named.rows.iter().map(planned).collect();
        named.excuse_fresh(session, project.id, None, &mut rows)?;
        let run = self.removal.remove(session, &project, &rows, "journal undo").await?;
        account.end(&named, &run, Of::Removals, &project)
    }
}
