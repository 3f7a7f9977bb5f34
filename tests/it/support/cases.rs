//! Transcripts of commands, compared whole: `tests/cases/*.case`. `BLESS=1` writes what the program says into them, and
//! `CASE=links` chooses those whose names begin so.
//!
//! ```text
//! # A remark; it may stand before anything but the output of a command.
//! % people 3              a service with three people, without a number only with its project
//! % results Completed -   a service with a person for each result; `-` is none
//! % person {"fullName":"="}       a service with a person who has these fields
//! % answer 422 {"title":"No"}    a service that answers everything like this
//! % set NAME=VALUE        a variable of the environment
//! << people.csv           a file: the lines up to the next blank one
//! email
//! a@example.com
//!
//! $ assessctl projects list    a line for `sh`, what it prints, and
//! ! what it says on stderr, with `! ` before each line
//! ? 2                     how it ends, unless with 0
//! ```
//!
//! A blank line before a command, a file or a remark belongs to no output. Ids, times, ports and folders have names, as
//! [`redacted`] gives them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use regex::Regex;
use serde_json::{Value, json};

use super::env::{Env, Said, setting};
use super::service::Service;
use super::shell;
use super::wire::Answer;
use super::workspace::person;

/// Gives what differs between runs a name.
pub(crate) fn redacted(text: &str, env: &Env) -> String {
    static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let patterns = [
            ("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "[UUID]"),
            (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z| ?[+-]\d\d:?\d\d)?", "[TIME]"),
            (r"127\.0\.0\.1:\d+", "127.0.0.1:[PORT]"),
            (r"\bin \d+ ms\b", "in [N] ms"),
            ("(/take/|/t/)[0-9A-Za-z_-]{8,}", "$1[TOKEN]"),
        ];
        patterns.map(|(pattern, name)| (Regex::new(pattern).expect("a pattern"), name)).into()
    });
    let text = text.replace(&env.place("").display().to_string(), "[FOLDER]/");
    PATTERNS.iter().fold(text, |text, (pattern, name)| pattern.replace_all(&text, *name).into_owned())
}

/// The lines of a case again, with what the program says now.
fn played(case: &str) -> String {
    let mut env = Env::new();
    let mut whole = String::new();
    let mut lines = case.lines().peekable();
    while let Some(line) = lines.next() {
        let _ = writeln!(whole, "{line}");
        if let Some(setting) = line.strip_prefix("% ") {
            env = set(env, setting);
        } else if let Some(name) = line.strip_prefix("<< ") {
            let mut content = String::new();
            while let Some(line) = lines.next_if(|line| !line.is_empty()) {
                content.extend([line, "\n"]);
            }
            env.write(name, &content);
            whole += &content;
        } else if let Some(command) = line.strip_prefix("$ ") {
            let rest = lines.clone().collect::<Vec<_>>();
            let is_next = |line: &str| ["$ ", "<< ", "% ", "# "].iter().any(|start| line.starts_with(start));
            let output =
                (0..rest.len()).find(|at| rest[*at..].iter().find(|line| !line.is_empty()).is_none_or(|l| is_next(l)));
            lines.by_ref().take(output.unwrap_or(rest.len())).for_each(drop);
            whole += &redacted(&written(&shell::run(&env, command)), &env);
        }
    }
    whole
}

fn set(env: Env, line: &str) -> Env {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let at = |env: Env, service: Service| {
        env.with("ASSESSCTL_BASE_URL", service.url).with("ASSESSCTL_API_KEY", super::env::KEY)
    };
    match word {
        "people" => at(env, Service::start().with_people(rest.parse().unwrap_or(0))),
        "person" => {
            let mut record = person(1);
            let fields: serde_json::Map<String, Value> = serde_json::from_str(rest).expect("fields in JSON");
            record.as_object_mut().expect("a record").extend(fields);
            at(env, Service::start().of([record]))
        }
        "results" => {
            at(env, Service::start().of((1..).zip(rest.split(' ')).map(|(id, result)| with_result(id, result))))
        }
        "answer" => {
            let (status, body) = rest.split_once(' ').unwrap_or((rest, ""));
            let answer = Answer::new(status.parse().expect("a status"), &["Content-Type: application/json"], body);
            at(env, Service::always(answer))
        }
        "set" => {
            let (name, value) = rest.split_once('=').expect("NAME=VALUE");
            env.with(name, value)
        }
        _ => panic!("% {line} means nothing"),
    }
}

/// A person with this result; what is not finished has no time either.
fn with_result(id: i64, result: &str) -> Value {
    let mut record = person(id);
    record["result"] = if result == "-" { Value::Null } else { json!(result) };
    if ["-", "NotStarted", "InProgress"].contains(&result) {
        record["dateCompleted"] = Value::Null;
    }
    record
}

fn written(said: &Said) -> String {
    let mut text = String::new();
    said.stdout.lines().for_each(|line| text.extend([line, "\n"]));
    said.stderr.lines().for_each(|line| text.extend([if line.is_empty() { "!" } else { "! " }, line, "\n"]));
    if said.code != 0 {
        let _ = writeln!(text, "? {}", said.code);
    }
    text
}

fn differs(path: &Path) -> Option<String> {
    let case = std::fs::read_to_string(path).expect("a case");
    let now = played(&case);
    if now != case && setting("BLESS").is_some() {
        std::fs::write(path, &now).expect("written");
        return None;
    }
    let pairs = case.lines().zip(now.lines()).enumerate();
    let first = pairs.into_iter().find(|(_, (was, is))| was != is).map_or(0, |(at, _)| at);
    let rest = |text: &str| text.lines().skip(first).take(12).collect::<Vec<_>>().join("\n    ");
    let where_ = format!("{}:{}", path.file_name().unwrap_or_default().display(), first + 1);
    (now != case).then(|| format!("{where_}: expected\n    {}\n  came\n    {}\n", rest(&case), rest(&now)))
}

#[test]
fn every_case_says_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let chosen = setting("CASE").unwrap_or_default();
    let is_chosen = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&chosen));
    let cases: Mutex<Vec<PathBuf>> = Mutex::new(files.filter(is_chosen).collect());
    let next = || cases.lock().expect("no thread panics").pop();
    let work = || std::iter::from_fn(next).filter_map(|path| differs(&path)).collect::<Vec<_>>();
    let complaints: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread that ends")).collect()
    });
    assert!(complaints.is_empty(), "{} cases:\n{}(BLESS=1 writes them)", complaints.len(), complaints.join("\n"));
}
