//! From text to cells: a machine over CSV that knows the line and character at which each cell starts.

use memchr::{memchr, memchr3};

use super::RosterError;
use super::cell_places::{CellPlace, Unit};
use super::csv_record::{CsvRecord, Flaw, RecordSource, characters};
use super::delimiter::Delimiter;
use super::text_encoding::{Malformed, Text};

/// Longest record, in bytes of UTF-8 (our limit): an unclosed quote must not swallow a file of any size.
const RECORD_MAX: usize = 1 << 20;

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
    /// Whether they were escaped for a spreadsheet, so that it is taken off again.
    pub(super) escaped: bool,
}

/// The records of a text.
pub(super) struct Records {
    text: Text,
    piece: String,
    at: usize,
    malformed: Option<Malformed>,
    special: [bool; 256],
    delimiter: u8,
    /// The cells were escaped for a spreadsheet.
    escaped: bool,
    state: State,
    /// The last character was `\r`: a `\n` now belongs to it.
    after_return: bool,
    place: CellPlace,
    opening: CellPlace,
    size: usize,
}

impl RecordSource for Records {
    fn is_escaped(&self) -> bool {
        self.escaped
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
            record.note_flaw(Flaw::Unclosed(self.opening));
        }
        record.cut_line = (self.place.column > 1).then_some(self.place.line);
        Ok(self.size > 0)
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
            escaped: dialect.escaped,
            state: State::CellStart,
            after_return: false,
            place,
            opening: place,
            size: 0,
        }
    }

    /// Takes a record that is one line without a quote, as nearly all are: its cells stand between the delimiters. `false`
    /// where it is not, or goes on in the next piece. Its place is the beginning of a line.
    fn take_plain_line(&mut self, record: &mut CsvRecord) -> bool {
        let rest = &self.piece[self.at..];
        let Some(length) = memchr(b'\n', rest.as_bytes()) else { return false };
        let line = rest[..length].strip_suffix('\r').unwrap_or(&rest[..length]);
        if memchr3(b'"', b'\r', 0, line.as_bytes()).is_some() {
            return false;
        }
        record.take_line(line, self.delimiter);
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
                record.note_flaw(Flaw::AfterQuote(self.opening));
                self.state = State::Plain;
            }
            _ => {}
        }
        if self.state != State::Closed {
            record.push_str(run);
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
            State::Quoted => record.push(char::from(byte)),
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
                record.push('"');
                self.state = State::Quoted;
            }
            State::Closed => {
                record.note_flaw(Flaw::AfterQuote(self.opening));
                record.push('"');
                self.state = State::Plain;
            }
            State::Plain => record.push('"'),
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
