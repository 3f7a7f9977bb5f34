//! From text to rows: cells by the csv crate, and the true line and character of each.

use std::borrow::Cow;

use csv::{ReaderBuilder, StringRecord};
use rust_xlsxwriter::column_number_to_name;

use super::{Field, Mistake, Row, is_blank};
use crate::model::show::visible;
use crate::model::text::Email;

/// What may separate cells, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The rows of a file as CSV text whose lines end in `\n`.
#[derive(Debug)]
pub struct Table {
    /// The file, as messages name it.
    pub file: String,
    /// `None`: it is text. Each row of a sheet is a line.
    pub(super) sheet: Option<String>,
    /// The encoding was guessed, which is always said.
    pub is_guessed: bool,
    pub delimiter: u8,
    pub text: String,
}

/// A row with its cells.
pub(super) struct RawRow<'r> {
    pub(super) row: Row,
    /// As it is in the text, line end included.
    pub(super) raw: &'r str,
    pub(super) cells: &'r StringRecord,
}

impl Table {
    /// Finds the delimiter: the one that a first line `sep=;` declares, else the one that gives the header the most known
    /// words, then the most cells.
    pub(super) fn of_text(text: String, file: String, is_guessed: bool) -> Self {
        // With one kind of line end, places are counted in one way.
        let has_returns = text.contains('\r');
        let text = if has_returns { text.replace("\r\n", "\n").replace('\r', "\n") } else { text };
        let mut table = Self { file, sheet: None, is_guessed, delimiter: b',', text };
        let first = table.text.lines().next().unwrap_or_default().trim_matches('"');
        if let Some([delimiter]) = first.strip_prefix("sep=").map(str::as_bytes) {
            table.delimiter = *delimiter;
            table.text.replace_range(..table.text.find('\n').unwrap_or(table.text.len()), "");
            return table;
        }
        let mut fit = |delimiter: &u8| {
            table.delimiter = *delimiter;
            table.find_row(|row| Some((row.cells.iter().flat_map(str::parse::<Field>).count(), row.cells.len())))
        };
        // The last of equals is taken.
        let delimiter = DELIMITERS.into_iter().rev().max_by_key(|delimiter| fit(delimiter)).unwrap_or(b',');
        Self { delimiter, ..table }
    }

    /// Goes through the rows that are not blank, until `take` gives something.
    pub(super) fn find_row<T>(&self, mut take: impl FnMut(&RawRow) -> Option<T>) -> Option<T> {
        let mut options = ReaderBuilder::new();
        options.has_headers(false).flexible(true).delimiter(self.delimiter);
        let mut reader = options.from_reader(self.text.as_bytes());
        let mut cells = StringRecord::new();
        let number = |number: u64| usize::try_from(number).ok();
        // Text in memory and rows of any length leave no error.
        while reader.read_record(&mut cells).ok()? {
            let start = cells.position()?;
            let (from, end) = (number(start.byte())?, number(reader.position().byte())?);
            // The crate counts empty lines to the row below them.
            let raw = self.text[from..end].trim_start_matches('\n');
            let at = end - raw.len();
            let line = number(start.line())? + at - from;
            // Rows of blank cells and what may separate them are nothing.
            // So is the first line that PowerShell writes.
            if raw.contains(|c: char| !(is_blank(c) || ",;|\"".contains(c)))
                && !raw.starts_with("#TYPE ")
                && let found @ Some(_) = take(&RawRow { row: Row { line, at: at..end }, raw, cells: &cells })
            {
                return found;
            }
        }
        None
    }

    /// A mistake at a cell of a row, which blocks the file.
    pub(super) fn mistake(&self, row: &Row, index: usize, message: impl Into<String>) -> Mistake {
        let (at, place) = if let Some(sheet) = &self.sheet {
            // A sheet that is read has fewer columns.
            let letters = column_number_to_name(u16::try_from(index).unwrap_or_default());
            ((row.line, index + 1), format!("{}!{letters}{}", visible(sheet), row.line))
        } else {
            let (line, column) = place(row.line, &self.text[row.at.clone()], self.delimiter, index);
            ((line, column), format!("{}:{line}:{column}", self.file))
        };
        Mistake { at, place, row: None, message: message.into(), hint: None }
    }

    /// How messages name a line.
    pub(super) fn line(&self, line: usize) -> String {
        format!("{} {line}", if self.sheet.is_some() { "row" } else { "line" })
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
fn place(line: usize, raw: &str, delimiter: u8, index: usize) -> (usize, usize) {
    let before = &raw[..walk(raw, delimiter).0.get(index).copied().unwrap_or_default()];
    let last = before.rsplit('\n').next().unwrap_or_default();
    (line + before.matches('\n').count(), last.chars().count() + 1)
}

pub(super) const QUOTED: &str = "the whole line is in quotes, so it is one cell";

/// Whether a text has an e-mail address among its words.
pub(super) fn has_address(text: &str) -> bool {
    text.split([' ', '\n', ',', ';', '\t', '|', '"']).any(|word| Email::check(word).is_ok())
}

/// Whether a whole line is one quoted cell, with what may separate cells in it.
pub(super) fn is_quoted(row: &RawRow) -> bool {
    row.cells.len() == 1 && row.raw.starts_with('"') && row.cells[0].contains([',', ';', '\t'])
}

/// The cells of a row whose quotes are sound, as the csv crate reads them; making one of its readers for each row would take
/// longer than all else.
pub(super) fn cells(raw: &str, delimiter: u8) -> StringRecord {
    let starts = walk(raw, delimiter).0;
    let end = raw.strip_suffix('\n').unwrap_or(raw).len();
    let ends = starts[1..].iter().map(|next| next - 1).chain([end]);
    let cells = starts.iter().zip(ends).map(|(start, end)| &raw[*start..end]);
    let plain = |rest: &str| rest.strip_suffix('"').unwrap_or(rest).replace("\"\"", "\"");
    cells.map(|cell| cell.strip_prefix('"').map(plain).map_or(Cow::Borrowed(cell), Cow::Owned)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_walk_agrees_with_the_csv_crate(text in "[ab,\"\n é]{0,16}") {
            let table = Table { delimiter: b',', ..Table::of_text(text, String::new(), false) };
            let wrong = table.find_row(|row| {
                let (starts, flaw) = walk(row.raw, b',');
                let is_same = starts.len() == row.cells.len() && cells(row.raw, b',').iter().eq(row.cells.iter());
                (flaw.is_none() && !is_same).then(|| row.raw.to_owned())
            });
            prop_assert_eq!(wrong, None);
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
