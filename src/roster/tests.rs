//! Contents that people might have, and properties of reading.

use proptest::prelude::*;
use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook, Worksheet};

use super::text::encoding;
use super::*;
use crate::bulk::person::Person;
use crate::model::person::PersonRef;

impl Roster {
    pub(super) fn is_blocked(&self) -> bool {
        self.mistakes.iter().any(|mistake| mistake.row.is_none())
    }

    pub(super) fn hint(&self) -> Option<&str> {
        self.mistakes.iter().find_map(|mistake| mistake.hint.as_deref())
    }
}

fn read_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Roster, Failure> {
    read(bytes.to_vec(), "r.csv", options)
}

fn roster(text: &str) -> Roster {
    read_bytes(text.as_bytes(), &ReadOptions::default()).expect("a roster")
}

fn needing(needs: Needs, text: &str) -> Roster {
    read_bytes(text.as_bytes(), &ReadOptions { needs, ..ReadOptions::default() }).expect("a roster")
}

/// All mistakes in one text, those that block all rows with a `!`.
fn told(roster: &Roster) -> String {
    let one = |mistake: &Mistake| {
        let said = mistake.to_string();
        let said = said.strip_prefix("r.csv:").unwrap_or(&said).to_owned();
        if mistake.row.is_none() { format!("! {said}") } else { said }
    };
    roster.mistakes.iter().map(one).collect::<Vec<_>>().join(" | ")
}

fn refusal(bytes: &[u8]) -> String {
    let failure = read_bytes(bytes, &ReadOptions::default()).expect_err("no roster");
    assert_eq!(failure.verdict, Verdict::Refused);
    failure.cause
}

/// The values of a field, empty in rows with a mistake.
fn values(roster: &Roster, field: Field) -> Vec<String> {
    let value = |person: Person| match field {
        Field::Email => person.email.map(String::from),
        Field::FirstName => person.first_name.map(String::from),
        Field::LastName => person.last_name.map(String::from),
        Field::BirthYear => person.birth_year.map(|year| year.to_string()),
        Field::ReferenceId => person.reference_id.map(String::from),
        Field::EntryId => None,
    };
    let of_row = |(at, row)| if is_valid(roster, at) { value(Person::of(roster, row)) } else { None };
    roster.rows.iter().enumerate().map(|row| of_row(row).unwrap_or_default()).collect()
}

fn is_valid(roster: &Roster, row: usize) -> bool {
    roster.mistakes.iter().all(|mistake| mistake.row != Some(row))
}

fn pair(header: &str, field: Field) -> (String, Field) {
    (header.to_owned(), field)
}

#[test]
fn a_quote_that_was_not_meant_blocks_the_file_wherever_it_is() {
    let cases = [
        (
            "site,email\nRome,a@b.example\n\",b@b.example\n\",c@b.example\n",
            "! 3:1: a line in these quotes looks like a row",
        ),
        (
            "lastName,email\nBerg,a@b.example\n\",b@b.example\n\",c@b.example\n",
            "! 3:1: lastName: has a line break in the quotes that open here",
        ),
        (
            "email,note\na@b.example,\"call\ntor@b.example,x\nlea@b.example,y\"\n",
            "! 2:13: a line in these quotes looks like a row",
        ),
        (
            "email,firstName,note,site\na@b.example,Ida,\"call\nw,x,y,z\",B\n",
            "! 2:17: a line in these quotes looks like a row",
        ),
        ("email,firstName,note,site\na@b.example,Ida,\"two\nlines\",B\n", ""),
        (
            "email,firstName\r\na@b.example,\"Ida\r\nMay\"\r\n",
            "! 2:13: firstName: has a line break in the quotes that open here",
        ),
        ("email,firstName\na@b.example,\" Ida\n\"\n", ""),
        (
            "email,firstName\na@b.example,\"\nc@d.example,Tor\"\n",
            "! 2:13: firstName: has a line break in the quotes that open here",
        ),
        (
            "email,firstName,\na@b.example,Moss, Ida\nc@d.example,Tor,\ne@f.example,Kai\n",
            "2:18: this row has 3 cells instead of 2",
        ),
        (",email,firstName\n0,a@b.example,Ida\n1,c@d.example,Tor\n", ""),
        (
            "email,firstName,x\n1,\"a@b.example,Ida,y\n2,c@d.example\"\n",
            "! 2:3: firstName: has a line break in the quotes that open here",
        ),
        ("email,firstName,x\na@b.example,Ida,\"y\nc@d.example,Tor,z\n", "! 2:17: this quote is never closed"),
        ("email,firstName\na@b.example,\"Ida\"x\n", "! 2:13: text follows the closing quote of this cell"),
        ("email,firstName\na@b.example, \"Ida\"\n", "2:13: firstName: begins with \" or =\""),
    ];
    for (text, expected) in cases {
        assert_eq!(told(&roster(text)), expected, "{text}");
    }
    assert_eq!(refusal(b"email,\"firstName\na@b.example,Ida\n"), "r.csv:1:7: header: this quote is never closed");
    assert_eq!(refusal(b"email,\"firstName\na@b.example,Ida\"\n"), "r.csv has no header: line 1 has an e-mail address");
}

#[test]
fn a_file_that_was_cut_off_blocks_all_rows() {
    let cut = roster("email,firstName,lastName\na@b.example,Ida,Moss\nc@d.example,Tor");
    assert_eq!(told(&cut), "! 3:1: the file ends here, after 2 cells instead of 3");
    assert_eq!(told(&roster("email,firstName\na@b.example,Ida\nc@d.example,Tor")), "");
    assert_eq!(
        told(&roster("email,firstName\na@b.example\nc@d.example,Tor\n")),
        "2:1: this row has 1 cell instead of 2"
    );
}

#[test]
fn marks_of_spreadsheets_and_of_dos_are_no_data() {
    let texts = [
        "sep=;\r\nemail;firstName\r\na@b.example;Ida\r\n",
        "\u{feff}sep=\t\nemail\tfirstName\na@b.example\tIda\n",
        "\"sep=|\"\nemail|firstName\na@b.example|Ida\n",
        "#TYPE Selected.System.Management.Automation.PSCustomObject\n\"email\",\"firstName\"\n\"a@b.example\",\"Ida\"\n",
        "\u{feff}\u{feff}email,firstName\na@b.example,Ida\n",
        "email,firstName\na@b.example,Ida\n\u{1a}",
        "email,firstName\r\na@b.example,Ida\r\n\u{1a}\r\n\u{1a}\r\n",
        "email,firstName\na@b.example,Ida\u{1a}",
        "\n\n,,\nemail,firstName,\n\na@b.example,Ida\n , ,\n",
        "email,firstName\ra@b.example,Ida\r",
        "\u{a0}Email\u{a0},\"First\nname\"\n\u{a0}a@b.example\u{a0},\u{2003}Ida\u{feff}\n",
    ];
    for text in texts {
        let roster = roster(text);
        assert_eq!(
            (told(&roster).as_str(), values(&roster, Field::FirstName)),
            ("", vec!["Ida".to_owned()]),
            "{text:?}"
        );
    }
    assert_eq!(told(&roster("sep=;\nemail;birthYear\n\na@b.example;x1\n")), "4:13: birthYear: is not a whole number");
    assert_eq!(told(&roster("email,birthYear\r\rz@b.example,x1\r")), "3:13: birthYear: is not a whole number");
}

#[test]
fn a_file_that_is_no_csv_is_named() {
    let cases: [(&[u8], &str); 11] = [
        (b"\n <html>", "is a web page (HTML), not a CSV file"),
        (b"\xEF\xBB\xBF<!doctype html>", "is a web page (HTML), not a CSV file"),
        (b"<?xml version=\"1.0\"?><Workbook/>", "is an XML file, not a CSV file"),
        (b"[\n {\"email\":\"a@b.example\"}]", "is JSON, not a CSV file"),
        (b"{\"email\":\"a@b.example\"}\n", "is JSON, not a CSV file"),
        (b"\x1F\x8B\x08\0", "is compressed with gzip, not a CSV file"),
        (b"%PDF-1.7", "is a PDF, not a CSV file"),
        (b"\xD0\xCF\x11\xE0\xA1\xB1", "is an old Excel workbook (.xls), or one with a password, not a CSV file"),
        (b"PK\x05\x06\0\0", "is a ZIP file, but no Excel workbook (.xlsx) that can be read"),
        (b"PK\x03\x04rest", "is a ZIP file, but no Excel workbook (.xlsx) that can be read"),
        (b"e\0m\0a\0i\0l\0\n\0", "has NUL bytes: it is UTF-16, or no text"),
    ];
    for (bytes, why) in cases {
        assert_eq!(refusal(bytes), format!("r.csv {why}"));
    }
}

#[test]
fn a_file_without_people_is_empty_and_no_error() {
    for text in ["", "\u{feff}", "\r\n \n,,\n", "email\n", "email,firstName", "\u{1a}", "sep=;", "sep=;\n"] {
        for needs in [Needs::Enrolment, Needs::Update, Needs::Person] {
            let text = if needs == Needs::Update { text.replace("email,", "projectEntryId,") } else { text.to_owned() };
            let roster = needing(needs, &text);
            assert!(roster.rows.is_empty() && roster.mistakes.is_empty(), "{text:?}");
        }
    }
}

#[test]
fn a_first_row_with_a_person_is_no_header_and_is_not_quoted() {
    let at_top = "line 1 must name the columns, such as email,firstName,lastName,referenceId";
    for (text, why) in [
        ("a@b.example,Ida\n", "line 1 has an e-mail address"),
        ("\nIda,Moss\n", "line 2 names none of the fields"),
        ("Иванов;Пётр;1984;00017\n", "line 1 names none of the fields"),
        ("Email: a@b.example\nName: Ida Moss\n", "line 1 names none of the fields"),
        ("Name: Ida Moss;Born: 1984\nE-mail;a@b.example\n", "line 1 names none of the fields"),
    ] {
        let failure = read_bytes(text.as_bytes(), &ReadOptions::default()).expect_err("no header");
        assert_eq!((failure.cause, failure.hint), (format!("r.csv has no header: {why}"), Some(at_top.to_owned())));
    }
}

#[test]
fn headers_are_known_in_many_spellings() {
    for header in [
        "email,firstName,lastName,birthYear,referenceId",
        " E-Mail ,FIRST NAME,last_name,Year of birth,Reference ID",
        "Mail,given_name,Surname,birth_year,refId",
        "Employee Email,Forename,Family name,YOB,Employee number",
        "Work e-mail,Employee first name,Last,Date of birth,Employee No.",
        "Email (required),*First name*,Last name [optional],yearOfBirth,Staff ID",
        "[email],[firstName],[lastName],[birthYear],[referenceId]",
        "E-Mail-Adresse,Vorname,Nachname,Geburtsdatum,Personal-Nr.",
        "Courriel,Pre\u{301}nom,Nom de famille,Année de naissance,Matricule",
        "Correo electrónico,Nombre,Apellidos,Año de nacimiento,Nº empleado",
        "E-mail,Fornavn,Navn,Fødselsår,Ansattnummer",
        "E-mail,Imię,Nazwisko,Rok urodzenia,Numer służbowy",
        "E-mail,Jméno,Příjmení,Rok narození,Osobní číslo",
        "E-POSTA,ADI,SOYADI,DOĞUM YILI,SİCİL NO",
        "E-mail cím,Keresztnév,Név,Születési év,Törzsszám",
        "Adresă e-mail,Prenume,Nume,Anul nașterii,Număr matricol",
        "Sähköposti,Etunimi,Sukunimi,Syntymävuosi,Henkilönumero",
        "email,Prénom,NOM,dateOfBirth,externalId",
    ] {
        let separated = header.replace(", ", ",");
        let roster = roster(&format!("{separated}\na@b.example,Ida,Moss,1984,E-1\n"));
        assert_eq!(told(&roster), "", "{header}");
        let person = Person::of(&roster, &roster.rows[0]).new_test_taker().expect("a person");
        let names = (person.first_name.as_deref(), person.last_name.as_deref());
        assert_eq!((names, person.birth_year), ((Some("Ida"), Some("Moss")), Some(1984)), "{header}");
        assert_eq!(person.reference_id.as_deref(), Some("E-1"), "{header}");
    }
}

#[test]
fn a_header_that_may_be_a_field_that_is_missing_is_asked_about() {
    let cases = [
        ("E-mial,firstName", "! 1:1: header: \"E-mial\" may be email: --map or --ignore-column decides"),
        ("email,brithYear", "! 1:7: header: \"brithYear\" may be birthYear: --map or --ignore-column decides"),
        (
            "email,firstName,Staff name",
            "! 1:17: header: \"Staff name\" may be lastName: --map or --ignore-column decides",
        ),
        ("email,firstName,lastName,Staff name", ""),
        ("email,Name", "! 1:7: header: \"Name\" may be firstName or lastName: --map or --ignore-column decides"),
        (
            "email,fullname",
            "! 1:7: header: \"fullname\" may be firstName or lastName: --map or --ignore-column decides",
        ),
        ("email,firstName,Username,Phone number,Preference", ""),
        ("email,referenceId,Refernce id,ID", ""),
        ("email,ID", "! 1:7: header: \"ID\" may be referenceId: --map or --ignore-column decides"),
        ("email,id", "! 1:7: header: \"id\" may be referenceId: --map or --ignore-column decides"),
        (
            "email,Имя",
            "! 1:7: header: \"Имя\" may be firstName or lastName or birthYear or referenceId: --map or --ignore-column decides",
        ),
        ("Kontakt,firstName", "! 1:1: header: no column is email"),
        ("email,Department,Depot", ""),
        ("email,Mail,Vorname", "! 1:7: header: \"email\" and \"Mail\" are both email"),
        ("email,Work email,Vorname", "! 1:7: header: \"email\" and \"Work email\" are both email"),
        ("email,firstName,Recovery email,Employee status", ""),
    ];
    for (header, expected) in cases {
        assert_eq!(told(&roster(&format!("{header}\n"))), expected, "{header}");
    }
    let hint = |header: &str| roster(&format!("{header}\n")).hint().map(str::to_owned);
    assert_eq!(hint("E-mial,Frist name").as_deref(), Some("add --map E-mial=email --map 'Frist name=firstName'"));
    for not_certain in ["E-mial,Bob's name", "Manager e-mail,Vorname", "email,FIRST_NM", "email,Hire year"] {
        assert_eq!(hint(not_certain).as_deref(), Some("add --map HEADER=FIELD"), "{not_certain}");
    }
    assert_eq!(hint("Email,Vorname,Email"), None);
    assert_eq!(hint("Kontakt,Vorname").as_deref(), Some("add --map HEADER=email"));
}

#[test]
fn options_decide_what_a_column_is() {
    let text = "E-mial,Name,Work mail,Site\na@b.example,Moss,c@d.example,B\n";
    let with = |map: &[(String, Field)], ignore: &[&str]| {
        let (map, ignore) = (map.to_vec(), ignore.iter().map(ToString::to_string).collect());
        read_bytes(text.as_bytes(), &ReadOptions { map, ignore, ..ReadOptions::default() })
    };
    let mapped = with(&[pair("e-mial", Field::Email), pair(" NAME ", Field::LastName)], &[]).expect("a roster");
    assert_eq!((told(&mapped).as_str(), values(&mapped, Field::Email)), ("", vec!["a@b.example".to_owned()]));
    assert!(
        mapped.read_as.ends_with("E-mial as email, Name as lastName; columns not used: Work mail, Site"),
        "{}",
        mapped.read_as
    );
    assert!(mapped.leaves_out && !roster("email,firstName\n").leaves_out);
    assert_eq!(values(&with(&[], &["*"]).expect("a roster"), Field::Email), ["c@d.example"]);
    assert!(told(&with(&[], &["Site"]).expect("a roster")).contains("\"Name\" may be"), "the others are asked about");
    let usage = |result: Result<Roster, Failure>| {
        let failure = result.expect_err("no such column");
        assert_eq!(failure.verdict, Verdict::Usage);
        failure.cause
    };
    let columns = "Its columns: E-mial, Name, Work mail, Site";
    assert_eq!(
        usage(with(&[pair("Mail", Field::Email)], &[])),
        format!("r.csv has no column \"Mail\" for --map. {columns}")
    );
    assert_eq!(usage(with(&[], &["x"])), format!("r.csv has no column \"x\" for --ignore-column. {columns}"));
    let options = ReadOptions { ignore: vec!["x".to_owned()], ..ReadOptions::default() };
    for header in ["E-mial,Depot\n", "id,Depot\n", "outcome,Depot\n"] {
        assert!(usage(read_bytes(header.as_bytes(), &options)).contains("has no column \"x\""), "{header}");
    }
    assert!(
        usage(with(&[pair("Name", Field::LastName), pair("Name", Field::FirstName)], &[]))
            .ends_with("options give it two meanings")
    );
}

#[test]
fn only_the_rows_of_a_site_are_read() {
    let text =
        "email,Site,birthYear\na@b.example,Berlin Mitte,1980\nb@b.example,Rome,x1\nc@b.example,  berlin  MITTE ,1981\n";
    let only = |header: &str, value: &str| {
        let only = Some((header.to_owned(), value.to_owned()));
        read_bytes(text.as_bytes(), &ReadOptions { only, ..ReadOptions::default() })
    };
    let berlin = only("site", "Berlin  mitte").expect("a roster");
    assert_eq!(
        (told(&berlin).as_str(), values(&berlin, Field::Email)),
        ("", vec!["a@b.example".to_owned(), "c@b.example".to_owned()])
    );
    assert_eq!(berlin.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [2, 4]);
    let rome = only("Site", "rome").expect("a roster");
    assert_eq!((told(&rome).as_str(), rome.mistakes[0].row), ("3:18: birthYear: is not a whole number", Some(0)));
    assert!(only("Site", "Oslo").expect("a roster").rows.is_empty());
    assert!(only("Town", "Oslo").is_err_and(|failure| failure.verdict == Verdict::Usage));
    let text =
        "email,Site,birthYear\na@b.example,Ber\u{ad}lin\u{200b},1980\nb@b.example,#N/A,1980\nc@b.example,,1980\n";
    let berlin = ReadOptions { only: Some(("Site".to_owned(), "berlin".to_owned())), ..ReadOptions::default() };
    let berlin = read_bytes(text.as_bytes(), &berlin).expect("a roster");
    assert_eq!(told(&berlin), "3:13: the column of --only is the word that a spreadsheet shows for an error");
    assert_eq!(berlin.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [2, 3]);
    let site_id = ReadOptions { only: Some(("Site ID".to_owned(), "7".to_owned())), ..ReadOptions::default() };
    assert_eq!(told(&read_bytes(b"email,Site ID\na@b.example,7\n", &site_id).expect("a roster")), "");
}

#[test]
fn what_encodings_and_programs_leave_in_a_name_is_suspicious() {
    let odd = [
        "MÃ¼ller",
        "£ukasz",
        "M?ller",
        "M\u{fffd}ller",
        "J”rg",
        "J╔rg",
        "Ann 😀",
        "Fran㎜is",
        "nan",
        "NULL",
        "10023.0",
        "1,5E+12",
        "#BEZUG!",
        "####",
        "I\u{ad}da",
        "\u{200d}Ida",
        "Ida\u{200b}May",
        "BaÅŸak",
        "Zo&euml;",
        "0",
        "-",
        "NA",
        "\\N",
    ];
    for name in odd {
        let roster = roster(&format!("email,firstName\na@b.example,\"{name}\"\n"));
        assert_eq!(roster.mistakes.len(), 1, "{name}");
        assert_eq!(
            roster.hint(),
            Some("if the values of firstName are right: add --allow-suspicious=firstName"),
            "{name}"
        );
        let suspicious = SuspiciousArgs { allowed: vec![Field::FirstName] };
        let allowed = ReadOptions { suspicious, ..ReadOptions::default() };
        let text = format!("email,firstName\na@b.example,\"{name}\"\n");
        assert_eq!(values(&read_bytes(text.as_bytes(), &allowed).expect("a roster"), Field::FirstName), [name]);
    }
    for name in [
        "Nan",
        "Null",
        "D´Angelo",
        "Mª José",
        "O’Brien",
        "Núria Pi·la",
        "علی\u{200c}رضا",
        "Anne-Marie",
        "Smith, Jr.",
        "佐々木",
        "Zoe\u{308}",
        "Na",
    ] {
        let roster = roster(&format!("email,firstName\na@b.example,\"{name}\"\n"));
        assert_eq!((told(&roster).as_str(), values(&roster, Field::FirstName)), ("", vec![name.to_owned()]));
    }
}

#[test]
fn what_programs_make_of_an_id_is_suspicious() {
    for id in ["1.2E+16", "1.2e16", "10023.0", "nan", "#REF!", "2026-03-01"] {
        assert_eq!(roster(&format!("email,referenceId\na@b.example,{id}\n")).mistakes.len(), 1, "{id}");
    }
    let hint = |id: &str| roster(&format!("email,referenceId\na@b.example,{id}\n")).hint().map(str::to_owned);
    assert_eq!(hint("#REF!"), None, "the service takes no such id");
    assert!(hint("1.2E+16").is_some_and(|hint| hint.ends_with("--allow-suspicious=referenceId")));
    for id in ["12E3", "1.2.0", "EMP-1E+2", "007", "10023.5", "2026-13-01", "20260301", "3-1"] {
        assert_eq!(told(&roster(&format!("email,referenceId\na@b.example,{id}\n"))), "", "{id}");
    }
}

#[test]
fn a_wrongly_guessed_encoding_is_refused_with_the_option_to_name_it() {
    let dos = b"email;lastName\r\na@b.example;M\x81ller\r\nc@d.example;Zo\x84\r\ne@f.example;Jos\x82\r\n";
    assert!(refusal(dos).contains("one of MS-DOS"));
    let sign = b"email;lastName\r\na@b.example;M\xFCller\r\nc@d.example;Zo\xEB\r\ne@f.example;\xA7Jos\xE9\r\n";
    let roster = read_bytes(sign, &ReadOptions::default()).expect("a roster");
    assert!(roster.table.is_guessed && roster.mistakes.len() == 1, "{}", told(&roster));
    assert!(roster.hint().is_some_and(|hint| hint.contains("--encoding NAME")));
}

#[test]
fn bytes_that_are_not_of_the_encoding_are_an_error_with_a_place() {
    let mixed = [b"email,firstName\r\na@b.example,Zo\xEB\r\n".as_slice(), "c@d.example,Zoë\n".as_bytes()].concat();
    assert_eq!(refusal(&mixed), "r.csv is not UTF-8 in line 2");
    let marked = [b"\xEF\xBB\xBF".as_slice(), &mixed].concat();
    assert_eq!(refusal(&marked), "r.csv is not UTF-8 in line 2");
    let named = |label| ReadOptions { encoding: encoding(label).ok(), ..ReadOptions::default() };
    let failure = read_bytes(b"email\na@b.example\n\xEB\n", &named("shift_jis")).expect_err("not Japanese");
    assert_eq!(failure.cause, "r.csv is not Shift_JIS in line 3");
    let western = read_bytes(b"email,firstName\na@b.example,Jos\xE9\n", &named("latin1")).expect("a roster");
    assert_eq!((values(&western, Field::FirstName), western.table.is_guessed), (vec!["José".to_owned()], false));
    let wide: Vec<u8> = "email\na@b.example\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let hint = read_bytes(&wide, &ReadOptions::default()).expect_err("NUL").hint;
    assert_eq!(hint.as_deref(), Some("if it is UTF-16: add --encoding utf-16be"));
    assert_eq!(values(&read_bytes(&wide, &named("utf-16be")).expect("a roster"), Field::Email), ["a@b.example"]);
    assert!(encoding("cp850").is_err() && encoding("hz-gb-2312").is_err());
}

#[test]
fn a_year_of_birth_is_plausible_or_the_year_of_a_date() {
    for date in [
        "1984",
        "1984-03-01",
        "01.03.1984",
        "1.3.1984",
        "03/31/1984",
        "31/03/1984",
        "19840301",
        "1984-03-01T00:00:00",
        "1.3.1984 00:00",
        "1984. 03. 01.",
        "1984.0",
        "1. 3. 1984.",
        "01-MAR-1984",
        "1 Mar 1984 00:00",
    ] {
        assert_eq!(
            values(&roster(&format!("email,birthYear\na@b.example,{date}\n")), Field::BirthYear),
            ["1984"],
            "{date}"
        );
    }
    let this_year = jiff::Timestamp::now().to_zoned_datetime(jiff::tz::TimeZone::UTC).year();
    let plausible = format!("is not a year from 1910 to {this_year}");
    let cases = [
        ("85", format!("\"85\" {plausible}")),
        ("1899", format!("\"1899\" {plausible}")),
        (&(this_year + 1).to_string(), format!("\"{}\" {plausible}", this_year + 1)),
        ("01.03.84", "is not a whole number".into()),
        ("20031984", plausible.clone()),
        ("00.01.1900", "is not a whole number".into()),
        ("1984.5", "is not a whole number".into()),
        ("3/1984", "is not a whole number".into()),
        ("01984.0", "is not a whole number".into()),
        ("Ida", "is not a whole number".into()),
        ("19é", "\"19é\" is not a whole number".into()),
    ];
    for (year, expected) in cases {
        assert_eq!(
            told(&roster(&format!("email,birthYear\na@b.example,{year}\n"))),
            format!("2:13: birthYear: {expected}")
        );
    }
}

#[test]
fn a_person_who_comes_twice_is_a_mistake_of_the_later_row() {
    let cases = [
        ("email,referenceId\na@b.example,1\nA@B.example,\n", "3:1: email: the same as in line 2", false),
        (
            "email,referenceId\na@b.example,0017\nc@d.example,17\n",
            "3:13: referenceId: the same as in line 2 (zeros in front aside)",
            false,
        ),
        ("email,referenceId\na@b.example,x\nA@B.example,X\n", "3:1: email: the same as in line 2", true),
    ];
    for (text, expected, is_shareable) in cases {
        let strict = roster(text);
        assert_eq!((told(&strict).as_str(), strict.hint().is_some()), (expected, is_shareable), "{text}");
        assert!(is_valid(&strict, 0) && !is_valid(&strict, 1));
        let shared = ReadOptions { shared_mailboxes: true, ..ReadOptions::default() };
        let shared = read_bytes(text.as_bytes(), &shared).expect("a roster");
        assert_eq!(shared.mistakes.is_empty(), is_shareable, "{text}");
    }
    let many = format!("email\n{}", "a@b.example\n".repeat(1_000));
    assert!(roster(&many).mistakes.iter().all(|mistake| mistake.message == "email: the same as in line 2"));
}

#[test]
fn rows_with_an_id_that_say_the_same_are_one() {
    let two_contracts = "email,referenceId,Site,birthYear\na@b.example,1,Oslo,1990\n,2,Oslo,\na@b.example, 1,Rome,1990\nc@d.example,3,Rome,1\nc@d.example,3,Oslo,1\ne@f.example,3,Oslo,\n";
    let roster = roster(two_contracts);
    assert_eq!(
        told(&roster),
        "3:1: email: must not be empty | 5:20: birthYear: \"1\" is not a year from 1910 to 2026 | 7:13: referenceId: the same as in line 5 (zeros in front aside)"
    );
    assert_eq!(roster.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [2, 3, 5, 7]);
    assert_eq!([0, 1, 2, 3].map(|row| is_valid(&roster, row)), [true, false, false, false]);
    assert!(roster.read_as.ends_with("; repeated rows left out: 2"), "{}", roster.read_as);
    let shifts =
        needing(Needs::Person, "referenceId,email,shift\nE-1,a@b.example,day\nE-1,a@b.example,night\nE-1,,day\n");
    assert_eq!((told(&shifts), shifts.rows.len()), (String::new(), 2));
}

#[test]
fn the_mark_of_a_spreadsheet_before_a_formula_is_taken_off() {
    let text = "email,firstName,referenceId\n'+a@b.example,'=Ida,'-1\n\"'c@d.example\",'Tor,2\n";
    let roster = roster(text);
    assert_eq!(values(&roster, Field::FirstName)[0], "=Ida");
    assert_eq!(
        (values(&roster, Field::Email)[0].as_str(), values(&roster, Field::ReferenceId)[0].as_str()),
        ("+a@b.example", "-1")
    );
    assert_eq!(told(&roster), "3:1: email: is not an e-mail address: it is in quotes");
    assert_eq!(roster.cells(&roster.rows[1]), vec!["'c@d.example", "'Tor", "2"]);
}

#[test]
fn people_are_named_one_a_line_or_by_a_roster_or_report() {
    let by = |text: &str| -> Vec<String> {
        let list = needing(Needs::Person, text);
        let shown = |one| match one {
            PersonRef::Id(id) => format!("id:{id}"),
            PersonRef::Reference(id) => format!("ref:{}", &*id),
            PersonRef::Email(email) => format!("email:{}", &*email),
        };
        let one = |row: &Row| Person::of(&list, row).named_by(None).map_or("-".into(), shown);
        list.rows.iter().map(one).collect()
    };
    assert_eq!(
        by("\u{feff}EMP-1\r\n\r\n EMP-2 \nid:7\nref:a@b\nemail:x@y.example\nz@y.example\n\"Q-1\""),
        ["ref:EMP-1", "ref:EMP-2", "id:7", "ref:a@b", "email:x@y.example", "email:z@y.example", "ref:Q-1"]
    );
    assert_eq!(by("referenceId\nE-1\n"), ["ref:E-1"]);
    let shortened = "1001.0\n1002\n1.001E+03\nnan\n";
    assert_eq!(needing(Needs::Person, shortened).mistakes.len(), 3, "another program took them for numbers");
    let bare = needing(Needs::Person, "id,firstName\n7,Ann\n");
    assert_eq!(
        [told(&bare), told(&needing(Needs::Person, "id\n7\n"))],
        ["! 1:1: header: \"id\" may be projectEntryId or referenceId: --map or --ignore-column decides"; 2]
    );
    assert_eq!(bare.hint(), Some("add --map HEADER=FIELD"), "without it nobody is named");
    let badge = "! 1:1: header: \"Badge\" may be referenceId: --map or --ignore-column decides";
    assert_eq!(told(&needing(Needs::Person, "Badge,E-Mail\nB-1,a@b.example\n")), badge, "an id decides who is named");
    for id in ["projectEntryId", "referenceId"] {
        assert_eq!(told(&needing(Needs::Person, &format!("Badge,{id},E-Mail\nB-1,7,a@b.example\n"))), "");
    }
    assert_eq!(by("Personalnummer;Name\nE-1;Moss\n"), ["ref:E-1"]);
    let renumbered = needing(Needs::Update, "Old ID,referenceId\n1,E-1\n");
    assert_eq!(told(&renumbered), "", "an old number is no entry id");
    let hr = "! 1:1: header: \"id\" may be projectEntryId or referenceId: --map or --ignore-column decides";
    assert_eq!(told(&needing(Needs::Person, "id,fullName,status\n00002,Zed Zoo,left\n")), hr, "not our own list");
    let export = "id,email,referenceId,firstName,fullName,yearOfBirth,topPerformer\n7,a@b.example,1.2E+16,£,A B,1,\n8,a@b.example,,,,,\n9,odd address,bad id,,,,\n";
    assert_eq!(by(export), ["id:7", "id:8", "id:9"]);
    assert_eq!(told(&needing(Needs::Person, export)), "", "an entry id is enough");
    assert_eq!(by("projectEntryId,referenceId,email,url,expiresAtUtc\n7,E,a@b.example,https://x,2026\n"), ["id:7"]);
    assert_eq!(by("line,email,outcome,projectEntryId,message\n2,a@b.example,refused,,why\n"), ["email:a@b.example"]);
    let bad = needing(Needs::Person, "EMP-1\nEMP 2\nid:x\nemail:x\nA,B\n");
    assert_eq!(
        told(&bad),
        "2:1: has a character at position 4 that is not a letter, a digit or one of _ - . + @ | \
         3:1: needs a whole number, as in id:4711 | \
         4:1: is not an e-mail address: it has no @ | \
         5:3: this row has 2 cells instead of 1"
    );
    assert_eq!(
        told(&needing(Needs::Person, "referenceId,email\n,\nx,\n,b\n")),
        "4:2: email: is not an e-mail address: it has no @"
    );
    assert_eq!(told(&needing(Needs::Person, "referenceId,email,Site\n,,B\n")), "2:1: this row names no person");
    assert_eq!(
        told(&needing(Needs::Person, "Personalnummer\n1001.0\n1002\n")),
        "2:1: referenceId: ends in .0: it was probably changed into a number"
    );
    let failure = read_bytes(b"Ida,Moss\n", &ReadOptions { needs: Needs::Person, ..ReadOptions::default() });
    assert!(failure.is_err_and(|failure| failure.cause.starts_with("r.csv has no header")));
}

#[test]
fn only_an_enrolment_needs_its_email() {
    assert_eq!(told(&roster("email,firstName,birthYear,referenceId\na@b.example,,,\n")), "");
    assert_eq!(told(&roster("email,referenceId\n,E-1\n")), "2:1: email: must not be empty");
    assert_eq!(told(&needing(Needs::Update, "email,referenceId,firstName\n,E-1,\na@b.example,,Ida\n")), "");
}

#[test]
fn an_update_names_people_and_has_their_new_values() {
    let file = "projectEntryId,firstName,lastName,birthYear,referenceId\n7,Ida,,1,E-1\n8,,Lind,,E-1\n8,x,,,\n,x,,,\n";
    let update = needing(Needs::Update, file);
    assert_eq!(
        told(&update),
        "3:10: referenceId: the same as in line 2 (zeros in front aside) | 4:1: projectEntryId: the same as in line 3 | 5:1: this row names no person"
    );
    let first = Person::of(&update, &update.rows[0]);
    assert_eq!((first.first_name.as_deref(), first.last_name.as_deref()), (Some("Ida"), None));
    assert_eq!(first.named_by(None), "id:7".parse().ok());
    assert_eq!(first.named_by(Some(Field::ReferenceId)), "ref:E-1".parse().ok());
    let fields: Vec<_> = update.headers.iter().filter_map(|header| header.field).collect();
    assert_eq!(fields, [Field::EntryId, Field::FirstName, Field::LastName, Field::ReferenceId]);
    assert_eq!(
        told(&needing(Needs::Update, "Site,firstName\nB,Ida\n")),
        "! 1:1: header: no column is projectEntryId or referenceId or email"
    );
    assert_eq!(told(&needing(Needs::Update, "email,projectEntryId\na@b.example,1\na@b.example,2\n")), "");
    assert_eq!(
        told(&needing(Needs::Update, "email,projectEntryId,referenceId\nodd,1,\n,2,E 3\n")),
        "3:4: referenceId: has a character at position 2 that is not a letter, a digit or one of _ - . + @"
    );
    let numbers = (1..20).map(|number| format!("{number},{}\n", number + 1)).collect::<Vec<_>>().concat();
    assert_eq!(
        told(&needing(Needs::Update, &format!("projectEntryId,referenceId\n{numbers}"))),
        "",
        "they are other fields"
    );
    assert_eq!(
        told(&needing(Needs::Update, "email,lastName\na@b.example,A\na@b.example,B\n")),
        "3:1: email: the same as in line 2"
    );
}

#[test]
fn our_reports_can_be_fed_in_again() {
    let failed = "email,Site,outcome,message,projectEntryId\na@b.example,B,refused,why,\n";
    let roster = roster(failed);
    assert_eq!(told(&roster), "");
    assert_eq!(roster.read_as, "read as UTF-8, separated by ','; columns not used: Site");
    assert_eq!(told(&self::roster("id,email,fullName,topPerformer\n7,a@b.example,A B,false\n")), "");
}

fn saved(fill: impl Fn(&mut Worksheet)) -> Vec<u8> {
    let mut book = Workbook::new();
    fill(book.add_worksheet());
    book.save_to_buffer().expect("a workbook")
}

#[test]
fn cells_of_a_workbook_are_read_as_they_look() {
    let date = Format::new().set_num_format("yyyy-mm-dd");
    let day = ExcelDateTime::from_ymd(1984, 3, 1).expect("a date");
    let book = saved(|sheet| {
        sheet.write_row(2, 1, ["email", "firstName", "birthYear", "referenceId"]).expect("a header");
        sheet.write_row(3, 1, ["a@b.example", "Ida\nMay"]).expect("cells");
        sheet.write_datetime_with_format(3, 3, &day, &date).expect("a date");
        sheet.write_number_with_format(3, 4, 17.0, &Format::new().set_num_format("00000")).expect("a number");
        sheet.write_row(5, 1, ["c@d.example"]).expect("cells");
        sheet.write_boolean(5, 2, true).expect("a flag");
        sheet.write_number(5, 3, 1985).expect("a number");
        sheet.write_number(5, 4, 12_345_678_901_234_567.0).expect("a number");
        sheet.write_formula(6, 1, Formula::new("=A1").set_result("e@f.example")).expect("a formula");
        sheet.write_number_with_format(6, 2, 7.0, &Format::new().set_num_format("$#,##0")).expect("a number");
        for (row, format) in
            (7..).zip(["00000;-0", "_-\"€\"* #,##0.00_-", "\"E-\"General", "000-00", "[Red]0", "\"0\"0", "\\10"])
        {
            sheet.write_string(row, 1, format!("p{row}@b.example")).expect("a cell");
            sheet.write_number_with_format(row, 4, row, &Format::new().set_num_format(format)).expect("a number");
        }
        sheet.write_string(6, 7, "x").expect("a cell");
        sheet.write_blank(20, 1_023, &date).expect("a coloured cell");
    });
    let roster = read(book.clone(), "r.xlsx", &ReadOptions::default()).expect("a roster");
    let unreadable = |cell| {
        format!(
            "Sheet1!{cell}: referenceId: is a number in a format that cannot be read: save the sheet as \"CSV UTF-8\""
        )
    };
    assert_eq!(
        told(&roster),
        [
            "Sheet1!E6: referenceId: is a long number that a spreadsheet may have shortened",
            "Sheet1!H7: this row has 8 cells instead of 5",
            &["E10", "E11", "E12", "E13", "E14"].map(unreadable).join(" | ")
        ]
        .join(" | ")
    );
    assert_eq!(values(&roster, Field::ReferenceId)[2..], ["", "00007", "8", "", "", "", "", ""]);
    assert_eq!(roster.cells(&roster.rows[0]), vec!["", "a@b.example", "Ida May", "1984-03-01", "00017"]);
    assert_eq!(roster.cells(&roster.rows[2]).iter().skip(2).take(2).collect::<Vec<_>>(), ["7", ""]);
    assert_eq!(roster.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [4, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
}

#[test]
fn a_merged_cell_stands_beside_each_of_its_rows() {
    let book = saved(|sheet| {
        sheet.write_row(0, 0, ["email", "Site", "firstName"]).expect("a header");
        sheet.write_column(1, 0, ["a@b.example", "b@b.example", "", "c@b.example"]).expect("cells");
        sheet.merge_range(1, 1, 4, 1, "Berlin", &Format::new()).expect("a merge");
    });
    let only = Some(("Site".to_owned(), "Berlin".to_owned()));
    let berlin = read(book.clone(), "r.xlsx", &ReadOptions { only, ..ReadOptions::default() }).expect("a roster");
    assert_eq!(values(&berlin, Field::Email), ["a@b.example", "b@b.example", "c@b.example"]);
}

#[test]
fn one_sheet_is_read_and_the_others_are_named() {
    let mut book = Workbook::new();
    for (name, email) in [("Old", "old@b.example"), ("Night shift", "night@b.example"), ("Day", "day@b.example")] {
        let sheet = book.add_worksheet().set_name(name).expect("a name");
        sheet.write_column(0, 0, ["email", email]).expect("cells");
        sheet.set_hidden(name == "Old");
        sheet.set_active(name == "Day");
    }
    let book = book.save_to_buffer().expect("a workbook");
    let of = |sheet: Option<&str>| {
        read(book.clone(), "r.xlsx", &ReadOptions { sheet: sheet.map(str::to_owned), ..ReadOptions::default() })
    };
    let first = of(None).expect("a roster");
    assert_eq!(values(&first, Field::Email), ["night@b.example"]);
    assert_eq!(first.read_as, "read as sheet \"Night shift\", and not Day");
    assert!(first.leaves_out);
    assert_eq!(values(&of(Some("OLD")).expect("a roster"), Field::Email), ["old@b.example"]);
    let failure = of(Some("Dusk")).expect_err("no such sheet");
    let cause = "r.xlsx has no such sheet; its sheets: Old, 'Night shift', Day";
    assert_eq!((failure.verdict, failure.cause.as_str()), (Verdict::Usage, cause));
    let encoded = ReadOptions { encoding: encoding("utf-8").ok(), ..ReadOptions::default() };
    assert!(read(book.clone(), "r.xlsx", &encoded).is_err_and(|failure| failure.verdict == Verdict::Usage));
    let sheet = ReadOptions { sheet: Some("Day".to_owned()), ..ReadOptions::default() };
    assert!(read(b"email\n".to_vec(), "r.csv", &sheet).is_err_and(|failure| failure.verdict == Verdict::Usage));
}

#[test]
fn a_workbook_without_any_people_is_empty() {
    let roster = read(saved(|_| {}), "r.xlsx", &ReadOptions::default()).expect("empty");
    assert!(roster.rows.is_empty() && roster.mistakes.is_empty());
    let title = saved(|sheet| {
        sheet.write_string(0, 0, "Staff of 2026").expect("a cell");
    });
    assert!(read(title.clone(), "r.xlsx", &ReadOptions::default()).is_err());
    let far = saved(|sheet| {
        sheet.write_row(0, 0, ["email"]).expect("a header");
        sheet.write_string(1, 9_000, "x").expect("a cell");
    });
    assert!(
        read(far.clone(), "r.xlsx", &ReadOptions::default()).is_err_and(|failure| failure.cause.contains("too large"))
    );
}

/// Whether each row is a person or has a mistake.
fn is_consistent(roster: &Roster, needs: Needs) -> bool {
    let is_person = |row: &Row| match needs {
        Needs::Enrolment => Person::of(roster, row).new_test_taker().is_some(),
        Needs::Update | Needs::Person => Person::of(roster, row).named_by(None).is_some(),
    };
    // A row with another mistake may still say who it is about. Not where no column identifies people.
    let is_each = roster.rows.iter().enumerate().map(|(at, row)| is_person(row) || !is_valid(roster, at));
    is_each.fold(true, |all, is_it| all & is_it) || roster.is_blocked()
}

/// How a test writes a roster.
#[derive(Clone, Copy, Debug)]
struct Style {
    delimiter: char,
    line_end: &'static str,
    quotes_all: bool,
}

fn style() -> impl Strategy<Value = Style> {
    let line_end = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    (prop::sample::select(vec![',', ';', '\t', '|']), line_end, any::<bool>())
        .prop_map(|(delimiter, line_end, quotes_all)| Style { delimiter, line_end, quotes_all })
}

fn written(rows: &[Vec<String>], style: Style) -> String {
    let quoted = |cell: &String| {
        let needs = cell.contains(['"', '\n', '\r', style.delimiter]) || style.quotes_all;
        if needs { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() }
    };
    let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(&style.delimiter.to_string());
    rows.iter().map(|row| line(row) + style.line_end).collect()
}

proptest! {
    #[test]
    fn any_cells_read_back_as_they_were_written(
        rows in prop::collection::vec(prop::collection::vec("[a-zé\"\n,;|\t ]{0,12}", 2), 1..8),
        style in style(),
    ) {
        let mut all = vec![vec!["email".to_owned(), "note".to_owned()]];
        all.extend(rows.iter().map(|row| vec![format!("a{}", row[0]), row[1].clone()]));
        let roster = roster(&written(&all, style));
        let back: Vec<Vec<String>> = roster.rows.iter().map(|row| roster.cells(row).into_iter().map(String::from).collect()).collect();
        prop_assert_eq!(back, &all[1..]);
    }

    #[test]
    fn places_are_those_of_the_text(
        notes in prop::collection::vec("[a-z\"\n,é ]{0,8}", 1..6),
        style in style(),
    ) {
        let rows = notes.iter().map(|note| vec!["a@b.example".to_owned(), note.clone(), "x".to_owned()]);
        let rows: Vec<Vec<String>> = [vec!["email".to_owned(), "note".to_owned(), "birthYear".to_owned()]].into_iter().chain(rows).collect();
        let text = written(&rows, style);
        let roster = roster(&text);
        let lines: Vec<&str> = text.split(style.line_end).flat_map(|line| line.split('\n')).collect();
        for mistake in roster.mistakes.iter().filter(|mistake| mistake.message.starts_with("birthYear")) {
            let line = lines[mistake.at.0 - 1];
            let rest: String = line.chars().skip(mistake.at.1 - 1).collect();
            prop_assert_eq!(rest, if style.quotes_all { "\"x\"" } else { "x" });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_bytes_are_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0..200_usize) {
        for start in ["", "email,firstName\n", "\u{feff}email\n", "PK\u{3}\u{4}", "sep=;\n"] {
            for needs in [Needs::Enrolment, Needs::Update, Needs::Person] {
                let bytes = [start.as_bytes(), &bytes].concat();
                let options = ReadOptions { needs, ..ReadOptions::default() };
                if let Ok(roster) = read_bytes(&bytes[..cut.min(bytes.len())], &options) {
                    prop_assert!(is_consistent(&roster, needs));
                }
            }
        }
    }

    #[test]
    fn no_text_is_too_odd(text in "[\u{0}\u{1a}\u{feff}a@.,;\"\n\r\t'=0-9é€\u{200d}]{0,60}") {
        for start in ["", "email,birthYear,referenceId\n", "id\n"] {
            for needs in [Needs::Enrolment, Needs::Update, Needs::Person] {
                let options = ReadOptions { needs, ..ReadOptions::default() };
                if let Ok(roster) = read_bytes(format!("{start}{text}").as_bytes(), &options) {
                    prop_assert!(is_consistent(&roster, needs));
                }
            }
        }
    }
}
