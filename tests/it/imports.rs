//! Rosters as they arrive, enrolled in the embedded service: each person exactly once, each row accounted for.

use snapbox::str;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Env, Said};

/// Puts a roster of the fixtures into the working directory.
pub(crate) fn place(env: &Env, name: &str) {
    let path = format!("{}/tests/fixtures/rosters/{name}", env!("CARGO_MANIFEST_DIR"));
    env.write(name, std::fs::read(path).expect("a roster"));
}

/// The people of the project `Demo`, as JSON.
fn enrolled(env: &Env) -> Vec<Value> {
    env.line("testtakers list -o json").json().as_array().expect("an array").clone()
}

fn names(people: &[Value]) -> BTreeSet<String> {
    people.iter().filter_map(|person| person["fullName"].as_str()).map(str::to_owned).collect()
}

/// Records of a CSV by header name.
pub(crate) fn records(text: &str) -> Vec<Value> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let record = |row: csv::StringRecord| header.iter().map(str::to_owned).zip(row.iter().map(Value::from)).collect();
    reader.records().map(|row| record(row.expect("a record"))).collect()
}

/// How many rows of a report ended in this outcome.
fn outcomes(report: &str, outcome: &str) -> usize {
    records(report).iter().filter(|row| row["outcome"] == outcome).count()
}

fn import(env: &Env, roster: &str, more: &str) -> Said {
    env.line(&format!("testtakers import {roster} {more}"))
}

#[test]
fn the_rosters_of_excel_are_enrolled_with_their_accents() {
    let rosters =
        [("excel-semicolon-windows-1252.csv", 6), ("excel-utf8-bom.csv", 6), ("excel-unicode-text-utf16.txt", 9)];
    for (roster, rows) in rosters {
        let env = Env::sandbox();
        place(&env, roster);
        let _ = import(&env, roster, "").ok();
        let people = enrolled(&env);
        assert_eq!(people.len(), rows, "{roster}");
        let names = names(&people);
        for name in ["Zoë Müller", "José García Peña", "Søren Kjær"] {
            assert!(names.contains(name), "{roster}: {name} in {names:?}");
        }
        let anna = people.iter().find(|person| person["email"] == "anna@example.com").expect("Anna");
        assert_eq!((&anna["lastName"], &anna["yearOfBirth"]), (&Value::Null, &Value::Null), "{roster}");
    }
}

#[test]
fn the_guess_is_printed_and_can_be_overridden() {
    let env = Env::sandbox();
    place(&env, "excel-semicolon-windows-1252.csv");
    let said = import(&env, "excel-semicolon-windows-1252.csv", "--dry-run").ok().shows(str![[r#"
exit 0
--- stdout
line  outcome      projectEntryId  E-mail                   Reference ID  message
2     would-enrol                  zoe.mueller@example.com  EMP-00017
3     would-enrol                  jose.garcia@example.com  EMP-00018
4     would-enrol                  soren.kjaer@example.com  EMP-00019
5     would-enrol                  siobhan@example.com      EMP-00020
6     would-enrol                  francois@example.com     EMP-00021
7     would-enrol                  anna@example.com         EMP-00022
--- stderr
excel-semicolon-windows-1252.csv: read as Windows-1252 (it is not UTF-8), separated by ; (E-mail = email, First name = firstName, Last name = lastName, Year of birth = birthYear, Reference ID = referenceId)
6 rows: 6 would-enrol in Demo (sandbox)

"#]]);
    assert!(said.stderr.contains(';'), "{said}");
    let _ = import(&env, "excel-semicolon-windows-1252.csv", "--encoding utf-8").fails(5).shows(str![[r#"
exit 5
--- stdout
--- stderr
error: excel-semicolon-windows-1252.csv: line 2: byte 83 of the file (0xEB) is not UTF-8
hint: name the encoding it was saved in, such as --encoding windows-1252

"#]]);
}

#[test]
fn unknown_headers_are_named_together_and_can_be_ignored() {
    let env = Env::sandbox();
    place(&env, "hr-export.csv");
    let said = import(&env, "hr-export.csv", "").fails(5);
    assert!(said.stderr.contains("Department") && said.stderr.contains("Manager"), "{said}");
    assert!(enrolled(&env).is_empty());
    let _ = import(&env, "hr-export.csv", "--ignore-column Department,Manager").ok();
    let people = enrolled(&env);
    assert_eq!(people.len(), 4);
    assert!(names(&people).contains("Bartosz Nowak"), "outer white space is taken off: {people:?}");
    assert!(names(&people).contains("Dana Smith \"Mac\" Donald"), "{people:?}");
}

#[test]
fn hostile_but_valid_values_come_back_byte_for_byte_and_can_be_imported_again() {
    let env = Env::sandbox();
    place(&env, "hostile-but-valid.csv");
    let _ = import(&env, "hostile-but-valid.csv", "").ok();
    let exported = env.line("testtakers list -o csv --to exported.csv").ok();
    assert_eq!(exported.stdout, "");
    let key = |row: &Value, year: &str| {
        ["email", "firstName", "lastName", year, "referenceId"].map(|field| row[field].as_str().map(str::to_owned))
    };
    let sent: BTreeSet<_> = records(&env.read("hostile-but-valid.csv")).iter().map(|r| key(r, "birthYear")).collect();
    let came: BTreeSet<_> = records(&env.read("exported.csv")).iter().map(|r| key(r, "yearOfBirth")).collect();
    assert_eq!(sent.len(), 12);
    assert_eq!(came, sent);
    let again = import(&env, "exported.csv", "-o csv").ok();
    assert_eq!(outcomes(&again.stdout, "enrolled"), 12, "{again}");
    assert_eq!(enrolled(&env).len(), 12);
    for id in ["ref:.", "ref:..", "ref:-minus-first", "ref:+plus-first", "ref:@at-first"] {
        assert_eq!(env.run(&["testtakers", "get", id, "-o", "json"]).json()["referenceId"], id[4..], "{id}");
    }
    let _ = env.line("sandbox set ref:-minus-first --result Completed").ok();
    for id in [".", "..", "+plus-first", "@at-first"] {
        let _ = env.run(&["sandbox", "set", &format!("ref:{id}"), "--result", "Completed"]).ok();
        assert_eq!(env.run(&["results", "get", id, "-o", "json"]).json()["referenceId"], id, "{id}");
    }
    assert_eq!(env.line("results get -o json -- -minus-first").json()["referenceId"], "-minus-first");
}

#[test]
fn every_mistake_is_reported_at_once_with_line_and_column_and_nothing_is_sent() {
    let env = Env::sandbox();
    place(&env, "broken.csv");
    let said = import(&env, "broken.csv", "").fails(5);
    let expected = [
        "1:48: ",
        "3:1: email: ",
        "4:1: email: ",
        "5:27: birthYear: \"19x4\" is not a whole number",
        "6:26: birthYear: ",
        "7:18: firstName: ",
        "8:38: referenceId: ",
        "9:38: referenceId: ",
        "10:37: referenceId: ",
        "11:35: referenceId: ",
        "13:1: email: ",
        "14:39: referenceId: ",
        "15:",
        "16:40: ",
        "17:19: ",
    ];
    for place in expected {
        let place = format!("broken.csv:{place}");
        assert!(said.stderr.lines().any(|line| line.starts_with(&place)), "{place} in\n{said}");
    }
    for quoted in ["not an address", "double@example.com", "other@example.com", "yyyy"] {
        assert!(!said.stderr.contains(quoted), "{quoted} in\n{said}");
    }
    assert!(enrolled(&env).is_empty());
}

#[test]
fn a_check_prints_the_mistakes_as_its_result() {
    let env = Env::sandbox();
    place(&env, "broken.csv");
    for format in ["table", "csv", "json", "ndjson"] {
        let said = env.line(&format!("testtakers check broken.csv -o {format}")).exits(5);
        assert!(said.stdout.contains("19x4"), "{format}: {said}");
    }
    let mistakes: Value = serde_json::from_str(&env.line("testtakers check broken.csv -o json").exits(5).stdout)
        .expect("mistakes are data");
    assert!(mistakes.as_array().is_some_and(|all| all.len() >= 15), "{mistakes}");
    place(&env, "excel-utf8-bom.csv");
    let _ = env.line("testtakers check excel-utf8-bom.csv").ok();
}

#[test]
fn the_same_command_again_enrols_nobody_twice() {
    let env = Env::sandbox();
    place(&env, "excel-utf8-bom.csv");
    let first = import(&env, "excel-utf8-bom.csv", "-o csv").ok();
    assert_eq!(outcomes(&first.stdout, "enrolled"), 6, "{first}");
    let again = import(&env, "excel-utf8-bom.csv", "-o csv").ok();
    assert_eq!(outcomes(&again.stdout, "enrolled"), 6, "this machine did it: {again}");
    assert_eq!(enrolled(&env).len(), 6);
    let _ = import(&env, "excel-utf8-bom.csv", "--on-existing fail").ok();
}

#[test]
fn the_report_has_every_row_with_its_own_columns_and_can_be_fed_in_again() {
    let env = Env::sandbox();
    env.write("people.csv", "Mail,Surname,Notes\na@example.com,Ä,one\nb@example.com,B,two\n");
    let said = import(&env, "people.csv", "--ignore-column Notes --map Mail=email --report report.csv -o csv").ok();
    let report = env.read("report.csv");
    assert_eq!(said.stdout, report);
    let header = report.lines().next().unwrap_or_default();
    assert_eq!(header, "Mail,Surname,Notes,line,outcome,projectEntryId,enrolmentId,message");
    let rows = records(&report);
    assert_eq!((rows.len(), &rows[0]["Surname"], &rows[1]["line"]), (2, &Value::from("Ä"), &Value::from("3")));
    assert_eq!(outcomes(&report, "enrolled"), 2);
    let again = import(&env, "report.csv", "--ignore-column Notes --map Mail=email -o csv").ok();
    assert_eq!(outcomes(&again.stdout, "enrolled"), 2, "{again}");
}

#[test]
fn a_dry_run_shows_the_plan_and_sends_nothing() {
    let env = Env::sandbox();
    place(&env, "excel-utf8-bom.csv");
    let said = import(&env, "excel-utf8-bom.csv", "--dry-run -o csv").ok();
    assert_eq!(outcomes(&said.stdout, "would-enrol"), 6, "{said}");
    assert!(enrolled(&env).is_empty());
}

#[test]
fn conflicts_are_reported_and_never_guessed() {
    let env = Env::sandbox();
    env.write(
        "first.csv",
        "email,referenceId,birthYear\na@example.com,A-1,1980\nb@example.com,B-1,1981\nc@example.com,,\n",
    );
    let _ = import(&env, "first.csv", "").ok();
    // Another e-mail for A-1, another id for b, another year for b: the API can change none of it. c has no id yet.
    env.write(
        "second.csv",
        "email,referenceId,birthYear\nx@example.com,A-1,1980\nb@example.com,B-2,1981\nc@example.com,C-1,\n",
    );
    let said = import(&env, "second.csv", "-o csv --failed-out failed.csv").exits(10);
    assert_eq!((outcomes(&said.stdout, "conflict"), outcomes(&said.stdout, "existing")), (2, 1), "{said}");
    assert_eq!(env.read("failed.csv").lines().count(), 3, "{}", env.read("failed.csv"));
    assert!(env.read("failed.csv").starts_with("email,referenceId,birthYear\n"));
    env.write("third.csv", "email,referenceId,birthYear\nb@example.com,B-1,1999\n");
    let said = import(&env, "third.csv", "-o csv").exits(10);
    assert_eq!(outcomes(&said.stdout, "conflict"), 1, "{said}");
    assert_eq!(enrolled(&env).len(), 3);
}

#[test]
fn invalid_rows_can_be_left_out_and_are_accounted_for() {
    let env = Env::sandbox();
    env.write("people.csv", "email,birthYear\na@example.com,1980\nnobody,1980\nb@example.com,19x4\n");
    let said = import(&env, "people.csv", "--skip-invalid -o csv --failed-out failed.csv").exits(10);
    assert_eq!((outcomes(&said.stdout, "enrolled"), outcomes(&said.stdout, "invalid")), (1, 2), "{said}");
    assert_eq!(env.read("failed.csv"), "email,birthYear\nnobody,1980\nb@example.com,19x4\n");
    assert_eq!(enrolled(&env).len(), 1);
}

#[test]
fn no_output_takes_the_place_of_the_roster_or_of_another_output() {
    let env = Env::sandbox();
    let roster = "email\na@example.com\n";
    env.write("people.csv", roster);
    for outputs in [
        "--report people.csv",
        "--failed-out ./people.csv",
        "--to ./people.csv -o csv",
        "--report new.csv --failed-out ./new.csv",
        "--report new.csv --to new.csv",
    ] {
        let _ = import(&env, "people.csv", outputs).fails(2).mentions("same file");
        assert_eq!(env.read("people.csv"), roster, "{outputs}");
    }
    assert!(enrolled(&env).is_empty());
    let _ = import(&env, "people.csv", "--report /dev/null --failed-out /dev/null").ok();
}

#[test]
fn a_roster_can_come_from_standard_input() {
    let env = Env::sandbox();
    let said = env.run_with(&["testtakers", "import", "-", "-o", "csv"], b"email\na@example.com\n").ok();
    assert_eq!(outcomes(&said.stdout, "enrolled"), 1, "{said}");
}

#[test]
fn off_a_terminal_a_run_says_one_summary_line_and_none_when_quiet() {
    let env = Env::sandbox();
    env.write("people.csv", "email\na@example.com\nb@example.com\n");
    let said = import(&env, "people.csv", "").ok();
    assert_eq!(said.stdout, "", "no row needs attention: {said}");
    let summary = said.stderr.lines().last().unwrap_or_default();
    assert!(summary.contains('2') && summary.contains("enrolled"), "{said}");
    assert!(!said.stderr.contains('\r') && !said.stderr.contains('\u{1b}'), "{said:?}");
    let quiet = import(&env, "people.csv", "-q").ok();
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_for_a_program_that_nothing_reads_is_an_error_after_the_import_and_a_table_is_not() {
    let env = Env::sandbox();
    env.write("people.csv", "email\na@x.example\n");
    let said = crate::shell::run(&env, "assessctl testtakers import people.csv -o csv >&-");
    assert!(said.code == 1 && said.stderr.contains("1 enrolled"), "{said}");
    for more in ["", "-o table", "-o csv --to account.csv"] {
        let said = crate::shell::run(&env, &format!("assessctl testtakers import people.csv {more} >&-"));
        assert_eq!(said.code, 0, "{more}: {said}");
    }
}
