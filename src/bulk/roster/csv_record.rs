//! One record of a roster: its cells, what they hold, and where each stands.

use memchr::memchr_iter;

use super::RosterError;
use super::cell_kind::CellKind;
use super::cell_places::{CellPlace, Unit};
use super::compact_rows::BETWEEN;
use crate::model::spreadsheet::unescape_formulas;

/// What is wrong with the quotes of a record; the place is that of the opening quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// The input ended inside quotes.
    Unclosed(CellPlace),
    /// Text between a closing quote and the next delimiter.
    AfterQuote(CellPlace),
}

/// What gives the records of a roster one by one.
pub(super) trait RecordSource {
    /// Reads the next record, blank or not; `false` at the end.
    fn read_any(&mut self, record: &mut CsvRecord) -> Result<bool, RosterError>;

    /// Whether the cells were escaped for a spreadsheet (`--excel`).
    fn is_escaped(&self) -> bool;

    /// Reads the next record that is not blank, its cells unescaped; `false` at the end.
    fn read(&mut self, record: &mut CsvRecord) -> Result<bool, RosterError> {
        while self.read_any(record)? {
            if record.is_blank() {
                continue;
            }
            if self.is_escaped() {
                record.unescape_formulas();
            }
            return Ok(true);
        }
        Ok(false)
    }
}

/// One record: its cells as they were, without the quotes around them.
#[derive(Debug, Default)]
pub(super) struct CsvRecord {
    /// The cells, with one byte between each two: [`BETWEEN`], or the delimiter of a line that was taken as a whole.
    text: String,
    /// Where in it each begins.
    starts: Vec<usize>,
    /// Where each stands. Of a line that was taken as a whole the first alone: the others are counted where they are asked
    /// for, which is where something is wrong.
    places: Vec<CellPlace>,
    /// What the cells of a sheet hold; none in a CSV.
    kinds: Vec<CellKind>,
    flaw: Option<Flaw>,
    /// The line in which the text ends, if it ends in this record and without a line break.
    pub(super) cut_line: Option<u32>,
}

/// A cell of a record.
#[derive(Clone, Copy)]
pub(super) struct CellAt<'r> {
    record: &'r CsvRecord,
    index: usize,
}

impl<'r> CellAt<'r> {
    /// What it says.
    pub(super) fn text(self) -> &'r str {
        self.record.text(self.index)
    }

    /// Where it starts.
    pub(super) fn place(self) -> CellPlace {
        let first = self.record.place();
        self.record.places.get(self.index).copied().unwrap_or_else(|| {
            let before = &self.record.text[..self.record.starts[self.index]];
            CellPlace { column: first.column.saturating_add(characters(before)), ..first }
        })
    }

    /// What it holds.
    pub(super) fn kind(self) -> CellKind {
        self.record.kinds.get(self.index).copied().unwrap_or_default()
    }
}

impl CsvRecord {
    /// How many cells it has.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// One of its cells.
    pub(super) fn at(&self, index: usize) -> Option<CellAt<'_>> {
        (index < self.len()).then_some(CellAt { record: self, index })
    }

    /// A cell and where it starts.
    pub(super) fn cell(&self, index: usize) -> Option<(&str, CellPlace)> {
        self.at(index).map(|cell| (cell.text(), cell.place()))
    }

    /// The cells in order, each with where it starts.
    pub(super) fn cells(&self) -> impl Iterator<Item = (&str, CellPlace)> {
        (0..self.len()).filter_map(|index| self.cell(index))
    }

    /// The cells in order.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.text(index))
    }

    fn text(&self, index: usize) -> &str {
        let end = self.starts.get(index + 1).map_or(self.text.len(), |next| next - BETWEEN.len_utf8());
        &self.text[self.starts[index]..end]
    }

    /// What it is counted by.
    pub(super) fn unit(&self) -> Unit {
        if self.kinds.is_empty() { Unit::Line } else { Unit::Row }
    }

    /// How many bytes its cells take.
    #[cfg(feature = "xlsx")]
    pub(super) fn size(&self) -> usize {
        self.text.len()
    }

    /// Starts a row of a sheet.
    #[cfg(feature = "xlsx")]
    pub(super) fn start_row(&mut self, place: CellPlace) {
        self.clear(place);
        self.kinds.push(CellKind::default());
    }

    /// Adds a cell at its column of the sheet, counted from 1; those before it are empty. Columns come from left to right.
    #[cfg(feature = "xlsx")]
    pub(super) fn push_cell(&mut self, column: u32, text: &str, kind: CellKind) {
        while (self.len() as u64) < u64::from(column) {
            let place = self.place();
            let column = u32::try_from(self.len() + 1).unwrap_or(u32::MAX);
            self.start_cell(CellPlace { column, ..place });
            self.kinds.push(CellKind::default());
        }
        self.text.push_str(text);
        if let Some(last) = self.kinds.last_mut() {
            *last = kind;
        }
    }

    /// Where it starts.
    pub(super) fn place(&self) -> CellPlace {
        self.places.first().copied().unwrap_or(CellPlace { line: 1, column: 1 })
    }

    /// What is wrong with its quotes.
    pub(super) fn flaw(&self) -> Option<Flaw> {
        self.flaw
    }

    /// Notes what is wrong with its quotes; the first flaw counts.
    pub(super) fn note_flaw(&mut self, flaw: Flaw) {
        self.flaw.get_or_insert(flaw);
    }

    /// Nothing but white space and delimiters.
    pub(super) fn is_blank(&self) -> bool {
        self.flaw.is_none()
            && self.kinds.iter().all(|kind| *kind != CellKind::Unsaved)
            && self.texts().all(|cell| cell.chars().all(char::is_whitespace))
    }

    /// Takes off what escaped the cells for a spreadsheet.
    pub(super) fn unescape_formulas(&mut self) {
        if !self.texts().any(|cell| unescape_formulas(cell).len() < cell.len()) {
            return;
        }
        let mut text = String::with_capacity(self.text.len());
        let (mut starts, mut places) = (Vec::with_capacity(self.len()), Vec::with_capacity(self.len()));
        for (cell, place) in self.cells() {
            if !starts.is_empty() {
                text.push(BETWEEN);
            }
            starts.push(text.len());
            places.push(place);
            text.push_str(&unescape_formulas(cell));
        }
        (self.text, self.starts, self.places) = (text, starts, places);
    }

    /// Begins anew, with an empty cell.
    pub(super) fn clear(&mut self, place: CellPlace) {
        self.text.clear();
        self.starts.clear();
        self.places.clear();
        self.kinds.clear();
        self.flaw = None;
        self.cut_line = None;
        self.starts.push(0);
        self.places.push(place);
    }

    /// Takes a line without quotes after [`clear`](Self::clear). It is copied as a whole, and its cells are found in it.
    pub(super) fn take_line(&mut self, line: &str, delimiter: u8) {
        self.text.push_str(line);
        self.starts.extend(memchr_iter(delimiter, line.as_bytes()).map(|at| at + BETWEEN.len_utf8()));
    }

    /// Begins the next cell.
    pub(super) fn start_cell(&mut self, place: CellPlace) {
        self.text.push(BETWEEN);
        self.starts.push(self.text.len());
        self.places.push(place);
    }

    /// Adds to the last cell.
    pub(super) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a character to the last cell.
    pub(super) fn push(&mut self, c: char) {
        self.text.push(c);
    }

    /// Drops the white space before an opening quote.
    pub(super) fn open_quote(&mut self, place: CellPlace) {
        if let (Some(start), Some(last)) = (self.starts.last(), self.places.last_mut()) {
            self.text.truncate(*start);
            *last = place;
        }
    }
}

/// How many characters a text has: counted as the bytes that begin one, in small numbers of which many are added at a time.
pub(super) fn characters(text: &str) -> u32 {
    let pieces = text.as_bytes().chunks(usize::from(u8::MAX));
    let counts = pieces.map(|piece| piece.iter().fold(0_u8, |count, byte| count + u8::from(byte & 0xC0 != 0x80)));
    counts.fold(0, |all, count| u32::saturating_add(all, count.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_however_many_there_are() {
        for count in [0, 1, 84, 85, 86, 254, 255, 256, 511, 1000] {
            let texts = ["a".repeat(count), "é".repeat(count), "日a".repeat(count)];
            assert_eq!(texts.map(|text| characters(&text) as usize), [count, count, 2 * count]);
        }
    }
}
