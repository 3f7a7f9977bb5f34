//! `--status`: how a run ended and when one last worked, in a file for those who watch; it names no person.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ArgMatches;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::commands::shared::signals::Interrupt;
use crate::files::{is_stream, read_text, whole_name};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::output::{check_target, write_whole};

/// More than this is read of no earlier file: ours are shorter.
const LONGEST: u64 = 1 << 20;

/// What a run has counted so far, by the words of its report.
#[derive(Debug, Default)]
pub struct RunCounts(RefCell<BTreeMap<&'static str, u64>>);

impl RunCounts {
    /// All counts so far; none are left.
    pub fn take(&self) -> Self {
        Self(RefCell::new(self.0.take()))
    }

    /// Counts so many more.
    pub fn add(&self, what: &'static str, count: usize) {
        *self.0.borrow_mut().entry(what).or_default() += count as u64;
    }
}

/// The file of `--status`.
pub struct StatusFile {
    path: PathBuf,
    is_prometheus: bool,
    command: String,
    began: Instant,
    started: Timestamp,
    /// When a run last worked, as the file says that stands there.
    last_success: Option<Timestamp>,
}

/// What either format says.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Status<'a> {
    command: &'a str,
    counts: &'a BTreeMap<&'static str, u64>,
    duration_seconds: f64,
    ended_utc: Timestamp,
    exit_code: u8,
    finished: bool,
    last_success_utc: Option<Timestamp>,
    started_utc: Timestamp,
    version: &'a str,
}

/// The name in a Prometheus file of when a run last worked.
const LAST_SUCCESS: &str = "assessctl_last_success_timestamp_seconds";

impl StatusFile {
    /// Checks the file before anything is asked, and reads of the one that stands there when a run last worked.
    /// `command` is the noun and the verb.
    pub fn begin(path: PathBuf, command: String) -> anyhow::Result<Self> {
        let is_prometheus = match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => false,
            Some("prom") => true,
            _ => {
                let failure = Failure::usage("--status wants a file whose name ends in .json or .prom");
                return Err(failure.hint("--status FILE.prom is for Prometheus, FILE.json for everything else").into());
            }
        };
        check_target(&path)?;
        // A pipe has no earlier status, and reading it would wait for a writer.
        let old = if is_stream(&path) { String::new() } else { read_text(&path, LONGEST).unwrap_or_default() };
        let last_success = if is_prometheus { success_in_prometheus(&old) } else { success_in_json(&old) };
        Ok(Self { path, is_prometheus, command, began: Instant::now(), started: Timestamp::now(), last_success })
    }

    /// Writes how the run ended, and gives that on. A file that cannot be written is an error of a run that had none.
    pub fn end(
        &self,
        ended: anyhow::Result<Verdict>,
        (verdict, exit_code): (Verdict, u8),
        counts: &RunCounts,
    ) -> anyhow::Result<Verdict> {
        let ended_utc = Timestamp::now();
        let finished = verdict.is_finished();
        let counts = counts.0.borrow();
        let status = Status {
            command: &self.command,
            version: env!("CARGO_PKG_VERSION"),
            started_utc: self.started,
            ended_utc,
            duration_seconds: self.began.elapsed().as_secs_f64(),
            exit_code,
            finished,
            last_success_utc: if finished { Some(ended_utc) } else { self.last_success },
            counts: &counts,
        };
        let text = if self.is_prometheus { prometheus(&status, &self.path) } else { as_json(&status)? };
        match (ended, write_whole(&self.path, &text)) {
            (Ok(_), Err(error)) => Err(error.into()),
            (ended, _) => ended,
        }
    }
}

/// Why a line is refused whose `--status` is a file that the command reads or writes as well: one of both would be lost.
pub fn shared_status(matches: &ArgMatches) -> Option<Failure> {
    let status = matches.try_get_one::<PathBuf>("status").ok().flatten()?;
    let place = Some(status).filter(|file| !is_stream(file)).map(|file| whole_name(file))?;
    let mut here = Some(matches);
    while let Some(matches) = here {
        let others = matches.ids().filter(|id| *id != "status");
        let mut files = others.filter_map(|id| matches.try_get_many::<PathBuf>(id.as_str()).ok().flatten()).flatten();
        if files.any(|file| whole_name(file) == place) {
            let cause = format!("--status names {}, which the command reads or writes as well", status.display());
            return Some(Failure::usage(cause).hint("give each a file of its own"));
        }
        here = matches.subcommand().map(|(_, below)| below);
    }
    None
}

/// Ends a command that only reads where a signal asks for it, so that there is an end to write down.
pub async fn unless_asked(run: impl Future<Output = anyhow::Result<Verdict>>) -> anyhow::Result<Verdict> {
    let interrupt = Interrupt::watch()?;
    tokio::select! {
        ended = run => ended,
        verdict = interrupt.requested() => Ok(verdict),
    }
}

fn as_json(status: &Status<'_>) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(status)? + "\n")
}

fn success_in_json(old: &str) -> Option<Timestamp> {
    let old: Value = serde_json::from_str(old).ok()?;
    old.get("lastSuccessUtc")?.as_str()?.parse().ok()
}

fn success_in_prometheus(old: &str) -> Option<Timestamp> {
    let line = old.lines().find(|line| line.starts_with(LAST_SUCCESS))?;
    Timestamp::from_second(line.rsplit(' ').next()?.parse().ok()?).ok()
}

/// The text format of Prometheus. Files of several commands can stand beside each other: `name` is the file's.
fn prometheus(status: &Status<'_>, path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let labels = format!("command=\"{}\",name=\"{}\"", label(status.command), label(&name));
    let mut text = String::new();
    let mut gauge = |metric: &str, help: &str, values: &[(String, String)]| {
        if !values.is_empty() {
            // Writing into a String does not fail.
            let _ = writeln!(text, "# HELP {metric} {help}\n# TYPE {metric} gauge");
            for (labels, value) in values {
                let _ = writeln!(text, "{metric}{{{labels}}} {value}");
            }
        }
    };
    let one = |value: String| [(labels.clone(), value)];
    let last = status.last_success_utc.map(|time| one(time.as_second().to_string()));
    gauge(LAST_SUCCESS, "When a run last finished.", last.as_ref().map_or(&[], |last| last.as_slice()));
    gauge(
        "assessctl_last_run_timestamp_seconds",
        "When a run last ended, well or not.",
        &one(status.ended_utc.as_second().to_string()),
    );
    gauge("assessctl_last_run_exit_code", "How it ended.", &one(status.exit_code.to_string()));
    gauge("assessctl_last_run_duration_seconds", "How long it took.", &one(status.duration_seconds.to_string()));
    let counts =
        status.counts.iter().map(|(what, count)| (format!("{labels},what=\"{}\"", label(what)), count.to_string()));
    gauge("assessctl_last_run_count", "What it counted.", &counts.collect::<Vec<_>>());
    text
}

/// The value of a label, without what would end it.
fn label(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_run_last_worked_is_read_back_from_both_formats() {
        let time = Timestamp::from_second(1_700_000_000).expect("a time");
        let counts = BTreeMap::from([("enrolled", 2)]);
        let status = Status {
            command: "testtakers import",
            version: "0",
            started_utc: time,
            ended_utc: time,
            duration_seconds: 0.5,
            exit_code: 6,
            finished: false,
            last_success_utc: Some(time),
            counts: &counts,
        };
        assert_eq!(success_in_json(&as_json(&status).expect("JSON")), Some(time));
        let text = prometheus(&status, Path::new("a\"b.prom"));
        assert_eq!(success_in_prometheus(&text), Some(time));
        assert!(text.contains("name=\"a\\\"b\",what=\"enrolled\"} 2\n"), "{text}");
        for broken in ["", "{", "[]", LAST_SUCCESS, "{\"lastSuccessUtc\": 5}"] {
            assert_eq!((success_in_json(broken), success_in_prometheus(broken)), (None, None), "{broken}");
        }
    }
}
