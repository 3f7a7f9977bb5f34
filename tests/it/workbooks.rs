//! Workbooks as rosters and as outputs: read by the real program as it reads CSV, and written so that it reads the same.

use snapbox::str;

use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx};
use rust_xlsxwriter::{Format, Workbook};
use serde_json::{Value, json};

use crate::harness::Env;
use crate::imports::records;
use crate::lists::person;
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

/// A workbook of one sheet, all of it text.
pub(crate) fn workbook(rows: &[&[&str]]) -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Staff").expect("a name");
    for (row, cells) in (0..).zip(rows) {
        for (column, cell) in (0..).zip(*cells) {
            sheet.write_string(row, column, *cell).expect("a cell");
        }
    }
    book.save_to_buffer().expect("a workbook")
}

/// A workbook of one person whose id is a number.
pub(crate) fn with_a_number_as_id() -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Staff").expect("a name");
    sheet.write_row(0, 0, ["E-mail", "Employee number"]).expect("a header");
    sheet.write_string(1, 0, "ann@example.com").expect("a cell");
    sheet.write_number_with_format(1, 1, 17, &Format::new().set_num_format("00000")).expect("a cell");
    book.save_to_buffer().expect("a workbook")
}

const PEOPLE: [&[&str]; 3] = [
    &["E-mail", "First name", "Last name", "Year of birth", "Reference ID"],
    &["zoe@example.com", "Zoë", "Müller", "1984", "00017"],
    &["bo@example.com", "Bo", "=1+1", "", "00018"],
];

#[test]
fn a_workbook_is_imported_as_its_csv_would_be() {
    let env = Env::sandbox();
    env.write("people.xlsx", workbook(&PEOPLE));
    let said = env.line("testtakers import people.xlsx --report report.csv").ok();
    let said =
        said.mentions("people.xlsx: read as a workbook, sheet \"Staff\" (E-mail = email, First name = firstName");
    let _ = said.mentions("2 enrolled in Demo");
    let list = env.line("testtakers list -o csv --fields email,firstName,lastName,yearOfBirth,referenceId").data();
    let expected = "email,firstName,lastName,yearOfBirth,referenceId\nbo@example.com,Bo,=1+1,,00018\n\
                    zoe@example.com,Zoë,Müller,1984,00017\n";
    assert_eq!(list, expected);
    let report = env.read("report.csv");
    assert!(report.starts_with("E-mail,First name,Last name,Year of birth,Reference ID,line,outcome"), "{report}");
    assert_eq!(records(&report)[1]["line"], "3");
    let _ = env.line("testtakers import people.xlsx").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
people.xlsx: read as a workbook, sheet "Staff" (E-mail = email, First name = firstName, Last name = lastName, Year of birth = birthYear, Reference ID = referenceId)
2 rows: 2 enrolled (by an earlier run) in Demo (sandbox)

"#]]);
}

#[test]
fn mistakes_of_a_workbook_are_named_by_their_cells() {
    let env = Env::sandbox();
    let rows: [&[&str]; 3] = [&["email", "birthYear"], &["ann@example.com", "19x4"], &["bo@example.com", "85"]];
    env.write("people.xlsx", workbook(&rows));
    let said = env.line("testtakers import people.xlsx").fails(5);
    let said = said.mentions("people.xlsx:Staff!B2: birthYear: \"19x4\" is not a whole number");
    let _ = said.mentions("people.xlsx:Staff!B3: birthYear: \"85\" is an unlikely year of birth");
    let checked = env.line("testtakers check people.xlsx -o csv").exits(5);
    assert_eq!(
        checked.stdout,
        "file,line,column,cell,field,message\n\
         people.xlsx,2,2,Staff!B2,birthYear,\"\"\"19x4\"\" is not a whole number\"\n\
         people.xlsx,3,2,Staff!B3,birthYear,\"\"\"85\"\" is an unlikely year of birth; --allow-suspicious accepts it\"\n"
    );
    let table = env.line("testtakers check people.xlsx").exits(5);
    assert!(table.stdout.starts_with("cell      field      message\nStaff!B2  birthYear"), "{}", table.stdout);
}

#[test]
fn a_workbook_is_known_by_its_content_and_not_by_its_name() {
    let env = Env::sandbox();
    env.write("book.csv", workbook(&PEOPLE));
    let _ = env.line("testtakers check book.csv").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
book.csv: read as a workbook, sheet "Staff" (E-mail = email, First name = firstName, Last name = lastName, Year of birth = birthYear, Reference ID = referenceId)
book.csv: 2 rows, no mistake

"#]]);
    env.write("text.xlsx", "email\nann@example.com\n");
    let _ = env.line("testtakers check text.xlsx").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
text.xlsx: 1 row, no mistake

"#]]);
    for (line, error) in [
        ("text.xlsx --sheet Staff", "text.xlsx is a text, which has no sheets: leave --sheet out"),
        ("book.csv --delimiter ,", "book.csv is a workbook, which is no text: leave --delimiter out"),
        ("book.csv --sheet Stuff", "book.csv has no sheet \"Stuff\": its sheets are Staff"),
    ] {
        env.line(&format!("testtakers check {line}")).refuses(2, &format!("error: {error}\n"));
    }
    env.write("word.xlsx", b"PK\x03\x04nothing");
    env.write("old.xls", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1rest");
    for (file, error) in [
        ("word.xlsx", "is a workbook that cannot be read: the archive is cut off or damaged"),
        ("old.xls", "is an old Excel workbook, or one with a password, not CSV"),
    ] {
        let hint = "save the sheet as \"CSV UTF-8\" and give that file";
        env.line(&format!("testtakers check {file}")).refuses(5, &format!("error: {file} {error}\nhint: {hint}\n"));
    }
    let said = env.run_with(&["testtakers", "check", "-"], &workbook(&PEOPLE)).ok();
    let _ = said.mentions("standard input: read as a workbook");
}

#[test]
fn numbers_where_ids_are_meant_stop_an_import_until_they_are_accepted() {
    let env = Env::sandbox();
    env.write("people.xlsx", with_a_number_as_id());
    let said = env.line("testtakers import people.xlsx").fails(5);
    let _ =
        said.mentions("people.xlsx:Staff!B2: referenceId: is a number in the workbook, which keeps no leading zeros");
    let _ = env.line("testtakers import people.xlsx --allow-suspicious").ok();
    assert_eq!(env.line("testtakers list -o csv --fields referenceId").data(), "referenceId\n17\n");
}

#[test]
fn whoever_a_workbook_names_is_updated_linked_and_removed() {
    let env = Env::sandbox();
    env.write("people.xlsx", workbook(&PEOPLE));
    let _ = env.line("testtakers import people.xlsx").ok();
    env.write("new.xlsx", workbook(&[&["referenceId", "firstName"], &["00018", "Bodil"]]));
    let _ = env.line("testtakers update --file new.xlsx").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
1 row: 1 updated in Demo (sandbox)

"#]]);
    env.write("some.xlsx", workbook(&[&["Notes", "Reference ID"], &["x", "00018"]]));
    let said = env.line("links issue --file some.xlsx --ignore-column Notes --to links.csv").ok();
    let _ = said.mentions("1 issued");
    let _ = env.line("testtakers remove --file some.xlsx --ignore-column Notes --yes").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
some.xlsx: read as a workbook, sheet "Staff" (Reference ID = referenceId; not used: Notes)
1 row: 1 removed in Demo (sandbox)

"#]]);
    assert_eq!(env.line("testtakers list -o csv --fields firstName").data(), "firstName\nZoë\n");
}

#[test]
fn rows_to_fix_of_a_workbook_are_a_csv_of_its_columns() {
    let env = Env::sandbox();
    let rows: [&[&str]; 4] =
        [&["email", "Notes", "birthYear"], &["a@example.com", "x", "1980"], &["nobody", "", "1980"], &["", "y"]];
    env.write("people.xlsx", workbook(&rows));
    let said =
        env.line("testtakers import people.xlsx --ignore-column Notes --skip-invalid --failed-out fix.csv").exits(10);
    let _ = said.mentions("1 enrolled");
    assert_eq!(env.read("fix.csv"), "email,Notes,birthYear\nnobody,,1980\n,y\n");
}

/// The rows of the first sheet that the program wrote, all cells being text.
fn written(env: &Env, name: &str) -> Vec<Vec<String>> {
    let bytes = std::fs::read(env.work().join(name)).expect("a file");
    let mut book = Xlsx::new(Cursor::new(bytes)).expect("a workbook");
    let range = book.worksheet_range_at(0).expect("a sheet").expect("readable");
    let text = |cell: &Data| match cell {
        Data::String(text) => text.clone(),
        Data::Empty => String::new(),
        other => panic!("not a text: {other:?}"),
    };
    range.rows().map(|row| row.iter().map(text).collect()).collect()
}

/// A service with people of these last names.
fn people_called(names: &[&str]) -> Socket {
    let record = |(id, name): (i64, &&str)| {
        let mut record = person(7000 + id);
        record["lastName"] = json!(name);
        record
    };
    let people: Vec<Value> = (0_i64..).zip(names).map(record).collect();
    Socket::always(Answer::ok(&Value::Array(people).to_string()))
}

#[test]
fn a_list_in_a_workbook_is_imported_as_it_was_byte_for_byte() {
    let (from, to) = (Env::sandbox(), Env::sandbox());
    let path = format!("{}/tests/fixtures/rosters/hostile-but-valid.csv", env!("CARGO_MANIFEST_DIR"));
    from.write("people.csv", std::fs::read(path).expect("a roster"));
    let _ = from.line("testtakers import people.csv").ok();
    let _ = from.line("testtakers list --to people.xlsx").ok();
    to.write("people.xlsx", std::fs::read(from.work().join("people.xlsx")).expect("a workbook"));
    let _ = to.line("testtakers import people.xlsx").ok().mentions("12 enrolled");
    let list =
        |env: &Env| env.line("testtakers list -o csv --fields email,firstName,lastName,yearOfBirth,referenceId").data();
    assert_eq!(list(&to), list(&from));
}

#[test]
fn cells_of_a_workbook_are_the_values_that_were_sent() {
    let names =
        ["00017", "=1+1", "1.2E+16", "2020-01-01", "TRUE", " x ", "_x0041_", "a\u{7}\r\nb", "<&>\"'", "\u{202e}é😀"];
    let socket = people_called(&names);
    let env = Env::at(&socket.url);
    let _ = env.line(&format!("testtakers list -p {PROJECT} --fields lastName,id --to x.xlsx")).ok();
    let rows = written(&env, "x.xlsx");
    assert_eq!(rows[0], ["lastName", "id"]);
    assert_eq!(rows[1..].iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), names);
    assert_eq!(rows[1][1], "7000");
    let _ = env.line(&format!("testtakers list -p {PROJECT} --fields id --no-header -o xlsx --to y.bin")).ok();
    assert_eq!(written(&env, "y.bin")[0], ["7000"]);
}

#[test]
fn what_no_workbook_can_hold_leaves_the_old_file() {
    let long = "x".repeat(40_000);
    let socket = people_called(&["fits", &long]);
    let env = Env::at(&socket.url);
    env.write("x.xlsx", "old");
    let said = env.line(&format!("testtakers list -p {PROJECT} --to x.xlsx")).fails(1);
    let said = said.mentions("lastName of record 2 is longer than the 32767 characters of a cell").hides("xxxxx");
    let _ = said.mentions("--to FILE.csv");
    assert_eq!(env.read("x.xlsx"), "old");
    let refusing = Socket::always(Answer::problem(403, "Forbidden", "not with this key"));
    let env = Env::at(&refusing.url);
    env.write("x.xlsx", "old");
    let _ = env.line(&format!("testtakers list -p {PROJECT} --to x.xlsx")).fails(3);
    assert_eq!(env.read("x.xlsx"), "old");
}

#[test]
fn a_workbook_needs_a_file_and_is_no_file_of_links() {
    let env = Env::sandbox();
    for (line, said) in [
        ("projects list -o xlsx", "error: a workbook is no text: it needs a file\nhint: add --to FILE.xlsx\n"),
        (
            "testtakers list --excel --to x.xlsx",
            "error: --excel is for CSV alone\nhint: leave --excel out: a workbook needs none\n",
        ),
        ("testtakers list --excel --to x.json", "error: --excel is for CSV alone\nhint: add -o csv\n"),
        (
            "testtakers list --excel --to x.xlsx -o csv",
            "error: x.xlsx would not be what its ending says: this is written as CSV\nhint: end the name in .csv\n",
        ),
        (
            "testtakers list --to x.XLSX -o ndjson",
            "error: x.XLSX would not be what its ending says: this is written as NDJSON\nhint: end the name in .ndjson\n",
        ),
        (
            "links issue --all --to x.xlsx",
            "error: links are written one by one, and a workbook cannot grow\nhint: add --to FILE.csv or FILE.ndjson, or take -o csv or -o ndjson\n",
        ),
    ] {
        env.line(line).refuses(2, said);
    }
    let _ = env.line("projects list --to projects.xlsx").ok();
    assert_eq!(written(&env, "projects.xlsx").len(), 2);
}

#[test]
fn the_report_and_the_rows_to_fix_are_workbooks_where_they_are_called_so() {
    let env = Env::sandbox();
    let rows: [&[&str]; 3] =
        [&["email", "Notes", "referenceId"], &["a@example.com", "=x", "01"], &["nobody", "y", "02"]];
    env.write("people.xlsx", workbook(&rows));
    let line = "testtakers import people.xlsx --ignore-column Notes --skip-invalid --report r.xlsx --failed-out f.xlsx";
    let _ = env.line(line).exits(10);
    let report = written(&env, "r.xlsx");
    assert_eq!(report[0][..5], ["email", "Notes", "referenceId", "line", "outcome"]);
    assert_eq!(report[1][..5], ["a@example.com", "=x", "01", "2", "enrolled"]);
    assert_eq!(report[2][4], "invalid");
    assert_eq!(written(&env, "f.xlsx"), [["email", "Notes", "referenceId"], ["nobody", "y", "02"]]);
    let again = env.line("testtakers import f.xlsx --ignore-column Notes").fails(5);
    let _ = again.mentions("f.xlsx:");
}

#[test]
fn an_export_into_a_workbook_is_the_same_when_nothing_changed_and_never_emptied() {
    let env = Env::sandbox();
    env.write("people.xlsx", workbook(&PEOPLE));
    let _ = env.line("testtakers import people.xlsx").ok();
    let _ = env.line("sandbox set ref:00017 --result HighRisk").ok();
    let read = || std::fs::read(env.work().join("results.xlsx")).expect("a workbook");
    let _ = env.line("results export --to results.xlsx").ok();
    let first = read();
    let _ = env.line("results export --to results.xlsx").ok();
    assert!(first == read(), "the same results are the same bytes");
    assert!(written(&env, "results.xlsx").iter().flatten().any(|cell| cell == "HighRisk"));
    let _ = env.line("testtakers remove ref:00017 ref:00018 --yes").ok();
    let said = env.line("results export --to results.xlsx").fails(7);
    let _ = said.mentions("the new export is empty; results.xlsx was kept");
    assert!(first == read(), "it stays as it was");
    let _ = env.line("results export --to results.xlsx --allow-empty").ok();
    assert_eq!(written(&env, "results.xlsx").len(), 1);
}

/// An archive that is a directory of so many empty parts and nothing else: 47 bytes or so for each, and the library that
/// loads it takes ten times as much.
#[cfg(target_os = "linux")]
fn directory(parts: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..parts {
        let name = format!("{number:07}");
        bytes.extend(b"PK\x01\x02");
        bytes.extend([45, 0, 45, 0]);
        bytes.extend([0; 20]);
        bytes.extend([7, 0]);
        bytes.extend([0; 16]);
        bytes.extend(name.as_bytes());
    }
    let size = bytes.len() as u64;
    bytes.extend(b"PK\x06\x06");
    bytes.extend(44_u64.to_le_bytes());
    bytes.extend([45, 0, 45, 0]);
    bytes.extend([0; 8]);
    bytes.extend([parts, parts, size, 0].into_iter().flat_map(u64::to_le_bytes));
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend(size.to_le_bytes());
    bytes.extend([1, 0, 0, 0]);
    bytes.extend(b"PK\x05\x06");
    bytes.extend([0, 0, 0, 0]);
    bytes.extend([0xFF; 12]);
    bytes.extend([0, 0]);
    bytes
}

#[cfg(target_os = "linux")]
#[test]
fn an_export_over_an_archive_of_a_million_parts_takes_no_more_memory() {
    let env = Env::sandbox();
    env.write("results.xlsx", directory(1_000_000));
    let within = |line: &str| crate::shell::run(&env, &format!("ulimit -v {}; {line}", 200 << 10));
    // It may hold results, as far as anybody knows.
    let said = within("assessctl results export --to results.xlsx").exits(7);
    let _ = said.mentions("the new export is empty; results.xlsx was kept");
    let _ = within("assessctl results export --to results.xlsx --allow-empty").ok();
}

#[test]
fn a_file_beside_the_output_is_refused_where_its_ending_names_another_format() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@example.com,A\n");
    let named = |file: &str, ours: &str, ending: &str| {
        format!(
            "error: {file} would not be what its ending says: this is written as {ours}\nhint: end the name in .{ending}\n"
        )
    };
    for line in ["import people.csv --report", "import people.csv --failed-out", "update --file people.csv --report"] {
        for file in ["r.json", "r.ndjson", "r.txt", "r.pdf"] {
            env.line(&format!("testtakers {line} {file}")).refuses(2, &named(file, "CSV", "csv"));
            assert!(!env.work().join(file).exists(), "{line}");
        }
    }
    let said =
        "error: a file of links is CSV or NDJSON, and l.json is neither\nhint: end its name in .csv or .ndjson\n";
    env.line("testtakers import people.csv --with-links l.json").refuses(2, said);
    env.line("testtakers sync people.csv --plan p.csv").refuses(2, &named("p.csv", "NDJSON", "ndjson"));
    assert_eq!(env.line("testtakers list -p Demo -o csv --fields id").data(), "id\n", "nothing was sent");
    for file in ["plan.ndjson", "plan.jsonl", "plan", "plan.night"] {
        let _ = env.line(&format!("testtakers sync people.csv --plan {file}")).ok();
    }
    let hint = "(`assessctl testtakers sync people.csv --fail-on-change --plan PLAN.ndjson`)\n";
    let _ = env.line("testtakers sync people.csv --fail-on-change").fails(2).mentions(hint);
    let said = env.line("testtakers sync people.csv --plan 'my plan' --fail-on-change").exits(8);
    let _ = said.mentions("then `assessctl testtakers apply 'my plan'`\n");
    let _ = env.line("testtakers import people.csv --report r --failed-out f").ok();
    assert!(env.read("r").starts_with("email,referenceId,line,outcome"));
}
