//! The configuration file: init, show, set, unset, use, remove.

mod edit;
mod init;
mod show;

use clap::Subcommand;
use clap::builder::PossibleValuesParser;

use super::Ended;
use super::session::Session;
use crate::config::SANDBOX;
use crate::config::file;
use crate::model::verdict::Failure;

/// Set up profiles: address, API key, project
#[derive(Subcommand)]
pub enum ConfigVerb {
    #[command(aliases = ["add", "create", "new", "login"])]
    Init(init::InitProfile),
    #[command(aliases = ["get", "list", "ls"])]
    Show(show::ShowSettings),
    Set(edit::SetSetting),
    Unset(edit::UnsetSetting),
    Use(edit::UseProfile),
    #[command(aliases = ["rm", "delete"])]
    Remove(edit::RemoveProfile),
}

impl ConfigVerb {
    pub async fn run(self, session: &Session) -> Ended {
        match self {
            Self::Init(command) => command.run(session).await,
            Self::Show(command) => command.run(session),
            Self::Set(command) => command.run(session).await,
            Self::Unset(command) => command.run(session),
            Self::Use(command) => command.run(session),
            Self::Remove(command) => command.run(session),
        }
    }
}

/// The settings that a profile may have.
fn setting_names() -> PossibleValuesParser {
    file::settings().into()
}

/// Refuses a name that a hint could not repeat as it is.
fn check_new_name(name: &str) -> Result<(), Failure> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    match name {
        SANDBOX => Err(Failure::usage("the profile sandbox is there already: it has its own address and key")),
        _ if name.is_empty() || name.starts_with('-') || !name.chars().all(is_plain) => {
            Err(Failure::usage("the name of a profile has letters, digits, `-`, `_` and `.` only"))
        }
        _ => Ok(()),
    }
}
