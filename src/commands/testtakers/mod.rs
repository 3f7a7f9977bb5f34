//! Test takers: list, get, enrol, import, check, sync, update, remove.

mod check;
mod enrol;
mod get;
mod import;
mod list;
pub mod remove;
mod roster_run;
mod sync;
mod update;

use clap::Subcommand;

use super::session::Session;
use crate::model::verdict::Verdict;
use crate::output::Columns;

/// List, enrol, update and remove test takers
#[derive(Subcommand)]
pub enum TestTakerVerb {
    #[command(alias = "ls")]
    List(list::ListTestTakers),
    #[command(alias = "show")]
    Get(get::GetTestTakers),
    #[command(alias = "enroll")]
    Enrol(enrol::EnrolPerson),
    Import(import::ImportPeople),
    Check(check::CheckRoster),
    #[command(aliases = ["edit", "set"])]
    Update(update::UpdatePeople),
    #[command(aliases = ["rm", "delete"])]
    Remove(remove::RemovePeople),
    Sync(sync::SyncPeople),
}

impl TestTakerVerb {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(command) => command.run(session).await,
            Self::Get(command) => command.run(session).await,
            Self::Enrol(command) => command.run(session).await,
            Self::Import(command) => command.run(session).await,
            Self::Check(command) => command.run(session),
            Self::Update(command) => command.run(session).await,
            Self::Remove(command) => command.run(session).await,
            Self::Sync(command) => command.run(session).await,
        }
    }
}

/// The fields of a read record (specification, Result).
pub const COLUMNS: Columns = Columns {
    all: "id email referenceId firstName lastName fullName yearOfBirth result dateCompleted lastTestSentUtc topPerformer",
    table: "id referenceId email fullName result dateCompleted",
    quiet: Columns::PERSON,
    noun: ("test taker", "test takers"),
};
