//! How much a workbook may hold, what is said of one that holds more, and the reader that counts it while it is inflated: a
//! small archive may be a large bomb.

use std::io::{self, BufRead, Read};

use crate::files::MOST_PARTS;
use crate::model::spreadsheet::SHEET_ROWS;

use super::RosterError;

/// How much there may be of something, and what is said of a workbook that has more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) most: u64,
    pub(super) why: &'static str,
}

impl Limit {
    const fn new(most: u64, why: &'static str) -> Self {
        Self { most, why }
    }

    pub(super) fn check(self, count: u64) -> Result<(), RosterError> {
        if count > self.most { Err(self.error()) } else { Ok(()) }
    }

    pub(super) fn error(self) -> RosterError {
        RosterError::TooBig(self.why)
    }
}

/// Our limits: each is far above a roster of a million people, and together they bound the memory that reading takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkbookLimits {
    /// Parts of the archive.
    pub(super) parts: Limit,
    /// Bytes of all parts together, inflated.
    pub(super) inflated: Limit,
    /// Bytes of a part, those of a sheet's rows and of the table of texts not counted.
    pub(super) part: Limit,
    /// Elements of a part, counted in the same way.
    pub(super) elements: Limit,
    /// Formats of cells: twice as many as the format has, because styles have some as well.
    pub(super) formats: Limit,
    /// Characters of a font's name and of a number's format, which the reader keeps once for each format of a cell: as many
    /// as the format has.
    pub(super) format_text: Limit,
    /// Bytes of the table of texts.
    pub(super) texts_size: Limit,
    /// Texts that it has, or says it has, for which the reader makes room.
    pub(super) texts: Limit,
    /// Bytes of one cell or text with its markup, and of any piece of markup.
    pub(super) item: Limit,
    /// Elements within each other.
    pub(super) depth: Limit,
    /// Rows of a sheet: as many as the format has.
    pub(super) rows: Limit,
    /// Columns of a roster.
    pub(super) columns: Limit,
    /// Bytes of all cells of the roster together.
    pub(super) text: Limit,
}

const LARGE_PART: &str = "one of its parts is far larger than a roster needs";
const TOO_MANY_TEXTS: &str = "its table of texts has more than 4,000,000 texts or 256 MiB";

impl WorkbookLimits {
    /// Those that hold.
    pub(super) const OURS: Self = Self {
        parts: Limit::new(MOST_PARTS, "it has more than 2,000 parts, or their names take more than 8 MiB"),
        inflated: Limit::new(1536 << 20, "its parts take more than 1.5 GiB when they are unpacked"),
        part: Limit::new(32 << 20, LARGE_PART),
        elements: Limit::new(200_000, LARGE_PART),
        formats: Limit::new(2 * 65_490, LARGE_PART),
        format_text: Limit::new(255, LARGE_PART),
        texts_size: Limit::new(256 << 20, TOO_MANY_TEXTS),
        texts: Limit::new(4_000_000, TOO_MANY_TEXTS),
        item: Limit::new(1 << 20, "one of its cells takes more than 1 MiB"),
        depth: Limit::new(10_000, "its parts are nested too deeply"),
        rows: Limit::new(SHEET_ROWS as u64, "a sheet has more than 1,048,576 rows"),
        columns: Limit::new(500, "it has more than 500 columns"),
        text: Limit::new(512 << 20, "its cells take more than 512 MiB"),
    };

    /// What a part has that belongs to no row and to no text.
    pub(super) fn check_part(&self, bytes: u64, elements: u64, formats: u64) -> Result<(), RosterError> {
        self.part.check(bytes)?;
        self.elements.check(elements)?;
        self.formats.check(formats)
    }

    /// The number of a row, counted from 1.
    pub(super) fn check_row(&self, row: u32) -> Result<(), RosterError> {
        if row == 0 { Err(self.rows.error()) } else { self.rows.check(row.into()) }
    }
}

/// A part that is read and counted; at its limits it ends with an error.
pub(super) struct Counted<R> {
    reader: R,
    /// Bytes since the start, and since [`begin_item`](Self::begin_item).
    read: u64,
    item: u64,
    most: Limit,
    most_in_item: Limit,
    exceeded: Option<Limit>,
}

impl<R: BufRead> Counted<R> {
    /// Ends after `most` bytes, or `most_in_item` bytes of one item.
    pub(super) fn new(reader: R, most: Limit, most_in_item: Limit) -> Self {
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
    pub(super) fn exceeded(&self) -> Option<Limit> {
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
        if self.read > self.most.most {
            self.exceeded = Some(self.most);
        } else if self.item > self.most_in_item.most {
            self.exceeded = Some(self.most_in_item);
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
