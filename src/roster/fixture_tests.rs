//! Files as people really have them: what the reader says of each.

use jiff::Timestamp;

use super::text::encoding;
use super::*;
use crate::bulk::person::Person;
use crate::model::people::NewTestTaker;
use crate::model::person::PersonRef;
use crate::model::text::PersonName;

fn bytes(path: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    crate::files::read(std::path::Path::new(&path), LARGEST).expect("a fixture")
}

fn read_with(path: &str, options: &ReadOptions) -> Result<Roster, Failure> {
    read(bytes(path), path.rsplit('/').next().expect("a name"), options)
}

fn roster(path: &str) -> Roster {
    read_with(path, &ReadOptions::default()).expect("a roster")
}

/// The mistakes without the name of the file, those that block all rows with a `!`.
fn told(roster: &Roster) -> Vec<String> {
    let one = |mistake: &Mistake| {
        let said = mistake.to_string();
        let said = said.strip_prefix(&format!("{}:", roster.table.file)).unwrap_or(&said).to_owned();
        if mistake.row.is_none() { format!("! {said}") } else { said }
    };
    roster.mistakes.iter().map(one).collect()
}

fn mistakes(path: &str) -> Vec<String> {
    told(&roster(path))
}

fn people(roster: &Roster) -> Vec<NewTestTaker> {
    roster.rows.iter().map(|row| Person::of(roster, row).new_test_taker().expect("valid")).collect()
}

fn names(roster: &Roster) -> Vec<String> {
    let part = |name: &Option<PersonName>| name.as_deref().unwrap_or_default().to_owned();
    people(roster).iter().map(|person| format!("{} {}", part(&person.first_name), part(&person.last_name))).collect()
}

fn refusal(path: &str, options: &ReadOptions) -> (Verdict, String, String) {
    let failure = read_with(path, options).expect_err("no roster");
    (failure.verdict, failure.cause, failure.hint.unwrap_or_default())
}

#[test]
fn a_quote_that_swallows_people_blocks_the_file() {
    assert_eq!(
        mistakes("odd-inputs/01-swallow-name.csv"),
        ["! 2:27: lastName: has a line break in the quotes that open here"]
    );
    assert_eq!(
        mistakes("odd-inputs/01-swallow-two.csv"),
        ["! 2:17: firstName: has a line break in the quotes that open here"]
    );
    assert_eq!(told(&roster("odd-inputs/01-sync-a.csv")), [""; 0]);
    assert_eq!(roster("odd-inputs/01-sync-a.csv").rows.len(), 40);
    for night in ["odd-inputs/01-sync-b.csv", "odd-inputs/01-sync-c.csv"] {
        let roster = roster(night);
        assert_eq!(told(&roster), ["! 11:33: lastName: has a line break in the quotes that open here"]);
        assert!(roster.is_blocked());
    }
}

#[test]
fn code_pages_of_central_europe_are_read_right_in_their_country_and_must_be_named_elsewhere() {
    for (file, country, expected) in [
        ("03-czech-windows-1250.csv", "cz", &["Jiří Dvořák", "Anežka Šrámková"][..]),
        ("03-polish-windows-1250.csv", "pl", &["Zofia Król", "Łukasz Żak", "Agnieszka Śliwińska"]),
    ] {
        let path = format!("odd-inputs/{file}");
        let (verdict, _, hint) = refusal(&path, &ReadOptions::default());
        assert_eq!(
            (verdict, hint.as_str()),
            (Verdict::Refused, "save the list as \"CSV UTF-8\", or add --encoding NAME")
        );
        let options = ReadOptions { encoding: encoding("windows-1250").ok(), ..ReadOptions::default() };
        let named = read_with(&path, &options).expect("a roster");
        assert_eq!(
            (names(&named), named.table.is_guessed),
            (expected.iter().map(ToString::to_string).collect(), false)
        );
        let text = named.table.text.replace("example.com", &format!("firma.{country}"));
        let (bytes, ..) = encoding_rs::WINDOWS_1250.encode(&text);
        let guessed = read(bytes.to_vec(), file, &ReadOptions::default()).expect("a roster");
        assert_eq!((names(&guessed), guessed.table.is_guessed), (names(&named), true));
        let start = "read as windows-1250 (a guess; --encoding NAME decides), separated by ';', with E-mail as email, ";
        assert!(guessed.read_as.starts_with(start), "{}", guessed.read_as);
    }
}

#[test]
fn a_code_page_that_was_named_wrongly_is_refused_and_not_sent() {
    let options = ReadOptions { encoding: encoding("latin1").ok(), ..ReadOptions::default() };
    let wrong = read_with("odd-inputs/03-polish-windows-1250.csv", &options).expect("read");
    assert_eq!(
        told(&wrong),
        [
            "3:24: firstName: has a symbol that no name has (U+00A3)",
            "3:31: lastName: has a symbol that no name has (U+00AF)",
        ]
    );
}

#[test]
fn mistyped_addresses_are_mistakes_each_at_its_cell() {
    assert_eq!(mistakes("odd-inputs/04-left-to-right-mark.csv"), ["2:1: email: has an invisible character (U+200E)"]);
    let mistyped = roster("odd-inputs/05-mistyped.csv");
    let places: Vec<(usize, usize)> = mistyped.mistakes.iter().map(|mistake| mistake.at).collect();
    assert_eq!(places, (2..=10).map(|line| (line, 1)).collect::<Vec<_>>());
    let said = told(&mistyped).join("\n");
    assert!(mistyped.mistakes.iter().all(|mistake| mistake.message.starts_with("email: is not an e-mail address: it")));
    assert!(!said.contains("example"), "{said}");
}

#[test]
fn spellings_of_one_mailbox_are_one_person() {
    let files = ["nfc", "nfd", "punycode"].map(|form| bytes(&format!("odd-inputs/06-{form}.csv")));
    assert_eq!(people(&roster("odd-inputs/06-nfc.csv")).len(), 2);
    let rows_of = |file: &[u8]| String::from_utf8_lossy(file).lines().skip(1).collect::<Vec<_>>().join("\n");
    for (one, other) in [(0, 1), (1, 0), (0, 2), (2, 0)] {
        let both = format!("email,firstName,lastName\n{}\n{}\n", rows_of(&files[one]), rows_of(&files[other]));
        let roster = read(both.clone().into_bytes(), "both.csv", &ReadOptions::default()).expect("a roster");
        let doubles =
            roster.mistakes.iter().filter(|mistake| mistake.message.starts_with("email: the same as in line"));
        assert_eq!(doubles.count(), if one + other == 1 { 2 } else { 1 }, "{:?}", told(&roster));
    }
}

#[test]
fn ids_with_marks_and_line_ends_of_windows_are_clean() {
    let roster = roster("odd-inputs/09-roster.csv");
    let options = ReadOptions { needs: Needs::Person, ..ReadOptions::default() };
    let list = read_with("odd-inputs/09-ids-windows.txt", &options).expect("a list");
    let by = |roster: &Roster| -> Vec<Option<PersonRef>> {
        roster.rows.iter().map(|row| Person::of(roster, row).named_by(None)).collect()
    };
    assert_eq!(by(&list), by(&roster));
    assert_eq!(list.read_as, "read as UTF-8, separated by ','");
    assert_eq!(people(&self::roster("odd-inputs/10-existing.csv")).len(), 3);
}

#[test]
fn headers_are_matched_exactly_first() {
    assert_eq!(
        roster("odd-inputs/11-header-with-comma.csv").read_as,
        "read as UTF-8, separated by ','; columns not used: Dept, site"
    );
    let ignoring = |path: &str, header: &str| {
        read_with(path, &ReadOptions { ignore: vec![header.to_owned()], ..ReadOptions::default() })
    };
    assert!(ignoring("odd-inputs/11-header-with-comma.csv", "Dept, site").expect("a roster").mistakes.is_empty());
    let twice = roster("odd-inputs/12-email-twice.csv");
    assert_eq!(told(&twice), ["! 1:8: header: \"E-mail\" and \"Email\" are both email"]);
    assert_eq!(twice.hint(), Some("to leave one out: add --ignore-column Email"));
    for (header, kept) in [("E-mail", "ida@example.org"), ("Email", "ida@example.com")] {
        let roster = ignoring("odd-inputs/12-email-twice.csv", header).expect("a roster");
        assert_eq!(&*people(&roster)[0].email, kept);
    }
    let map = vec![("Badge".to_owned(), Field::ReferenceId)];
    let both = ReadOptions { map: map.clone(), ignore: vec!["badge".to_owned()], ..ReadOptions::default() };
    let roster = read_with("odd-inputs/12-map-and-ignore.csv", &both).expect("a roster");
    assert_eq!(people(&roster)[0].reference_id.as_deref(), Some("E-1"));
    let same = ReadOptions { map, ignore: vec!["Badge".to_owned()], ..ReadOptions::default() };
    let (verdict, cause, _) = refusal("odd-inputs/12-map-and-ignore.csv", &same);
    assert_eq!(verdict, Verdict::Usage);
    assert_eq!(cause, "12-map-and-ignore.csv has one column \"Badge\", and options give it two meanings");
}

#[test]
fn a_header_is_understood_or_asked_about_and_never_guessed() {
    let google = roster("odd-inputs/13-google-template.csv");
    assert_eq!((told(&google).len(), names(&google)), (0, vec!["Ida Moss".to_owned()]));
    assert_eq!(people(&google)[0].reference_id.as_deref(), Some("1001"));
    let lookalikes = roster("odd-inputs/13-lookalikes.csv");
    assert_eq!(
        told(&lookalikes),
        [
            "! 1:17: header: \"Hire year\" may be birthYear: --map or --ignore-column decides",
            "! 1:27: header: \"Full name\" may be firstName or lastName: --map or --ignore-column decides"
        ]
    );
    assert_eq!(lookalikes.hint(), Some("add --map HEADER=FIELD"), "nothing wrong is proposed");
    let german = roster("odd-inputs/14-name-vorname.csv");
    assert_eq!((told(&german).len(), names(&german)), (0, vec!["Ida Moss".to_owned()]));
}

#[test]
fn whole_lines_in_quotes_are_said_to_be_that() {
    assert_eq!(
        refusal("odd-inputs/15-whole-line-quoted.csv", &ReadOptions::default()),
        (
            Verdict::Refused,
            "15-whole-line-quoted.csv:1:1: header: the whole line is in quotes, so it is one cell".into(),
            String::new()
        )
    );
    let rows = roster("odd-inputs/15-rows-quoted.csv");
    assert_eq!(told(&rows), ["2:1: the whole line is in quotes, so it is one cell"]);
}

#[test]
fn what_programs_add_or_spoil_is_told_apart() {
    let dos = roster("odd-inputs/16-ctrl-z.csv");
    assert_eq!((told(&dos).len(), names(&dos).len()), (0, 2));
    let pandas = roster("odd-inputs/17-pandas-ids.csv");
    assert_eq!(
        told(&pandas),
        [
            "2:17: firstName: is a placeholder such as NULL or None",
            "2:21: referenceId: ends in .0: it was probably changed into a number",
            "3:21: referenceId: ends in .0: it was probably changed into a number",
        ]
    );
    let zeros = roster("odd-inputs/18-zeros.csv");
    let ids: Vec<_> = people(&zeros).into_iter().filter_map(|person| person.reference_id).collect();
    assert!(ids.iter().all(|id| id.starts_with('0')), "zeros in front stay");
}

#[test]
fn a_shared_address_is_refused_with_its_option() {
    let shared = roster("odd-inputs/25-shared-mail.csv");
    assert_eq!(told(&shared), ["3:1: email: the same as in line 2"]);
    assert_eq!(shared.hint(), Some("if people share this address: add --shared-mailboxes"));
    let options = ReadOptions { shared_mailboxes: true, ..ReadOptions::default() };
    assert_eq!(people(&read_with("odd-inputs/25-shared-mail.csv", &options).expect("a roster")).len(), 2);
}

#[test]
fn the_sheet_with_the_people_is_named() {
    for (path, first) in [("odd-inputs/26-cover.xlsx", "Cover"), ("odd-inputs/26-first-sheet-empty.xlsx", "Sheet1")] {
        let (verdict, cause, hint) = refusal(path, &ReadOptions::default());
        assert_eq!((verdict, hint.as_str()), (Verdict::Refused, "add --sheet Staff"));
        assert!(cause.ends_with(&format!("has no list of people in its first sheet, \"{first}\"")), "{cause}");
        let options = ReadOptions { sheet: Some("staff".to_owned()), ..ReadOptions::default() };
        let staff = read_with(path, &options).expect("a roster");
        assert_eq!(&*people(&staff)[0].email, "ida@example.com");
    }
}

#[test]
fn a_web_page_is_no_roster() {
    for path in ["html-table.xls", "html-utf16.xls", "sign-in-page.csv"].map(|name| format!("odd-inputs/31-{name}")) {
        let (verdict, cause, _) = refusal(&path, &ReadOptions::default());
        assert_eq!(verdict, Verdict::Refused);
        assert!(cause.ends_with(" is a web page (HTML), not a CSV file"), "{cause}");
    }
}

#[test]
fn an_encoding_is_guessed_from_enough_letters_or_must_be_named() {
    let files = [
        ("32-mac-roman.csv", "macintosh", ["Joe Müller", "Ann Berg"]),
        ("32-turkish-windows-1254.csv", "windows-1254", ["Yiğit Şahin", "Başak Çelik"]),
    ];
    for (file, label, expected) in files {
        let path = format!("odd-inputs/{file}");
        let (verdict, cause, hint) = refusal(&path, &ReadOptions::default());
        let why = "is not UTF-8, and may be windows-1250, windows-1252, windows-1254, macintosh or one of MS-DOS, which cannot be read";
        assert_eq!((verdict, cause), (Verdict::Refused, format!("{file} {why}")));
        assert!(hint.ends_with("or add --encoding NAME") && why.contains(label), "{hint}");
        let options = ReadOptions { encoding: encoding(label).ok(), ..ReadOptions::default() };
        assert_eq!(names(&read_with(&path, &options).expect("a roster")), expected);
    }
    for (label, people) in
        [("windows-1250", "Győző;Kőrösi\nÖdön;Szűcs"), ("windows-1257", "Žygimantas;Šimkūnas\nJūratė;Čepaitė")]
    {
        let text =
            people.lines().zip(1..).map(|(names, row)| format!("p{row}@x.example;{names}\n")).collect::<Vec<_>>();
        let text = format!("email;firstName;lastName\n{}", text.concat());
        let (bytes, ..) = encoding(label).expect("known").encode(&text);
        let failure = read(bytes.to_vec(), "r.csv", &ReadOptions::default()).expect_err("not guessed");
        assert!(failure.cause.contains("one of MS-DOS"), "{label}: {failure}");
    }
    // Addresses that speak for no country.
    for (label, people) in [
        ("windows-1250", "a@x.com;Gergő;Szabó\nb@x.com;Erzsébet;Fűzfa\n"),
        ("windows-1250", "a@firma.com;Jan;Dąbrowski\nb@firma.com;Anna;Zając\nc@firma.com;Ewa;Wójcik\n"),
    ] {
        let text = format!("email;firstName;lastName\n{people}");
        let (bytes, ..) = encoding(label).expect("known").encode(&text);
        let failure = read(bytes.to_vec(), "r.csv", &ReadOptions::default()).expect_err("not guessed");
        assert!(failure.cause.contains("one of MS-DOS"), "{label}: {failure}");
    }
    let japanese = roster("odd-inputs/32-japanese-shift-jis.csv");
    assert_eq!(
        (japanese.table.is_guessed, names(&japanese)),
        (true, vec!["太郎 田中".to_owned(), "ソ子 佐藤".to_owned()])
    );
    let chinese = roster("odd-inputs/32-chinese-gbk.csv");
    assert_eq!((chinese.table.is_guessed, names(&chinese)), (true, vec!["伟 张".to_owned(), "芳 王".to_owned()]));
}

#[test]
fn no_name_is_lost_or_spoilt_without_a_word() {
    let count = |file: &str| mistakes(&format!("odd-inputs/{file}")).len();
    assert_eq!(count("33-decoded-twice.csv"), 4);
    assert_eq!(mistakes("odd-inputs/34-comma-moved.csv"), ["3:1: this row has 4 cells instead of 5"]);
    assert_eq!(count("35-no-value.csv"), 6);
    assert_eq!(count("36-stuck-punctuation.csv"), 8);
    assert_eq!(count("37-russian-headers.csv"), 4);
}

#[test]
fn each_file_of_excel_has_the_same_people() {
    let western = roster("rosters/excel-semicolon-windows-1252.csv");
    let marked = roster("rosters/excel-utf8-bom.csv");
    let wide = roster("rosters/excel-unicode-text-utf16.txt");
    assert_eq!(
        names(&western),
        ["Zoë Müller", "José García Peña", "Søren Kjær", "Siobhán O’Brien", "François Lefèvre, Jr.", "Anna "]
    );
    assert!(western.table.is_guessed && !marked.table.is_guessed && !wide.table.is_guessed);
    assert_eq!(people(&western), people(&marked));
    assert_eq!(people(&western), people(&wide)[..6]);
    assert_eq!(names(&wide)[6..], ["Nguyễn Thị Minh", "Łukasz Wójcik", "美 陳"]);
    assert!(wide.read_as.starts_with("read as UTF-16LE, separated by '\\t', with E-mail as email,"));
}

#[test]
fn an_hr_export_is_read_with_its_odd_columns_left_out() {
    let roster = roster("rosters/hr-export.csv");
    assert_eq!(told(&roster), [""; 0]);
    assert!(
        roster.read_as.ends_with("refId as referenceId; columns not used: Department, Manager"),
        "{}",
        roster.read_as
    );
    assert_eq!(names(&roster), ["Aino Virtanen", "Bartosz Nowak", "Chris Lee", "Dana Smith \"Mac\" Donald"]);
    assert_eq!(roster.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [2, 4, 5, 7]);
    assert_eq!(roster.cells(&roster.rows[1]).get(1), Some(" Bartosz "), "the original cell is kept");
}

#[test]
fn what_is_legal_and_hurts_is_read_as_it_is() {
    let all = |allowed| ReadOptions { suspicious: SuspiciousArgs { allowed }, ..ReadOptions::default() };
    let strict = roster("rosters/hostile-but-valid.csv");
    assert_eq!(
        told(&strict),
        [
            "8:20: firstName: has an invisible character (U+001B)",
            "8:35: lastName: has an invisible character (U+0007)",
            "9:18: firstName: has an invisible character (U+202E)",
            "11:28: lastName: has a symbol that no name has (U+1F469)",
        ]
    );
    let names = vec![Field::FirstName, Field::LastName];
    let roster = read_with("rosters/hostile-but-valid.csv", &all(names)).expect("a roster");
    let people = people(&roster);
    assert_eq!(people.len(), 11);
    let id = |row: usize| people[row].reference_id.as_deref();
    assert_eq!(
        [id(0), id(1), id(2), id(3)],
        [Some("-minus-first"), Some("+plus-first"), Some("@at-first"), Some("..")]
    );
    assert_eq!(people[5].first_name.as_deref(), Some("=HYPERLINK(\"http://example.com\",\"x\")"));
    assert_eq!(people[6].first_name.as_deref(), Some("\u{1b}[31mRed\u{1b}[0m"));
    assert_eq!((&people[10].first_name, &people[10].reference_id), (&None, &None));
}

#[test]
fn every_mistake_is_told_at_once_with_its_line_and_character() {
    let roster = roster("rosters/broken.csv");
    let this_year = Timestamp::now().to_zoned_datetime(jiff::tz::TimeZone::UTC).year();
    let expected = [
        "3:1: email: must not be empty",
        "4:1: email: is not an e-mail address: it has white space in it",
        "5:27: birthYear: \"19x4\" is not a whole number",
        &format!("6:26: birthYear: is not a year from 1910 to {this_year}"),
        "7:18: firstName: has 101 characters; 100 are allowed",
        "8:38: referenceId: has a character at position 4 that is not a letter, a digit or one of _ - . + @",
        "9:38: referenceId: has a character at position 2 that is not a letter, a digit or one of _ - . + @",
        "10:37: referenceId: is a long number that a spreadsheet may have shortened",
        "11:35: referenceId: is the word that a spreadsheet shows for an error",
        "13:1: email: the same as in line 12",
        "14:39: referenceId: the same as in line 12 (zeros in front aside)",
        "15:1: this row has 3 cells instead of 6",
        "16:40: this row has 8 cells instead of 6",
        "! 17:19: this quote is never closed",
    ];
    assert_eq!(told(&roster), expected);
    assert_eq!(roster.mistakes[2].to_string(), "broken.csv:5:27: birthYear: \"19x4\" is not a whole number");
    assert!(roster.read_as.ends_with("; columns not used: favouriteColour"));
}

#[test]
fn a_formula_has_its_last_value_and_one_without_is_a_mistake() {
    let unsaved = "is a formula without a value: open the workbook in a spreadsheet, and save it";
    assert_eq!(
        mistakes("rosters/formulas.xlsx"),
        [
            format!("Staff!B2: firstName: {unsaved}"),
            format!("Staff!C2: lastName: {unsaved}"),
            "Staff!D3: referenceId: is the word that a spreadsheet shows for an error".to_owned(),
        ]
    );
    let options = ReadOptions { suspicious: SuspiciousArgs { allowed: Field::ALL.to_vec() }, ..ReadOptions::default() };
    let allowed = read_with("rosters/formulas.xlsx", &options).expect("a roster");
    assert_eq!(told(&allowed)[..1], [format!("Staff!B2: firstName: {unsaved}")], "no value could be right");
    let roster = roster("rosters/formulas.xlsx");
    let person = Person::of(&roster, &roster.rows[1]);
    assert_eq!((person.first_name, person.last_name.as_deref()), (None, Some("Lind")));
}

#[test]
fn a_workbook_with_a_cell_twice_or_beyond_the_last_row_is_refused() {
    let refused = |file: &str| read_with(file, &ReadOptions::default()).expect_err("no sheet").cause;
    assert!(refused("rosters/row-twice.xlsx").ends_with("a sheet \"Staff\" that cannot be read"));
    assert!(refused("rosters/row-beyond.xlsx").contains("that is too large"), "no memory is taken for empty rows");
}

/// A list of these names in an encoding, with addresses of a country.
fn list_of(names: &[&str], encoding: &'static encoding_rs::Encoding, country: &str) -> Vec<u8> {
    let rows = (1..).zip(names).map(|(number, name)| format!("p{number}@example.{country},{name}\n"));
    let text = format!("email,lastName\n{}", rows.collect::<String>());
    encoding.encode(&text).0.into_owned()
}

#[test]
fn names_that_two_encodings_spell_are_not_guessed() {
    use encoding_rs::{MACINTOSH, WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257};
    let is_guessed = |names: &[&str], encoding, country: &str| {
        let bytes = list_of(names, encoding, country);
        match read(bytes.clone(), "r.csv", &ReadOptions::default()) {
            Ok(roster) => {
                let is_right = self::names(&roster).iter().map(|name| name.trim()).eq(names.iter().copied());
                assert!(is_right || !roster.mistakes.is_empty(), "{names:?} {}", roster.read_as);
                is_right
            }
            Err(failure) => {
                assert!(failure.cause.contains("one of MS-DOS"), "{}", failure.cause);
                false
            }
        }
    };
    let lithuanian = ["Stankevičius", "Petrauskienė", "Šarūnas", "Žukauskas", "Kazlauskienė", "Jankauskaitė"];
    for (names, encoding, country) in [
        (&lithuanian[..], WINDOWS_1257, "lt"),
        (&lithuanian[..], WINDOWS_1257, "com"),
        (&["Tamm", "Mägi", "Kõiv", "Žanna", "Põder", "Jürgen"], WINDOWS_1257, "ee"),
        (&["Şerife", "Smith"], WINDOWS_1254, "com"),
        (&["Smith", "Muñoz", "Jones"], MACINTOSH, "es"),
        (&["Smith", "García", "Jones"], MACINTOSH, "com"),
        (&["Smith", "Noël", "Jones"], MACINTOSH, "ie"),
        (&["Smith", "Böhm", "Jones"], MACINTOSH, "de"),
        (&["Hämäläinen", "O’Brien", "Møller"], MACINTOSH, "com"),
        (&["Óscar", "Íñigo", "Zoë"], MACINTOSH, "uk"),
        (&["Møller"], MACINTOSH, "pl"),
        (&["Hélène", "Smith"], WINDOWS_1252, "com"),
        (&["Hélène", "Smith"], WINDOWS_1252, "eu"),
        (&["Gergő", "Fűzfa"], WINDOWS_1250, "com"),
    ] {
        assert!(!is_guessed(names, encoding, country), "{names:?} {country}");
    }
    for names in [&["Müller", "Smith"][..], &["O’Brien", "Jones"], &["José", "François"]] {
        assert!(is_guessed(names, WINDOWS_1252, "com"), "{names:?}");
    }
    assert!(is_guessed(&["Simões", "Gonçalves", "Araújo"], WINDOWS_1252, "pt"));
    assert!(is_guessed(&["Hélène", "Smith"], WINDOWS_1252, "fr"));
    assert!(is_guessed(&["Dąbrowski", "Zając", "Wójcik"], WINDOWS_1250, "pl"));
    assert!(is_guessed(&["Þórsdóttir", "Guðmundsson", "Jónsdóttir"], WINDOWS_1252, "is"));
}
