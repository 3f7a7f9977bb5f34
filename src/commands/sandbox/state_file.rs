//! The file with the embedded service's state, and what went wrong with it in words for people.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::sandbox::Error;

/// The embedded service's state, in the folder for state.
pub const STATE_FILE: &str = "sandbox.db";

/// Where the state is. `set` has the option without the short form, which names the project's state there.
#[derive(Debug, Args)]
pub struct StateFile {
    /// File that holds the sandbox's state
    #[arg(long, value_name = "FILE", visible_alias = "state")]
    state_file: Option<PathBuf>,
}

impl StateFile {
    /// The file that is named, or the one in the folder for state.
    pub fn or(&self, default: &Path) -> PathBuf {
        self.state_file.clone().unwrap_or_else(|| default.to_owned())
    }
}

/// An error of the sandbox with how the command ends and what to do about it.
pub fn failure(error: &Error) -> Failure {
    let (verdict, hint) = match error {
        Error::File { .. } | Error::State(_) | Error::Listen(_) => (Verdict::Unforeseen, None),
        Error::NotOurs { .. } => (Verdict::Usage, Some("give another file with --state-file FILE")),
        Error::Newer { .. } => (Verdict::Usage, Some("use that version, or give another file with --state-file FILE")),
        Error::NoProject => (Verdict::NotFound, Some("run `assessctl --profile sandbox projects list`")),
        Error::SeveralProjects => (Verdict::Usage, Some("give its id: `assessctl --profile sandbox projects list`")),
        Error::NoTestTaker => (Verdict::NotFound, Some("run `assessctl --profile sandbox testtakers list`")),
        Error::SeveralTestTakers { .. } => (Verdict::Usage, Some("name one of them by its id")),
    };
    Failure { hint: hint.map(str::to_owned), ..Failure::new(verdict, error.to_string()) }
}
