//! The commands about test takers: which fields are shown, and `list`, `get` and `check`. The others have files.

mod enrol;
pub mod remove;
mod sync;
mod update;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::list::ListArgs;
use super::people::PeopleArgs;
use super::person::{only, records};
use super::project::ProjectArgs;
use super::session::Session;
use crate::model::people::TestTakerQuery;
use crate::model::text::counted;
use crate::model::verdict::Verdict;
use crate::output::{Columns, OutputArgs, Shape};
use crate::roster::{Needs, ReadOptions};

/// List, enrol, update and remove test takers
#[derive(Subcommand)]
pub enum TestTakerVerb {
    #[command(alias = "ls")]
    List(ListTestTakers),
    #[command(alias = "show")]
    Get(GetTestTakers),
    Enrol(enrol::EnrolPerson),
    Import(enrol::ImportPeople),
    #[command(alias = "validate")]
    Check(CheckRoster),
    #[command(aliases = ["edit", "set"])]
    Update(update::UpdatePeople),
    #[command(aliases = ["rm", "delete"])]
    Remove(remove::RemovePeople),
    Sync(sync::SyncPeople),
}

/// The fields of a read record (specification, Result).
const COLUMNS: Columns = Columns {
    all: "id email referenceId firstName lastName fullName yearOfBirth result dateCompleted lastTestSentUtc topPerformer",
    table: "id referenceId email fullName result dateCompleted",
    quiet: Columns::PERSON,
    noun: ("test taker", "test takers"),
};

/// List the test takers of a project
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers list -p Demo\n  assessctl testtakers list --has-reference-id false --to people.csv"
)]
pub struct ListTestTakers {
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    query: TestTakerQuery,
    #[command(flatten)]
    list: ListArgs,
}

impl ListTestTakers {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.list.show, &COLUMNS, Shape::Many)?;
        self.query.filters.check()?;
        let project = self.project.find(session).await?;
        self.list.print(session, &session.client().await?.test_takers(project.id, &self.query), &output).await
    }
}

/// Show test takers
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers get EMP-00017\n  assessctl testtakers get email:ann@example.com -o json\n  assessctl testtakers get --file people.csv"
)]
pub struct GetTestTakers {
    #[command(flatten)]
    people: PeopleArgs,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    show: OutputArgs,
}

impl GetTestTakers {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, self.people.shape())?;
        let named = self.people.read(session, Needs::Person, self.show.to.as_deref())?;
        let people: Vec<_> = named.references().map(|(_, person)| person).collect();
        let project = self.project.find(session).await?;
        let read = records(session, project.id, &people).await?;
        let mut found = Vec::new();
        for person in &people {
            found.extend(only(read.iter().filter(|read| person.fits(&read.record)).cloned().collect())?);
        }
        let verdict = named.absent(session, people.len() - found.len(), false, &session.place(&project))?;
        output.print(&found).map(|_| verdict)
    }
}

/// Check a CSV or Excel file without sending anything
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers check people.csv\n  assessctl testtakers check staff.xlsx --sheet Staff"
)]
pub struct CheckRoster {
    /// CSV or Excel file of people; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    roster: ReadOptions,
}

impl CheckRoster {
    pub fn run(&self, session: &Session) -> anyhow::Result<Verdict> {
        let roster = session.read_roster(&self.file, &self.roster, None, &[])?;
        let rows = counted(roster.rows.len(), "row", "rows");
        session.console.say(&format!("{}: {rows}, no mistakes", roster.table.file));
        Ok(Verdict::Done)
    }
}
