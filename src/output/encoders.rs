//! Records as JSON, NDJSON and CSV, and the cells that they have in tables.

use std::io::{self, Write};

use super::columns::Columns;
use super::error::Error;
use super::json;
use super::record::{self, Record, Selection};
use super::spool::Spool;
use crate::model::cell::Cell;
use crate::model::spreadsheet::{BYTE_ORDER_MARK, escape_formulas};

/// What the records of one output are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One JSON object. A table shows all its fields, a line each.
    One,
    /// Any number of JSON objects, an array in JSON.
    Many,
    /// One bare JSON string: in CSV under the name of its only column, in JSON as it is, in a table alone.
    OneString,
    /// Any number of bare JSON strings, an array in JSON.
    Strings,
}

impl Shape {
    pub(super) fn is_list(self) -> bool {
        matches!(self, Self::Many | Self::Strings)
    }

    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::OneString | Self::Strings)
    }
}

/// JSON: an array or one value, indented; or one value a line.
pub(super) struct Json {
    shape: Shape,
    /// All fields of the record.
    all: Vec<String>,
    /// What `--fields` chose.
    chosen: Option<Selection>,
    pretty: bool,
    pushed: bool,
    spool: Spool,
    text: String,
}

impl Json {
    pub(super) fn new(shape: Shape, columns: &Columns<'_>, chosen: Option<Vec<String>>, pretty: bool) -> Self {
        // The only field of a bare string is the string.
        let chosen = chosen.filter(|_| !shape.is_text());
        let chosen = chosen.map(|fields| Selection::new(fields, columns.names(), false));
        Self { shape, all: columns.every(), chosen, pretty, pushed: false, spool: Spool::new(), text: String::new() }
    }

    fn is_array(&self) -> bool {
        self.pretty && self.shape.is_list()
    }

    pub(super) fn push(&mut self, record: Record<'_>) -> Result<(), Error> {
        let is_array = self.is_array();
        self.text.clear();
        if is_array {
            self.text.push_str(if self.pushed { ",\n  " } else { "[\n  " });
        }
        self.append(record, self.pretty.then_some(usize::from(is_array)))?;
        if !is_array {
            self.text.push('\n');
        }
        self.pushed = true;
        self.spool.write_all(self.text.as_bytes()).map_err(Error::Spool)
    }

    /// Appends a record, indented where a depth is given.
    fn append(&mut self, record: Record<'_>, depth: Option<usize>) -> Result<(), Error> {
        if let Some(chosen) = &self.chosen {
            let cells = chosen.cells(record)?;
            json::append_object(&mut self.text, chosen.names().iter().map(String::as_str).zip(cells), depth);
            return Ok(());
        }
        match record {
            Record::Cells([cell]) if self.shape.is_text() => self.text.push_str(&json::of_cell(cell)),
            Record::Cells(cells) => json::append_object(&mut self.text, named(&self.all, cells), depth),
            Record::Sent(sent) => {
                let check = if self.shape.is_text() { record::check_string } else { record::check_object };
                json::append(&mut self.text, check(sent)?, depth);
            }
            Record::CellsAndSent(cells, sent) => {
                let whole = joined(&self.all, cells, record::check_object(sent)?);
                json::append(&mut self.text, &whole, depth);
            }
        }
        Ok(())
    }

    pub(super) fn end(mut self) -> io::Result<Spool> {
        if self.is_array() {
            self.spool.write_all(if self.pushed { b"\n]\n" } else { b"[]\n" })?;
        }
        Ok(self.spool)
    }
}

/// An object of our cells and, after them, what stands in one that was sent.
fn joined(names: &[String], cells: &[Cell<'_>], sent: &str) -> String {
    let mut whole = String::new();
    json::append_object(&mut whole, named(names, cells), None);
    let inside = sent.trim_start_matches('{').trim_ascii_start();
    if !inside.starts_with('}') {
        whole.pop();
        if !cells.is_empty() {
            whole.push(',');
        }
        whole.push_str(inside);
    }
    whole
}

fn named<'a>(names: &'a [String], cells: &'a [Cell<'a>]) -> impl Iterator<Item = (&'a str, Cell<'a>)> {
    names.iter().map(String::as_str).zip(cells.iter().map(Cell::lend))
}

/// CSV as RFC 4180 quotes it, with LF line ends. Text stands unchanged, null is empty, a number or boolean is written
/// as it came, and a nested value is compact JSON. For a spreadsheet, cells that it would run are escaped.
pub(super) struct Csv {
    writer: csv::Writer<Spool>,
    selection: Selection,
    excel: bool,
}

impl Csv {
    pub(super) fn new(selection: Selection, header: bool, excel: bool) -> Result<Self, Error> {
        let mut spool = Spool::new();
        if excel {
            spool.write_all(BYTE_ORDER_MARK.as_bytes()).map_err(Error::Spool)?;
        }
        let writer = csv_writer(spool);
        let mut csv = Self { writer, selection, excel };
        if header {
            let names: Vec<Cell<'_>> = csv.selection.names().iter().map(Cell::from).collect();
            write_row(&mut csv.writer, &names, excel)?;
        }
        Ok(csv)
    }

    pub(super) fn push(&mut self, record: Record<'_>) -> Result<(), Error> {
        write_row(&mut self.writer, &self.selection.cells(record)?, self.excel)
    }

    pub(super) fn end(self) -> io::Result<Spool> {
        self.writer.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}

/// A writer of CSV with LF line ends.
pub(super) fn csv_writer<W: Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out)
}

/// Writes a line of cells; `excel`: as a spreadsheet may take them.
pub(super) fn write_row(writer: &mut csv::Writer<impl Write>, cells: &[Cell<'_>], excel: bool) -> Result<(), Error> {
    for cell in cells {
        let text = record::text_of(cell);
        let written = if excel { escape_formulas(&text) } else { text.as_ref().into() };
        writer.write_field(written.as_bytes()).map_err(spool_error)?;
    }
    writer.write_record(None::<&[u8]>).map_err(spool_error)
}

fn spool_error(error: csv::Error) -> Error {
    Error::Spool(io::Error::from(error))
}
