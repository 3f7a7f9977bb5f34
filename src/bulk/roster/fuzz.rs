//! The reader under fuzzing: what it understood holds together, and reads the same when it is written anew.

use super::*;
use crate::model::fuzz::fuzz;

const SEEDS: [&[u8]; 6] = [
    include_bytes!("../../../tests/fixtures/rosters/broken.csv"),
    include_bytes!("../../../tests/fixtures/rosters/excel-semicolon-windows-1252.csv"),
    include_bytes!("../../../tests/fixtures/rosters/excel-unicode-text-utf16.txt"),
    include_bytes!("../../../tests/fixtures/rosters/excel-utf8-bom.csv"),
    include_bytes!("../../../tests/fixtures/rosters/hostile-but-valid.csv"),
    b"email;referenceId\nzoe@example.com;EMP-1\n\"a@b\r\n\";\"say \"\"so\"\"\"\n",
];
const WORDS: [&str; 20] = [
    "email",
    "E-mail",
    "birthYear",
    "referenceId",
    "firstName",
    "sep=;",
    "a@b",
    "1984",
    "1.2E+16",
    "#REF!",
    "\"",
    "\"\"",
    "\r\n",
    "\n",
    "\r",
    ",",
    ";",
    "\t",
    "\u{feff}",
    "'",
];

#[test]
fn fuzzed_rosters_are_understood_consistently_or_refused() {
    fuzz(20_000, &SEEDS, &WORDS, |bytes| {
        let turn = bytes.len() % 8;
        let options = ReadOptions {
            purpose: if turn == 0 { Purpose::Name } else { Purpose::Enrol },
            allow_doubles: turn % 2 == 0,
            allow_suspicious: turn % 3 == 0,
            excel: turn == 5,
            ..ReadOptions::default()
        };
        match read(bytes, "fuzzed", &options) {
            Err(error) => error.to_string().chars().filter(|c| !c.is_ascii_digit()).take(40).collect::<String>(),
            Ok(roster) => {
                hold_together(&roster, options.purpose);
                if roster.mistakes.is_empty() {
                    reads_the_same_again(&roster, &options);
                }
                let kind =
                    |mistake: &Mistake| mistake.message.chars().filter(char::is_ascii_alphabetic).take(12).collect();
                let mut kinds: Vec<String> = roster.mistakes.iter().map(kind).collect();
                kinds.dedup();
                format!("{:?} {:?}", roster.form, &kinds[..kinds.len().min(5)])
            }
        }
    });
}

const LISTS: [&[u8]; 4] = [
    b"ref:EMP-1\nref:EMP-2\n\nref:00017",
    b"email:a@b.c\r\nemail:\"d\"@e.f\r\n",
    b"EMP-1\n00017\nid:7\n",
    b"id,email,referenceId\n1,a@b.c,EMP-1\n2,,\n",
];
const LIST_WORDS: [&str; 10] = ["ref:", "id:", "email:", "referenceId", "EMP-1", "\n", "\r\n", ",", "\"", "\u{feff}"];

#[test]
fn fuzzed_lists_name_one_person_a_line_or_are_refused() {
    fuzz(5_000, &LISTS, &LIST_WORDS, |bytes| {
        let purpose = if bytes.len() % 2 == 0 { Purpose::Name } else { Purpose::NameByReference };
        let options = ReadOptions {
            purpose,
            allow_doubles: bytes.len() % 3 == 0,
            allow_suspicious: bytes.len() % 5 < 2,
            ..ReadOptions::default()
        };
        match read(bytes, "fuzzed", &options) {
            Err(error) => error.to_string().chars().filter(|c| !c.is_ascii_digit()).take(40).collect::<String>(),
            Ok(roster) => {
                hold_together(&roster, options.purpose);
                // A command that asks for reference ids alone refuses a list of others.
                let is_asked = purpose == Purpose::Name || roster.columns.index_of(Field::ReferenceId).is_some();
                // A name that is empty behind its prefix is a blank line without it.
                let is_blank = |row: usize| roster.cells(row).all(|cell| cell.trim().is_empty());
                if roster.mistakes.is_empty() && is_asked && !(0..roster.row_count()).any(is_blank) {
                    reads_the_same_again(&roster, &options);
                }
                let naming = [Field::EntryId, Field::ReferenceId, Field::Email];
                let names = naming.into_iter().filter(|field| roster.columns.index_of(*field).is_some()).count();
                assert!(names > 0 || roster.is_blocked(), "a list without names has a mistake");
                format!("{purpose:?} {names} {}", roster.columns.headers.len().min(5))
            }
        }
    });
}

fn hold_together(roster: &Roster, purpose: Purpose) {
    let count = roster.row_count();
    let places: Vec<(u32, u32)> = roster.mistakes.iter().map(|mistake| (mistake.line, mistake.column)).collect();
    assert!(places.is_sorted(), "mistakes stand in the order of the file");
    assert!(places.iter().all(|(line, column)| *line > 0 && *column > 0));
    assert!(roster.mistakes.iter().all(|mistake| mistake.row.is_none_or(|row| row < count)));
    assert!((1..count).all(|row| roster.line(row - 1) < roster.line(row)), "each row starts on a line of its own");
    let wrong = |row: usize| roster.mistakes.iter().any(|mistake| mistake.row.is_none_or(|other| other == row));
    // A list without a header names people and says nothing of them.
    let is_list = roster.columns.headers.len() == 1 && purpose != Purpose::Enrol;
    let whole = roster.columns.index_of(Field::Email).is_some() && !roster.is_blocked() && !is_list;
    for row in (0..count).filter(|row| whole && !wrong(*row)) {
        let has_email = roster.value(row, Field::Email).is_some();
        assert!(roster.person(row).is_some() || !has_email, "a row without a mistake is a person");
    }
}

fn reads_the_same_again(roster: &Roster, options: &ReadOptions) {
    let mut writer =
        csv::WriterBuilder::new().flexible(true).quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
    writer.write_record(roster.columns.headers.iter().map(|(name, _)| name)).expect("a header");
    for row in 0..roster.row_count() {
        writer.write_record(roster.cells(row)).expect("a row");
    }
    let text = writer.into_inner().expect("a text");
    let plain = ReadOptions {
        encoding: Some(Encoding::UTF_8),
        delimiter: Some(Delimiter::Comma),
        excel: false,
        ..options.clone()
    };
    let again = read(text.as_slice(), "again", &plain).expect("what was read can be read again");
    assert_eq!(again.mistakes, []);
    assert_eq!(again.row_count(), roster.row_count());
    for row in 0..roster.row_count() {
        assert!(again.cells(row).eq(roster.cells(row)), "row {row}");
    }
}
