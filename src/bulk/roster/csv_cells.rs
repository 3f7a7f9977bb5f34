//! From text to cells: a machine over CSV that knows the line and character at which each cell starts.

use memchr::{memchr, memchr_iter, memchr3};

use super::RosterError;
use super::cell_kind::CellKind;
use super::cell_places::{CellPlace, Unit};
use super::compact_rows::BETWEEN;
use super::delimiter::Delimiter;
use super::text_encoding::{Malformed, Text};
use crate::model::spreadsheet::rearm;

/// Longest record, in bytes of UTF-8 (our limit): an unclosed quote must not swallow a file of any size.
const RECORD_MAX: usize = 1 << 20;

/// What is wrong with the quotes of a record; the place is that of the opening quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// The input ended inside quotes.
    Unclosed(CellPlace),
    /// Text between a closing quote and the next delimiter.
    AfterQuote(CellPlace),
}

/// What gives the records of a roster one by one, blank ones left out.
pub(super) trait RecordSource {
    /// Reads the next record; `false` at the end.
    fn read(&mut self, record: &mut CsvRecord) -> Result<bool, RosterError>;
}

/// One record: its cells as they were, without the quotes around them.
#[derive(Debug, Default)]
pub(super) struct CsvRecord {
    /// The cells, joined by [`BETWEEN`].
    text: String,
    cells: Vec<(usize, CellPlace)>,
    /// What the cells of a sheet hold; none in a CSV.
    kinds: Vec<CellKind>,
    flaw: Option<Flaw>,
    /// The line in which the text ends, if it ends without a line break.
    cut_line: Option<u32>,
}

impl CsvRecord {
    /// How many cells it has.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// A cell and where it starts.
    pub(super) fn cell(&self, index: usize) -> Option<(&str, CellPlace)> {
        let (start, place) = *self.cells.get(index)?;
        let end = self.cells.get(index + 1).map_or(self.text.len(), |next| next.0 - BETWEEN.len_utf8());
        Some((&self.text[start..end], place))
    }

    /// The cells in order.
    pub(super) fn cells(&self) -> impl Iterator<Item = (&str, CellPlace)> {
        (0..self.len()).filter_map(|index| self.cell(index))
    }

    /// What it is counted by.
    pub(super) fn unit(&self) -> Unit {
        if self.kinds.is_empty() { Unit::Line } else { Unit::Row }
    }

    /// What a cell holds.
    pub(super) fn kind(&self, index: usize) -> CellKind {
        self.kinds.get(index).copied().unwrap_or_default()
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
        while (self.cells.len() as u64) < u64::from(column) {
            let place = self.place();
            let column = u32::try_from(self.cells.len() + 1).unwrap_or(u32::MAX);
            self.start_cell(CellPlace { column, ..place });
            self.kinds.push(CellKind::default());
        }
        self.text.push_str(text);
        if let Some(last) = self.kinds.last_mut() {
            *last = kind;
        }
    }

    /// The cells in order, joined by [`BETWEEN`].
    pub(super) fn joined(&self) -> &str {
        &self.text
    }

    /// Where it starts.
    pub(super) fn place(&self) -> CellPlace {
        self.cells.first().map_or(CellPlace { line: 1, column: 1 }, |cell| cell.1)
    }

    /// What is wrong with its quotes.
    pub(super) fn flaw(&self) -> Option<Flaw> {
        self.flaw
    }

    /// The line in which the text ends, if it ends in this record and without a line break.
    pub(super) fn cut_line(&self) -> Option<u32> {
        self.cut_line
    }

    /// Nothing but white space and delimiters.
    pub(super) fn is_blank(&self) -> bool {
        self.flaw.is_none()
            && self.kinds.iter().all(|kind| *kind != CellKind::Unsaved)
            && self.text.chars().all(|c| c.is_whitespace() || c == BETWEEN)
    }

    /// Takes off what disarmed the cells for a spreadsheet.
    pub(super) fn rearm(&mut self) {
        if !self.cells().any(|(cell, _)| rearm(cell).len() < cell.len()) {
            return;
        }
        let mut text = String::with_capacity(self.text.len());
        let mut starts = Vec::with_capacity(self.len());
        for (cell, place) in self.cells() {
            if !starts.is_empty() {
                text.push(BETWEEN);
            }
            starts.push((text.len(), place));
            text.push_str(&rearm(cell));
        }
        (self.text, self.cells) = (text, starts);
    }

    fn clear(&mut self, place: CellPlace) {
        self.text.clear();
        self.cells.clear();
        self.kinds.clear();
        self.flaw = None;
        self.cut_line = None;
        self.cells.push((0, place));
    }

    fn start_cell(&mut self, place: CellPlace) {
        self.text.push(BETWEEN);
        self.cells.push((self.text.len(), place));
    }

    /// Drops the white space before an opening quote.
    fn open_quote(&mut self, place: CellPlace) {
        if let Some(cell) = self.cells.last_mut() {
            self.text.truncate(cell.0);
            cell.1 = place;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space so far.
    CellStart,
    /// In a cell without quotes.
    Plain,
    /// Between quotes.
    Quoted,
    /// Right after a quote between quotes: half of a doubled one, or the closing one.
    Quote,
    /// After the closing quote and white space.
    Closed,
}

/// How the cells are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// What stands between them.
    pub(super) delimiter: Delimiter,
    /// Whether they were disarmed for a spreadsheet, so that it is taken off again.
    pub(super) disarmed: bool,
}

/// The records of a text.
pub(super) struct Records {
    text: Text,
    piece: String,
    at: usize,
    malformed: Option<Malformed>,
    special: [bool; 256],
    delimiter: u8,
    /// The cells were disarmed for a spreadsheet.
    disarmed: bool,
    state: State,
    /// The last character was `\r`: a `\n` now belongs to it.
    after_return: bool,
    place: CellPlace,
    opening: CellPlace,
    size: usize,
}

impl RecordSource for Records {
    fn read(&mut self, record: &mut CsvRecord) -> Result<bool, RosterError> {
        loop {
            if !self.read_any(record)? {
                return Ok(false);
            }
            if !record.is_blank() {
                if self.disarmed {
                    record.rearm();
                }
                return Ok(true);
            }
        }
    }
}

impl Records {
    /// Starts at the beginning of a text. What was already taken from it is given as `piece`.
    pub(super) fn new(text: Text, piece: String, malformed: Option<Malformed>, dialect: Dialect) -> Self {
        let mut special = [false; 256];
        for byte in [0, b'"', b'\r', b'\n', dialect.delimiter.byte()] {
            special[usize::from(byte)] = true;
        }
        let place = CellPlace { line: 1, column: 1 };
        Self {
            text,
            piece,
            at: 0,
            malformed,
            special,
            delimiter: dialect.delimiter.byte(),
            disarmed: dialect.disarmed,
            state: State::CellStart,
            after_return: false,
            place,
            opening: place,
            size: 0,
        }
    }

    fn read_any(&mut self, record: &mut CsvRecord) -> Result<bool, RosterError> {
        self.skip_line_feed()?;
        record.clear(self.place);
        if self.take_plain_line(record) {
            return Ok(true);
        }
        self.state = State::CellStart;
        self.size = 0;
        while self.more()? {
            if self.advance(record)? {
                return Ok(true);
            }
            if self.size > RECORD_MAX {
                let opening = (self.state == State::Quoted).then_some(self.opening);
                return Err(RosterError::RecordTooLong { line: record.place().line, opening });
            }
        }
        if self.state == State::Quoted {
            record.flaw.get_or_insert(Flaw::Unclosed(self.opening));
        }
        record.cut_line = (self.place.column > 1).then_some(self.place.line);
        Ok(self.size > 0)
    }

    /// Takes a record that is one line without a quote, as nearly all are: its cells stand between the delimiters. `false`
    /// where it is not, or goes on in the next piece.
    fn take_plain_line(&mut self, record: &mut CsvRecord) -> bool {
        let rest = &self.piece[self.at..];
        let Some(length) = memchr(b'\n', rest.as_bytes()) else { return false };
        let line = rest[..length].strip_suffix('\r').unwrap_or(&rest[..length]);
        if memchr3(b'"', b'\r', 0, line.as_bytes()).is_some() {
            return false;
        }
        let (mut start, mut place) = (0, self.place);
        for end in memchr_iter(self.delimiter, line.as_bytes()).chain([line.len()]) {
            if start > 0 {
                record.start_cell(place);
            }
            let cell = &line[start..end];
            record.text.push_str(cell);
            place.column = place.column.saturating_add(characters(cell)).saturating_add(1);
            start = end + 1;
        }
        self.at += length + 1;
        self.place = CellPlace { line: self.place.line.saturating_add(1), column: 1 };
        true
    }

    /// The `\n` of a `\r\n` is taken before the next record starts, so that its place is right.
    fn skip_line_feed(&mut self) -> Result<(), RosterError> {
        if self.after_return && self.more()? && self.piece.as_bytes()[self.at] == b'\n' {
            self.at += 1;
        }
        self.after_return = false;
        Ok(())
    }

    /// Makes sure that there is text to look at; `false` at the end.
    fn more(&mut self) -> Result<bool, RosterError> {
        if self.at < self.piece.len() {
            return Ok(true);
        }
        if self.malformed.is_none() {
            self.at = 0;
            self.malformed = self.text.next(&mut self.piece)?;
        }
        match self.malformed {
            Some(Malformed { is_cut: true, .. }) if self.at >= self.piece.len() => {
                Err(RosterError::CutCharacter { line: self.place.line })
            }
            Some(Malformed { position, byte, .. }) if self.at >= self.piece.len() => {
                let encoding = self.text.encoding();
                Err(RosterError::Malformed { line: self.place.line, position, byte, encoding })
            }
            _ => Ok(!self.piece.is_empty()),
        }
    }

    /// Takes the ordinary text up to the next special character, then that one; `true` where the record ends.
    fn advance(&mut self, record: &mut CsvRecord) -> Result<bool, RosterError> {
        let rest = &self.piece.as_bytes()[self.at..];
        let length = rest.iter().position(|byte| self.special[usize::from(*byte)]).unwrap_or(rest.len());
        let special = rest.get(length).copied();
        if length > 0 {
            self.ordinary(length, record);
        }
        let Some(byte) = special else { return Ok(false) };
        self.at += 1;
        self.size += 1;
        if byte == 0 {
            return Err(RosterError::Nul { unit: Unit::Line, line: self.place.line, column: self.place.column });
        }
        let ends = self.special(byte, record);
        self.after_return = byte == b'\r';
        Ok(ends)
    }

    fn ordinary(&mut self, length: usize, record: &mut CsvRecord) {
        let run = &self.piece[self.at..self.at + length];
        let white = run.chars().all(char::is_whitespace);
        match self.state {
            State::CellStart if !white => self.state = State::Plain,
            State::Quote if white => self.state = State::Closed,
            State::Quote | State::Closed if !white => {
                record.flaw.get_or_insert(Flaw::AfterQuote(self.opening));
                self.state = State::Plain;
            }
            _ => {}
        }
        if self.state != State::Closed {
            record.text.push_str(run);
        }
        self.place.column = self.place.column.saturating_add(characters(run));
        self.at += length;
        self.size += length;
        self.after_return = false;
    }

    /// Takes a quote, a delimiter or a line end; `true` where the record ends.
    fn special(&mut self, byte: u8, record: &mut CsvRecord) -> bool {
        let here = self.place;
        let line_end = matches!(byte, b'\r' | b'\n');
        self.step_over(byte);
        match self.state {
            State::Quoted if byte == b'"' => self.state = State::Quote,
            State::Quoted => record.text.push(char::from(byte)),
            _ if line_end => return true,
            _ if byte == self.delimiter => {
                record.start_cell(self.place);
                self.state = State::CellStart;
            }
            State::CellStart => {
                record.open_quote(here);
                self.opening = here;
                self.state = State::Quoted;
            }
            State::Quote => {
                record.text.push('"');
                self.state = State::Quoted;
            }
            State::Closed => {
                record.flaw.get_or_insert(Flaw::AfterQuote(self.opening));
                record.text.push('"');
                self.state = State::Plain;
            }
            State::Plain => record.text.push('"'),
        }
        false
    }

    /// Moves the place behind a special character.
    fn step_over(&mut self, byte: u8) {
        match byte {
            b'\n' if self.after_return => {}
            b'\n' | b'\r' => self.place = CellPlace { line: self.place.line.saturating_add(1), column: 1 },
            _ => self.place.column = self.place.column.saturating_add(1),
        }
    }
}

/// How many characters a text has: counted as the bytes that begin one, which is several times faster for short texts.
fn characters(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| byte & 0xC0 != 0x80).count()).unwrap_or(u32::MAX)
}
