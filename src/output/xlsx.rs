//! Workbooks: their rows are written one by one into an archive, so that memory stays flat.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write};

use unicode_width::UnicodeWidthStr as _;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::columns::Columns;
use super::error::Error;
use super::record::{Record, Selection, text_of};
use super::spool::Spool;
use super::workbook_parts::{AFTER_ROWS, HEADER, PLAIN, RED, SHEET, before_rows, parts};
use crate::files::{MOST_PARTS, directory_fits};
use crate::model::spreadsheet::{SHEET_COLUMNS, SHEET_ROWS, column_letters};

/// Characters of a cell as UTF-16 counts them (a limit of the format).
const CELL: usize = 32_767;
/// Characters that a column is wide at most.
const WIDEST: usize = 60;
/// How much of the part with the rows is looked at for a row.
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

    /// A value of the column with its style.
    fn styled<'a>(&self, text: &'a str) -> (&'a str, usize) {
        (text, if self.highlight.is_some_and(|catches_the_eye| catches_the_eye(text)) { RED } else { PLAIN })
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
        let failed = RefCell::new(None);
        let mut zip = ZipWriter::new_stream(Unfailing { out, failed: &failed });
        let written = self.write_parts(&mut zip, &failed);
        let finished = zip.finish().map(drop);
        match failed.into_inner() {
            Some(error) => Err(error),
            None => written.and(finished.map_err(io::Error::from)),
        }
    }

    fn write_parts<W: Write + io::Seek>(
        self,
        zip: &mut ZipWriter<W>,
        failed: &RefCell<Option<io::Error>>,
    ) -> io::Result<()> {
        for (name, content) in parts(&self.sheet) {
            zip.start_file(name, SimpleFileOptions::default())?;
            zip.write_all(content.as_bytes())?;
        }
        zip.start_file(SHEET, SimpleFileOptions::default())?;
        let first = 1 + u64::from(self.header);
        let widths: Vec<usize> = self.columns.iter().map(|column| column.width.min(WIDEST)).collect();
        zip.write_all(before_rows(first - 1 + self.rows, self.header, &widths).as_bytes())?;
        let mut row = String::new();
        if self.header {
            append_row(&mut row, 1, self.columns.iter().map(|column| (column.name.as_str(), HEADER)));
            zip.write_all(row.as_bytes())?;
        }
        let (mut cells, mut texts) = (self.cells.read_back()?, vec![String::new(); self.columns.len()]);
        for number in first..first + self.rows {
            for text in &mut texts {
                cells.next_cell(text)?;
            }
            row.clear();
            append_row(&mut row, number, self.columns.iter().zip(&texts).map(|(column, text)| column.styled(text)));
            zip.write_all(row.as_bytes())?;
            if failed.borrow().is_some() {
                return Ok(());
            }
        }
        zip.write_all(AFTER_ROWS.as_bytes())
    }
}

/// Whether a workbook of ours has rows below its header. One that cannot be read has some, as far as is known, and so has
/// one that is larger than ours are: it may be another program's.
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

/// Appends a row of texts with the style of each; an empty cell is left out.
fn append_row<'a>(row: &mut String, number: u64, cells: impl Iterator<Item = (&'a str, usize)>) {
    let written = "a String takes everything";
    write!(row, "<row r=\"{number}\">").expect(written);
    for (column, (text, style)) in (1..).zip(cells).filter(|(_, (text, _))| !text.is_empty()) {
        let place = column_letters(column);
        write!(row, "<c r=\"{place}{number}\" s=\"{style}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">")
            .expect(written);
        append_escaped(row, text);
        row.push_str("</t></is></c>");
    }
    row.push_str("</row>");
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
    use std::io::Cursor;

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
