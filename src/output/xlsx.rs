//! Workbooks: a library makes everything but the rows, which are written into it one by one, so that memory stays flat.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Cursor, Read as _, Seek as _, Write};

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format as Style, Workbook, XlsxError};
use unicode_width::UnicodeWidthStr as _;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::columns::Columns;
use super::error::Error;
use super::record::{Record, Selection, text_of};
use super::spool::{Spool, SpoolReader};
use crate::files::{MOST_PARTS, directory_fits};
use crate::model::spreadsheet::{SHEET_COLUMNS, SHEET_ROWS};

/// Characters of a cell as UTF-16 counts them (a limit of the format).
const CELL: usize = 32_767;
/// Characters that a column is wide at most.
const WIDEST: usize = 60;
/// The part that the rows stand in.
const SHEET: &str = "xl/worksheets/sheet1.xml";
/// How much of that part is looked at for a row.
const HEAD: u64 = 1 << 20;
/// A larger file is not looked into: a workbook of as many rows as the format has is smaller.
const LARGEST: u64 = 1 << 30;

/// Records on their way into a workbook. All cells are text: no zero is lost and no formula runs.
pub(super) struct Xlsx {
    selection: Selection,
    columns: Vec<SheetColumn>,
    cells: Spool,
    rows: u64,
    header: bool,
    sheet: String,
}

/// A column, and how wide its cells are so far.
struct SheetColumn {
    name: String,
    width: usize,
    /// Which values stand in bold red.
    highlight: Option<fn(&str) -> bool>,
}

impl SheetColumn {
    fn new(name: &str, columns: &Columns<'_>, header: bool) -> Self {
        let width = if header { name.width() } else { 0 };
        Self { name: name.to_owned(), width, highlight: columns.highlighted(name) }
    }
}

impl Xlsx {
    pub(super) fn new(selection: Selection, columns: &Columns<'_>, header: bool) -> Result<Self, Error> {
        let sheet = columns.noun().1;
        let names = selection.names().iter();
        let columns: Vec<SheetColumn> = names.map(|name| SheetColumn::new(name, columns, header)).collect();
        if columns.len() > SHEET_COLUMNS as usize || columns.iter().any(|column| is_too_long(&column.name)) {
            return Err(Error::NotInWorkbook("a header does not fit into it".to_owned()));
        }
        Ok(Self { selection, columns, cells: Spool::new(), rows: 0, header, sheet })
    }

    pub(super) fn push(&mut self, record: Record<'_>) -> Result<(), Error> {
        self.rows += 1;
        if self.rows + u64::from(self.header) > u64::from(SHEET_ROWS) {
            return Err(Error::NotInWorkbook(format!("it has room for {SHEET_ROWS} rows, and there are more")));
        }
        let cells = self.selection.cells(record)?;
        for (column, cell) in self.columns.iter_mut().zip(&cells) {
            let text = text_of(cell);
            if is_too_long(&text) {
                let (row, name) = (self.rows, &column.name);
                let cause = format!("{name} of record {row} is longer than the {CELL} characters of a cell");
                return Err(Error::NotInWorkbook(cause));
            }
            if column.width < WIDEST {
                column.width = column.width.max(text.lines().map(str::width).max().unwrap_or_default());
            }
            self.cells.write_cell(&text).map_err(Error::Spool)?;
        }
        Ok(())
    }

    /// Writes the workbook. The same records give the same bytes.
    pub(super) fn write(self, out: &mut dyn Write) -> io::Result<()> {
        let frame = Frame::new(&self).map_err(io::Error::other)?;
        let failed = RefCell::new(None);
        let mut zip = ZipWriter::new_stream(Unfailing { out, failed: &failed });
        let written = self.write_parts(&frame, &mut zip, &failed);
        let finished = zip.finish().map(drop);
        match failed.into_inner() {
            Some(error) => Err(error),
            None => written.and(finished.map_err(io::Error::from)),
        }
    }

    fn write_parts<W: Write + io::Seek>(
        self,
        frame: &Frame,
        zip: &mut ZipWriter<W>,
        failed: &RefCell<Option<io::Error>>,
    ) -> io::Result<()> {
        for (name, content) in &frame.parts {
            zip.start_file(name.as_str(), SimpleFileOptions::default())?;
            zip.write_all(content)?;
        }
        zip.start_file(SHEET, SimpleFileOptions::default())?;
        zip.write_all(frame.before.as_bytes())?;
        let (mut cells, mut text, mut row) = (self.cells.read_back()?, String::new(), String::new());
        let first = 1 + u64::from(self.header);
        for number in first..first + self.rows {
            row.clear();
            append_row(&mut row, number, &self.columns, frame, &mut cells, &mut text)?;
            zip.write_all(row.as_bytes())?;
            if failed.borrow().is_some() {
                return Ok(());
            }
        }
        zip.write_all(frame.after.as_bytes())
    }
}

/// Whether a workbook of ours has rows below its header. One that cannot be read has some, as far as is known, and so has
/// one that is larger than ours are: it may be anybody's.
pub fn has_rows(mut file: File, header: bool) -> bool {
    let is_small = file.metadata().is_ok_and(|found| found.len() <= LARGEST) && file.rewind().is_ok();
    let fits = is_small && directory_fits(&file, MOST_PARTS).unwrap_or(false);
    if !fits || file.rewind().is_err() {
        return true;
    }
    let Ok(mut archive) = ZipArchive::new(io::BufReader::new(file)) else { return true };
    let Ok(sheet) = archive.by_name(SHEET) else { return true };
    let mut head = Vec::new();
    let read = sheet.take(HEAD).read_to_end(&mut head);
    let first = format!("<row r=\"{}\"", 1 + u64::from(header));
    let is_whole = head.windows(11).any(|part| part == b"</worksheet");
    read.is_err() || !is_whole || head.windows(first.len()).any(|part| part == first.as_bytes())
}

fn is_too_long(text: &str) -> bool {
    text.len() > CELL && text.encode_utf16().count() > CELL
}

/// A workbook without its rows.
struct Frame {
    /// The parts but the sheet.
    parts: Vec<(String, Vec<u8>)>,
    /// The sheet before its rows (the header is there already), and after them.
    before: String,
    after: String,
    /// The styles of cells: text, and text that must catch the eye.
    plain: String,
    red: String,
}

impl Frame {
    /// Has the library make a workbook of the header and two sample cells, and takes the samples out.
    fn new(of: &Xlsx) -> Result<Self, String> {
        let made = make(of).map_err(|error| error.to_string())?;
        let mut archive = ZipArchive::new(Cursor::new(made)).map_err(|error| error.to_string())?;
        let (mut parts, mut sheet) = (Vec::new(), String::new());
        for index in 0..archive.len() {
            let mut part = archive.by_index(index).map_err(|error| error.to_string())?;
            let name = part.name().map_err(|error| error.to_string())?.into_owned();
            let mut content = Vec::new();
            part.read_to_end(&mut content).map_err(|error| error.to_string())?;
            if name == SHEET {
                sheet = String::from_utf8(content).map_err(|error| error.to_string())?;
            } else {
                parts.push((name, content));
            }
        }
        Self::taken_apart(of, parts, &sheet).ok_or_else(|| "the frame of the workbook is not as expected".to_owned())
    }

    fn taken_apart(of: &Xlsx, parts: Vec<(String, Vec<u8>)>, sheet: &str) -> Option<Self> {
        let first = 1 + u64::from(of.header);
        let (before, rest) = sheet.split_at(sheet.find(&format!("<row r=\"{first}\""))?);
        let (samples, after) = rest.split_at(rest.find("</sheetData>")?);
        let mut styles = samples.split("<c r=\"").skip(1).map(|cell| between(cell, "s=\"", "\""));
        let (plain, red) = (styles.next()??.to_owned(), styles.next()??.to_owned());
        // Programs that read row by row believe what stands here.
        let last = (of.rows + first - 1).max(1);
        let area = format!("A1:{}{last}", letters(of.columns.len()));
        let (start, tail) = before.split_once("<dimension ref=\"")?;
        let before = format!("{start}<dimension ref=\"{area}\"{}", tail.split_once('"')?.1);
        Some(Self { parts, before, after: after.to_owned(), plain, red })
    }
}

fn make(of: &Xlsx) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    // No time of making: an export that changed nothing has the same bytes.
    let made = ExcelDateTime::from_ymd(2000, 1, 1)?;
    workbook.set_properties(&DocProperties::new().set_creation_datetime(&made));
    let (bold, text) = (Style::new().set_bold().set_num_format("@"), Style::new().set_num_format("@"));
    let red = text.clone().set_bold().set_font_color("#C00000");
    let sheet = workbook.add_worksheet().set_name(&of.sheet)?;
    for (index, column) in (0_u16..).zip(&of.columns) {
        let width = u32::try_from(column.width.min(WIDEST)).unwrap_or_default();
        sheet.set_column_width(index, f64::from(width) + 2.0)?;
        if of.header {
            sheet.write_string_with_format(0, index, &column.name, &bold)?;
        }
    }
    let first = u32::from(of.header);
    sheet.set_freeze_panes(first, 0)?;
    sheet.write_string_with_format(first, 0, "text", &text)?;
    sheet.write_string_with_format(first + 1, 0, "red", &red)?;
    workbook.save_to_buffer()
}

/// What stands between two texts.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    Some(text.split_once(before)?.1.split_once(after)?.0)
}

/// The letters of a column, counted from 1.
fn letters(column: usize) -> String {
    if column == 0 {
        return String::new();
    }
    let digit = u8::try_from((column - 1) % 26).unwrap_or_default();
    letters((column - 1) / 26) + char::from(b'A' + digit).encode_utf8(&mut [0; 4])
}

fn append_row(
    row: &mut String,
    number: u64,
    columns: &[SheetColumn],
    frame: &Frame,
    cells: &mut SpoolReader,
    text: &mut String,
) -> io::Result<()> {
    let written = "a String takes everything";
    write!(row, "<row r=\"{number}\">").expect(written);
    for (index, column) in (1..).zip(columns) {
        cells.next_cell(text)?;
        if text.is_empty() {
            continue;
        }
        let style = if column.highlight.is_some_and(|catches_the_eye| catches_the_eye(text)) {
            &frame.red
        } else {
            &frame.plain
        };
        let place = letters(index);
        write!(row, "<c r=\"{place}{number}\" s=\"{style}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">")
            .expect(written);
        append_escaped(row, text);
        row.push_str("</t></is></c>");
    }
    row.push_str("</row>");
    Ok(())
}

/// Appends a text as the format has it: what XML cannot hold is written `_x0007_`, and a text that looks so already has its
/// first character written so.
fn append_escaped(out: &mut String, text: &str) {
    for (index, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\t' | '\n' => out.push(c),
            '_' if is_escape(&text.as_bytes()[index..]) => out.push_str("_x005F_"),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                write!(out, "_x{:04X}_", u32::from(c)).expect("a String takes everything");
            }
            c => out.push(c),
        }
    }
}

/// Whether a text begins with what stands for a character, such as `_x0007_`.
fn is_escape(bytes: &[u8]) -> bool {
    let Some(escape) = bytes.get(..7) else { return false };
    escape.starts_with(b"_x") && escape[6] == b'_' && escape[2..6].iter().all(u8::is_ascii_hexdigit)
}

/// A target whose error is kept: the library tells one that it meets while it is dropped on standard error by itself.
struct Unfailing<'a> {
    out: &'a mut dyn Write,
    failed: &'a RefCell<Option<io::Error>>,
}

impl Unfailing<'_> {
    fn keep(&self, done: io::Result<()>) {
        if let Err(error) = done {
            self.failed.borrow_mut().get_or_insert(error);
        }
    }
}

impl Write for Unfailing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failed.borrow().is_none() {
            let done = self.out.write_all(bytes);
            self.keep(done);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.keep(done);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use calamine::{Data, Reader as _, Xlsx as Read};
    use proptest::prelude::*;

    use super::*;
    use crate::model::cell::Cell;

    const COLUMNS: Columns<'static> = Columns::of(&["id", "result"]).highlight("result", |result| result == "HighRisk");

    fn book(rows: &[[&str; 2]], header: bool) -> Vec<u8> {
        let selection = Selection::new(COLUMNS.every(), COLUMNS.names(), false);
        let mut xlsx = Xlsx::new(selection, &COLUMNS, header).expect("columns that fit");
        for row in rows {
            xlsx.push(Record::Cells(&row.map(Cell::from))).expect("cells that fit");
        }
        let mut out = Vec::new();
        xlsx.write(&mut out).expect("written");
        out
    }

    /// The cells of the first sheet by row and column, as the reading library understands them.
    fn read(book: Vec<u8>) -> Vec<((u32, u32), String)> {
        let mut read = Read::new(Cursor::new(book)).expect("a workbook");
        let range = read.worksheet_range_at(0).expect("a sheet").expect("readable");
        let start = range.start().unwrap_or_default();
        let place = |row: usize, column: usize| {
            (start.0 + u32::try_from(row).expect("a row"), start.1 + u32::try_from(column).expect("a column"))
        };
        let text = |data: &Data| match data {
            Data::String(text) => text.clone(),
            other => panic!("not a text: {other:?}"),
        };
        range.used_cells().map(|(row, column, data)| (place(row, column), text(data))).collect()
    }

    #[test]
    fn the_header_stands_fast_and_flagged_values_are_red() {
        let rows = [["00017", "HighRisk"], ["=1+1", "LowRisk"]];
        let made = book(&rows, true);
        assert_eq!(made, book(&rows, true), "the same records are the same bytes");
        let cells = read(made.clone());
        let expected = ["id", "result", "00017", "HighRisk", "=1+1", "LowRisk"];
        assert_eq!(cells.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), expected);
        let mut read = Read::new(Cursor::new(made.clone())).expect("a workbook");
        let styles = read.worksheet_style("records").expect("styles");
        let is_red =
            |place| styles.get(place).and_then(|style| style.font.as_ref()).is_some_and(calamine::Font::is_bold);
        assert!(is_red((1, 1)) && !is_red((1, 0)) && !is_red((2, 1)));
        let mut sheet = String::new();
        let mut archive = ZipArchive::new(Cursor::new(made)).expect("an archive");
        archive.by_name(SHEET).expect("the sheet").read_to_string(&mut sheet).expect("text");
        assert!(sheet.contains("state=\"frozen\"") && sheet.contains("<dimension ref=\"A1:B3\"/>"), "{sheet}");
    }

    #[test]
    fn no_rows_leave_a_header_or_nothing_and_are_told_from_some() {
        for (rows, header) in [(&[][..], true), (&[], false), (&[["a", "b"]], true), (&[["a", "b"]], false)] {
            let made = book(rows, header);
            assert_eq!(has_rows(file_of(&made), header), !rows.is_empty(), "{rows:?} {header}");
            assert_eq!(read(made).len(), (rows.len() + usize::from(header)) * 2);
        }
        assert!(has_rows(file_of(b"nothing"), true));
    }

    fn file_of(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        file
    }

    #[test]
    fn what_a_cell_cannot_hold_is_refused_by_its_name() {
        let selection = Selection::new(COLUMNS.every(), COLUMNS.names(), false);
        let mut xlsx = Xlsx::new(selection, &COLUMNS, true).expect("columns that fit");
        let (fits, long) = ("😀".repeat(16_383), "😀".repeat(16_384));
        xlsx.push(Record::Cells(&[Cell::from(&fits), Cell::Null])).expect("it fits");
        let error = xlsx.push(Record::Cells(&[Cell::from("x"), Cell::from(&long)])).expect_err("too long");
        assert!(
            error.to_string().contains("result of record 2 is longer than the 32767 characters of a cell"),
            "{error}"
        );
        xlsx.rows = u64::from(SHEET_ROWS) - 1;
        let error = xlsx.push(Record::Cells(&[Cell::from("x"), Cell::Null])).expect_err("too many");
        assert!(error.to_string().contains("room for 1048576 rows"), "{error}");
    }

    #[test]
    fn a_target_that_fails_gives_its_error() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let selection = Selection::new(COLUMNS.every(), COLUMNS.names(), false);
        let xlsx = Xlsx::new(selection, &COLUMNS, true).expect("columns that fit");
        let error = xlsx.write(&mut Full(1_000)).expect_err("full");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }

    proptest! {
        #[test]
        fn every_cell_reads_back_as_the_same_bytes(
            rows in prop::collection::vec(
                [prop_oneof![any::<String>(), "[_x05FAaé\u{0}-\u{1f} <&>\u{fffe}\u{ffff}\u{85}\u{2028}]{0,24}", "(_x00[0-9A-F]{2}_?){0,4}"],
                 prop_oneof![any::<String>(), "\\PC{0,8}", "[ \t\r\n]{0,4}"]],
                0..6,
            ),
        ) {
            let rows: Vec<[&str; 2]> = rows.iter().map(|row| [row[0].as_str(), row[1].as_str()]).collect();
            let cells = read(book(&rows, false));
            let mut expected = Vec::new();
            for (row, texts) in (0..).zip(&rows) {
                expected.extend((0..).zip(texts).filter(|(_, text)| !text.is_empty()).map(|(column, text)| ((row, column), (*text).to_owned())));
            }
            prop_assert_eq!(cells, expected);
        }
    }
}
