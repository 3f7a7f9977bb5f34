//! `config unset`: takes one value out of a profile.

use clap::Args;

use crate::commands::config::context::ConfigContext;
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::config::edit_profiles;

/// Take one value out of a profile: of the one in use, or of --profile.
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Nothing))]
#[command(after_help = "\
Examples:
  # a profile, and one value less
  assessctl config init --name main --base-url https://assess.example.com \\
      --project Demo
  assessctl config unset project --profile main")]
pub struct UnsetValue {
    /// A key as `config set` takes it, or api-key
    pub key: String,
}

pub fn run(args: &UnsetValue, context: ConfigContext<'_>) -> anyhow::Result<()> {
    let (mut profile, mut now) = (String::new(), "was not set");
    context.edit(|text, file| {
        profile = context.profile(text, file)?;
        let edited = edit_profiles::unset(text, file, &profile, &args.key)?;
        if edited.is_some() {
            now = "is not set any more";
        }
        Ok(edited)
    })?;
    context.console.aside(&format!("{} of profile {profile} {now}", args.key));
    Ok(())
}
