//! Rosters as they arrive, and properties of reading.

use std::io::{self, Read};

use proptest::prelude::*;

use super::cell_places::CellPlace;
use super::*;

fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/rosters/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).expect("a fixture")
}

fn read_bytes(bytes: &[u8]) -> Result<Roster, RosterError> {
    read(bytes, "roster.csv", &ReadOptions::default())
}

fn read_fixture(name: &str) -> Roster {
    read(fixture(name).as_slice(), name, &ReadOptions::default()).expect("a roster")
}

fn values(roster: &Roster, field: Field) -> Vec<&str> {
    (0..roster.row_count()).map(|row| roster.value(row, field).unwrap_or_default()).collect()
}

fn told(roster: &Roster) -> Vec<String> {
    roster.mistakes.iter().map(|mistake| roster.told(mistake)).collect()
}

fn guess(roster: &Roster) -> Guess {
    match &roster.form {
        Form::Text(guess) => *guess,
        Form::Sheet(sheet) => panic!("read as a sheet: {sheet:?}"),
    }
}

#[test]
fn a_european_excel_gives_six_rows_with_their_accents() {
    let roster = read_fixture("excel-semicolon-windows-1252.csv");
    assert_eq!(told(&roster), [""; 0]);
    assert_eq!(values(&roster, Field::FirstName), ["Zoë", "José", "Søren", "Siobhán", "François", "Anna"]);
    assert_eq!(values(&roster, Field::LastName), ["Müller", "García Peña", "Kjær", "O’Brien", "Lefèvre, Jr.", ""]);
    assert_eq!(guess(&roster).delimiter, Delimiter::Semicolon);
    assert_eq!(guess(&roster).evidence, Evidence::Fallback);
    assert!(
        roster.understanding().starts_with("read as Windows-1252 (it is not UTF-8), separated by ; (E-mail = email")
    );
}

#[test]
fn the_same_people_stand_in_each_file_of_excel() {
    let one = read_fixture("excel-semicolon-windows-1252.csv");
    let two = read_fixture("excel-utf8-bom.csv");
    let three = read_fixture("excel-unicode-text-utf16.txt");
    assert_eq!((one.row_count(), two.row_count(), three.row_count()), (6, 6, 9));
    for row in 0..6 {
        assert_eq!(one.person(row), two.person(row));
        assert_eq!(one.person(row), three.person(row));
        assert!(one.person(row).is_some());
    }
    assert_eq!(values(&three, Field::LastName)[6..], ["Thị Minh", "Wójcik", "陳"]);
    assert_eq!(guess(&three).delimiter, Delimiter::Tab);
}

#[test]
fn an_hr_export_is_refused_with_its_unknown_headers_together() {
    let roster = read_fixture("hr-export.csv");
    assert_eq!(told(&roster), ["1:57: header: unknown headers \"Department\", \"Manager\""]);
    assert!(roster.is_blocked());
    assert_eq!(
        roster.hint().as_deref(),
        Some("add --ignore-column Department,Manager; --map HEADER=FIELD keeps a column instead")
    );
}

#[test]
fn an_hr_export_gives_four_rows_without_the_columns_nobody_needs() {
    let options = ReadOptions { ignore: vec!["Department".into(), "manager".into()], ..ReadOptions::default() };
    let roster = read(fixture("hr-export.csv").as_slice(), "hr-export.csv", &options).expect("a roster");
    assert_eq!(told(&roster), [""; 0]);
    assert_eq!(values(&roster, Field::ReferenceId), ["HR.0001", "HR.0002", "HR.0003", "HR.0004"]);
    assert_eq!(values(&roster, Field::FirstName), ["Aino", "Bartosz", "Chris", "Dana"]);
    assert_eq!(values(&roster, Field::LastName)[3], "Smith \"Mac\" Donald");
    assert_eq!((0..4).map(|row| roster.line(row)).collect::<Vec<_>>(), [2, 4, 5, 7]);
    assert!(roster.cells(1).any(|cell| cell == " Bartosz "), "the original cell is kept");
}

#[test]
fn everything_legal_that_hurts_is_twelve_rows() {
    let roster = read_fixture("hostile-but-valid.csv");
    assert_eq!(told(&roster), [""; 0]);
    assert_eq!(roster.row_count(), 12);
    assert!((0..12).all(|row| roster.person(row).is_some()));
    assert_eq!(roster.value(6, Field::FirstName), Some("Two\nLines"));
    assert_eq!(roster.line(7), 10);
    assert_eq!(roster.value(5, Field::FirstName), Some("=HYPERLINK(\"http://example.com\",\"x\")"));
    assert_eq!(roster.value(7, Field::FirstName), Some("\u{1b}[31mRed\u{1b}[0m"));
    assert_eq!(roster.value(11, Field::FirstName), None);
}

#[test]
fn every_mistake_is_told_at_once_with_its_line_and_character() {
    let roster = read_fixture("broken.csv");
    let expected = [
        "1:48: header: unknown header \"favouriteColour\"",
        "3:1: email: must not be empty",
        "4:1: email: not an e-mail address",
        "5:27: birthYear: \"19x4\" is not a whole number",
        "6:26: birthYear: \"99999999999\" is too large for 32 bits",
        "7:18: firstName: 101 characters, 100 are allowed",
        "8:38: referenceId: character 4 is not a letter, a digit or one of _ - . + @",
        "9:38: referenceId: character 2 is not a letter, a digit or one of _ - . + @",
        "10:37: referenceId: \"1.2E+16\" looks damaged by a spreadsheet",
        "11:35: referenceId: \"#REF!\" looks damaged by a spreadsheet",
        "13:1: email: the same as in line 12, ignoring case",
        "14:39: referenceId: the same as in line 12",
        "15:1: row: 3 cells, but the header has 6",
        "16:40: row: 8 cells, but the header has 6",
        "17:19: row: this quote is never closed",
    ];
    assert_eq!(told(&roster), expected);
    let shown = told(&roster).join("\n");
    assert!(!shown.contains("example.com"));
}

#[test]
fn doubles_and_damage_can_be_allowed() {
    let bytes = b"email,referenceId\na@b,1.2E+16\nA@B,1.2E+16\n";
    assert_eq!(read_bytes(bytes).expect("a roster").mistakes.len(), 3);
    let options = ReadOptions { allow_doubles: true, allow_suspicious: true, ..ReadOptions::default() };
    assert_eq!(read(bytes.as_slice(), "r", &options).expect("a roster").mistakes, []);
}

#[test]
fn what_is_no_roster_is_one_clear_error() {
    let message = |bytes: &[u8]| read_bytes(bytes).expect_err("no roster").to_string();
    assert_eq!(message(b""), "is empty");
    assert_eq!(message(b"\xEF\xBB\xBF"), "has blank lines and nothing else");
    assert_eq!(message(b"\r\n \n,,\n"), "has blank lines and nothing else");
    assert_eq!(message(b"email\n"), "has a header and no rows");
    assert_eq!(message(b"email\na\0@b\n"), "line 2, character 2: a NUL byte; this is not text");
    assert_eq!(message(b"zoe@example.com,Zo\n"), "has no header: line 1 holds an e-mail address");
    assert_eq!(message(b"PK\x03\x04rest"), "is a workbook that cannot be read: the archive is cut off or damaged");
}

#[test]
fn invalid_utf8_is_told_with_line_and_byte() {
    let mixed = [b"email,firstName\na@b,Zo\xEB\n".as_slice(), "c@d,Zoë\n".as_bytes()].concat();
    let message = |bytes: &[u8]| read_bytes(bytes).expect_err("invalid").to_string();
    assert_eq!(message(&mixed), "line 2: byte 23 of the file (0xEB) is not UTF-8");
    let marked = [b"\xEF\xBB\xBFemail,firstName\na@b,Zo\xEB\n".as_slice()].concat();
    assert_eq!(message(&marked), "line 2: byte 26 of the file (0xEB) is not UTF-8");
    let late = [b"email\n".as_slice(), &b"a@b\n".repeat(100_000), b"\xEB\xE9 \xC3\xA9\n"].concat();
    assert_eq!(message(&late), "line 100002: byte 400007 of the file (0xEB) is not UTF-8");
}

/// A source without end.
struct Endless(&'static [u8]);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let pattern = self.0.iter().cycle();
        buffer.iter_mut().zip(pattern).for_each(|(slot, byte)| *slot = *byte);
        Ok(buffer.len())
    }
}

#[test]
fn a_line_without_end_is_refused_early() {
    let options = ReadOptions::default();
    for pattern in [b"x".as_slice(), b",", b"a\0", b"\"\"", b" "] {
        let source = b"email\n".chain(Endless(pattern));
        let error = read(source, "r", &options).expect_err("too long");
        assert!(
            matches!(error, RosterError::RecordTooLong { line: 2, .. } | RosterError::Nul { line: 2, .. }),
            "{error}"
        );
    }
}

#[test]
fn a_quote_that_swallows_the_file_is_named() {
    let bytes = [b"email,firstName\na@b,\"x\n".as_slice(), &b"c@d,y\n".repeat(300_000)].concat();
    let error = read_bytes(&bytes).expect_err("too long");
    let opening = Some(CellPlace { line: 2, column: 5 });
    assert!(matches!(error, RosterError::RecordTooLong { line: 2, opening: o } if o == opening), "{error}");
}

#[test]
fn text_after_a_closing_quote_is_a_mistake_at_its_opening() {
    let roster = read_bytes(b"email,firstName,lastName\na@b,\"Zo\"e,M\nc@d, \"Padded\" ,N\n").expect("a roster");
    assert_eq!(told(&roster), ["2:5: row: text stands after the quote that closes this one"]);
    assert_eq!(roster.mistakes[0].row, Some(0));
    assert_eq!(roster.value(1, Field::FirstName), Some("Padded"));
}

#[test]
fn headers_are_recognised_in_many_spellings() {
    let fields = |header: &str| -> Vec<Option<Field>> {
        let bytes = format!("{header}\nx,x,x,x,x\n");
        let roster = read_bytes(bytes.as_bytes()).expect("a roster");
        roster.columns.headers.iter().map(|(_, role)| if let Role::Field(f) = role { Some(*f) } else { None }).collect()
    };
    let all = Field::ALL.map(Some);
    for header in [
        "email,firstName,lastName,birthYear,referenceId",
        "email,firstName,lastName,yearOfBirth,referenceId",
        " E-Mail ,FIRST NAME,last_name,Year of birth,Reference ID",
        "Mail,given_name,Surname,birth_year,refId",
        "Employee Email,Forename,Family name,YOB,Employee number",
        "\"Work e-mail\",\"Employee first name\",Last,BirthYear,ref",
    ] {
        assert_eq!(fields(header), all, "{header}");
    }
}

#[test]
fn two_headers_for_one_field_are_a_mistake_and_a_map_settles_it() {
    let bytes = b"email,Reference,Employee ID\na@b,1,2\n";
    let roster = read_bytes(bytes).expect("a roster");
    assert_eq!(told(&roster), ["1:17: header: \"Reference\" and \"Employee ID\" are both referenceId"]);
    let options = ReadOptions { ignore: vec!["reference".into()], ..ReadOptions::default() };
    let roster = read(bytes.as_slice(), "r", &options).expect("a roster");
    assert_eq!((roster.mistakes.len(), roster.value(0, Field::ReferenceId)), (0, Some("2")));
    let map = vec!["Department=referenceId".parse().expect("a map")];
    let error =
        read(bytes.as_slice(), "r", &ReadOptions { map, ..ReadOptions::default() }).expect_err("no such column");
    assert!(error.to_string().contains("its columns are email, Reference, Employee ID"), "{error}");
}

#[test]
fn a_mapped_header_needs_no_guess() {
    let map = vec!["Adresse=email".parse().expect("a map"), "Vorname=first_name".parse().expect("a map")];
    let options = ReadOptions { map, ..ReadOptions::default() };
    let roster = read(
        b"Adresse;Vorname\na@b;Zo\n".as_slice(),
        "r",
        &ReadOptions { delimiter: Some(Delimiter::Semicolon), ..options },
    );
    let roster = roster.expect("a roster");
    assert_eq!((roster.mistakes.len(), roster.value(0, Field::FirstName)), (0, Some("Zo")));
}

#[test]
fn a_list_or_a_report_can_be_fed_in_again() {
    let list = b"id,email,referenceId,firstName,lastName,fullName,yearOfBirth,result,dateCompleted,lastTestSentUtc,topPerformer\n\
        7,a@b,R,A,B,A B,1980,,,,false\n";
    assert_eq!(told(&read_bytes(list).expect("a roster")), [""; 0]);
    let report = b"email,line,outcome,projectEntryId,enrolmentId,message\na@b,2,enrolled,7,,\n";
    assert_eq!(told(&read_bytes(report).expect("a roster")), [""; 0]);
    let employees = read_bytes(b"id,email\n17,a@b\n").expect("a roster");
    assert_eq!(told(&employees), ["1:1: header: unknown header \"id\" (did you mean referenceId?)"]);
}

#[test]
fn a_misspelled_header_is_answered_with_a_suggestion() {
    let roster = read_bytes(b"email,brithYear\na@b,1980\n").expect("a roster");
    assert_eq!(told(&roster), ["1:7: header: unknown header \"brithYear\" (did you mean birthYear?)"]);
}

#[test]
fn the_delimiter_of_a_sep_line_counts() {
    let roster = read_bytes(b"sep=|\r\nemail|firstName\r\na@b|x;y\r\n").expect("a roster");
    assert_eq!((guess(&roster).delimiter, roster.line(0)), (Delimiter::Pipe, 3));
    assert_eq!(roster.value(0, Field::FirstName), Some("x;y"));
}

/// How a test writes a roster.
#[derive(Clone, Copy, Debug)]
struct Style {
    delimiter: Delimiter,
    line_end: &'static str,
    encoding: usize,
    quote_all: bool,
}

fn style() -> impl Strategy<Value = Style> {
    (0..4_usize, prop::sample::select(vec!["\n", "\r\n", "\r"]), 0..6_usize, any::<bool>()).prop_map(
        |(delimiter, line_end, encoding, quote_all)| Style {
            delimiter: Delimiter::ALL[delimiter],
            line_end,
            encoding,
            quote_all,
        },
    )
}

fn written(rows: &[Vec<String>], style: Style) -> Vec<u8> {
    let delimiter = char::from(style.delimiter.byte());
    let quoted = |cell: &String| {
        let needed = cell.contains(['"', '\n', '\r', delimiter]) || cell.trim() != cell || style.quote_all;
        if needed { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() }
    };
    let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(&delimiter.to_string());
    let text: String = rows.iter().map(|row| line(row) + style.line_end).collect();
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    match style.encoding {
        0 => text.into_bytes(),
        1 => [b"\xEF\xBB\xBF".as_slice(), text.as_bytes()].concat(),
        2 => wide(&format!("\u{FEFF}{text}"), u16::to_le_bytes),
        3 => wide(&format!("\u{FEFF}{text}"), u16::to_be_bytes),
        4 => wide(&text, u16::to_le_bytes),
        _ => encoding_rs::WINDOWS_1252.encode(&text).0.into_owned(),
    }
}

proptest! {
    #[test]
    fn any_cells_read_back_as_they_were_written(
        rows in prop::collection::vec(prop::collection::vec(prop_oneof!["[^\u{0}]{0,12}", "[a-zé\"\n\r,;|\t ]{0,12}"], 2), 1..8),
        style in style(),
    ) {
        let western = |text: &String| !encoding_rs::WINDOWS_1252.encode(text).2;
        prop_assume!(style.encoding != 5 || rows.iter().flatten().all(western));
        let mut all = vec![vec!["email".to_owned(), "firstName".to_owned()]];
        all.extend(rows.iter().map(|row| vec![format!("a@b{}", row[0]), row[1].clone()]));
        let encoding = (style.encoding == 5).then(|| "windows-1252".parse().expect("an encoding"));
        let options = ReadOptions { encoding, ..ReadOptions::default() };
        let roster = read(written(&all, style).as_slice(), "r", &options).expect("a roster");
        let back: Vec<Vec<&str>> = (0..roster.row_count()).map(|row| roster.cells(row).collect()).collect();
        prop_assert_eq!(back, all[1..].iter().map(|r| r.iter().map(String::as_str).collect()).collect::<Vec<Vec<&str>>>());
    }

    #[test]
    fn places_are_those_of_the_text(
        rows in prop::collection::vec("[a-z\"\r\n,é ]{0,8}", 1..6),
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
    ) {
        let mut text = format!("email,birthYear{line_end}");
        let mut expected = Vec::new();
        for cell in &rows {
            let quoted = format!("\"a@b{}\"", cell.replace('"', "\"\""));
            let before = format!("{text}{quoted},");
            let flat = before.replace("\r\n", "\n").replace('\r', "\n");
            let last = flat.rsplit('\n').next().unwrap_or_default();
            expected.push((flat.matches('\n').count() + 1, last.chars().count() + 1));
            text = format!("{before}19x4{line_end}");
        }
        let roster = read_bytes(text.as_bytes()).expect("a roster");
        let years = roster.mistakes.iter().filter(|m| m.about == About::Field(Field::BirthYear));
        let places: Vec<(usize, usize)> = years.map(|m| (m.line as usize, m.column as usize)).collect();
        prop_assert_eq!(places, expected);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_bytes(&bytes);
        let _ = read_bytes(&[b"email,firstName\n".as_slice(), &bytes].concat());
    }

    #[test]
    fn no_text_of_csv_makes_the_reader_panic(text in "[a@\",;\t\r\n é|\u{0}]{0,60}") {
        let _ = read_bytes(text.as_bytes());
        let _ = read_bytes(format!("email,firstName\r{text}").as_bytes());
    }
}

fn titled(header: &str) -> Roster {
    let row = header.split(';').map(|_| "").collect::<Vec<_>>().join(";");
    read(format!("{header}\n{row}x\n").as_bytes(), "r", &ReadOptions::default()).expect("a roster")
}

#[test]
fn a_header_of_each_language_is_understood_whole() {
    for header in [
        "E-Mail;Vorname;Nachname;Geburtsjahr;Personalnummer",
        "Courriel;Prénom;Nom;Année de naissance;Matricule",
        "Correo electrónico;Nombre;Apellidos;Año de nacimiento;Número de empleado",
        "Indirizzo e-mail;Nome;Cognome;Anno di nascita;Matricola",
        "Correio eletrónico;Nome;Apelido;Ano de nascimento;Número de funcionário",
        "E-mailadres;Voornaam;Achternaam;Geboortejaar;Personeelsnummer",
        "Adres e-mail;Imię;Nazwisko;Rok urodzenia;Numer pracownika",
        "E-postadress;Förnamn;Efternamn;Födelseår;Anställningsnummer",
        "E-mail;Fornavn;Efternavn;Fødselsår;Medarbejdernummer",
        "E-postadresse;Fornavn;Etternavn;Fødselsår;Ansattnummer",
        "Sähköposti;Etunimi;Sukunimi;Syntymävuosi;Henkilönumero",
        "E-mailová adresa;Jméno;Příjmení;Rok narození;Osobní číslo",
    ] {
        let columns = titled(header).columns;
        let expected = [Field::Email, Field::FirstName, Field::LastName, Field::BirthYear, Field::ReferenceId];
        let places = expected.map(|field| columns.index_of(field));
        assert_eq!(places, [Some(0), Some(1), Some(2), Some(3), Some(4)], "{header}");
    }
}

#[test]
fn whole_names_and_national_ids_are_named_and_never_mapped() {
    let roster = titled("Mejl;Namn;Personnummer;Födelsedatum");
    let hint = roster.hint().expect("a hint");
    let expected = "add --birth-date Födelsedatum --ignore-column Namn,Personnummer; \"Namn\" is a name as a whole: put \
                    first and last name into two columns; \"Personnummer\" is a national id, which a test does not need; \
                    --map HEADER=FIELD keeps a column instead";
    assert_eq!(hint, expected);
}

#[test]
fn the_year_of_birth_is_taken_from_whole_dates() {
    let options = ReadOptions { birth_date: Some("geburtsdatum".to_owned()), ..ReadOptions::default() };
    let text = "Mail;Geburtsdatum\na@b.c;1.3.1984\nd@e.f;\ng@h.i;84\n";
    let roster = read(text.as_bytes(), "r", &options).expect("a roster");
    assert_eq!(told(&roster), ["4:7: birthYear: is not a date of birth such as 1984-03-01"]);
    assert_eq!(roster.person(0).and_then(|person| person.birth_year).map(|year| year.0), Some(1984));
    assert_eq!(roster.person(1).and_then(|person| person.birth_year), None);
}

#[test]
fn several_columns_are_mapped_with_commas_between_them() {
    let maps: ColumnMaps = "Kuerzel=referenceId, Ruf=firstName".parse().expect("two");
    assert_eq!(maps.0.len(), 2);
    assert_eq!(maps.0[1].header, "Ruf");
    let maps: ColumnMaps = "Name, first=firstName".parse().expect("one header with a comma");
    assert_eq!(maps.0[0].header, "Name, first");
}

/// A file with these bytes, at its start.
fn file_of(bytes: &[u8]) -> std::fs::File {
    use std::io::{Seek as _, Write as _};
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("written");
    file.rewind().expect("at its start");
    file
}

#[test]
fn a_file_is_read_as_a_stream_of_its_bytes_is_and_its_mistakes_are_the_same_without_its_cells() {
    let late = [b"email,lastName\n".to_vec(), b"a@b.c,Ann\n".repeat(9_000), b"d@e.f,Zo\xEB\n".to_vec()].concat();
    let names =
        ["excel-semicolon-windows-1252.csv", "excel-utf8-bom.csv", "excel-unicode-text-utf16.txt", "broken.csv"];
    let mut all: Vec<Vec<u8>> = names.map(fixture).to_vec();
    all.extend([late, b"email\n\"a\"@b\n\"open".to_vec(), Vec::new(), b"email\na@b.c\nA@B.C\n\xFF\xC3\xA9".to_vec()]);
    for bytes in all {
        let options = ReadOptions::default();
        let (stream, file) = (read(bytes.as_slice(), "r", &options), read_file(file_of(&bytes), "r", &options));
        let alone = ReadOptions { keep: Keep::Mistakes, ..ReadOptions::default() };
        match (stream, file, read_file(file_of(&bytes), "r", &alone)) {
            (Ok(stream), Ok(file), Ok(alone)) => {
                assert_eq!(stream.understanding(), file.understanding());
                assert_eq!((&stream.mistakes, stream.row_count()), (&file.mistakes, file.row_count()));
                assert_eq!((&stream.mistakes, stream.row_count()), (&alone.mistakes, alone.row_count()));
                assert!((0..file.row_count()).all(|row| stream.cells(row).eq(file.cells(row))));
            }
            (Err(stream), Err(file), Err(alone)) => {
                assert_eq!((stream.to_string(), alone.to_string()), (file.to_string(), file.to_string()));
            }
            other => panic!("{other:?}"),
        }
    }
}
