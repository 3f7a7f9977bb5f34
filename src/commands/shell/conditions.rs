//! Conditions and files behind options of other programs: the option or the command of ours that does the same.

use std::ffi::OsString;
use std::path::Path;

use clap::Command;
use jiff::Zoned;

use crate::commands::shared::people_filters::{condition, is_done};
use crate::commands::shell::argv::{at, knows};
use crate::commands::shell::expressions::{completed_until, expression};
use crate::commands::shell::line_to_type::line_to_type;
use crate::commands::shell::spoken_times::spoken;
use crate::commands::shell::value_hints::is_file;
use crate::model::shell_word::shell_word;
use crate::model::test_status::TestStatus;

/// Options of other programs that take an expression over the output.
pub const QUERIES: [&str; 4] = ["--query", "--jmespath", "--template", "--go-template"];
/// Those that end a time.
pub const ENDS: [&str; 11] = [
    "--until",
    "--before",
    "--end",
    "--end-date",
    "--end-time",
    "--to-date",
    "--completed-before",
    "--completed-until",
    "--created-before",
    "--lt",
    "--created-lt",
];
/// Those that take a condition on a field.
const CONDITIONS: [&str; 6] = ["--where", "--selector", "--field-selector", "--condition", "-l", "--filter-by"];
/// Those that begin a time.
pub const BEGINNINGS: [&str; 9] = [
    "--since",
    "--from",
    "--after",
    "--last",
    "--completed-since",
    "--completed-after",
    "--from-date",
    "--start-date",
    "--newer-than",
];
/// Those of a file, which a list writes, or whose people it shows.
const FILES: [&str; 8] = ["--file", "-f", "--filename", "--input", "-i", "--from-file", "--from-csv", "--ids-from"];

/// What is said of an option whose value is a condition.
pub fn meant_by_a_condition(root: &Command, path: &[&str], (name, value): (&str, &str)) -> Option<String> {
    if !CONDITIONS.contains(&name) && !QUERIES.contains(&name) || path.last() != Some(&"list") {
        return None;
    }
    let (inner, behind) = match value.split_once("[?").map(|(_, rest)| rest.split_once(']')) {
        Some(Some((inner, behind))) => (inner, Some(format!("[]{behind}"))),
        _ => (value, None),
    };
    let shown = behind.filter(|behind| behind != "[]");
    match (chosen(path, inner), shown) {
        (Some(option), None) => Some(format!("write `{option}` in place of {name}")),
        (Some(option), Some(shown)) => {
            Some(format!("write `{option} {}` in place of {name}", expression(root, path, &shown)?))
        }
        (None, None) if path != ["projects", "list"] => Some(condition(inner)?.hint()),
        (None, Some(shown)) if path == ["testtakers", "list"] => {
            let of_results = ["results", "list"];
            let (option, shown) = (chosen(&of_results, inner)?, expression(root, &of_results, &shown)?);
            Some(format!("`assessctl results list {option} {shown}` chooses by result"))
        }
        (None, _) => None,
    }
}

/// A hint to search, with the whole line in place of an option whose value is a condition.
pub fn with_search(root: &Command, words: &[OsString], option: &str, hint: &str) -> String {
    const SEARCH: &str = "`--filter TEXT`";
    let mut names = words.iter().map(|word| word.to_string_lossy().split('=').next().map(str::to_owned));
    let place = names.position(|name| name.as_deref() == Some(option));
    let Some(place) = place.filter(|_| hint.contains(SEARCH)) else { return hint.to_owned() };
    let behind = place + if words[place].to_string_lossy().contains('=') { 1 } else { 2 };
    let search = ["--filter", "TEXT"].map(OsString::from);
    let line = [&words[..place], &search, words.get(behind..).unwrap_or_default()].concat();
    match line_to_type(root, &line) {
        Some(line) => hint.replacen(SEARCH, &format!("`{line}`"), 1),
        None => hint.to_owned(),
    }
}

/// The option that chooses what a condition does.
fn chosen(path: &[&str], text: &str) -> Option<String> {
    let read = condition(text)?;
    let (field, value) = (read.field.to_ascii_lowercase(), read.value);
    if read.is_not || value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    Some(match (path, field.as_str(), value.to_ascii_lowercase().as_str()) {
        (["projects", "list"], "state" | "status", _) => format!("--state {value}"),
        (["testtakers" | "results", "list"], "status" | "result" | "completed", done) if is_done(done) => {
            "--completed-only".to_owned()
        }
        (["testtakers" | "results", "list"], "completed" | "done" | "finished", "true" | "yes") => {
            "--completed-only".to_owned()
        }
        (["results", ..], "flagged", "true") | (["results", ..], "status" | "result", "flagged") => {
            "--flagged".to_owned()
        }
        (["results", ..], "status" | "result", "pending" | "open" | "incomplete") => "--not-completed".to_owned(),
        (["results", ..], "result" | "status", status) if TestStatus::listed(status).is_some() => {
            format!("--result {value}")
        }
        _ => return None,
    })
}

/// What is said of an option of a list that is a time of completion where it has none, or a file: one that is there names
/// people, and another is to be written.
pub fn in_another_command(root: &Command, path: &[&str], (name, value): (&str, &str)) -> Option<String> {
    let has_no_time = matches!(path, ["testtakers", "list"] | ["results", "export"]);
    let here = at(root, path);
    match path {
        ["testtakers", "list"] if BEGINNINGS.contains(&name) => {
            let time = spoken(value, &Zoned::now()).unwrap_or_else(|| value.to_owned());
            let is_plain = !time.contains(' ') && time.starts_with(|c: char| c.is_ascii_digit());
            is_plain.then(|| format!("`assessctl results list --completed-since {time}` shows who completed since"))
        }
        _ if has_no_time && ENDS.contains(&name) => {
            let chosen = completed_until(root, &["results", "list"], name, value)?;
            Some(format!("`assessctl results list {chosen}` shows who completed until then"))
        }
        [noun, "list" | "export" | "summary" | "report" | "show"]
            if FILES.contains(&name) && (is_file(value) || is_page(value)) =>
        {
            let is_written = !knows(root, here, "--file") && !knows(root, here, "--ids-from");
            let names_people = matches!(*noun, "testtakers" | "results") && Path::new(value).exists();
            let file = shell_word(value);
            let hint = if names_people || name == "--ids-from" {
                format!("`assessctl {noun} get --ids-from {file}` shows the people of a file")
            } else {
                format!("write `--to {file}` in place of {name}")
            };
            is_written.then_some(hint)
        }
        _ => None,
    }
}

/// Whether a file is a page, as a report is.
fn is_page(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"))
}
