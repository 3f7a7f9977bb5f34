//! `assessctl redirect-uris`: the workspace's allowlist for the redirect after an assessment.

mod add;
mod list;

use clap::Subcommand;

use crate::commands::shared::session::Session;
use crate::model::exit_ranks::Verdict;

/// The commands on the workspace's redirect URIs
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  assessctl redirect-uris list
  assessctl redirect-uris add https://hr.example.com/done")]
pub enum RedirectUrisCommand {
    List(list::ListUris),
    Add(add::AddUris),
}

impl RedirectUrisCommand {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(args) => args.run(session).await,
            Self::Add(args) => args.run(session).await,
        }
    }
}
