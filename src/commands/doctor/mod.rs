//! `assessctl doctor`: what stands between this machine and its service, and what to do about it.

mod machine;
mod service;

use std::path::Path;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use tokio::time::Instant;

use crate::commands::config::context::Around;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::config::settle;
use crate::model::format::Format;
use crate::model::verdict::Verdict;
use crate::output::{Columns, Options, Printer, Shape};

pub const COLUMNS: Columns<'static> =
    Columns::of(&["state", "check", "found", "todo"]).uncut(&["state", "check", "found", "todo"]);

/// Examine configuration, network, key and state, and say what to do about what is wrong.
///
/// Works also where the configuration is broken or nobody answers. Shows neither the key nor anybody's name, so that
/// what it prints can be shown to others.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assessctl doctor --profile sandbox
  assessctl doctor --profile sandbox -o json")]
pub struct DoctorArgs {
    #[command(flatten)]
    project: ProjectArg,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// As it should be.
    Ok,
    /// Works, and may be a surprise.
    Warning,
    /// Does not work.
    Error,
    /// Could not be looked at.
    Skipped,
}

impl State {
    fn mark(self) -> &'static str {
        match self {
            Self::Ok => "✓",
            Self::Warning => "!",
            Self::Error => "✗",
            Self::Skipped => "–",
        }
    }
}

/// What a check found.
#[derive(Debug)]
struct Finding {
    check: &'static str,
    state: State,
    found: String,
    todo: Option<String>,
}

/// All findings, and how the command ends by them.
#[derive(Debug, Default)]
struct Chart {
    findings: Vec<Finding>,
    verdict: Option<Verdict>,
}

impl Chart {
    fn ok(&mut self, check: &'static str, found: impl Into<String>) {
        self.findings.push(Finding { check, state: State::Ok, found: found.into(), todo: None });
    }

    fn skip(&mut self, check: &'static str, found: impl Into<String>) {
        self.findings.push(Finding { check, state: State::Skipped, found: found.into(), todo: None });
    }

    fn warn(&mut self, check: &'static str, found: impl Into<String>, todo: impl Into<String>) {
        self.findings.push(Finding { check, state: State::Warning, found: found.into(), todo: Some(todo.into()) });
    }

    /// The first thing that does not work decides how the command ends: the others follow from it.
    fn fail(&mut self, check: &'static str, verdict: Verdict, found: impl Into<String>, todo: Option<String>) {
        self.findings.push(Finding { check, state: State::Error, found: found.into(), todo });
        self.verdict.get_or_insert(verdict);
    }

    fn failed(&self, check: &str) -> bool {
        self.findings.iter().any(|finding| finding.check == check && finding.state == State::Error)
    }
}

/// A finding as it is printed.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    state: Mark,
    check: &'a str,
    found: String,
    todo: Option<String>,
}

/// A word for programs, a mark for eyes.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Mark {
    Word(State),
    Sign(&'static str),
}

/// Runs the command. `timeout` and `deadline` are those of any other command.
pub async fn run(
    args: &DoctorArgs,
    around: Around<'_>,
    timeout: Option<Duration>,
    deadline: Option<Instant>,
) -> anyhow::Result<Verdict> {
    let options = around.options();
    let mut printer = Printer::new(&COLUMNS, Shape::Many, &options)?;
    let mut chart = Chart::default();
    chart.ok("version", version());
    match settle(around.given, around.environment) {
        Err(failure) => {
            let todo = failure.hint.or_else(|| Some("correct the file, or type `assessctl config init`".to_owned()));
            chart.fail("configuration", failure.verdict, failure.cause, todo);
            machine::without_settings(&mut chart, around.environment);
        }
        Ok(settings) => {
            machine::configuration(&mut chart, &settings);
            machine::state(&mut chart, settings.state_folder.as_ref().map(|folder| folder.value.as_path()));
            let session = Session::new(settings, options.clone(), around.talk, None, timeout, deadline);
            service::examine(&mut chart, &session, &args.project, &around.environment.proxies).await;
        }
    }
    for finding in &chart.findings {
        let shown = shown(finding, &options, around.environment.home.as_deref());
        printer.push(&serde_json::to_string(&shown)?)?;
    }
    printer.finish()?;
    Ok(chart.verdict.unwrap_or(Verdict::Done))
}

fn version() -> String {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let sandbox = if cfg!(feature = "sandbox") { "" } else { ", without the sandbox" };
    format!("assessctl {} on {os} {arch}{sandbox}", env!("CARGO_PKG_VERSION"))
}

/// The user's folder often has the user's name: it is not shown, by whichever path.
fn shown<'a>(finding: &'a Finding, options: &Options, home: Option<&Path>) -> Shown<'a> {
    let real = home.and_then(|home| home.canonicalize().ok());
    let homes = [real.as_deref(), home].map(|home| home.and_then(Path::to_str).unwrap_or_default());
    let public = |text: &str| homes.iter().fold(text.to_owned(), |text, home| without(&text, home));
    let state = match options.format {
        Format::Table => Mark::Sign(finding.state.mark()),
        Format::Csv | Format::Json | Format::Ndjson => Mark::Word(finding.state),
    };
    Shown { state, check: finding.check, found: public(&finding.found), todo: finding.todo.as_deref().map(public) }
}

/// A text with `~` for a folder, and not for the beginning of another one's name.
fn without(text: &str, folder: &str) -> String {
    let folder = folder.trim_end_matches('/');
    if folder.is_empty() {
        return text.to_owned();
    }
    let mut parts = text.split(folder);
    let mut said = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let goes_on = part.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
        said.push_str(if goes_on { folder } else { "~" });
        said.push_str(part);
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_decides_and_the_users_folder_is_not_shown() {
        let mut chart = Chart::default();
        chart.warn("proxy", "/home/zoe/x", "look at /home/zoe");
        chart.fail("dns", Verdict::NoAnswer, "no such host", None);
        chart.fail("key", Verdict::Key, "refused", None);
        assert_eq!(chart.verdict, Some(Verdict::NoAnswer));
        assert!(chart.failed("dns") && !chart.failed("proxy"));
        let shown = shown(&chart.findings[0], &Options::default(), Some(Path::new("/home/zoe/")));
        let expected = r#"{"state":"!","check":"proxy","found":"~/x","todo":"look at ~"}"#;
        assert_eq!(serde_json::to_string(&shown).expect("JSON"), expected);
        assert_eq!(without("/home/zoe2/x: /home/zoe", "/home/zoe"), "/home/zoe2/x: ~");
        assert_eq!(without("/home/zoe", "/"), "/home/zoe");
    }
}
