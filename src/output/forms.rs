//! Records as JSON, NDJSON and CSV, and the cells that they have in tables.

use std::borrow::Cow;
use std::io::{self, Write as _};

use super::spool::Spool;
use super::{Error, json, record};
use crate::model::spreadsheet::{BYTE_ORDER_MARK, disarm};

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
    fields: Option<Vec<String>>,
    pretty: bool,
    pushed: bool,
    spool: Spool,
    text: String,
}

impl Json {
    pub(super) fn new(shape: Shape, fields: Option<Vec<String>>, pretty: bool) -> Self {
        // The only field of a bare string is the string.
        let fields = fields.filter(|_| !shape.is_text());
        Self { shape, fields, pretty, pushed: false, spool: Spool::new(), text: String::new() }
    }

    fn is_array(&self) -> bool {
        self.pretty && self.shape.is_list()
    }

    pub(super) fn push(&mut self, record: &str) -> Result<(), Error> {
        let record = match &self.fields {
            _ if self.shape.is_text() => Cow::Borrowed(record::check_string(record)?),
            None => Cow::Borrowed(record::check_object(record)?),
            Some(fields) => Cow::Owned(narrowed(record, fields)?),
        };
        let is_array = self.is_array();
        self.text.clear();
        if is_array {
            self.text.push_str(if self.pushed { ",\n  " } else { "[\n  " });
        }
        if self.pretty {
            json::append_pretty(&mut self.text, &record, usize::from(is_array));
        } else {
            json::append_compact(&mut self.text, &record);
        }
        if !is_array {
            self.text.push('\n');
        }
        self.pushed = true;
        self.spool.write_all(self.text.as_bytes()).map_err(Error::Spool)
    }

    pub(super) fn end(mut self) -> io::Result<Spool> {
        if self.is_array() {
            self.spool.write_all(if self.pushed { b"\n]\n" } else { b"[]\n" })?;
        }
        Ok(self.spool)
    }
}

/// A JSON object with these properties alone, in this order; one that is not there is null.
fn narrowed(record: &str, fields: &[String]) -> Result<String, Error> {
    let values = record::pick(record, fields)?;
    let mut object = String::from("{");
    for (field, value) in fields.iter().zip(values) {
        if object.len() > 1 {
            object.push(',');
        }
        json::append_text(&mut object, field);
        object.push(':');
        object.push_str(value.unwrap_or("null"));
    }
    object.push('}');
    Ok(object)
}

/// CSV as RFC 4180 quotes it, with LF line ends. Text stands unchanged, null is empty, a number or boolean is written
/// as it came, and a nested value is compact JSON. For a spreadsheet, cells that it would run are disarmed.
pub(super) struct Csv {
    writer: csv::Writer<Spool>,
    pick: Pick,
    excel: bool,
}

impl Csv {
    pub(super) fn new(shape: Shape, fields: &[String], header: bool, excel: bool) -> Result<Self, Error> {
        let mut spool = Spool::new();
        if excel {
            spool.write_all(BYTE_ORDER_MARK.as_bytes()).map_err(Error::Spool)?;
        }
        let writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(spool);
        let mut csv = Self { writer, pick: Pick::new(shape, fields.to_vec()), excel };
        if header {
            csv.row(fields.iter().map(String::as_str))?;
        }
        Ok(csv)
    }

    pub(super) fn push(&mut self, record: &str) -> Result<(), Error> {
        let cells = self.pick.cells(record)?;
        self.row(cells)
    }

    fn row(&mut self, cells: impl Iterator<Item = impl AsRef<str>>) -> Result<(), Error> {
        for cell in cells {
            let cell = cell.as_ref();
            let written = if self.excel { disarm(cell) } else { Cow::Borrowed(cell) };
            self.writer.write_field(written.as_bytes()).map_err(spool_error)?;
        }
        self.writer.write_record(None::<&[u8]>).map_err(spool_error)
    }

    pub(super) fn end(self) -> io::Result<Spool> {
        self.writer.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}

fn spool_error(error: csv::Error) -> Error {
    Error::Spool(io::Error::from(error))
}

/// The cells of a record.
pub(super) struct Pick {
    shape: Shape,
    fields: Vec<String>,
}

impl Pick {
    pub(super) fn new(shape: Shape, fields: Vec<String>) -> Self {
        Self { shape, fields }
    }

    pub(super) fn cells<'a>(&self, record: &'a str) -> Result<impl Iterator<Item = Cow<'a, str>> + use<'a>, Error> {
        let values = if self.shape.is_text() {
            vec![Some(record::check_string(record)?)]
        } else {
            record::pick(record, &self.fields)?
        };
        Ok(values.into_iter().map(record::cell))
    }
}
