//! Cells that a spreadsheet would run as a formula get a mark in front, and exactly that mark is taken off again.

use std::borrow::Cow;

/// What a CSV file for a spreadsheet begins with, so that it is read as UTF-8.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The mark in front of a cell: a spreadsheet takes the rest for text.
const MARK: char = '\'';
const SEPARATORS: [char; 4] = [';', '\t', '\r', '\n'];

/// Whether a spreadsheet would run the cell. Wide forms are those of East Asian keyboards. A cell that begins with the mark
/// is marked too, or taking it off would be a guess.
fn is_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠', MARK])
}

/// The cell as it may be in a file for a spreadsheet. What follows a semicolon or a tab is a cell of its own to one that
/// separates by these, so it is marked as well.
pub fn escape(cell: &str) -> Cow<'_, str> {
    if !cell.split_inclusive(SEPARATORS).any(is_formula) {
        return Cow::Borrowed(cell);
    }
    let mark = |part| if is_formula(part) { format!("{MARK}{part}") } else { part.to_owned() };
    cell.split_inclusive(SEPARATORS).map(mark).collect()
}

/// The cell without the mark that [`escape`] puts at its beginning; an apostrophe that belongs to a name stays.
pub fn unescape(cell: &str) -> &str {
    cell.strip_prefix(MARK).filter(|rest| is_formula(rest)).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_spreadsheet_would_run_is_marked_and_nothing_else() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "＝1"] {
            assert_eq!(escape(formula), format!("'{formula}"));
        }
        assert_eq!(escape("Ann;=1+1\t-2;b"), "Ann;'=1+1\t'-2;b");
        for plain in ["", "EMP-00017", "a=b", "Zoë", "1", "’t Hooft"] {
            assert_eq!(escape(plain), plain);
        }
        assert_eq!(unescape("'t Hooft"), "'t Hooft");
    }

    proptest! {
        #[test]
        fn taking_off_gives_back_what_was_there(cell in "['=+@＝-]{0,3}[^;\t\r\n]{0,4}") {
            let marked = escape(&cell);
            prop_assert_eq!(unescape(&marked), cell.as_str());
        }
    }
}
