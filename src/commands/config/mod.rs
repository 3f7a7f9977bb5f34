//! The commands about the configuration: what each of them changes in the file, and what a new profile may be called.

mod init;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::project::ProjectArgs;
use super::session::Session;
use super::{Ended, plain_columns};
use crate::config::file::settings;
use crate::config::key::KeySource;
use crate::config::settings::SettingRow;
use crate::config::{SANDBOX, edit};
use crate::model::projects::ProjectId;
use crate::model::text::or_known;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Cell, Columns, OutputArgs, Shape};

/// Set up profiles: address, API key, project
#[derive(Subcommand)]
pub enum ConfigVerb {
    #[command(aliases = ["add", "create", "new", "login"])]
    Init(init::InitProfile),
    #[command(aliases = ["get", "list", "ls", "view", "path"])]
    Show(ShowSettings),
    Set(SetSetting),
    Unset(UnsetSetting),
    Use(UseProfile),
    #[command(aliases = ["rm", "delete"])]
    Remove(RemoveProfile),
}

/// Refuses a name that a hint could not repeat as it is.
fn check_new_name(name: &str) -> Result<String, Failure> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    match name {
        SANDBOX => Err(Failure::usage("the profile sandbox exists already, with its own address and key")),
        _ if name.is_empty() || name.starts_with('-') || !name.chars().all(is_plain) => {
            Err(Failure::usage("the name of a profile has letters, digits, `-`, `_` and `.` only"))
        }
        _ => Ok(name.to_owned()),
    }
}

const COLUMNS: Columns = plain_columns("setting value origin", &[("", "setting")], ("setting", "settings"));
const VALUE: Columns = plain_columns("value", &[("", "value")], ("setting", "settings"));

/// Show settings and where they come from
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl config show\n  assessctl config show --profile night -o json\n  assessctl config show project"
)]
pub struct ShowSettings {
    /// Print the value of this setting only
    #[arg(value_name = "SETTING")]
    key: Option<String>,
    #[command(flatten)]
    show: OutputArgs,
}

impl ShowSettings {
    pub fn run(self, session: &Session) -> Ended {
        let rows = &session.settings()?.rows;
        let Some(key) = self.key else {
            let output = session.output(&self.show, &COLUMNS, Shape::Many)?;
            output.print(&rows.iter().map(cells).collect::<Vec<_>>())?;
            return Ok(Verdict::Done);
        };
        let output = session.output(&self.show, &VALUE, Shape::Text)?;
        let known: Vec<&str> = rows.iter().map(|row| row.name).collect();
        let unknown = || Failure::usage(format!("there is no such setting{}", or_known(&key, &known)));
        let name = key.strip_suffix("-file").or(key.strip_suffix("-command")).unwrap_or(&key);
        let row = rows.iter().find(|row| row.name == name).ok_or_else(unknown)?;
        let unset = || Failure::new(Verdict::NotFound, format!("{key} is not set"));
        output.print(&[row.value.clone().ok_or_else(unset)?]).map(|_| Verdict::Done)
    }
}

fn cells(row: &SettingRow) -> Vec<Cell<'_>> {
    let origin = row.value.as_ref().map(|_| format!("{:?}", row.origin).to_lowercase());
    vec![row.name.into(), row.value.as_deref().into(), origin.into()]
}

const SET_HELP: &str = "\
Examples:
  assessctl config set project \"Night shift\"
  assessctl config set api-key-file ~/assess.key --profile night
  assessctl config set api-key-command '[\"pass\", \"show\", \"assess\"]'

Settings: base-url, api-key-file, api-key-command, project, output, concurrency,
timeout, ca-cert, allow-http, read-only";

/// Set a setting of a profile
#[derive(Args)]
#[command(after_help = SET_HELP)]
pub struct SetSetting {
    /// Setting to change, as listed above
    #[arg(value_name = "SETTING", value_parser = PossibleValuesParser::new(settings()), hide_possible_values = true)]
    key: String,
    /// New value; for project: its name or id
    #[arg(value_name = "VALUE")]
    value: String,
}

impl SetSetting {
    pub async fn run(self, session: &Session) -> Ended {
        edit::check_setting(&self.key)?;
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
async fn project(session: &Session, name: &str) -> anyhow::Result<String> {
    let found = ProjectArgs { project: Some(name.to_owned()) }.named(session).await?;
    Ok(if name.parse::<ProjectId>().is_ok() { found.id.to_string() } else { found.name })
}

/// Remove a setting from a profile
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl config unset project\n  assessctl config unset read-only --profile night"
)]
pub struct UnsetSetting {
    /// Setting to remove
    #[arg(value_name = "SETTING", value_parser = PossibleValuesParser::new(settings()), hide_possible_values = true)]
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
    /// Do not ask
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
