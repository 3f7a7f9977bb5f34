//! `config list`: the profiles, and how the key of each is kept.

use clap::Args;
use serde_json::json;

use crate::commands::config::context::Around;
use crate::config::{Profiles, SANDBOX, StoredKey, parse_address};
use crate::output::{Columns, Printer, Shape};

/// Lists the profiles.
///
/// Keys are never shown, only how each is kept.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  assessctl config list
  assessctl config list --output json")]
pub struct ListProfiles {}

/// What is printed for each profile.
pub const COLUMNS: Columns<'static> =
    Columns::of(&["profile", "base-url", "project", "api-key", "default"]).uncut(&["profile"]);

/// Prints the profiles.
pub fn run(around: Around<'_>) -> anyhow::Result<()> {
    let mut printer = Printer::new(&COLUMNS, Shape::Many, &around.options())?;
    let profiles = Profiles::read(&around.file()?)?;
    let is_default = |name: &str| profiles.default.as_deref() == Some(name);
    for profile in &profiles.all {
        let key = profile.key.as_ref().map(|key| match key {
            StoredKey::Inline(_) => "in the file",
            StoredKey::File(path) => path,
            StoredKey::Command(_) => "printed by a command",
        });
        let record = json!({
            "profile": profile.name,
            "base-url": profile.base_url.as_deref().map(shown_address),
            "project": profile.project,
            "api-key": key,
            "default": is_default(&profile.name),
        });
        printer.push(&record.to_string())?;
    }
    if cfg!(feature = "sandbox") {
        let record = json!({
            "profile": SANDBOX,
            "base-url": "built in",
            "project": "Demo",
            "api-key": "built in",
            "default": is_default(SANDBOX),
        });
        printer.push(&record.to_string())?;
    }
    Ok(printer.finish()?)
}

/// An address that can be used; what else stands there may hold a password.
fn shown_address(url: &str) -> &str {
    if parse_address(url, true).is_ok() { url } else { "not a usable address" }
}

#[cfg(test)]
mod tests {
    use super::ListProfiles;
    use crate::commands::config::ConfigCommand;
    use crate::commands::config::account::Account;
    use crate::config::Given;
    use crate::model::format::Format;

    #[test]
    fn list_shows_how_a_key_is_kept_and_no_password() {
        let file = "[profiles.a]\napi-key = \"canary\"\nbase-url = \"https://u:canary@a.example\"\n";
        let given = Given { output: Some(Format::Csv), ..Given::default() };
        let shown = Account::new(file).run(&ConfigCommand::List(ListProfiles {}), &given).expect("shown");
        assert!(shown.contains("\na,not a usable address,,in the file,false\n"), "{shown}");
        assert!(!shown.contains("canary"), "{shown}");
    }
}
