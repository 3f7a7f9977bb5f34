//! What this machine remembers: list, show, undo, forget.

mod forget;
mod list;
mod show;
mod undo;

use clap::Subcommand;

use super::Ended;
use super::session::Session;

/// Show, undo and forget what this machine remembers
#[derive(Subcommand)]
pub enum JournalVerb {
    #[command(alias = "ls")]
    List(list::ListJournal),
    #[command(alias = "get")]
    Show(show::ShowJournal),
    Undo(undo::UndoImport),
    Forget(forget::ForgetJournal),
}

impl JournalVerb {
    pub async fn run(self, session: &Session) -> Ended {
        match self {
            Self::List(command) => command.run(session),
            Self::Show(command) => command.run(session).await,
            Self::Undo(command) => command.run(session).await,
            Self::Forget(command) => command.run(session).await,
        }
    }
}
