//! `config show`: each setting in use, and where it comes from. The key is never shown.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value as Json, json};

use crate::commands::config::context::Around;
use crate::config::{Origin, Settings, Value, settle};
use crate::model::pace::Concurrency;
use crate::output::{Columns, Printer, Shape};

/// Show each setting in use and where it comes from.
///
/// The key is never shown, only whether there is one. Variables that the sandbox ignores are named.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  assessctl config show
  assessctl config show --profile sandbox --output json")]
pub struct ShowSettings {}

/// What is printed for each setting.
pub const COLUMNS: Columns<'static> = Columns::of(&["setting", "value", "origin"]).uncut(&["setting", "value"]);

/// Prints the settings in use.
pub fn run(around: Around<'_>) -> anyhow::Result<()> {
    let mut printer = Printer::new(&COLUMNS, Shape::Many, &around.options())?;
    let settings = settle(around.given, around.environment)?;
    for (setting, value, origin) in rows(&settings) {
        printer.push(&json!({"setting": setting, "value": value, "origin": origin}).to_string())?;
    }
    Ok(printer.finish()?)
}

/// Each setting with its value and where it comes from.
fn rows(settings: &Settings) -> Vec<(&'static str, Json, String)> {
    let from = |origin: Origin| match (origin, &settings.profile) {
        (Origin::Profile, Some(profile)) => format!("profile {}", profile.value),
        _ => origin.to_string(),
    };
    let maybe = |value: Option<Value<String>>, variable: &str| {
        let (value, origin) = match value {
            Some(value) => (Json::from(value.value), from(value.origin)),
            None if settings.is_sandbox() && !variable.is_empty() => (Json::Null, "sandbox".to_owned()),
            None => (Json::Null, "not set".to_owned()),
        };
        (value, origin + &ignored(settings, variable))
    };
    let text = |value: &Option<Value<PathBuf>>| {
        value.as_ref().map(|path| Value::new(path.value.display().to_string(), path.origin))
    };
    let url = settings.base_url.as_ref().map(|url| Value::new(url.value.to_string(), url.origin));
    let row = |setting, (value, origin): (Json, String)| (setting, value, origin);
    vec![
        row("profile", maybe(settings.profile.clone(), "")),
        row("config", maybe(text(&Some(settings.config_file.clone())), "")),
        row("state", maybe(text(&settings.state_folder), "")),
        row("base-url", maybe(url, "ASSESSCTL_BASE_URL")),
        row("api-key", key_row(settings, from)),
        row("project", maybe(settings.project.clone(), "ASSESSCTL_PROJECT")),
        row("output", (json!(settings.output.value), from(settings.output.origin))),
        row("results-api", (json!(settings.results_api.value), from(settings.results_api.origin))),
        row("ca-cert", maybe(text(&settings.ca_cert), "")),
        row("allow-http", (settings.allow_http.value.into(), from(settings.allow_http.origin))),
        row("concurrency", (concurrency(settings.concurrency.value), from(settings.concurrency.origin))),
        row(
            "max-rate",
            match &settings.max_rate {
                Some(rate) => (rate.value.per_second().into(), from(rate.origin)),
                None => (Json::Null, "not set".to_owned()),
            },
        ),
        row("read-only", (settings.read_only.value.into(), from(settings.read_only.origin))),
        row("confirm", maybe(settings.confirm.clone(), "")),
    ]
}

fn concurrency(concurrency: Concurrency) -> Json {
    match concurrency {
        Concurrency::Auto => "auto".into(),
        Concurrency::AtMost(number) => number.into(),
    }
}

fn key_row(settings: &Settings, from: impl Fn(Origin) -> String) -> (Json, String) {
    if settings.is_sandbox() {
        return (json!("set"), format!("sandbox{}", ignored(settings, "ASSESSCTL_API_KEY")));
    }
    match (settings.key_kept(), settings.key_withheld()) {
        (Some((_, origin)), _) => (json!("set"), from(origin)),
        (None, Some(reason)) => (Json::Null, format!("not set: {reason}")),
        (None, None) => (Json::Null, "not set".to_owned()),
    }
}

fn ignored(settings: &Settings, variable: &str) -> String {
    if settings.ignored.contains(&variable) { format!("; {variable} is ignored") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::config::ConfigCommand;
    use crate::commands::config::account::Account;
    use crate::config::Given;
    #[cfg(feature = "sandbox")]
    use crate::config::SANDBOX;
    use crate::model::format::Format;
    use crate::model::secret::Secret;

    #[test]
    fn show_says_where_each_value_comes_from_and_never_the_key() {
        let file = "profile = \"main\"\n[profiles.main]\nbase-url = \"https://a.example\"\napi-key = \"canary\"\n";
        let mut account = Account::new(file);
        account.environment.project = Some("Night".into());
        let given = Given { output: Some(Format::Csv), ..Given::default() };
        let shown = account.run(&ConfigCommand::Show(ShowSettings {}), &given).expect("shown");
        assert!(!shown.contains("canary"), "{shown}");
        for line in [
            "profile,main,config file",
            "base-url,https://a.example/,profile main",
            "api-key,set,profile main",
            "project,Night,ASSESSCTL_PROJECT",
            "output,csv,--output",
            "results-api,current,default",
            "ca-cert,,not set",
            "concurrency,auto,default",
        ] {
            assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
        }
        let given = Given { base_url: Some("https://b.example".into()), ..given };
        let shown = account.run(&ConfigCommand::Show(ShowSettings {}), &given).expect("shown");
        assert!(shown.contains("api-key,,not set: that of profile main belongs to https://a.example\n"), "{shown}");
    }

    #[cfg(feature = "sandbox")]
    #[test]
    fn show_names_the_variables_that_the_sandbox_ignores() {
        let mut account = Account::new("");
        account.environment.api_key = Some(Secret::new("canary".into()));
        account.environment.base_url = Some("https://a.example".into());
        let output = Some(Format::Csv);
        let given = Given { profile: Some(SANDBOX.into()), output, ..Given::default() };
        let shown = account.run(&ConfigCommand::Show(ShowSettings {}), &given).expect("shown");
        for line in [
            "base-url,,sandbox; ASSESSCTL_BASE_URL is ignored",
            "api-key,set,sandbox; ASSESSCTL_API_KEY is ignored",
            "project,Demo,sandbox",
        ] {
            assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
        }
    }
}
