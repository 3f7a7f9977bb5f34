//! `config set`: one value of a profile.

use clap::Args;

use crate::commands::config::context::{Around, absolute, write};
use crate::config::edit;

/// Set one value of a profile: of the one in use, or of --profile.
///
/// Comments and order of the file stay. A key can't be set so (`ps` and the shell's history would show it): put it
/// into a file of its own and set api-key-file.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  # a profile, and two values more
  assessctl config init --name main --base-url https://assess.example.com
  assessctl config set project \"Night shift\" --profile main
  assessctl config set output csv --profile main")]
pub struct SetValue {
    /// base-url, api-key-file, api-key-command, project, output, results-api, ca-cert, allow-http, concurrency,
    /// max-rate, read-only or confirm
    pub key: String,
    /// The value
    #[arg(allow_hyphen_values = true)]
    pub value: String,
}

/// Runs the command.
pub fn run(args: &SetValue, around: Around<'_>) -> anyhow::Result<()> {
    let (file, text) = around.read()?;
    let profile = around.profile(&text, &file)?;
    let value = match args.key.as_str() {
        "api-key-file" | "ca-cert" => absolute(&args.value)?,
        _ => args.value.clone(),
    };
    write(&file, &edit::set(&text, &file, &profile, &args.key, &value)?)?;
    around.talk.aside(&format!("{} of profile {profile} is set", args.key));
    Ok(())
}
