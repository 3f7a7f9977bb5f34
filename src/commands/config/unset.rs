//! `config unset`: one value less in a profile.

use clap::Args;

use crate::commands::config::context::{Around, write};
use crate::config::edit;

/// Take one value out of a profile: of the one in use, or of --profile.
#[derive(Args, Debug)]
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

/// Runs the command.
pub fn run(args: &UnsetValue, around: Around<'_>) -> anyhow::Result<()> {
    let (file, text) = around.read()?;
    let profile = around.profile(&text, &file)?;
    match edit::unset(&text, &file, &profile, &args.key)? {
        Some(text) => {
            write(&file, &text)?;
            around.talk.aside(&format!("{} of profile {profile} is not set any more", args.key));
        }
        None => around.talk.aside(&format!("{} of profile {profile} was not set", args.key)),
    }
    Ok(())
}
