//! `sandbox reset`.

use clap::Args;

use crate::commands::Ended;
use crate::commands::session::Session;
use crate::model::verdict::Verdict;
use crate::sandbox::{PROJECT, reset};

/// Remove everything and begin again with one empty project
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl sandbox reset")]
pub struct ResetSandbox {
    /// Don't ask
    #[arg(short, long)]
    yes: bool,
}

impl ResetSandbox {
    pub fn run(self, session: &Session) -> Ended {
        let folder = session.sandbox_folder()?;
        session.confirm("Remove all projects, people, links and redirect URIs from the sandbox?", self.yes)?;
        reset(&folder)?;
        session.console.note(&format!("the sandbox has one empty project: {PROJECT}"));
        Ok(Verdict::Done)
    }
}
