//! Places in a sheet as spreadsheets name them: `B17`, `A2:C9`.

use crate::model::spreadsheet::{SHEET_COLUMNS, SHEET_ROWS, column_letters};

/// A cell of a sheet as its spreadsheet names it, both counted from 1.
pub(super) fn cell_name(sheet: &str, row: u32, column: u32) -> String {
    let is_plain =
        sheet.chars().all(|c| c.is_alphanumeric() || c == '_') && !sheet.starts_with(|c: char| c.is_ascii_digit());
    let place = format!("{}{row}", column_letters(column as usize));
    if is_plain { format!("{sheet}!{place}") } else { format!("'{}'!{place}", sheet.replace('\'', "''")) }
}

/// Columns from one to another, counted from 1; `None` where no sheet has them.
pub(super) fn columns(first: u32, last: u32) -> Option<String> {
    if first == 0 || last < first || last > SHEET_COLUMNS {
        return None;
    }
    let [first, last] = [first, last].map(|column| column_letters(column as usize));
    Some(if first == last { first } else { format!("{first}:{last}") })
}

/// Whether a text names one cell, or a rectangle of them, that lies within a sheet.
pub(super) fn is_area(text: &str) -> bool {
    let mut cells = text.split(':').map(cell);
    let Some(first) = cells.next().flatten() else { return false };
    match (cells.next(), cells.next()) {
        (None, _) => true,
        (Some(Some(last)), None) => first.0 <= last.0 && first.1 <= last.1,
        _ => false,
    }
}

/// Column and row, counted from 1.
fn cell(text: &str) -> Option<(u32, u32)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (letters, row) = text.split_at(digits);
    let in_range = (1..=3).contains(&letters.len()) && letters.bytes().all(|b| b.is_ascii_alphabetic());
    let plain = row.len() <= 7 && row.bytes().all(|b| b.is_ascii_digit());
    if !in_range || !plain {
        return None;
    }
    let column = letters.bytes().fold(0, |sum, b| sum * 26 + u32::from(b.to_ascii_uppercase() - b'A') + 1);
    let row = row.parse().ok()?;
    (column <= SHEET_COLUMNS && (1..=SHEET_ROWS).contains(&row)).then_some((column, row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_by_letters() {
        for (column, name) in [(1, "A"), (26, "Z"), (27, "AA"), (702, "ZZ"), (703, "AAA"), (16_384, "XFD")] {
            assert_eq!(column_letters(column), name);
            assert_eq!(cell(&format!("{name}7")), Some((u32::try_from(column).expect("a column"), 7)));
        }
        assert_eq!(columns(2, 4).as_deref(), Some("B:D"));
        assert_eq!(columns(0, 4), None);
    }

    #[test]
    fn a_sheet_with_spaces_in_its_name_is_quoted_as_spreadsheets_do() {
        assert_eq!(cell_name("Sheet1", 17, 2), "Sheet1!B17");
        assert_eq!(cell_name("Night shift", 1, 1), "'Night shift'!A1");
        assert_eq!(cell_name("Ann's", 1, 1), "'Ann''s'!A1");
        assert_eq!(cell_name("2026", 1, 1), "'2026'!A1");
    }

    #[test]
    fn places_that_no_sheet_has_are_none() {
        for text in ["", "A", "1", "A0", "XFE1", "A1048577", "A99999999999", "AAAAAAAAAAAA1", "B2:A1", "A1:B2:C3", "é1"]
        {
            assert!(!is_area(text), "{text}");
        }
        for text in ["A1", "xfd1048576", "A1:A1", "A1:B2"] {
            assert!(is_area(text), "{text}");
        }
    }
    #[test]
    fn columns_that_a_sheet_has_are_named_one_or_from_one_to_another() {
        assert_eq!(columns(3, 3).as_deref(), Some("C"));
        assert_eq!(columns(1, SHEET_COLUMNS).as_deref(), Some("A:XFD"));
        assert_eq!(columns(1, SHEET_COLUMNS + 1), None);
        assert_eq!(columns(4, 3), None);
    }

    #[test]
    fn an_area_goes_from_its_upper_left_cell_to_its_lower_right_one() {
        assert!(["A1", "A1:A1", "A2:C9", "b2:c3"].into_iter().all(is_area));
        for none in
            ["", "A", "7", "B2:A3", "A3:B2", "A1:B2:C3", "A1:", "A!1", "AAAA1", "XFE1", "A0", "A1048577", "A12345678"]
        {
            assert!(!is_area(none), "{none}");
        }
    }
}
