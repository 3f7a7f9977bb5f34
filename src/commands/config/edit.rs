//! `config set`, `unset`, `use` and `remove`.

use clap::Args;

use super::{check_new_name, setting_names};
use crate::commands::Ended;
use crate::commands::project::look_up;
use crate::commands::session::Session;
use crate::config::edit;
use crate::config::key::KeySource;
use crate::model::projects::ProjectId;
use crate::model::verdict::Verdict;

const SET_HELP: &str = "\
Examples:
  assessctl config set project \"Night shift\"
  assessctl config set api-key-file ~/assess.key --profile night
  assessctl config set api-key-command '[\"pass\", \"show\", \"assess\"]'

Keys: base-url, api-key-file, api-key-command, project, output, concurrency,
timeout, ca-cert, allow-http, read-only";

/// Set a setting of a profile; a new profile is created
#[derive(Args)]
#[command(after_help = SET_HELP)]
pub struct SetSetting {
    /// Setting to change
    #[arg(value_name = "KEY", value_parser = setting_names(), hide_possible_values = true)]
    key: String,
    /// New value; a project is looked up by name or id
    #[arg(value_name = "VALUE")]
    value: String,
}

impl SetSetting {
    pub async fn run(self, session: &Session) -> Ended {
        let (file, config) = session.config()?;
        let profile = session.profile(&config)?;
        if config.profile(&profile).is_err() {
            check_new_name(&profile)?;
        }
        let mut value = self.value;
        match self.key.as_str() {
            "project" => value = project(session, &value).await?,
            "api-key-file" => drop(KeySource::File(value.clone().into()).read().await?),
            _ => {}
        }
        edit::edit(&file, |text| edit::set(text, &profile, &self.key, &value))?;
        session.console.note(&format!("{} is set in the profile {profile}", self.key));
        Ok(Verdict::Done)
    }
}

/// A project as a profile keeps it: by the name that the service has, or by its id.
pub(super) async fn project(session: &Session, name: &str) -> anyhow::Result<String> {
    let found = look_up(session, name).await?;
    Ok(if name.parse::<ProjectId>().is_ok() { found.id.to_string() } else { found.name })
}

/// Remove a setting from a profile
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl config unset project\n  assessctl config unset read-only --profile night"
)]
pub struct UnsetSetting {
    /// Setting to remove
    #[arg(value_name = "KEY", value_parser = setting_names(), hide_possible_values = true)]
    key: String,
}

impl UnsetSetting {
    pub fn run(self, session: &Session) -> Ended {
        let (file, config) = session.config()?;
        let profile = session.profile(&config)?;
        edit::edit(&file, |text| edit::unset(text, &profile, &self.key))?;
        session.console.note(&format!("{} is removed from the profile {profile}", self.key));
        Ok(Verdict::Done)
    }
}

/// Make a profile the default
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl config use night")]
pub struct UseProfile {
    /// Profile for commands without --profile
    #[arg(value_name = "PROFILE")]
    name: String,
}

impl UseProfile {
    pub fn run(self, session: &Session) -> Ended {
        edit::edit(&session.config()?.0, |text| edit::use_profile(text, &self.name))?;
        session.console.note(&format!("commands without --profile use {}", self.name));
        Ok(Verdict::Done)
    }
}

/// Remove a profile with its settings
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl config remove night")]
pub struct RemoveProfile {
    /// Profile to remove
    #[arg(value_name = "PROFILE")]
    name: String,
    /// Don't ask
    #[arg(short, long)]
    yes: bool,
}

impl RemoveProfile {
    pub fn run(self, session: &Session) -> Ended {
        let (file, config) = session.config()?;
        config.profile(&self.name)?;
        session.confirm(&format!("Remove the profile {} from {}?", self.name, file.display()), self.yes)?;
        edit::edit(&file, |text| edit::remove(text, &self.name))?;
        session.console.note(&format!("the profile {} is removed", self.name));
        Ok(Verdict::Done)
    }
}
