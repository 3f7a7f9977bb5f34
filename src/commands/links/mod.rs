//! `assessctl links`: one-time test links.

pub mod handout;
mod issue;
pub mod issue_many;

use clap::Subcommand;

use crate::commands::shared::session::Session;
use crate::model::exit_ranks::Verdict;

/// The commands on test links
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  assessctl links issue -p Demo ref:EMP-00017
  assessctl links issue -p Demo --file enrolled.csv --to links.csv")]
pub enum LinksCommand {
    Issue(issue::IssueLinks),
}

impl LinksCommand {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let Self::Issue(args) = self;
        args.run(session).await
    }
}
