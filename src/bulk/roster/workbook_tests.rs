//! Workbooks as they arrive, as they are made by hand to do harm, and the six rosters as workbooks.

use std::io::{Cursor, Write as _};

use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook as Writer, Worksheet};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::text_encoding::Input;
use super::workbook::Workbook;
use super::workbook_limits::{Limit, WorkbookLimits};
use super::*;

fn saved(fill: impl FnOnce(&mut Worksheet)) -> Vec<u8> {
    let mut writer = Writer::new();
    fill(writer.add_worksheet());
    writer.save_to_buffer().expect("a workbook")
}

fn sheet_of(rows: &[&[&str]]) -> Vec<u8> {
    saved(|sheet| {
        for (row, cells) in (0..).zip(rows) {
            for (column, cell) in (0..).zip(*cells) {
                sheet.write_string(row, column, *cell).expect("a cell");
            }
        }
    })
}

fn read_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Roster, RosterError> {
    read(bytes, "r.xlsx", options)
}

fn roster(bytes: &[u8]) -> Roster {
    read_bytes(bytes, &ReadOptions::default()).expect("a roster")
}

fn refused(bytes: &[u8]) -> String {
    read_bytes(bytes, &ReadOptions::default()).expect_err("refused").to_string()
}

fn told(roster: &Roster) -> Vec<String> {
    roster.mistakes.iter().map(|mistake| roster.told(mistake)).collect()
}

/// A workbook of parts that were typed by hand, beside those that every workbook has.
fn typed(parts: &[(&str, &str)]) -> Vec<u8> {
    let bones = [
        ("[Content_Types].xml", "<Types/>"),
        (
            "_rels/.rels",
            "<Relationships><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/\
             relationships/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>",
        ),
        (
            "xl/workbook.xml",
            "<workbook xmlns:r=\"r\"><sheets><sheet name=\"Staff\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/\
             relationships/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>",
        ),
    ];
    let bones = bones.iter().filter(|(name, _)| parts.iter().all(|(other, _)| name != other));
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in bones.chain(parts) {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a part");
        zip.write_all(text.as_bytes()).expect("written");
    }
    zip.finish().expect("a workbook").into_inner()
}

fn typed_sheet(data: &str) -> Vec<u8> {
    typed(&[("xl/worksheets/sheet1.xml", &format!("<worksheet><sheetData>{data}</sheetData></worksheet>"))])
}

fn inline(place: &str, text: &str) -> String {
    format!("<c r=\"{place}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
}

/// Rows of a CSV, each on the row of the sheet that has the number of its line.
fn as_workbook(csv: &Roster) -> Vec<u8> {
    let mut writer = Writer::new();
    let sheet = writer.add_worksheet();
    let mut write = |line: u32, cells: &mut dyn Iterator<Item = &str>| {
        for (column, cell) in (0..).zip(cells) {
            sheet.write_string(line - 1, column, cell).expect("a cell that a workbook can hold");
        }
    };
    write(1, &mut csv.columns.headers.iter().map(|(name, _)| name.as_str()));
    for row in 0..csv.row_count() {
        write(csv.line(row), &mut csv.cells(row));
    }
    writer.save_to_buffer().expect("a workbook")
}

#[test]
fn the_six_rosters_say_the_same_as_workbooks_value_for_value() {
    let ignore = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let files: [(&str, Vec<String>, usize); 6] = [
        ("excel-semicolon-windows-1252.csv", vec![], 0),
        ("excel-utf8-bom.csv", vec![], 0),
        ("excel-unicode-text-utf16.txt", vec![], 0),
        ("hr-export.csv", ignore(&["Department", "Manager"]), 0),
        ("hostile-but-valid.csv", vec![], 0),
        // Two of its mistakes are those of a text: a short line, and a quote that is never closed.
        ("broken.csv", vec![], 2),
    ];
    for (file, ignore, of_text) in files {
        let path = format!("{}/tests/fixtures/rosters/{file}", env!("CARGO_MANIFEST_DIR"));
        let options = ReadOptions { ignore, ..ReadOptions::default() };
        let csv = read(std::fs::read(path).expect("a fixture").as_slice(), file, &options).expect("a roster");
        let book = read_bytes(&as_workbook(&csv), &options).expect("a roster");
        assert_eq!(book.row_count(), csv.row_count(), "{file}");
        // A delimiter at the end of the line makes a column without a header, which no sheet has.
        let headers = csv.columns.headers.iter().filter(|(_, role)| *role != Role::Unnamed);
        assert!(book.columns.headers.iter().eq(headers), "{file}");
        for row in 0..csv.row_count() {
            assert_eq!(book.line(row), csv.line(row), "{file}");
            let cells: Vec<&str> = csv.cells(row).collect();
            let filled = cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
            assert_eq!(book.cells(row).collect::<Vec<_>>(), cells[..filled], "{file}, row {row}");
        }
        let said = |roster: &Roster| -> Vec<(Option<usize>, About, String)> {
            let mistakes = roster
                .mistakes
                .iter()
                .filter(|mistake| !mistake.message.contains("never closed") && !mistake.message.starts_with("3 cells"));
            mistakes.map(|m| (m.row, m.about, m.message.replace("in line", "in row"))).collect()
        };
        let book_says: Vec<_> = said(&book).into_iter().filter(|(row, ..)| *row != Some(csv.row_count() - 1)).collect();
        let csv_says: Vec<_> = said(&csv);
        if of_text == 0 {
            assert_eq!(said(&book), csv_says, "{file}");
        } else {
            assert_eq!(book_says, csv_says, "{file}");
            assert_eq!(csv.mistakes.len(), csv_says.len() + of_text, "{file}");
        }
    }
}

#[test]
fn mistakes_are_named_as_the_spreadsheet_names_the_cell() {
    let book = sheet_of(&[&["E-mail", "Year of birth"], &["ann@example.com", "1980"], &["bo@example.com", "19x4"]]);
    assert_eq!(told(&roster(&book)), ["Sheet1!B3: birthYear: \"19x4\" is not a whole number"]);
    let book = sheet_of(&[&["email", "brithYear"], &["a@b.c", "1980"]]);
    assert_eq!(told(&roster(&book)), ["Sheet1!B1: header: unknown header \"brithYear\" (did you mean birthYear?)"]);
    let book = sheet_of(&[&["email"], &["a@b.c"], &[], &["A@B.C"]]);
    assert_eq!(told(&roster(&book)), ["Sheet1!A4: email: the same as in row 2, ignoring case"]);
    assert_eq!(refused(&sheet_of(&[&["People of 2026"], &["a@b.c"]])), "has no header: row 1 names none of the fields");
}

#[test]
fn ids_that_are_numbers_and_texts_that_are_dates_are_suspicious() {
    let date = Format::new().set_num_format("yyyy-mm-dd");
    let day = ExcelDateTime::from_ymd(1984, 3, 1).expect("a date");
    let book = saved(|sheet| {
        for (column, header) in (0..).zip(["email", "firstName", "lastName", "birthYear", "referenceId"]) {
            sheet.write_string(0, column, header).expect("a header");
        }
        sheet.write_string(1, 0, "ann@example.com").expect("a cell");
        sheet.write_boolean(1, 1, true).expect("a cell");
        sheet.write_datetime_with_format(1, 2, &day, &date).expect("a cell");
        sheet.write_number(1, 3, 1984).expect("a cell");
        sheet.write_number(1, 4, 17).expect("a cell");
        sheet.write_string(2, 0, "bo@example.com").expect("a cell");
        sheet.write_datetime_with_format(2, 3, &day, &date).expect("a cell");
        sheet.write_number(2, 4, 12_345_678_901_234_567.0).expect("a cell");
    });
    let expected = [
        "Sheet1!B2: firstName: is a truth value in the workbook, which a spreadsheet may have made of a text",
        "Sheet1!C2: lastName: is a date in the workbook, which a spreadsheet may have made of a text",
        "Sheet1!E2: referenceId: is a number in the workbook, which keeps no leading zeros",
        "Sheet1!D3: birthYear: is a date in the workbook, not a year: --birth-date HEADER takes the year of dates",
        "Sheet1!E3: referenceId: is a number in the workbook, which keeps no leading zeros",
    ];
    let said = told(&roster(&book));
    assert_eq!(
        said.iter().map(|line| line.trim_end_matches("; --allow-suspicious accepts it")).collect::<Vec<_>>(),
        expected
    );
    let options = ReadOptions { allow_suspicious: true, ..ReadOptions::default() };
    let allowed = read_bytes(&book, &options).expect("a roster");
    assert_eq!(told(&allowed).len(), 1, "a date is no year, whoever allows it");
    let values = |row| Field::ALL.map(|field| allowed.value(row, field).unwrap_or_default());
    assert_eq!(values(0), ["ann@example.com", "TRUE", "1984-03-01", "1984", "17"]);
    let options =
        ReadOptions { birth_date: Some("birthYear".into()), allow_suspicious: true, ..ReadOptions::default() };
    let dated = read_bytes(&book, &options).expect("a roster");
    assert_eq!(dated.value(1, Field::BirthYear), Some("1984"));
}

#[test]
fn formulas_have_their_last_value_and_one_without_is_a_mistake() {
    let text = Formula::new("=CONCAT(A1)").set_result("ann@example.com");
    let book = saved(|sheet| {
        sheet.write_string(0, 0, "email").expect("a header");
        sheet.write_formula(1, 0, text).expect("a formula");
    });
    assert_eq!(roster(&book).value(0, Field::Email), Some("ann@example.com"));
    let rows = format!(
        "<row r=\"1\">{}{}</row><row r=\"2\">{}<c r=\"B2\"><f>A1</f></c></row><row r=\"3\">{}<c r=\"B3\" t=\"e\">\
         <f>A9</f><v>#REF!</v></c></row>",
        inline("A1", "email"),
        inline("B1", "referenceId"),
        inline("A2", "a@b.c"),
        inline("A3", "d@e.f")
    );
    let expected = [
        "Staff!B2: referenceId: is a formula without a value: open the workbook in a spreadsheet, save it and try again",
        "Staff!B3: referenceId: \"#REF!\" looks damaged by a spreadsheet",
    ];
    let said = told(&roster(&typed_sheet(&rows)));
    assert_eq!(
        said.iter().map(|line| line.trim_end_matches("; --allow-suspicious accepts it")).collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn the_sheet_is_chosen_by_name_or_is_the_first_that_is_shown() {
    let mut writer = Writer::new();
    for (name, email) in [("Old", "old@example.com"), ("Night shift", "night@example.com"), ("Day", "day@example.com")]
    {
        let sheet = writer.add_worksheet().set_name(name).expect("a name");
        sheet.write_string(0, 0, "email").expect("a header");
        sheet.write_string(1, 0, email).expect("a cell");
        sheet.set_hidden(name == "Old");
        sheet.set_active(name == "Day");
    }
    let book = writer.save_to_buffer().expect("a workbook");
    let of = |sheet: Option<&str>| {
        read_bytes(&book, &ReadOptions { sheet: sheet.map(str::to_owned), ..ReadOptions::default() })
    };
    let first = of(None).expect("a roster");
    assert_eq!(first.value(0, Field::Email), Some("night@example.com"));
    assert_eq!(first.remarks(), ["not read: Old, Day (--sheet NAME reads another sheet)"]);
    let day = of(Some("DAY")).expect("a roster");
    assert_eq!((day.value(0, Field::Email), day.remarks().len()), (Some("day@example.com"), 0));
    assert_eq!(of(Some("Old")).expect("a roster").remarks(), ["the sheet is hidden"]);
    let error = of(Some("Dusk")).expect_err("no such sheet");
    assert_eq!(error.to_string(), "has no sheet \"Dusk\": its sheets are Old, Night shift, Day");
}

#[test]
fn what_is_hidden_or_merged_is_said() {
    let book = saved(|sheet| {
        for (row, cells) in (0..).zip([["email", "lastName", "referenceId"], ["a@b.c", "A", "1x"], ["d@e.f", "", "2x"]])
        {
            for (column, cell) in (0..).zip(cells) {
                sheet.write_string(row, column, cell).expect("a cell");
            }
        }
        sheet.set_row_hidden(2).expect("a row");
        sheet.set_column_hidden(2).expect("a column");
        sheet.merge_range(1, 1, 2, 1, "A", &Format::new()).expect("merged");
    });
    let expected = [
        "hidden rows are read too: 3",
        "hidden columns are read too: C",
        "of merged cells only the first has a value: B2:B3",
    ];
    assert_eq!(roster(&book).remarks(), expected);
}

#[test]
fn a_file_is_known_by_its_content_and_options_for_the_other_kind_are_refused() {
    let book = sheet_of(&[&["email"], &["a@b.c"]]);
    let options = ReadOptions { delimiter: Some(Delimiter::Comma), ..ReadOptions::default() };
    let error = read_bytes(&book, &options).expect_err("an option for text");
    assert_eq!(error.to_string(), "is a workbook, which is no text: leave --delimiter out");
    let options = ReadOptions { sheet: Some("A".into()), ..ReadOptions::default() };
    let error = read_bytes(b"email\na@b.c\n", &options).expect_err("an option for workbooks");
    assert_eq!(error.to_string(), "is a text, which has no sheets: leave --sheet out");
    assert_eq!(refused(&typed(&[("xl/workbook.bin", "x")])), "is a binary Excel workbook (.xlsb), not CSV");
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("photo.jpg", SimpleFileOptions::default()).expect("a part");
    let other = zip.finish().expect("an archive").into_inner();
    assert_eq!(refused(&other), "is a zip archive without an Excel workbook, not CSV");
}

#[test]
fn rows_out_of_order_and_places_beyond_the_sheet_are_refused() {
    let header = format!("<row r=\"1\">{}</row>", inline("A1", "email"));
    let after = |rows: &str| refused(&typed_sheet(&format!("{header}{rows}")));
    let row = |place: &str| format!("<row>{}</row>", inline(place, "a@b.c"));
    let order = "is a workbook that cannot be read: its rows or cells are not in order";
    assert_eq!(after(&row("A1")), order);
    assert_eq!(after(&format!("{}{}", row("A3"), row("A2"))), order);
    assert_eq!(after(&format!("<row>{}{}</row>", inline("B2", "x"), inline("A2", "y"))), order);
    let place = "is a workbook that cannot be read: a cell stands at a place that no sheet has";
    for wrong in ["A99999999999", "AAAAAAAA1", "XFE2", "A0", "é", ""] {
        assert_eq!(after(&row(wrong)), place, "{wrong}");
    }
    assert_eq!(
        after("<row r=\"4294967295\"/>"),
        "is a workbook that is too large: a sheet has more than 1,048,576 rows"
    );
    assert_eq!(after(&row("XFD2")), "is a workbook that is too large: it has more than 500 columns");
    let nul = format!("<row>{}</row>", inline("A2", "a_x0000_@b.c"));
    assert_eq!(after(&nul), "row 2, column 1: a NUL byte; this is not text");
}

const OURS: WorkbookLimits = WorkbookLimits::OURS;
/// Limits that a small file reaches.
const SMALL: WorkbookLimits = WorkbookLimits {
    parts: Limit { most: 20, ..OURS.parts },
    inflated: Limit { most: 400_000, ..OURS.inflated },
    part: Limit { most: 100_000, ..OURS.part },
    elements: Limit { most: 1_000, ..OURS.elements },
    formats: Limit { most: 200, ..OURS.formats },
    format_text: Limit { most: 20, ..OURS.format_text },
    texts_size: Limit { most: 50_000, ..OURS.texts_size },
    texts: Limit { most: 100, ..OURS.texts },
    item: Limit { most: 20_000, ..OURS.item },
    depth: Limit { most: 50, ..OURS.depth },
    text: Limit { most: 30_000, ..OURS.text },
    ..OURS
};

const LARGE_PART: &str = "one of its parts is far larger than a roster needs";

fn row(text: &str) -> String {
    format!("<row><c t=\"inlineStr\"><is><t>{text}</t></is></c></row>")
}

/// Reads a workbook to its end, within these limits.
fn read_within(bytes: &[u8], limits: &'static WorkbookLimits) -> Result<(), String> {
    let spool = Input::spool(bytes).expect("bytes").spool;
    let options = ReadOptions::default();
    let mut workbook = Workbook::open(spool, &options, limits).map_err(|error| error.to_string())?;
    let mut rows = workbook.rows(&options).map_err(|error| error.to_string())?;
    let mut record = csv_record::CsvRecord::default();
    while csv_record::RecordSource::read(&mut rows, &mut record).map_err(|error| error.to_string())? {}
    Ok(())
}

#[track_caller]
fn too_large(bytes: &[u8], why: &str) {
    assert_eq!(read_within(bytes, &SMALL), Err(format!("is a workbook that is too large: {why}")));
}

#[test]
fn what_would_fill_the_memory_is_refused_before_it_is_read() {
    let sheet = |data: &str| typed_sheet(data);
    assert_eq!(read_within(&sheet(&row("email")), &SMALL), Ok(()));
    let large = LARGE_PART;
    too_large(&typed(&[("xl/media/bomb.png", &"x".repeat(120_000))]), large);
    too_large(&typed(&[("xl/styles.xml", &format!("<s>{}", "<xf/>".repeat(1_001)))]), large);
    too_large(&sheet(&"<row/>".repeat(80_000)), "its parts take more than 1.5 GiB when they are unpacked");
    too_large(&sheet(&row(&"x".repeat(150_000))), "one of its cells takes more than 1 MiB");
    too_large(&sheet(&row(&"&amp;".repeat(30_000))), "one of its cells takes more than 1 MiB");
    too_large(&sheet(&format!("<row a=\"{}\"/>", "x".repeat(150_000))), "one of its cells takes more than 1 MiB");
    too_large(&sheet(&format!("<!--{}-->", "<x>".repeat(50_000))), "one of its cells takes more than 1 MiB");
    too_large(&sheet(&"<row>".repeat(60)), "its parts are nested too deeply");
    let texts = "its table of texts has more than 4,000,000 texts or 256 MiB";
    let table = |text: &str| typed(&[("xl/sharedStrings.xml", text)]);
    too_large(&table(&format!("<sst>{}</sst>", "<si/>".repeat(101))), texts);
    too_large(&table("<sst uniqueCount=\"99999999999999999\"/>"), texts);
    too_large(
        &table(&format!("<sst>{}</sst>", "<si><t>aaaaaaaaaaaaaaa</t></si>".repeat(99).replace('a', &"a".repeat(60)))),
        texts,
    );
    // A text that stands in the table once and in many cells.
    let repeated = typed(&[
        ("xl/sharedStrings.xml", &format!("<sst><si><t>{}</t></si></sst>", "x".repeat(10_000))),
        (
            "xl/worksheets/sheet1.xml",
            &format!(
                "<worksheet><sheetData>{}</sheetData></worksheet>",
                "<row><c t=\"s\"><v>0</v></c></row>".repeat(4)
            ),
        ),
    ]);
    too_large(&repeated, "its cells take more than 512 MiB");
    let names: Vec<String> = (0..20).map(|number| format!("xl/{number}.xml")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "<x/>")).collect();
    too_large(&typed(&many), "it has more than 2,000 parts, or their names take more than 8 MiB");
}

#[test]
fn a_part_that_says_it_is_a_sheet_or_a_table_of_texts_has_the_limits_of_others_for_all_else() {
    for begin in ["<sheetData/>", "<sheetData/><row>", "<sst/>", "<si/>"] {
        too_large(&typed(&[("xl/styles.xml", &format!("<s>{begin}{}", "<numFmt/>".repeat(1_001)))]), LARGE_PART);
    }
    let wide = format!("<sheet a=\"{}\"/>", "x".repeat(10_000));
    too_large(&typed(&[("xl/styles.xml", &format!("<s><sheetData/>{}", wide.repeat(11)))]), LARGE_PART);
    too_large(&typed(&[("xl/styles.xml", &format!("<s>{}", "<xf/>".repeat(201)))]), LARGE_PART);
    let long = "x".repeat(21);
    for format in [format!("<numFmt formatCode=\"{long}\"/>"), format!("<font><name val=\"{long}\"/></font>")] {
        too_large(&typed(&[("xl/styles.xml", &format!("<styleSheet>{format}</styleSheet>"))]), LARGE_PART);
    }
    assert_eq!(read_within(&typed_sheet(&format!("{}<sheetData/>", row("email"))), &SMALL), Ok(()));
}

#[test]
fn a_damaged_workbook_is_one_clear_error() {
    let book = sheet_of(&[&["email"], &["a@b.c"]]);
    for cut in [10, book.len() / 2, book.len() - 10] {
        assert!(refused(&book[..cut]).starts_with("is a workbook that cannot be read: "), "{cut}");
    }
    let mut flipped = book.clone();
    let middle = flipped.len() / 3;
    flipped[middle..middle + 40].fill(0x55);
    let _ = read_bytes(&flipped, &ReadOptions::default());
    assert_eq!(refused(&typed(&[])), "is a workbook that cannot be read: its sheet cannot be read");
    let cut = typed(&[("xl/worksheets/sheet1.xml", "<worksheet><sheetData><row><c")]);
    assert_eq!(refused(&cut), "is a workbook that cannot be read: its sheet cannot be read");
    let index = typed_sheet("<row r=\"1\"><c r=\"A1\" t=\"s\"><v>7</v></c></row>");
    assert_eq!(refused(&index), "is a workbook that cannot be read: its sheet cannot be read");
}

#[test]
fn no_typed_sheet_makes_the_reader_panic() {
    let seed = format!(
        "<cols><col min=\"1\" max=\"3\" hidden=\"1\"/></cols><sheetData><row r=\"1\" hidden=\"1\">{}<c r=\"B1\" s=\"1\"><v>1</v></c>\
         </row><row>{}<c t=\"b\"><v>1</v></c><c t=\"d\"><v>2020-01-01</v></c><c><f t=\"shared\" si=\"0\" ref=\"A1:B2\">A1\
         </f><v>7</v></c><c t=\"s\"><v>0</v></c><c t=\"e\"><v>#N/A</v></c></row></sheetData><mergeCells><mergeCell ref=\"A1:B2\"/>\
         </mergeCells>",
        inline("A1", "email"),
        inline("A2", "a&amp;_x000D_b@c.d")
    );
    let words = [
        "<c r=\"",
        "A1",
        "<v>",
        "</v>",
        "</c>",
        "<row r=\"",
        "\">",
        "1e308",
        "&#0;",
        "_x0000_",
        "<f ref=\"",
        "si=\"",
        "-1",
        "inf",
    ];
    crate::model::fuzz::fuzz(3_000, &[seed.as_bytes()], &words, |bytes| {
        let data = String::from_utf8_lossy(bytes);
        let shared = ("xl/sharedStrings.xml", "<sst uniqueCount=\"1\"><si><t>email</t></si></sst>");
        let sheet = format!("<worksheet>{data}</worksheet>");
        let book = typed(&[shared, ("xl/worksheets/sheet1.xml", &sheet)]);
        match read_bytes(&book, &ReadOptions::default()) {
            Ok(roster) => format!("{} rows {} remarks", roster.row_count().min(5), roster.remarks().len()),
            Err(error) => error.to_string().chars().take(60).collect(),
        }
    });
}
