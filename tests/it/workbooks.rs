//! Workbooks as rosters: read by the real program as it reads CSV, with mistakes named as a spreadsheet names cells.

use rust_xlsxwriter::{Format, Workbook};

use crate::harness::Env;
use crate::imports::records;

/// A workbook of one sheet, all of it text.
fn workbook(rows: &[&[&str]]) -> Vec<u8> {
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
    let _ = env.line("testtakers import people.xlsx").ok().mentions("2 enrolled (by an earlier run)");
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
    let _ = env.line("testtakers check book.csv").ok().mentions("read as a workbook");
    env.write("text.xlsx", "email\nann@example.com\n");
    let _ = env.line("testtakers check text.xlsx").ok().mentions("text.xlsx: 1 row, no mistake");
    let _ = env.line("testtakers check text.xlsx --sheet Staff").fails(2).mentions("leave --sheet out");
    let _ = env.line("testtakers check book.csv --delimiter ,").fails(2).mentions("leave --delimiter out");
    let _ = env.line("testtakers check book.csv --sheet Stuff").fails(2).mentions("its sheets are Staff");
    env.write("word.xlsx", b"PK\x03\x04nothing");
    let _ = env.line("testtakers check word.xlsx").fails(5).mentions("cannot be read").mentions("CSV UTF-8");
    env.write("old.xls", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1rest");
    let _ = env.line("testtakers check old.xls").fails(5).mentions("an old Excel workbook, or one with a password");
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
    let _ = env.line("testtakers update --file new.xlsx").ok().mentions("1 updated");
    env.write("some.xlsx", workbook(&[&["Notes", "Reference ID"], &["x", "00018"]]));
    let said = env.line("links issue --file some.xlsx --ignore-column Notes --to links.csv").ok();
    let _ = said.mentions("1 issued");
    let _ = env.line("testtakers remove --file some.xlsx --ignore-column Notes --yes").ok().mentions("1 removed");
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
