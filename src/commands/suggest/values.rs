//! Values that an option refuses, and what was probably meant by them.

use clap::Command;
use jiff::Zoned;

use crate::commands::suggest::foreign_options::{WITH_JQ, WITH_PIPE};
use crate::commands::suggest::spoken_times::spoken;
use crate::commands::suggest::suggestion::{Edit, Suggestion, Wording, leave_out, say};
use crate::model::did_you_mean::{holding, nearest};
use crate::model::shell_word::shell_word;

/// Formats of `-o` that other programs have, with a comma in between.
fn foreign_format(value: &str) -> Option<Suggestion> {
    let formats = [
        ("jsonl,jsonlines", meant("-o ndjson", "")),
        ("yaml,yml", meant("-o json", "What reads YAML reads JSON, too")),
        ("tsv", meant("-o csv", "It quotes what has to be quoted")),
        ("text,plain,pretty", meant("-o table", "")),
        ("name,id,ids", meant("-o csv --no-header --fields id", "It prints ids alone")),
        ("parquet,avro,sql,xml,markdown", say("`-o csv` or `-o ndjson`: other programs make it of these")),
        ("wide", say("`-o csv` has every field; `--fields A,B` chooses a table's columns")),
        ("url", say("`-o csv --no-header --fields url` prints links alone")),
        ("html", say("`assessctl results report --to FILE.html` writes a page")),
        ("excel", say("`-o csv --excel` is for spreadsheets")),
        ("-", leave_out("standard output is where it goes")),
    ];
    let mut formats = formats.into_iter();
    let known = formats.find(|(theirs, _)| theirs.split(',').any(|theirs| value.eq_ignore_ascii_case(theirs)));
    known.map(|(_, ours)| ours)
}

fn meant(ours: impl Into<Wording>, remark: &'static str) -> Suggestion {
    Suggestion { edit: Edit::Value(ours.into()), remark: remark.into() }
}

/// What was meant by a value that is none of those which the option takes; `root` is the whole program.
pub fn choice(root: &Command, option: &str, value: &str, known: &[String]) -> Option<Suggestion> {
    let near_value = near(value, known);
    let ours = match (option, value) {
        ("--output", _) => return format(root, value).or_else(|| near_value.map(|near| meant(near.to_owned(), ""))),
        ("--order-by", _) => return order(value, known).or_else(|| by_any_field(root)),
        ("--on-existing", "overwrite" | "replace" | "upsert" | "merge") => "update",
        ("--on-existing", "ignore" | "keep") => "skip",
        ("--on-existing", "error" | "abort") => "fail",
        ("--errors", _) if is_file(value) => {
            return Some(say("`--failed-out FILE` writes the rows that have to be fixed"));
        }
        _ => near_value?,
    };
    Some(meant(ours.to_owned(), ""))
}

/// How a list is sorted by what the service does not sort by.
fn by_any_field(root: &Command) -> Option<Suggestion> {
    let has_jq = root.get_arguments().any(|arg| arg.get_long() == Some("jq"));
    has_jq.then(|| say("`--jq 'sort_by(.FIELD)'` sorts by any field, as JSON"))
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
fn format(root: &Command, value: &str) -> Option<Suggestion> {
    let kind = value.split('=').next().unwrap_or(value);
    let is_template =
        value.contains("{{") || ["jsonpath", "go-template", "template"].iter().any(|it| kind.starts_with(it));
    match foreign_format(value) {
        Some(ours) => Some(ours),
        None if kind.starts_with("custom-columns") => Some(say("`--fields A,B` chooses the columns")),
        None if is_template => Some(say(if by_any_field(root).is_some() { WITH_JQ } else { WITH_PIPE })),
        None => is_file(value).then(|| meant(format!("--to {}", shell_word(value)), "")),
    }
}

/// A field to sort by, with the direction in the same word: `-name`, `name:desc`.
fn order(value: &str, known: &[String]) -> Option<Suggestion> {
    let (field, is_descending) = direction(value);
    match near(field, known) {
        Some(near) if is_descending => Some(meant(format!("--order-by {near} --order Desc"), "")),
        Some(near) => Some(meant(near.to_owned(), "")),
        None => is_descending.then(|| say("`--order Desc` turns the order round")),
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
pub fn time(option: &str, value: &str) -> Option<Suggestion> {
    const TIMES: [&str; 5] =
        ["--completed-since", "--last-test-sent-from", "--last-test-sent-to", "--completed", "--sent"];
    TIMES.contains(&option).then(|| match spoken(value, &Zoned::now()) {
        Some(time) => meant(format!("{option} {time}"), ""),
        None => say("write a time such as 2026-03-01T06:00:00Z, or an age: 24h is a day ago, 7d a week"),
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
        choice(&root, option, value, &known).map(|hint| hint.to_string()).unwrap_or_default()
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
