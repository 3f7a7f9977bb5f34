//! `config show`: what is set, and where it comes from. The key is never shown.

use clap::Args;
use serde_json::Value as Json;

use crate::commands::config::context::ConfigContext;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::config::{API_KEY, API_KEY_COMMAND, API_KEY_FILE, BASE_URL, CA_CERT, Origin, Row, Settings, resolve};
use crate::model::did_you_mean::nearest;
use crate::model::failure::Failure;
use crate::output::{Columns, Printer, Record, Shape};

/// Show each setting in use and where it comes from.
///
/// The key is never shown, only whether there is one. Variables that the sandbox ignores are named.
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Records(&COLUMNS)).printing(JsonShape::Many, JsonSource::Own))]
#[command(after_help = "\
Examples:
  assessctl config show
  assessctl config show project --profile sandbox
  assessctl config show --profile sandbox --output json")]
pub struct ShowSettings {
    /// One setting alone
    #[arg(value_name = "KEY")]
    pub key: Option<String>,
}

const COLUMNS: Columns<'static> =
    Columns::of(&["setting", "value", "origin"]).no_truncate(&["setting", "value"]).prose(&["origin"]);

pub fn run(args: &ShowSettings, context: ConfigContext<'_>) -> anyhow::Result<()> {
    let mut printer = Printer::new(&COLUMNS, Shape::Many, &context.options())?;
    let settings = resolve(context.flags, context.environment)?;
    let rows = match &args.key {
        Some(key) => vec![row(&settings, key)?],
        None => settings.rows().into_iter().map(|row| shown(&settings, row)).collect(),
    };
    for (setting, value, origin) in rows {
        printer.push(Record::Cells(&[setting.into(), value.into(), origin.into()]))?;
    }
    Ok(printer.finish()?)
}

/// A setting's name and value, and where it comes from in words.
type ShownSetting = (&'static str, Json, String);

/// One setting by its name, as `config show` prints it.
pub fn row(settings: &Settings, key: &str) -> Result<ShownSetting, Failure> {
    let rows = settings.rows();
    let names: Vec<&'static str> = rows.iter().map(|(name, _)| *name).collect();
    match rows.into_iter().find(|(name, _)| *name == key) {
        Some(row) => Ok(shown(settings, row)),
        None => Err(match nearest(key, names.iter().copied()) {
            Some(near) => Failure::usage(format!("unknown setting {key:?}")).hint(format!("did you mean {near}?")),
            None => Failure::usage("unknown setting").hint(format!("known: {}", names.join(", "))),
        }),
    }
}

fn shown(settings: &Settings, (setting, value): Row) -> ShownSetting {
    let of_sandbox = settings.is_sandbox() && [API_KEY.about.key, BASE_URL.about.key].contains(&setting);
    let (value, origin) = match value {
        Some(value) => (value.value, settings.origin(value.origin)),
        None if of_sandbox => {
            let has_key = setting == API_KEY.about.key;
            (if has_key { "set".into() } else { Json::Null }, Origin::Sandbox.to_string())
        }
        None if is_other_key(settings, setting) => (Json::Null, "not used: see api-key".to_owned()),
        None => (Json::Null, "not set".to_owned()),
    };
    let withheld = settings.key_withheld().filter(|_| setting == API_KEY.about.key);
    let withheld = withheld.map(|reason| format!(": {reason}")).unwrap_or_default();
    let ignored = settings.ignored.iter().find(|about| about.key == setting).and_then(|about| about.variable);
    let ignored = ignored.map(|variable| format!("; {variable} is ignored")).unwrap_or_default();
    let trust = settings.replaced_trust().filter(|_| setting == CA_CERT.about.key);
    let trust = trust.map(|replaced| format!("; {replaced}")).unwrap_or_default();
    (setting, value, origin + &withheld + &ignored + &trust)
}

/// Whether a setting says how a key is kept while there is one that is kept otherwise, or is for another address.
fn is_other_key(settings: &Settings, setting: &str) -> bool {
    let has_key = settings.key_kept().is_some() || settings.key_withheld().is_some();
    has_key && [API_KEY_FILE.about.key, API_KEY_COMMAND.about.key].contains(&setting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::config::ConfigCommand;
    use crate::commands::config::test_folder::ConfigFolder;
    use crate::config::{Flags, PROJECT};
    use crate::model::output_format::Format;

    #[test]
    fn show_says_where_each_value_comes_from_and_never_the_key() {
        let file = "profile = \"main\"\n[profiles.main]\nbase-url = \"https://a.example\"\napi-key = \"canary\"\n";
        let mut account = ConfigFolder::new(file);
        account.set(&PROJECT.about, "Night");
        let flags = Flags { output: Some(Format::Csv), ..Flags::default() };
        let shown = account.run(&ConfigCommand::Show(ShowSettings { key: None }), &flags).expect("shown");
        assert!(!shown.contains("canary"), "{shown}");
        for line in [
            "profile,main,config file",
            "base-url,https://a.example/,profile main",
            "api-key,set,profile main",
            "api-key-file,,not used: see api-key",
            "project,Night,ASSESSCTL_PROJECT",
            "output,csv,--output",
            "results-api,current,default",
            "ca-cert,,not set",
            "concurrency,auto,default",
        ] {
            assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
        }
        let flags = Flags { base_url: Some("https://b.example".into()), ..flags };
        let shown = account.run(&ConfigCommand::Show(ShowSettings { key: None }), &flags).expect("shown");
        assert!(shown.contains("api-key,,not set: that of profile main belongs to https://a.example\n"), "{shown}");
    }

    #[cfg(feature = "sandbox")]
    #[test]
    fn show_names_the_variables_that_the_sandbox_ignores() {
        let mut account = ConfigFolder::new("");
        account.set(&API_KEY.about, "canary");
        account.set(&BASE_URL.about, "https://a.example");
        let output = Some(Format::Csv);
        let flags = Flags { profile: Some(crate::config::SANDBOX.into()), output, ..Flags::default() };
        let shown = account.run(&ConfigCommand::Show(ShowSettings { key: None }), &flags).expect("shown");
        for line in [
            "base-url,,sandbox; ASSESSCTL_BASE_URL is ignored",
            "api-key,set,sandbox; ASSESSCTL_API_KEY is ignored",
            "project,Demo,sandbox",
        ] {
            assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
        }
    }
}
