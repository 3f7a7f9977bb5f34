//! Spreadsheets: how large a sheet can be; cells that they would run as a formula are escaped, and exactly that can be
//! taken back.

use std::borrow::Cow;

/// Rows that a sheet of a workbook (.xlsx) has.
pub const SHEET_ROWS: u32 = 1_048_576;
/// Columns that it has.
pub const SHEET_COLUMNS: u32 = 16_384;

/// The letters of a column, counted from 1.
pub fn column_letters(column: usize) -> String {
    if column == 0 {
        return String::new();
    }
    let digit = u8::try_from((column - 1) % 26).unwrap_or_default();
    column_letters((column - 1) / 26) + char::from(b'A' + digit).encode_utf8(&mut [0; 4])
}

/// What stands in front of an escaped cell: a spreadsheet takes the rest for text.
const MARK: char = '\'';

/// What a file for a spreadsheet begins with, so that it is read as UTF-8.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// What another spreadsheet may take for the end of a cell, although the file has commas: what stands after it would be a
/// cell of its own there. A comma itself is in quotes wherever it is text.
const SEPARATORS: [char; 4] = [';', '\t', '\r', '\n'];

/// Whether a spreadsheet may run a cell that starts so. The wide forms are those of East Asian keyboards, which
/// spreadsheets take for the narrow ones; a cell that starts with the mark itself is marked too, or taking it off
/// would be a guess. Quotes count for nothing: to a spreadsheet with other separators they may be those of the file.
fn is_formula(cell: &str) -> bool {
    cell.trim_start_matches('"').starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', MARK])
}

/// Where a cell begins to some spreadsheet: at its beginning, and after each separator in it.
fn starts(cell: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(cell.match_indices(SEPARATORS).map(|(at, separator)| at + separator.len()))
}

/// The cell as it may stand in a file for a spreadsheet, whether that separates by comma, semicolon or tab.
pub fn escape_formulas(cell: &str) -> Cow<'_, str> {
    if !starts(cell).any(|start| is_formula(&cell[start..])) {
        return Cow::Borrowed(cell);
    }
    let (mut text, mut done) = (String::with_capacity(cell.len() + 1), 0);
    for start in starts(cell).filter(|start| is_formula(&cell[*start..])) {
        text.push_str(&cell[done..start]);
        text.push(MARK);
        done = start;
    }
    text.push_str(&cell[done..]);
    Cow::Owned(text)
}

/// The cell as it was before [`escape_formulas`]; one that was never marked stays as it is.
pub fn unescape_formulas(cell: &str) -> Cow<'_, str> {
    let is_mark = |start: &usize| cell[*start..].strip_prefix(MARK).is_some_and(is_formula);
    if !starts(cell).any(|start| is_mark(&start)) {
        return Cow::Borrowed(cell);
    }
    let (mut text, mut done) = (String::with_capacity(cell.len()), 0);
    for start in starts(cell).filter(is_mark) {
        text.push_str(&cell[done..start]);
        done = start + MARK.len_utf8();
    }
    text.push_str(&cell[done..]);
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::fuzz::{fuzz, lines};

    #[test]
    fn fuzzed_cells_are_escaped_and_come_back() {
        let seeds = lines(include_str!("../../tests/fixtures/fuzz/texts.txt"));
        fuzz(400_000, &seeds, &["=", "+", "-", "@", "'", "\t", "＝", "＋", ";", "\"", "\n"], |bytes| {
            let cell = String::from_utf8_lossy(bytes);
            let shown = escape_formulas(&cell);
            assert_eq!(unescape_formulas(&shown), cell);
            assert!(!shown.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']));
            (cell.chars().next(), shown.len() == cell.len())
        });
    }

    #[test]
    fn what_a_spreadsheet_would_run_is_escaped_and_nothing_else_is_touched() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1", "'", "＝1"] {
            assert_eq!(escape_formulas(formula), format!("'{formula}"));
        }
        for (cell, written) in [
            ("x;=1+cmd|'/C calc'!A0;y", "x;'=1+cmd|'/C calc'!A0;y"),
            ("x;\"=HYPERLINK(\"\"a\"\")\"", "x;'\"=HYPERLINK(\"\"a\"\")\""),
            ("a\t@b", "a\t'@b"),
            ("a\n=1\r\n+2", "a\n'=1\r'\n'+2"),
            (";;-1", ";;'-1"),
            ("\t=1", "'\t'=1"),
            (";'-1", ";''-1"),
        ] {
            assert_eq!(escape_formulas(cell), written);
            assert_eq!(unescape_formulas(written), cell);
        }
        for plain in ["", "EMP-00017", "a=b", "Zoë", " =1", "1", "’t Hooft", "a;b", "a; =1"] {
            assert!(matches!(escape_formulas(plain), Cow::Borrowed(text) if text == plain), "{plain}");
        }
    }

    #[test]
    fn an_apostrophe_that_belongs_to_a_name_is_kept() {
        assert_eq!(unescape_formulas("'t Hooft"), "'t Hooft");
        assert_eq!(escape_formulas("'t Hooft"), "''t Hooft");
        assert_eq!(unescape_formulas("''t Hooft"), "'t Hooft");
    }

    proptest! {
        #[test]
        fn taking_off_gives_back_what_was_there(cell in "(['=+@\t\r\n＝;\",-]{0,4}\\PC{0,4}){0,3}") {
            let written = escape_formulas(&cell);
            prop_assert_eq!(unescape_formulas(&written), cell.as_str());
            prop_assert!(starts(&written).all(|start| !is_formula(&written[start..]) || written[start..].starts_with(MARK)));
        }

        /// A file with commas, as spreadsheets with other separators take it apart.
        #[test]
        fn no_cell_runs_whatever_the_separator(cells in prop::collection::vec("(['=+@\t\r\n;\",a-]{0,5}){0,2}", 1..4)) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(cells.iter().map(|cell| escape_formulas(cell).into_owned())).expect("written");
            let file = writer.into_inner().expect("whole");
            for (separator, quoting) in [(b',', true), (b';', true), (b';', false), (b'\t', true), (b'\t', false)] {
                let mut reader = csv::ReaderBuilder::new()
                    .has_headers(false).flexible(true).delimiter(separator).quoting(quoting).from_reader(file.as_slice());
                for record in reader.records() {
                    for cell in &record.expect("text") {
                        let shown = if quoting { cell } else { cell.trim_start_matches('"') };
                        prop_assert!(!shown.starts_with(['=', '+', '-', '@']), "{:?} of {:?}", cell, cells);
                    }
                }
            }
        }
    }
}
