//! `config use`: which profile is the default.

use clap::Args;

use crate::commands::config::context::{Around, write};
use crate::config::edit;

/// Make a profile the default: the one in use where neither --profile nor the environment says otherwise.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  assessctl config use sandbox")]
pub struct UseProfile {
    /// Name of the profile
    pub name: String,
}

/// Runs the command.
pub fn run(args: &UseProfile, around: Around<'_>) -> anyhow::Result<()> {
    let (file, text) = around.read()?;
    write(&file, &edit::use_profile(&text, &file, &args.name)?)?;
    around.talk.aside(&format!("profile {} is the default now", args.name));
    if around.environment.profile.as_ref().is_some_and(|other| *other != *args.name) {
        around.talk.warn("ASSESSCTL_PROFILE is set and goes before the default");
    }
    Ok(())
}
