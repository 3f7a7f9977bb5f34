//! How a file's bytes are understood, and what is said of one that can't be: each message and hint whole.

use std::io::{self, Read};

use super::encoding_names::Encoding;
use super::text_encoding::{Input, begins_as_utf8};
use super::*;
use crate::model::exit_ranks::Verdict;

fn options() -> ReadOptions {
    ReadOptions::default()
}

/// What is said of a file that is refused.
fn refused(bytes: &[u8], options: &ReadOptions) -> (String, Option<String>) {
    let failure = read(bytes, "r", options).expect_err("it is refused").failure("people.csv");
    (failure.cause, failure.hint)
}

/// What is said of headers that are not understood.
fn headers(line: &str, options: &ReadOptions) -> (Vec<String>, Option<String>) {
    let roster = read(format!("{line}\nx,x,x,x,x,x\n").as_bytes(), "r", options).expect("a roster");
    let of_header = roster.mistakes.iter().filter(|mistake| mistake.row.is_none());
    (of_header.map(|mistake| mistake.message.clone()).collect(), headers::hint(&roster.columns))
}

/// A source that is interrupted before each piece, and then fails.
struct Interrupted<'a>(bool, &'a [u8]);

impl Read for Interrupted<'_> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        self.0 = !self.0;
        match self {
            Self(true, _) => Err(io::ErrorKind::Interrupted.into()),
            Self(_, b"") => Err(io::ErrorKind::BrokenPipe.into()),
            Self(_, rest) => rest.read(piece),
        }
    }
}

#[test]
fn an_interrupted_read_is_made_again_and_a_failed_one_ends_the_file() {
    let error = Input::spool(Interrupted(false, b"email\na@b\n")).expect_err("it fails");
    assert!(matches!(error, RosterError::Io(error) if error.kind() == io::ErrorKind::BrokenPipe));
    assert_eq!(Input::spool(b"email\na@b\n".as_slice()).expect("bytes").size(), 10);
}

#[test]
fn two_mebibytes_without_a_line_end_are_borne_and_what_is_behind_more_is_not_read() {
    let first_line = [vec![b'a'; (64 << 10) - 1], b"\n".to_vec()].concat();
    let borne = [first_line.clone(), vec![b'a'; 2 << 20], b"\nb\n".to_vec()].concat();
    assert_eq!(Input::spool(borne.as_slice()).expect("bytes").size(), borne.len() as u64);
    let endless = [first_line, vec![b'a'; 4 << 20]].concat();
    assert_eq!(Input::spool(endless.as_slice()).expect("bytes").size(), (64 << 10) + (2 << 20) + (64 << 10));
}

#[test]
fn a_mark_decides_which_utf_16_a_named_one_is_and_else_the_name_counts() {
    let encoding = |bytes: &[u8], named: &str| {
        let named: Encoding = named.parse().expect("an encoding");
        Input::spool(bytes).expect("bytes").encoding(Some(named)).0.to_string()
    };
    assert_eq!(encoding(b"\xFE\xFF\0e", "utf-16le"), "UTF-16BE");
    assert_eq!(encoding(b"\xFE\xFF\0e", "windows-1252"), "Windows-1252");
    assert_eq!(encoding(b"\xEF\xBB\xBFe", "utf-16le"), "UTF-16LE");
    assert_eq!(encoding(b"e\0", "utf-16be"), "UTF-16BE");
}

#[test]
fn a_text_begins_as_utf8_unless_it_is_none() {
    assert_eq!(begins_as_utf8(b"email"), Some(Evidence::Content));
    assert_eq!(begins_as_utf8(b"\xEF\xBB\xBFemail"), Some(Evidence::Mark));
    for other in [b"".as_slice(), b"\xFF\xFEe\0", b"PK\x03\x04", b"\x1F\x8B\x08", b"e\0m\0a\0"] {
        assert_eq!(begins_as_utf8(other), None, "{other:?}");
    }
}

#[test]
fn utf8_with_commas_alone_is_what_we_write_ourselves() {
    let utf8 = Encoding::UTF_8;
    let other = "windows-1252".parse().expect("an encoding");
    let is_plain = |encoding, evidence, delimiter| Guess { encoding, evidence, delimiter }.is_plain();
    assert!(is_plain(utf8, Evidence::Content, Delimiter::Comma) && is_plain(utf8, Evidence::Mark, Delimiter::Comma));
    assert!(!is_plain(utf8, Evidence::Fallback, Delimiter::Comma));
    assert!(!is_plain(other, Evidence::Named, Delimiter::Comma));
    assert!(!is_plain(utf8, Evidence::Content, Delimiter::Semicolon));
    assert!(!is_plain(other, Evidence::Fallback, Delimiter::Semicolon));
}

#[test]
fn a_byte_that_is_no_character_is_named_by_its_place_also_where_one_behind_it_showed_that() {
    let named = ReadOptions { encoding: Some("gb18030".parse().expect("an encoding")), ..options() };
    let cause = refused(b"email\na@b\n\x810 \n", &named).0;
    assert!(cause.contains("byte 11 ") && cause.contains("0x81"), "{cause}");
}

#[test]
fn a_container_that_is_no_text_is_told_with_what_to_save_instead() {
    let hint = "save the sheet as \"CSV UTF-8\" and give that file";
    for (bytes, what) in [
        (b"PK\x05\x06\0\0".as_slice(), "an empty zip archive"),
        (b"\xD0\xCF\x11\xE0\xA1", "an old Excel workbook, or one with a password"),
        (b"\x1F\x8B\x08\0", "compressed with gzip"),
    ] {
        let (cause, told) = refused(bytes, &options());
        assert!(cause.contains(what), "{cause}");
        assert_eq!(told.as_deref(), Some(hint));
    }
}

#[test]
fn a_file_that_is_refused_says_what_to_type_next() {
    let (cause, hint) = refused(b"email\na\0b\n", &options());
    assert!(cause.starts_with("people.csv: line 2"), "{cause}");
    assert_eq!(hint.as_deref(), Some("if it is UTF-16, say --encoding utf-16le; else it is not a text file"));
    let rows = "if this is the header, name its columns with --map HEADER=email; else put a line such as \
                email,firstName,lastName,birthYear,referenceId on top";
    assert_eq!(refused(b"ann,one\n", &options()).1.as_deref(), Some(rows));
    let reference = ReadOptions { purpose: Purpose::NameByReference, ..options() };
    assert_eq!(refused(b"ann,one\nx,y\n", &reference).1.as_deref(), Some("put a line such as referenceId on top"));
    let name = ReadOptions { purpose: Purpose::Name, ..options() };
    for (content, hint) in
        [("ann\nx\n", error::NAMES), ("a@b.example\nx\n", error::ADDRESSES), ("7\n8\n", error::NUMBERS)]
    {
        let of_the_file = hint.replace(" FILE`", " people.csv`");
        assert_eq!(refused(content.as_bytes(), &name).1, Some(of_the_file));
    }
}

#[test]
fn a_folder_and_a_file_that_cannot_be_read_end_as_what_was_typed_and_any_other_fault_does_not() {
    let failure = |kind: io::ErrorKind| {
        let failure = RosterError::Io(kind.into()).failure("people");
        (failure.verdict, failure.hint)
    };
    assert_eq!(failure(io::ErrorKind::IsADirectory), (Verdict::Usage, Some("name a file in it".to_owned())));
    assert_eq!(failure(io::ErrorKind::NotFound), (Verdict::Usage, None));
    assert_eq!(failure(io::ErrorKind::PermissionDenied), (Verdict::Usage, None));
    assert_eq!(failure(io::ErrorKind::UnexpectedEof), (Verdict::Unforeseen, None));
}

#[test]
fn a_record_that_is_too_long_names_the_quote_that_is_not_closed() {
    let long = [b"email\n\"".to_vec(), vec![b'a'; (1 << 20) + 9]].concat();
    let cause = refused(&long, &options()).0;
    let told = "the record that starts here is longer than 1 MiB (the quote at line 2, character 1 is not closed)";
    assert_eq!(cause, format!("people.csv: line 2: {told}"));
    let long = [b"email\n".to_vec(), vec![b'a'; (1 << 20) + 9]].concat();
    assert!(refused(&long, &options()).0.ends_with("longer than 1 MiB"));
}

#[test]
fn a_map_the_wrong_way_round_is_turned_and_another_one_tells_what_columns_there_are() {
    let map = |map: &str| ReadOptions { map: vec![map.parse().expect("a map")], ..options() };
    let file = b"email,Mitarbeiter,Vorname\na@b,1,A\n";
    let cause = "people.csv has no column \"lastName\" for --map: its columns are email, Mitarbeiter, Vorname";
    let hint = "the header stands first: `--map Vorname=lastName`";
    assert_eq!(refused(file, &map("lastName=firstName")), (cause.to_owned(), Some(hint.to_owned())));
    let cause = "people.csv has no column \"Nachname\" for --map: its columns are email, Mitarbeiter, Vorname";
    assert_eq!(refused(file, &map("Nachname=lastName")), (cause.to_owned(), None));
    let ignored = ReadOptions { ignore: vec!["lastName".to_owned()], ..options() };
    assert_eq!(refused(file, &ignored).1, None, "a flag that takes no field is not turned");
    let cause = "people.csv has no column \"x\" for --map: its first line names none of the fields";
    assert_eq!(refused(b"Ann,Smith\n", &map("x=email")).0, cause, "the line may be a person's");
}

#[test]
fn headers_that_are_not_understood_are_told_with_one_line_to_paste() {
    let (told, hint) = headers("email,emial,Geburtsdatum,Geburtsdatum 2,Navn,Abteilung", &options());
    assert_eq!(
        told[0],
        "unknown headers \"emial\" (did you mean email?), \"Geburtsdatum\", \"Geburtsdatum 2\", \"Navn\", \"Abteilung\""
    );
    assert!(
        hint.as_deref().is_some_and(|hint| hint.starts_with("add --birth-date Geburtsdatum --ignore-column ")),
        "{hint:?}"
    );
    let (_, hint) = headers("emial,frist name,birth year,Geburtsdatum,e-mial", &options());
    let line = "add --map emial=email --map 'frist name=firstName' --ignore-column Geburtsdatum,e-mial; ";
    assert!(hint.as_deref().is_some_and(|hint| hint.starts_with(line)), "{hint:?}");
}

#[test]
fn a_file_needs_the_column_that_its_rows_are_read_by() {
    let lacks = |line: &str, purpose| {
        let (told, _) = headers(line, &ReadOptions { purpose, ..options() });
        told.last().cloned().unwrap_or_default()
    };
    let email = "no column is the e-mail address, which every test taker needs";
    assert_eq!([lacks("firstName", Purpose::Enrol), lacks("email", Purpose::Enrol)], [email, ""]);
    let naming = "no column says which person a row means: an entry id, a reference id or an e-mail address";
    assert_eq!([lacks("firstName", Purpose::Name), lacks("email,firstName", Purpose::Name)], [naming, ""]);
    let reference = "no column is the reference id, by which a result is read";
    let by_reference = |line| lacks(line, Purpose::NameByReference);
    assert_eq!([by_reference("email,firstName"), by_reference("referenceId,email")], [reference, ""]);
}

#[test]
fn a_delimiter_is_named_by_its_sign_or_its_word() {
    use Delimiter::{Comma, Pipe, Semicolon, Tab};
    for (names, delimiter) in [
        (&[",", "comma"][..], Comma),
        (&[";", "semicolon"], Semicolon),
        (&["\t", "\\t", "tab"], Tab),
        (&["|", "pipe"], Pipe),
    ] {
        assert!(names.iter().all(|name| name.parse() == Ok(delimiter)), "{names:?}");
    }
    assert!("x".parse::<Delimiter>().is_err());
}

#[test]
fn a_file_of_ours_for_a_spreadsheet_is_read_without_the_marks_that_escaped_it() {
    let excel = ReadOptions { excel: true, ..options() };
    let text = b"email,referenceId\na@b.example,'+1\nc@d.example,R-2\n".as_slice();
    let reference =
        |options| read(text, "r", options).expect("a roster").value(0, Field::ReferenceId).map(str::to_owned);
    assert_eq!(reference(&excel).as_deref(), Some("+1"));
    assert_eq!(reference(&options()).as_deref(), Some("'+1"));
}

#[test]
fn a_cell_without_a_header_above_it_is_a_mistake_if_something_stands_in_it() {
    let roster = read(b"email,\na@b.example,x\nc@d.example, \n".as_slice(), "r", &options()).expect("a roster");
    let told: Vec<String> = roster.mistakes.iter().map(|mistake| mistake.message.clone()).collect();
    assert_eq!(told, ["no header stands above this cell"]);
}
