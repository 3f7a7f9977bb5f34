//! `config set`: one value of a profile.

use std::path::Path;

use clap::Args;

use crate::commands::config::context::{ConfigContext, absolute};
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::config::{API_KEY_FILE, CA_CERT, check_key_file, edit_profiles, profile_settings};
use crate::model::failure::Failure;
use crate::model::shell_word::shell_word;

/// Set one value of a profile: of the one in use, or of --profile.
///
/// Comments and order of the file stay. A key can't be set so (`ps` and the shell's history would show it): put it
/// into a file of its own and set api-key-file, which has to be there.
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Nothing))]
#[command(after_help = "\
Examples:
  # a profile, and two values more
  assessctl config init --name main --base-url https://assess.example.com
  assessctl config set project \"Night shift\" --profile main
  assessctl config set output csv --profile main")]
pub struct SetValue {
    #[arg(help = keys_to_set())]
    pub key: String,
    /// The value
    #[arg(allow_hyphen_values = true)]
    pub value: String,
}

/// The settings that can be set, each with what it means, for help.
fn keys_to_set() -> String {
    let widest = profile_settings().map(|about| about.key.len()).max().unwrap_or_default();
    let lines = profile_settings().map(|about| format!("\n{:widest$}  {}", about.key, about.help));
    format!("One of{}", lines.collect::<String>())
}

pub fn run(args: &SetValue, context: ConfigContext<'_>) -> anyhow::Result<()> {
    if args.key == "profile" {
        let hint = format!("`assessctl config use {}` makes a profile the default", shell_word(&args.value));
        return Err(Failure::usage("a profile has no setting profile").hint(hint).into());
    }
    let is_path = [&API_KEY_FILE.about, &CA_CERT.about].iter().any(|about| about.key == args.key);
    let mut profile = String::new();
    context.edit(|text, file| {
        profile = context.profile(text, file)?;
        if args.key == API_KEY_FILE.about.key {
            check_key_file(Path::new(&args.value))?;
        }
        let value = if is_path { absolute(&args.value)? } else { args.value.clone() };
        Ok(Some(edit_profiles::set(text, file, &profile, &args.key, &value)?))
    })?;
    context.console.aside(&format!("set {} of profile {profile}", args.key));
    Ok(())
}
