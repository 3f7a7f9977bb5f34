//! Values that an option refuses, and what was probably meant by them.

use clap::Command;
use jiff::Zoned;

use crate::commands::shell::argv::knows;
use crate::commands::shell::foreign_options::{WITH_JQ, WITH_PIPE};
use crate::commands::shell::spoken_times::spoken;
use crate::model::did_you_mean::{holding, nearest};
use crate::model::shell_word::shell_word;

/// Formats of `-o`.
const FORMATS: &[(&str, &str)] = &[
    ("jsonl", "did you mean `-o ndjson`?"),
    ("parquet", "`-o csv` or `-o ndjson`: other programs make it of these"),
    ("avro", "`-o csv` or `-o ndjson`: other programs make it of these"),
    ("sql", "`-o csv` or `-o ndjson`: other programs make it of these"),
    ("xml", "`-o csv` or `-o ndjson`: other programs make it of these"),
    ("markdown", "`-o csv` or `-o ndjson`: other programs make it of these"),
    ("jsonlines", "did you mean `-o ndjson`?"),
    ("yaml", "did you mean `-o json`? What reads YAML reads JSON, too"),
    ("yml", "did you mean `-o json`? What reads YAML reads JSON, too"),
    ("tsv", "did you mean `-o csv`? It quotes what has to be quoted"),
    ("text", "did you mean `-o table`?"),
    ("plain", "did you mean `-o table`?"),
    ("wide", "`-o csv` has every field; `--fields A,B` chooses a table's columns"),
    ("name", "did you mean `-o csv --no-header --fields id`? It prints ids alone"),
    ("id", "did you mean `-o csv --no-header --fields id`? It prints ids alone"),
    ("ids", "did you mean `-o csv --no-header --fields id`? It prints ids alone"),
    ("pretty", "did you mean `-o table`?"),
    ("url", "`-o csv --no-header --fields url` prints links alone"),
    ("html", "`assessctl results report --to FILE.html` writes a page"),
    ("-", "leave it out: standard output is where it goes"),
    ("excel", "`-o csv --excel` is for spreadsheets"),
];

/// What was meant by a value that is none of those which the option takes; `root` is the whole program.
pub fn choice(root: &Command, option: &str, value: &str, known: &[String]) -> Option<String> {
    let near = match option {
        "--output" => return format(root, value).or_else(|| near(value, known).map(did_you_mean)),
        "--order-by" => return order(value, known).or_else(|| by_any_field(root)),
        "--on-existing" if ["overwrite", "replace", "upsert", "merge"].contains(&value) => "update",
        "--on-existing" if ["ignore", "keep"].contains(&value) => "skip",
        "--on-existing" if ["error", "abort"].contains(&value) => "fail",
        "--errors" if is_file(value) => {
            return Some("`--failed-out FILE` writes the rows that have to be fixed".to_owned());
        }
        _ => near(value, known)?,
    };
    Some(did_you_mean(near))
}

/// How a list is sorted by what the service does not sort by.
fn by_any_field(root: &Command) -> Option<String> {
    knows(root, root, "--jq").then(|| "`--jq 'sort_by(.FIELD)'` sorts by any field, as JSON".to_owned())
}

fn did_you_mean(value: &str) -> String {
    format!("did you mean `{value}`?")
}

/// The one value that a word comes near, or is a part of.
fn near<'a>(word: &str, known: &'a [String]) -> Option<&'a str> {
    nearest(word, known.iter().map(String::as_str)).or_else(|| {
        match holding(word, known.iter().map(String::as_str)).as_slice() {
            [near] => Some(*near),
            _ => None,
        }
    })
}

/// Formats of other programs, templates, and names of files.
fn format(root: &Command, value: &str) -> Option<String> {
    if let Some((_, hint)) = FORMATS.iter().find(|(theirs, _)| value.eq_ignore_ascii_case(theirs)) {
        return Some((*hint).to_owned());
    }
    let kind = value.split('=').next().unwrap_or(value);
    if kind.starts_with("custom-columns") {
        return Some("`--fields A,B` chooses the columns".to_owned());
    }
    if value.contains("{{") || ["jsonpath", "go-template", "template"].iter().any(|theirs| kind.starts_with(theirs)) {
        return Some(if knows(root, root, "--jq") { WITH_JQ } else { WITH_PIPE }.to_owned());
    }
    is_file(value).then(|| did_you_mean(&format!("--to {}", shell_word(value))))
}

/// A field to sort by, with the direction in the same word: `-name`, `name:desc`.
fn order(value: &str, known: &[String]) -> Option<String> {
    let (field, is_descending) = direction(value);
    match near(field, known) {
        Some(near) if is_descending => Some(did_you_mean(&format!("--order-by {near} --order Desc"))),
        Some(near) => Some(did_you_mean(near)),
        None => is_descending.then(|| "`--order Desc` turns the order round".to_owned()),
    }
}

/// A field to sort by, and whether the word says that the last one comes first.
pub fn direction(value: &str) -> (&str, bool) {
    if let Some((field, direction)) = value.trim_start_matches('.').rsplit_once([':', ',', ' ', '.']) {
        return (field, direction.to_ascii_lowercase().starts_with("desc"));
    }
    let is_descending = value.starts_with(['-', '~']) && !value.starts_with("--");
    (value.trim_start_matches(['-', '+', '.', '~']), is_descending)
}

/// How a time that is said in other words is written where one is asked for: as no other time than was said.
pub fn time(option: &str, value: &str) -> Option<String> {
    const TIMES: [&str; 5] =
        ["--completed-since", "--last-test-sent-from", "--last-test-sent-to", "--completed", "--sent"];
    if !TIMES.contains(&option) {
        return None;
    }
    Some(match spoken(value, &Zoned::now()) {
        Some(time) => format!("did you mean `{option} {time}`?"),
        None => "write a time such as 2026-03-01T06:00:00Z, or an age: 24h is a day ago, 7d a week".to_owned(),
    })
}

/// Whether a word is a number or a length of time, such as 48h.
pub fn is_amount(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    unit.len() < word.len() && unit.len() < 3 && unit.chars().all(|c| c.is_ascii_alphabetic())
}

/// Whether a word is a day, such as 2026-03-01.
pub fn is_day(word: &str) -> bool {
    word.len() == 10 && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// Whether a word is probably the name of a file of people or records.
pub fn is_file(word: &str) -> bool {
    let ending = word.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ["csv", "xlsx", "txt", "json", "ndjson"].contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::choice;

    fn meant(option: &str, value: &str, known: &[&str]) -> String {
        let root = Command::new("assessctl").arg(Arg::new("jq").long("jq"));
        let known: Vec<String> = known.iter().map(|word| (*word).to_owned()).collect();
        choice(&root, option, value, &known).unwrap_or_default()
    }

    #[test]
    fn a_direction_may_stand_in_the_word_for_the_order() {
        let order = |value| meant("--order-by", value, &["Priority", "FullName", "LastTestSent"]);
        let descending = "did you mean `--order-by FullName --order Desc`?";
        for value in ["-name", "name:desc", "Name,DESC", "fullname desc", "full_name.descending"] {
            assert_eq!(order(value), descending, "{value}");
        }
        for value in ["name", "+name", "name:asc"] {
            assert_eq!(order(value), "did you mean `FullName`?", "{value}");
        }
        assert_eq!(order("-created"), "`--order Desc` turns the order round");
        for value in ["created", "--limit"] {
            assert!(order(value).starts_with("`--jq 'sort_by(.FIELD)'`"), "{value}");
        }
    }

    #[test]
    fn a_format_may_be_a_template_or_a_file() {
        let format = |value| meant("--output", value, &["table", "csv", "json", "ndjson"]);
        for template in ["jsonpath={.items[*].id}", "{{.ID}}", "go-template-file=x.tmpl", "table {{.Name}}"] {
            assert!(format(template).starts_with("`--jq EXPR`"), "{template}");
        }
        assert_eq!(format("custom-columns=ID:.id"), "`--fields A,B` chooses the columns");
        assert_eq!(format("out/results of may.csv"), "did you mean `--to 'out/results of may.csv'`?");
        assert_eq!((format("cvs"), format("frob")), ("did you mean `csv`?".to_owned(), String::new()));
    }
}
