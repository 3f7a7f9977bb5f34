//! From text to rows: cells by the csv crate, and the true line and character of each.

use std::borrow::Cow;

use csv::{ReaderBuilder, StringRecord};

use crate::model::text::Email;

/// What may separate cells, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The rows of a file as CSV text whose lines end in `\n`.
pub(super) struct Table {
    pub(super) text: String,
    pub(super) delimiter: u8,
    /// Of a sheet, the number of each row.
    pub(super) lines: Vec<usize>,
}

/// A row that is not blank.
pub(super) struct RawRow<'r> {
    /// The line on which it begins, or its row in the sheet, counted from 1.
    pub(super) line: usize,
    /// Where it begins in the text.
    pub(super) at: usize,
    /// As it is in the text, line end included.
    pub(super) raw: &'r str,
    pub(super) cells: &'r StringRecord,
}

impl Table {
    /// Finds the delimiter: the one that a first line `sep=;` declares, else the one that gives the header the most known
    /// words, then the most cells.
    pub(super) fn of_text(text: Cow<str>, is_known: impl Fn(&str) -> bool) -> Self {
        // With one kind of line end, places are counted in one way.
        let has_returns = text.contains('\r');
        let mut text = if has_returns { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.into_owned() };
        // DOS programs end a file with a mark.
        let end = text.trim_end_matches(['\u{1a}', '\n']).len();
        text.truncate(text[end..].find('\u{1a}').map_or(text.len(), |mark| end + mark));
        let first = text.split('\n').next().unwrap_or_default().trim_matches('"');
        if let Some([delimiter]) = first.strip_prefix("sep=").map(str::as_bytes) {
            let delimiter = *delimiter;
            text.replace_range(..text.find('\n').unwrap_or(text.len()), "");
            return Self { text, delimiter, lines: Vec::new() };
        }
        let mut table = Self { text, delimiter: b',', lines: Vec::new() };
        let mut fit = |delimiter: &u8| {
            table.delimiter = *delimiter;
            table.rows().next().map(|row| (row.cells.iter().filter(|cell| is_known(cell)).count(), row.cells.len()))
        };
        // The last of equals is taken.
        let delimiter = DELIMITERS.into_iter().rev().max_by_key(|delimiter| fit(delimiter)).unwrap_or(b',');
        Self { delimiter, ..table }
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        let mut options = ReaderBuilder::new();
        options.has_headers(false).flexible(true).delimiter(self.delimiter);
        let reader = options.from_reader(self.text.as_bytes());
        Rows { reader, record: StringRecord::new(), text: &self.text, lines: self.lines.iter() }
    }
}

/// Goes through the rows of a table.
pub(super) struct Rows<'t> {
    reader: csv::Reader<&'t [u8]>,
    record: StringRecord,
    text: &'t str,
    lines: std::slice::Iter<'t, usize>,
}

impl Rows<'_> {
    /// The next row that is not blank.
    pub(super) fn next(&mut self) -> Option<RawRow<'_>> {
        let number = |number: u64| usize::try_from(number).ok();
        // Text in memory and rows of any length leave no error.
        while self.reader.read_record(&mut self.record).ok()? {
            let start = self.record.position()?;
            let (from, end) = (number(start.byte())?, number(self.reader.position().byte())?);
            // The crate counts empty lines to the row below them.
            let raw = self.text[from..end].trim_start_matches('\n');
            let at = end - raw.len();
            let line = self.lines.next().copied().unwrap_or(number(start.line())? + at - from);
            // Of blank cells and what may separate them.
            let is_blank = raw.trim_matches([',', ';', '\t', '|', '"', ' ', '\n', '\u{a0}', '\u{feff}']).is_empty();
            if !is_blank {
                return Some(RawRow { line, at, raw, cells: &self.record });
            }
        }
        None
    }
}

/// Where each cell of a row starts, and what is wrong with the quote at the last of them: the csv crate reads over that.
pub(super) fn walk(raw: &str, delimiter: u8) -> (Vec<usize>, Option<&'static str>) {
    let (mut starts, mut is_open, mut is_closed) = (vec![0], false, false);
    for (at, byte) in raw.bytes().enumerate() {
        match byte {
            b'"' if is_open => (is_open, is_closed) = (false, true),
            _ if is_open => {}
            b'"' if is_closed || starts.last() == Some(&at) => (is_open, is_closed) = (true, false),
            _ if byte == delimiter => {
                starts.push(at + 1);
                is_closed = false;
            }
            b'\n' => break,
            _ if is_closed => return (starts, Some("text follows the closing quote of this cell")),
            _ => {}
        }
    }
    (starts, is_open.then_some("this quote is never closed"))
}

/// The line and character where a cell of a row starts, each counted from 1; the row begins on `line`.
pub(super) fn place(line: usize, raw: &str, delimiter: u8, index: usize) -> (usize, usize) {
    let before = &raw[..walk(raw, delimiter).0.get(index).copied().unwrap_or_default()];
    let last = before.rsplit('\n').next().unwrap_or_default();
    (line + before.matches('\n').count(), last.chars().count() + 1)
}

pub(super) const QUOTED: &str = "the whole line is in quotes, so it is one cell";

/// Whether a text has an e-mail address among its words.
pub(super) fn has_address(text: &str) -> bool {
    text.split([' ', '\n', ',', ';', '\t', '|', '"']).any(|word| Email::check(word).is_ok())
}

/// Whether a line is one quoted cell that contains the delimiter.
pub(super) fn is_quoted_line(raw: &RawRow, delimiter: char) -> bool {
    raw.cells.len() == 1 && raw.raw.starts_with('"') && raw.cells[0].contains(delimiter)
}

/// The cells of a row whose quotes are sound, as the csv crate reads them.
pub(super) fn cells(raw: &str, delimiter: u8) -> Vec<Cow<'_, str>> {
    let starts = walk(raw, delimiter).0;
    let end = raw.strip_suffix('\n').unwrap_or(raw).len();
    let ends = starts[1..].iter().map(|next| next - 1).chain([end]);
    let cells = starts.iter().zip(ends).map(|(start, end)| &raw[*start..end]);
    let plain =
        |cell: &'_ str| cell.strip_prefix('"').map(|rest| rest.strip_suffix('"').unwrap_or(rest).replace("\"\"", "\""));
    cells.map(|cell| plain(cell).map_or(Cow::Borrowed(cell), Cow::Owned)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_walk_agrees_with_the_csv_crate(text in "[ab,\"\n é]{0,16}") {
            let table = Table { text, delimiter: b',', lines: Vec::new() };
            let mut rows = table.rows();
            while let Some(row) = rows.next() {
                let (starts, flaw) = walk(row.raw, b',');
                if flaw.is_none() {
                    prop_assert_eq!(starts.len(), row.cells.len());
                    prop_assert_eq!(cells(row.raw, b','), row.cells.iter().collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn a_quote_that_is_not_sound_is_found_at_its_opening() {
        assert_eq!(walk("a,\"b\"\"c\",d\n", b','), (vec![0, 2, 9], None));
        assert_eq!(walk("a,\"b\n", b',').1, Some("this quote is never closed"));
        assert_eq!(walk("a;\"b\" ;c", b';').1, Some("text follows the closing quote of this cell"));
        assert_eq!(place(7, "é,\"x\ny\",z", b',', 2), (8, 4));
    }
}
