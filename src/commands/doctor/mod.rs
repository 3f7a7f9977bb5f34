//! `assessctl doctor`: what stands between this machine and its service, and what to do about it.

mod machine;
mod service;

use std::path::Path;

use clap::Args;
use tokio::time::Instant;

use crate::commands::config::context::ConfigContext;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::config::resolve;
use crate::model::cell::Cell;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::output_format::Format;
use crate::output::{Columns, Options, Printer, Record, Shape};

const COLUMNS: Columns<'static> =
    Columns::of(&["state", "check", "found", "todo"]).no_truncate(&["check"]).prose(&["found", "todo"]);

/// Examine configuration, network, key and state, and say what to do about what is wrong.
///
/// Works also where the configuration is broken or the service does not answer. Shows neither the key nor a name, so that
/// what it prints can be shown to others. With -q only what needs attention is shown.
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Records(&COLUMNS)).printing(JsonShape::Many, JsonSource::Own))]
#[command(after_help = "\
Examples:
  assessctl doctor --profile sandbox
  assessctl doctor --profile sandbox -o json")]
pub struct DoctorArgs {
    #[command(flatten)]
    project: ProjectArg,
}

/// What to do about a configuration that cannot be used: `config init` adds to none that cannot be read.
const CORRECT: &str = "correct it, or move the file away and type `assessctl config init`";

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Skipped => "skipped",
        }
    }

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
struct Check {
    name: &'static str,
    state: State,
    found: String,
    todo: Option<String>,
}

/// All checks, and how the command ends by them.
#[derive(Debug, Default)]
struct Diagnosis {
    checks: Vec<Check>,
    verdict: Option<Verdict>,
}

impl Diagnosis {
    fn ok(&mut self, name: &'static str, found: impl Into<String>) {
        self.checks.push(Check { name, state: State::Ok, found: found.into(), todo: None });
    }

    fn skip(&mut self, name: &'static str, found: impl Into<String>) {
        self.checks.push(Check { name, state: State::Skipped, found: found.into(), todo: None });
    }

    fn warn(&mut self, name: &'static str, found: impl Into<String>, todo: impl Into<String>) {
        self.checks.push(Check { name, state: State::Warning, found: found.into(), todo: Some(todo.into()) });
    }

    /// The first thing that does not work decides how the command ends: the others follow from it.
    fn fail(&mut self, name: &'static str, failure: Failure) {
        self.checks.retain(|check| check.name != name);
        self.checks.push(Check { name, state: State::Error, found: failure.cause, todo: failure.hint });
        self.verdict.get_or_insert(failure.verdict);
    }

    fn failed(&self, name: &str) -> bool {
        self.checks.iter().any(|check| check.name == name && check.state == State::Error)
    }
}

/// Runs the command. It began at this instant.
pub async fn run(args: &DoctorArgs, context: ConfigContext<'_>, began: Instant) -> anyhow::Result<Verdict> {
    let options = context.options();
    let mut printer = Printer::new(&COLUMNS, Shape::Many, &options)?;
    let mut diagnosis = Diagnosis::default();
    diagnosis.ok("version", version());
    match resolve(context.flags, context.environment) {
        Err(mut failure) => {
            failure.hint.get_or_insert_with(|| CORRECT.to_owned());
            diagnosis.fail("configuration", failure);
            machine::without_settings(&mut diagnosis, context.environment);
        }
        Ok(settings) => {
            machine::configuration(&mut diagnosis, &settings);
            machine::state(&mut diagnosis, settings.state_folder.as_ref().map(|folder| folder.value.as_path()));
            let session = Session::new(settings, options.clone(), context.console, None, began, context.line.clone());
            service::examine(&mut diagnosis, &session, &args.project, &context.environment.proxies).await;
        }
    }
    // What is well is no news, in a table on standard output; programs and files have it all.
    let is_brief = context.console.quiet && options.format == Format::Table && options.to.is_none();
    diagnosis.checks.retain(|check| !is_brief || matches!(check.state, State::Warning | State::Error));
    if diagnosis.checks.is_empty() {
        return Ok(Verdict::Done);
    }
    for check in &mut diagnosis.checks {
        check.todo = check.todo.as_deref().map(|todo| context.line.complete(todo));
        printer.push(Record::Cells(&cells(check, &options, context.environment.home.as_deref())))?;
    }
    printer.finish()?;
    Ok(diagnosis.verdict.unwrap_or(Verdict::Done))
}

fn version() -> String {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let sandbox = if cfg!(feature = "sandbox") { "" } else { ", without the sandbox" };
    format!("assessctl {} on {os} {arch}{sandbox}", env!("CARGO_PKG_VERSION"))
}

/// The cells of a check. The user's folder often has the user's name: it is not shown, by whichever path.
fn cells(check: &Check, options: &Options, home: Option<&Path>) -> [Cell<'static>; 4] {
    // A word for programs, a mark for eyes.
    let state = match options.format {
        Format::Table => check.state.mark(),
        Format::Csv | Format::Json | Format::Ndjson | Format::Xlsx => check.state.word(),
    };
    let todo = check.todo.as_deref().map(|todo| hidden(todo, home));
    [state.into(), check.name.into(), hidden(&check.found, home).into(), todo.into()]
}

/// A text with `~` for the user's folder, as it is named and as it really lies.
fn hidden(text: &str, home: Option<&Path>) -> String {
    let real = home.and_then(|home| home.canonicalize().ok());
    // The longer path first: one may be the end of the other.
    let mut homes = [real.as_deref(), home].map(|home| home.and_then(Path::to_str).unwrap_or_default());
    homes.sort_by_key(|home| std::cmp::Reverse(home.len()));
    homes.iter().fold(text.to_owned(), |text, home| without(&text, home))
}

/// A text with `~` for a folder, and not for the beginning of another one's name. Where paths have `\`, they are
/// compared ignoring case and by either separator.
fn without(text: &str, folder: &str) -> String {
    let folder = folder.trim_end_matches(std::path::is_separator);
    if folder.is_empty() {
        return text.to_owned();
    }
    let (place, wanted) = (comparable(text), comparable(folder));
    let mut said = String::new();
    let mut from = 0;
    for (at, _) in place.match_indices(&wanted) {
        let after = &text[at + folder.len()..];
        let goes_on = after.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
        said.push_str(&text[from..at]);
        said.push_str(if goes_on { &text[at..at + folder.len()] } else { "~" });
        from = at + folder.len();
    }
    said + &text[from..]
}

/// A path as it is compared: byte for byte as long as the original.
fn comparable(path: &str) -> String {
    if cfg!(windows) { path.to_ascii_lowercase().replace('/', "\\") } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_decides_and_the_users_folder_is_not_shown() {
        let mut diagnosis = Diagnosis::default();
        diagnosis.warn("proxy", "/home/zoe/x", "look at /home/zoe");
        diagnosis.fail("dns", Failure::new(Verdict::NoAnswer, "no such host"));
        diagnosis.fail("key", Failure::new(Verdict::Key, "refused"));
        assert_eq!(diagnosis.verdict, Some(Verdict::NoAnswer));
        assert!(diagnosis.failed("dns") && !diagnosis.failed("proxy"));
        let shown = cells(&diagnosis.checks[0], &Options::default(), Some(Path::new("/home/zoe/")));
        assert!(shown == ["!", "proxy", "~/x", "look at ~"].map(Cell::from));
        assert_eq!(without("/home/zoe2/x: /home/zoe", "/home/zoe"), "/home/zoe2/x: ~");
        assert_eq!(without("/home/zoe", "/"), "/home/zoe");
    }
}
