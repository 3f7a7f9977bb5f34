//! `--excel`: CSV that a spreadsheet opens without running anything, and that is taken back exactly.

use serde_json::{Value, json};

use crate::harness::{Env, Said};
use crate::imports::records;
use crate::lists::person;
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

/// Values that a spreadsheet would run, and some that only look like it.
const VALUES: [&str; 9] =
    ["=HYPERLINK(\"http://x\")", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'t Hooft", "'=1", "plain"];

fn listed(args: &str) -> Said {
    let people: Vec<Value> = (0_i64..)
        .zip(VALUES)
        .map(|(id, value)| {
            let mut record = person(7000 + id);
            record["lastName"] = json!(value);
            record
        })
        .collect();
    let socket = Socket::always(Answer::ok(&Value::Array(people).to_string()));
    Env::at(&socket.url).line(&format!("testtakers list -p {PROJECT} --fields lastName {args}"))
}

fn names(csv: &str) -> Vec<String> {
    records(csv).iter().map(|row| row["lastName"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_list_for_a_spreadsheet_has_a_mark_and_no_cell_that_would_run() {
    let said = listed("-o csv --excel").data();
    let rest = said.strip_prefix('\u{feff}').expect("a byte order mark");
    let written = names(rest);
    for (value, written) in VALUES.iter().zip(&written) {
        let escaped = if *value == "plain" { (*value).to_owned() } else { format!("'{value}") };
        assert_eq!(*written, escaped);
    }
    assert_eq!(names(&listed("-o csv").data()), VALUES, "without --excel CSV carries what is there");
}

/// What runs where a spreadsheet separates by semicolon or tab, although the file has commas.
#[test]
fn no_cell_runs_where_a_spreadsheet_separates_otherwise() {
    let (env, to) = (Env::sandbox(), Env::sandbox());
    let names = ["x;=1+cmd|'/C calc'!A0;y", "x;\"=1\"", "a\t@b", "c\n=2"];
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let rows: Vec<_> =
        (0..).zip(names).map(|(at, name)| format!("p{at}@example.com,R-{at},{}\n", quoted(name))).collect();
    let roster = "email,referenceId,lastName\n".to_owned() + &rows.concat();
    env.write("people.csv", &roster);
    let import = "testtakers import people.csv --excel --report report.csv --with-links links.csv --with lastName";
    let _ = env.line(import).ok();
    let _ = env.line("testtakers list -o csv --excel --to list.csv").ok();
    let _ = env.line("links issue --all --rotate --with lastName --excel --to links.csv").ok();
    for file in ["list.csv", "report.csv", "links.csv"] {
        let text = env.read(file);
        assert!(text.starts_with('\u{feff}') && text.contains("cmd"), "{file}: {text}");
        for separator in [b',', b';', b'\t'] {
            let mut reader = csv::ReaderBuilder::new().flexible(true).delimiter(separator).from_reader(text.as_bytes());
            for record in reader.records() {
                for cell in &record.expect("text") {
                    assert!(!cell.starts_with(['=', '+', '-', '@']), "{file} by {:?}: {cell:?}", char::from(separator));
                }
            }
        }
    }
    assert_eq!(env.read("links.csv").lines().filter(|line| line.contains("projectEntryId")).count(), 1, "one header");
    let _ = env.line("links issue --all --with lastName --to links.csv").fails(2).mentions("another format");
    let list = |env: &Env| env.line("testtakers list -o csv --fields email,referenceId,lastName").data();
    to.write("list.csv", env.read("list.csv"));
    let _ = to.line("testtakers import list.csv --excel").ok();
    assert_eq!(list(&to), list(&env));
}

#[test]
fn excel_without_csv_is_a_mistake() {
    for format in ["table", "json", "ndjson"] {
        let _ = listed(&format!("-o {format} --excel")).fails(2).mentions("-o csv");
    }
}

#[test]
fn a_list_for_a_spreadsheet_is_imported_as_it_was() {
    let (from, to) = (Env::sandbox(), Env::sandbox());
    let roster = "email,firstName,lastName,birthYear,referenceId\nminus@example.com,=1+1,'t Hooft,1980,-minus\n\
                  plus@example.com,'=1,@SUM(A1),,+plus\nat@example.com,''x,-,1981,@at\n";
    from.write("people.csv", roster);
    let _ = from.line("testtakers import people.csv").ok();
    let list = |env: &Env, more: &str| env.line(&format!("testtakers list -o csv {more}")).data();
    to.write("excel.csv", list(&from, "--excel"));
    let _ = to.line("testtakers check excel.csv").exits(5);
    let _ = to.line("testtakers check excel.csv --excel").ok();
    let _ = to.line("testtakers import excel.csv --excel").ok();
    let fields = "--fields email,firstName,lastName,yearOfBirth,referenceId";
    assert_eq!(list(&to, fields), list(&from, fields));
}

#[test]
fn reports_of_a_spreadsheets_roster_are_for_a_spreadsheet_too() {
    let env = Env::sandbox();
    env.write("excel.csv", "\u{feff}email,lastName,referenceId\na@example.com,'=1,'-1\nnobody,'+1,\n");
    let said = env.line("testtakers import excel.csv --excel --skip-invalid --report r.csv --failed-out f.csv");
    let _ = said.exits(10);
    assert!(env.read("r.csv").starts_with("\u{feff}email,lastName,referenceId,line,outcome"), "{}", env.read("r.csv"));
    assert!(env.read("r.csv").contains("\na@example.com,'=1,'-1,2,enrolled,"), "{}", env.read("r.csv"));
    assert_eq!(env.read("f.csv"), "\u{feff}email,lastName,referenceId\nnobody,'+1,\n");
}

#[test]
fn a_plain_roster_with_an_apostrophe_is_untouched() {
    for flag in ["", "--excel"] {
        let env = Env::sandbox();
        env.write("people.csv", "email,lastName\nann@example.com,'t Hooft\n");
        let _ = env.line(&format!("testtakers import people.csv {flag}")).ok();
        let list = env.line("testtakers list -o csv --fields lastName").data();
        assert_eq!(list, "lastName\n't Hooft\n", "{flag}");
    }
}
