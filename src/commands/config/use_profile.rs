//! `config use`: makes a profile the default.

use clap::Args;

use crate::commands::config::context::ConfigContext;
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::config::{PROFILE, edit_profiles};

/// Make a profile the default: the one in use where neither --profile nor the environment says otherwise.
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Nothing))]
#[command(after_help = "\
Examples:
  assessctl config use sandbox")]
pub struct UseProfile {
    /// Name of the profile
    pub name: String,
}

pub fn run(args: &UseProfile, context: ConfigContext<'_>) -> anyhow::Result<()> {
    context.edit(|text, file| Ok(Some(edit_profiles::use_profile(text, file, &args.name)?)))?;
    context.console.aside(&format!("profile {} is the default now", args.name));
    if let Some((variable, _)) = context.environment.text(&PROFILE.about)?.filter(|(_, name)| *name != args.name) {
        context.console.warn(&format!("{variable} is set and goes before the default"));
    }
    Ok(())
}
