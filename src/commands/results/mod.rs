//! Results: list, get, export, changes, summary, report.

mod changes;
mod compare;
mod export;
mod get;
mod list;
mod pick;
mod report;
mod rows;
mod summary;
mod tally;
mod words;

use clap::Subcommand;

use super::session::Session;
use crate::model::verdict::Verdict;

/// List, export and compare the latest results
#[derive(Subcommand)]
pub enum ResultVerb {
    #[command(alias = "ls")]
    List(list::ListResults),
    #[command(alias = "show")]
    Get(get::GetResults),
    Export(export::ExportResults),
    Changes(changes::TellChanges),
    #[command(aliases = ["stats", "count"])]
    Summary(summary::SummarizeResults),
    Report(report::ReportResults),
}

impl ResultVerb {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(command) => command.run(session).await,
            Self::Get(command) => command.run(session).await,
            Self::Export(command) => command.run(session).await,
            Self::Changes(command) => command.run(session).await,
            Self::Summary(command) => command.run(session).await,
            Self::Report(command) => command.run(session).await,
        }
    }
}
