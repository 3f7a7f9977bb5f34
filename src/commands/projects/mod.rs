//! `assessctl projects`: the groups that are tested together.

mod columns;
mod create;
mod get;
mod link;
mod list;
mod operand;

use clap::Subcommand;

use crate::commands::shared::session::Session;
use crate::model::exit_ranks::Verdict;

/// The commands on projects
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  assessctl projects list
  assessctl projects get Demo -o json
  assessctl projects create 'Night shift'")]
pub enum ProjectsCommand {
    List(list::ListProjects),
    Get(get::GetProject),
    Create(create::CreateProject),
    Link(link::LinkProject),
}

impl ProjectsCommand {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(args) => args.run(session).await,
            Self::Get(args) => args.run(session).await,
            Self::Create(args) => args.run(session).await,
            Self::Link(args) => args.run(session).await,
        }
    }
}
