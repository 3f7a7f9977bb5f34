//! `assessctl journal`: what this machine remembers of enrolments, and settling by hand what is not known.

mod forget;
mod list;
mod resolve;
mod show;
mod undo;

use clap::Subcommand;

use crate::commands::shared::session::Session;
use crate::model::exit_ranks::Verdict;

/// The commands on the journal
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  assessctl journal list
  assessctl journal show -p Demo --in-doubt")]
pub enum JournalCommand {
    List(list::ListJournal),
    Show(show::ShowRows),
    Resolve(resolve::ResolveRow),
    Undo(undo::UndoRoster),
    Forget(forget::ForgetRows),
}

impl JournalCommand {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(_) => list::ListJournal::run(session),
            Self::Show(args) => args.run(session).await,
            Self::Resolve(args) => args.run(session).await,
            Self::Undo(args) => args.run(session).await,
            Self::Forget(args) => args.run(session).await,
        }
    }
}
