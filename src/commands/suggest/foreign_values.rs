//! Options of other programs whose value tells what was meant: conditions, expressions, times, files, and parts of the journal.

use std::ffi::OsString;
use std::path::Path;

use jiff::Zoned;

use crate::commands::shared::people_filters::{condition, is_done};
use crate::commands::shell::argv::{TypedLine, is_one_of};
use crate::commands::suggest::expressions::{completed_until, expression, has_format, has_jq, named_fields};
use crate::commands::suggest::line_to_type::line_to_type;
use crate::commands::suggest::spoken_times::spoken;
use crate::commands::suggest::suggestion::{Suggestion, in_place, option};
use crate::commands::suggest::values::is_file;
use crate::model::shell_word::shell_word;
use crate::model::test_status::TestStatus;
use crate::model::time::{parse_time, utc};

/// Options that take an expression over the output.
const QUERIES: &str = "--query --jmespath --template --go-template";
/// Those that end a time.
const ENDS: &str = "--until --before --end --end-date --end-time --to-date --completed-before --completed-until \
    --created-before --lt --created-lt";
/// Those that begin a time.
const BEGINNINGS: &str =
    "--since --from --after --last --completed-since --completed-after --from-date --start-date --newer-than";
/// Those that take a condition on a field.
const CONDITIONS: &str = "--where --selector --field-selector --condition -l --filter-by";
/// Those of a file, which a list writes, or whose people it shows.
const FILES: &str = "--file -f --filename --input -i --from-file --from-csv --ids-from";

/// What was meant by an option that the command has not, with this value.
pub fn by_value(line: &TypedLine<'_, '_>, name: &str, value: &str) -> Option<Suggestion> {
    let meant = by_condition(line, name, value).or_else(|| in_another_command(line, name, value));
    if meant.is_some() {
        return meant;
    }
    let is_count = value.parse::<u16>().is_ok();
    let is_list = line.path.last() == Some(&"list");
    let can_jq = has_jq(line) && !has_format(line.words);
    let ours = match name {
        _ if line.path.first() == Some(&"journal") => journal_part(line, name, value),
        _ if is_one_of(QUERIES, name) => expression(line, value),
        "--json" => named_fields(line, value).map(|fields| format!("-o json --fields {fields}")),
        _ if is_one_of(ENDS, name) && can_jq && line.path == ["results", "list"] => completed_until(name, value),
        "--ids" if is_file(value) || value == "-" => return Some(option("--ids-from", "")),
        // Force, where no file follows.
        "-f" if line.path == ["testtakers", "remove"] && !is_file(value) && value != "-" => {
            return Some(option("--yes", ""));
        }
        "-n" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
            let skips = line.place_of(&["--offset", "--skip"]).is_some();
            return (line.knows("--limit") && !skips).then(|| option("--limit", ""));
        }
        // As kubectl names a namespace.
        "-n" if line.knows("--project") => return Some(option("-p", "")),
        "--birthdate" | "--birth-date" | "--date-of-birth" | "--dob" | "--birthday" if line.knows("--birth-year") => {
            let year = value.split(['-', '/', '.']).find(|part| part.len() == 4 && part.parse::<u16>().is_ok())?;
            Some(format!("--birth-year {year}"))
        }
        "--on-error" if ["continue", "skip", "ignore"].contains(&value) => Some("--skip-invalid".to_owned()),
        // The newest: the list has an order of its own.
        "--tail" | "--last" if is_list && is_count && can_jq => Some(match line.path.first() {
            Some(&"results") => format!("--jq 'sort_by(.dateCompleted) | .[-{value}:]'"),
            _ => format!("--jq '.[-{value}:]'"),
        }),
        "--days" if is_count && line.knows("--completed-since") => Some(format!("--completed-since {value}d")),
        "--port" if is_count && line.path == ["sandbox", "serve"] => Some(format!("--listen 127.0.0.1:{value}")),
        _ => None,
    };
    Some(in_place(ours?, name))
}

/// What is said of an option whose value is a condition.
fn by_condition(line: &TypedLine<'_, '_>, name: &str, value: &str) -> Option<Suggestion> {
    if !is_one_of(CONDITIONS, name) && !is_one_of(QUERIES, name) || line.path.last() != Some(&"list") {
        return None;
    }
    let (inner, behind) = match value.split_once("[?").map(|(_, rest)| rest.split_once(']')) {
        Some(Some((inner, behind))) => (inner, Some(format!("[]{behind}"))),
        _ => (value, None),
    };
    let results = ["assessctl", "results", "list"].map(OsString::from);
    let of_results = TypedLine::of(line.root, &results);
    match (chosen(line, inner), behind.filter(|behind| behind != "[]")) {
        (Some(option), None) => Some(in_place(option, name)),
        (Some(option), Some(shown)) => Some(in_place(format!("{option} {}", expression(line, &shown)?), name)),
        (None, None) if line.path != ["projects", "list"] => Some(condition(inner)?.hint().into()),
        (None, Some(shown)) if line.path == ["testtakers", "list"] => {
            let (option, shown) = (chosen(&of_results, inner)?, expression(&of_results, &shown)?);
            Some(format!("`assessctl results list {option} {shown}` chooses by result").into())
        }
        (None, _) => None,
    }
}

/// A hint to search, with the whole line in place of an option whose value is a condition.
pub fn with_search(line: &TypedLine<'_, '_>, option: &str, hint: Suggestion) -> Suggestion {
    const SEARCH: &str = "`--filter TEXT`";
    let Some(place) = line.place_of(&[option]).filter(|_| hint.remark.contains(SEARCH)) else { return hint };
    let count = if line.words[place].to_string_lossy().contains('=') { 1 } else { 2 };
    let searches = line.with(place, count, &["--filter", "TEXT"].map(OsString::from));
    match line_to_type(line.root, &searches) {
        Some(shown) => Suggestion { remark: hint.remark.replacen(SEARCH, &format!("`{shown}`"), 1).into(), ..hint },
        None => hint,
    }
}

/// The option that chooses what a condition does.
fn chosen(line: &TypedLine<'_, '_>, text: &str) -> Option<String> {
    let read = condition(text)?;
    let (field, value) = (read.field.to_ascii_lowercase(), read.value);
    if read.is_not || value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let is_people = matches!(*line.path, ["testtakers" | "results", "list"]);
    let is_results = line.path.first() == Some(&"results");
    Some(match (field.as_str(), value.to_ascii_lowercase().as_str()) {
        ("state" | "status", _) if line.path == ["projects", "list"] => format!("--state {value}"),
        ("status" | "result" | "completed", done) if is_people && is_done(done) => "--completed-only".to_owned(),
        ("completed" | "done" | "finished", "true" | "yes") if is_people => "--completed-only".to_owned(),
        ("flagged", "true") | ("status" | "result", "flagged") if is_results => "--flagged".to_owned(),
        ("status" | "result", "pending" | "open" | "incomplete") if is_results => "--not-completed".to_owned(),
        ("result" | "status", status) if is_results && TestStatus::listed(status).is_some() => {
            format!("--result {value}")
        }
        _ => return None,
    })
}

/// What is said of an option of a list that is a time of completion where it has none, or a file: one that is there names
/// people, and another is to be written.
fn in_another_command(line: &TypedLine<'_, '_>, name: &str, value: &str) -> Option<Suggestion> {
    match *line.path {
        ["testtakers", "list"] if is_one_of(BEGINNINGS, name) => {
            let time = spoken(value, &Zoned::now()).unwrap_or_else(|| value.to_owned());
            let is_plain = !time.contains(' ') && time.starts_with(|c: char| c.is_ascii_digit());
            let hint = format!("`assessctl results list --completed-since {time}` shows who completed since");
            is_plain.then(|| hint.into())
        }
        ["testtakers", "list"] | ["results", "export"] if is_one_of(ENDS, name) => {
            let chosen = completed_until(name, value).filter(|_| has_jq(line))?;
            Some(format!("`assessctl results list {chosen}` shows who completed until then").into())
        }
        [noun, "list" | "export" | "summary" | "report" | "show"]
            if is_one_of(FILES, name) && (is_file(value) || value.to_ascii_lowercase().ends_with(".html")) =>
        {
            if line.knows("--file") || line.knows("--ids-from") {
                return None;
            }
            let names_people = matches!(noun, "testtakers" | "results") && Path::new(value).exists();
            let file = shell_word(value);
            Some(if names_people || name == "--ids-from" {
                format!("`assessctl {noun} get --ids-from {file}` shows the people of a file").into()
            } else {
                in_place(format!("--to {file}"), name)
            })
        }
        _ => None,
    }
}

/// The expression that takes the last records of the journal, or those from a time on or up to it.
fn journal_part(line: &TypedLine<'_, '_>, name: &str, value: &str) -> Option<String> {
    const COUNTS: &str = "--limit -n --last --tail --max --lines -L --count --newest";
    let (sent, sorted) = match *line.path {
        ["journal", "list"] => ("last", "sort_by(.last) | "),
        ["journal", "show"] => ("sent", ""),
        _ => return None,
    };
    if !has_jq(line) || has_format(line.words) {
        return None;
    }
    if let Ok(count) = value.parse::<u16>() {
        return match name {
            "--first" | "--head" | "--top" => Some(format!("--jq '{sorted}.[:{count}]'")),
            _ => is_one_of(COUNTS, name).then(|| format!("--jq '{sorted}.[-{count}:]'")),
        };
    }
    let now = Zoned::now();
    let time = utc(parse_time(&spoken(value, &now)?, now.timestamp()).ok()?);
    let chosen = match () {
        () if is_one_of(BEGINNINGS, name) => format!(".{sent} > \"{time}\""),
        () if is_one_of(ENDS, name) => format!(".{sent} != null and .{sent} < \"{time}\""),
        () => return None,
    };
    Some(format!("--jq '[.[] | select({chosen})]'"))
}
