//! `config list`: the profiles. A key is never shown.

use clap::Args;

use crate::commands::config::context::ConfigContext;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::config::{BASE_URL, PROJECT, Profiles, SANDBOX, StoredKey};
use crate::model::cell::Cell;
use crate::model::projects::SANDBOX_PROJECT;
use crate::model::service_address::parse_address;
use crate::output::{Columns, Printer, Record, Shape};

/// List the profiles.
///
/// Keys are never shown, only how each is kept.
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Records(&COLUMNS)).printing(JsonShape::Many, JsonSource::Own))]
#[command(after_help = "\
Examples:
  assessctl config list
  assessctl config list --output json")]
pub struct ListProfiles {}

const COLUMNS: Columns<'static> =
    Columns::of(&["name", "base-url", "project", "api-key", "default"]).no_truncate(&["name"]);

pub fn run(context: ConfigContext<'_>) -> anyhow::Result<()> {
    let mut printer = Printer::new(&COLUMNS, Shape::Many, &context.options())?;
    let profiles = Profiles::read(&context.file()?)?;
    for profile in &profiles.all {
        let key = profile.key().map(|key| match key {
            StoredKey::Inline(_) => "in the file".to_owned(),
            StoredKey::File(path) => path,
            StoredKey::Command(_) => "printed by a command".to_owned(),
        });
        printer.push(Record::Cells(&[
            (&profile.name).into(),
            profile.get(&BASE_URL).map(shown_address).into(),
            profile.get(&PROJECT).into(),
            key.into(),
            (profiles.default.as_deref() == Some(&profile.name)).into(),
        ]))?;
    }
    if cfg!(feature = "sandbox") {
        let is_default = profiles.default.as_deref() == Some(SANDBOX);
        let [name, built_in, project] = [SANDBOX, "built in", SANDBOX_PROJECT].map(Cell::from);
        printer.push(Record::Cells(&[name, built_in.clone(), project, built_in, is_default.into()]))?;
    }
    Ok(printer.finish()?)
}

/// An address that can be used; what else stands there may hold a password.
fn shown_address(url: String) -> String {
    if parse_address(&url, true).is_ok() { url } else { "not a usable address".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::config::ConfigCommand;
    use crate::commands::config::test_folder::ConfigFolder;
    use crate::config::Flags;
    use crate::model::output_format::Format;

    #[test]
    fn list_shows_how_a_key_is_kept_and_no_password() {
        let file = "[profiles.a]\napi-key = \"canary\"\nbase-url = \"https://u:canary@a.example\"\n";
        let flags = Flags { output: Some(Format::Csv), ..Flags::default() };
        let shown = ConfigFolder::new(file).run(&ConfigCommand::List(ListProfiles {}), &flags).expect("shown");
        assert!(shown.contains("\na,not a usable address,,in the file,false\n"), "{shown}");
        assert!(!shown.contains("canary"), "{shown}");
    }
}
