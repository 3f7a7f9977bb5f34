//! Cells for spreadsheets: what they would run as a formula is disarmed, and exactly that can be taken back.

use std::borrow::Cow;

/// What stands in front of a disarmed cell: a spreadsheet takes the rest for text.
const MARK: char = '\'';

/// What a file for a spreadsheet begins with, so that it is read as UTF-8.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Whether a spreadsheet may run a cell that starts so. The wide forms are those of East Asian keyboards, which
/// spreadsheets take for the narrow ones; a cell that starts with the mark itself is marked too, or taking it off
/// would be a guess.
fn is_armed(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', MARK])
}

/// The cell as it may stand in a file for a spreadsheet.
pub fn disarm(cell: &str) -> Cow<'_, str> {
    if is_armed(cell) { Cow::Owned(format!("{MARK}{cell}")) } else { Cow::Borrowed(cell) }
}

/// The cell as it was before [`disarm`]; one that was never marked stays as it is.
pub fn rearm(cell: &str) -> &str {
    cell.strip_prefix(MARK).filter(|rest| is_armed(rest)).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::fuzz::{fuzz, lines};

    #[test]
    fn fuzzed_cells_are_disarmed_and_come_back() {
        let seeds = lines(include_str!("../../tests/fixtures/fuzz/texts.txt"));
        fuzz(400_000, &seeds, &["=", "+", "-", "@", "'", "\t", "＝", "＋"], |bytes| {
            let cell = String::from_utf8_lossy(bytes);
            let shown = disarm(&cell);
            assert_eq!(rearm(&shown), cell);
            assert!(!shown.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']));
            (cell.chars().next(), shown.len() == cell.len())
        });
    }

    #[test]
    fn what_a_spreadsheet_would_run_is_disarmed_and_nothing_else_is_touched() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "'", "＝1"] {
            assert_eq!(disarm(formula), format!("'{formula}"));
        }
        for plain in ["", "EMP-00017", "a=b", "Zoë", " =1", "1", "’t Hooft"] {
            assert!(matches!(disarm(plain), Cow::Borrowed(text) if text == plain), "{plain}");
        }
    }

    #[test]
    fn an_apostrophe_that_belongs_to_a_name_is_kept() {
        assert_eq!(rearm("'t Hooft"), "'t Hooft");
        assert_eq!(disarm("'t Hooft"), "''t Hooft");
        assert_eq!(rearm("''t Hooft"), "'t Hooft");
    }

    proptest! {
        #[test]
        fn taking_off_gives_back_what_was_there(cell in "['=+@\t\r\n＝-]{0,4}\\PC{0,4}") {
            let written = disarm(&cell);
            prop_assert_eq!(rearm(&written), cell.as_str());
            prop_assert!(!is_armed(&written) || written.starts_with(MARK));
        }
    }
}
