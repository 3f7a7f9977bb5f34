//! Results: list, get, summary.

mod get;
mod list;
mod pick;
mod summary;
mod tally;
mod words;

use clap::Subcommand;

use super::session::Session;
use crate::model::people::is_flagged;
use crate::model::verdict::Verdict;
use crate::output::Columns;

/// List and show the latest results
#[derive(Subcommand)]
pub enum ResultVerb {
    #[command(alias = "ls")]
    List(list::ListResults),
    #[command(alias = "show")]
    Get(get::GetResults),
    #[command(aliases = ["stats", "count"])]
    Summary(summary::SummarizeResults),
}

impl ResultVerb {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(command) => command.run(session).await,
            Self::Get(command) => command.run(session).await,
            Self::Summary(command) => command.run(session).await,
        }
    }
}

/// The fields of a result in either documented shape, and of the single read (specification, Result).
const COLUMNS: Columns = Columns {
    all: &[
        "id",
        "referenceId",
        "email",
        "firstName",
        "lastName",
        "fullName",
        "yearOfBirth",
        "result",
        "dateCompleted",
        "lastTestSentUtc",
        "topPerformer",
        "identityVerified",
        "identityStatus",
        "status",
    ],
    table: &["id", "referenceId", "fullName", "result", "dateCompleted"],
    ids: &["id", "referenceId"],
    times: &["dateCompleted", "lastTestSentUtc"],
    quiet: Columns::PERSON,
    noun: ("result", "results"),
    red: Some(("result", is_flagged)),
};
