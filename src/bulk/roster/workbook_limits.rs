//! How much a workbook may hold, what is said of one that holds more, and the reader that counts it while it is inflated: a
//! small archive may be a large bomb.

use std::io::{self, BufRead, Read};

use crate::files::MOST_PARTS;
use crate::model::spreadsheet::SHEET_ROWS;

use super::RosterError;

/// Our limits: each is far above a roster of a million people, and together they bound the memory that reading takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkbookLimits {
    /// Parts of the archive.
    pub(super) parts: u64,
    /// Bytes of all parts together, inflated.
    pub(super) inflated: u64,
    /// Bytes of a part, those of a sheet's rows and of the table of texts not counted.
    pub(super) part: u64,
    /// Elements of a part, counted in the same way.
    pub(super) elements: u64,
    /// Formats of cells: twice as many as the format has, because styles have some as well.
    pub(super) formats: u64,
    /// Characters of a font's name and of a number's format, which each of those repeats: as many as the format has.
    pub(super) format_text: usize,
    /// Bytes of the table of texts.
    pub(super) texts_size: u64,
    /// Texts in it.
    pub(super) texts: u64,
    /// Bytes of one cell or text with its markup, and of any piece of markup.
    pub(super) item: u64,
    /// Elements within each other.
    pub(super) depth: u64,
    /// Rows of a sheet: as many as the format has.
    pub(super) rows: u32,
    /// Columns of a roster.
    pub(super) columns: u32,
    /// Bytes of all cells of the roster together.
    pub(super) text: u64,
}

impl WorkbookLimits {
    /// Those that hold.
    pub(super) const OURS: Self = Self {
        parts: MOST_PARTS,
        inflated: 1536 << 20,
        part: 32 << 20,
        elements: 200_000,
        formats: 2 * 65_490,
        format_text: 255,
        texts_size: 256 << 20,
        texts: 4_000_000,
        item: 1 << 20,
        depth: 10_000,
        rows: SHEET_ROWS,
        columns: 500,
        text: 512 << 20,
    };
}

const TOO_MANY_PARTS: RosterError =
    RosterError::TooBig("it has more than 2,000 parts, or their names take more than 8 MiB");
const INFLATED: RosterError = RosterError::TooBig("its parts take more than 1.5 GiB when they are unpacked");
const LARGE_PART: RosterError = RosterError::TooBig("one of its parts is far larger than a roster needs");
const TOO_MANY_TEXTS: RosterError = RosterError::TooBig("its table of texts has more than 4,000,000 texts or 256 MiB");
const LARGE_CELL: RosterError = RosterError::TooBig("one of its cells takes more than 1 MiB");
const TOO_DEEP: RosterError = RosterError::TooBig("its parts are nested too deeply");
const TOO_MANY_ROWS: RosterError = RosterError::TooBig("a sheet has more than 1,048,576 rows");
const TOO_MANY_COLUMNS: RosterError = RosterError::TooBig("it has more than 500 columns");
const TOO_MUCH_TEXT: RosterError = RosterError::TooBig("its cells take more than 512 MiB");

impl WorkbookLimits {
    /// Parts of the archive: `fit` says whether its directory has no more than are allowed.
    pub(super) fn check_parts(fit: bool) -> Result<(), RosterError> {
        if fit { Ok(()) } else { Err(TOO_MANY_PARTS) }
    }

    /// What a part has that belongs to no row and to no text.
    pub(super) fn check_part(&self, bytes: u64, elements: u64, formats: u64) -> Result<(), RosterError> {
        at_most(bytes, self.part, LARGE_PART)?;
        at_most(elements, self.elements, LARGE_PART)?;
        at_most(formats, self.formats, LARGE_PART)
    }

    /// The name of a font, or a number's format: the reader keeps it once for each format of a cell.
    pub(super) fn check_format_text(&self, text: &str) -> Result<(), RosterError> {
        // No text has more characters than bytes.
        if text.len() <= self.format_text {
            Ok(())
        } else {
            at_most(text.chars().count(), self.format_text, LARGE_PART)
        }
    }

    /// The table of texts: those that it has, or says it has, for which the reader makes room.
    pub(super) fn check_texts(&self, texts: u64) -> Result<(), RosterError> {
        at_most(texts, self.texts, TOO_MANY_TEXTS)
    }

    pub(super) fn check_texts_size(&self, bytes: u64) -> Result<(), RosterError> {
        at_most(bytes, self.texts_size, TOO_MANY_TEXTS)
    }

    pub(super) fn check_depth(&self, depth: u64) -> Result<(), RosterError> {
        at_most(depth, self.depth, TOO_DEEP)
    }

    /// The number of a row, counted from 1.
    pub(super) fn check_row(&self, row: u32) -> Result<(), RosterError> {
        if row == 0 { Err(TOO_MANY_ROWS) } else { at_most(row, self.rows, TOO_MANY_ROWS) }
    }

    /// The number of a column, counted from 1.
    pub(super) fn check_column(&self, column: u32) -> Result<(), RosterError> {
        at_most(column, self.columns, TOO_MANY_COLUMNS)
    }

    /// Bytes of all cells.
    pub(super) fn check_text(&self, bytes: u64) -> Result<(), RosterError> {
        at_most(bytes, self.text, TOO_MUCH_TEXT)
    }
}

fn at_most<N: PartialOrd + Copy>(count: N, most: N, error: RosterError) -> Result<(), RosterError> {
    if count > most { Err(error) } else { Ok(()) }
}

/// A part that is read and counted; at its limits it ends with an error.
pub(super) struct Counted<R> {
    reader: R,
    /// Bytes since the start, and since [`begin_item`](Self::begin_item).
    read: u64,
    item: u64,
    most: u64,
    most_in_item: u64,
    exceeded: Option<Exceeded>,
}

/// Which of its limits a part reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exceeded {
    /// That of the whole.
    Whole,
    /// That of an item.
    Item,
}

impl Exceeded {
    /// The error that it is.
    pub(super) fn error(self) -> RosterError {
        match self {
            Self::Whole => INFLATED,
            Self::Item => LARGE_CELL,
        }
    }
}

impl<R: BufRead> Counted<R> {
    /// Ends after `most` bytes, or `most_in_item` bytes of one item.
    pub(super) fn new(reader: R, most: u64, most_in_item: u64) -> Self {
        Self { reader, read: 0, item: 0, most, most_in_item, exceeded: None }
    }

    /// What follows is another item.
    pub(super) fn begin_item(&mut self) {
        self.item = 0;
    }

    /// Bytes since the start.
    pub(super) fn count(&self) -> u64 {
        self.read
    }

    /// The limit at which it ended.
    pub(super) fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded
    }

    /// The bytes at the start of what was not read yet.
    pub(super) fn peek(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(buffer.len());
        buffer[..length].copy_from_slice(&available[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read > self.most {
            self.exceeded = Some(Exceeded::Whole);
        } else if self.item > self.most_in_item {
            self.exceeded = Some(Exceeded::Item);
        }
        if self.exceeded.is_some() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.reader.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.read += length as u64;
        self.item += length as u64;
        self.reader.consume(length);
    }
}
