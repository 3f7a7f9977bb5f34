//! Test links: issue.

mod issue;

use clap::Subcommand;

use super::Ended;
use super::session::Session;

/// Issue one-time test links
#[derive(Subcommand)]
pub enum LinkVerb {
    #[command(aliases = ["create", "new", "add"])]
    Issue(issue::IssueLinks),
}

impl LinkVerb {
    pub async fn run(self, session: &Session) -> Ended {
        match self {
            Self::Issue(command) => command.run(session).await,
        }
    }
}
