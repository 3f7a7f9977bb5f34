//! A bare list: people who are enrolled, named one a line and without a header.

use super::check::Checker;
use super::compact_rows::Rows;
use super::csv_record::{CsvRecord, RecordSource};
use super::fields::Field;
use super::headers::{RosterColumns, means_a_field};
use super::{Purpose, ReadOptions, RosterError};

/// What stands in front of a name to say which kind it is, on the command line as well.
pub const PREFIXES: [(&str, Field); 3] =
    [("id:", Field::EntryId), ("ref:", Field::ReferenceId), ("email:", Field::Email)];

/// A name without its prefix, and the kind that the prefix says.
pub fn prefixed(text: &str) -> Option<(Field, &str)> {
    PREFIXES.iter().find_map(|(prefix, field)| Some((*field, text.strip_prefix(prefix)?)))
}

/// Whether a first line names a person, so that the file has no header and needs none.
pub(super) fn begins_with(record: &CsvRecord, options: &ReadOptions) -> bool {
    let mut cells = record.texts();
    let (Some(cell), None) = (cells.next(), cells.next()) else { return false };
    match options.purpose {
        Purpose::Enrol => false,
        Purpose::Name => prefixed(cell.trim()).is_some(),
        Purpose::NameByReference => prefixed(cell.trim()).is_some() || !means_a_field(cell, options),
    }
}

/// Reads the list whose first line is in `record`; its names are checked as those below a header are.
pub(super) fn read(
    records: &mut dyn RecordSource,
    record: &mut CsvRecord,
    checker: &mut Checker<'_>,
    purpose: Purpose,
) -> Result<(RosterColumns, Rows), RosterError> {
    let mut rows = Rows::default();
    let mut kind = None;
    loop {
        let (unit, line) = (record.unit(), record.place().line);
        let wrong = |why| RosterError::NotInList { unit, line, why };
        let (Some(cell), 1, None) = (record.at(0), record.len(), record.flaw()) else {
            return Err(wrong("has several cells, and the list has no header"));
        };
        let text = cell.text().trim();
        let (field, name) = match (prefixed(text), purpose) {
            (Some((field, name)), _) => (field, name.trim()),
            (None, Purpose::NameByReference) => (Field::ReferenceId, text),
            (None, _) => return Err(wrong("does not say what it is: ref:, email: or id: is missing")),
        };
        if *kind.get_or_insert(field) != field {
            return Err(wrong("names a person in another way than the lines before it"));
        }
        checker.typed_value(field, name, cell, rows.len(), false);
        rows.push_cells(line, [Some(name)]);
        if !records.read(record)? {
            break;
        }
    }
    rows.shrink();
    Ok((RosterColumns::of(&[kind.unwrap_or(Field::ReferenceId)]), rows))
}

#[cfg(test)]
mod tests {
    use super::super::{Roster, read};
    use super::*;

    fn told(text: &str, options: &ReadOptions) -> Vec<String> {
        let roster: Roster = read(text.as_bytes(), "list", options).expect("a list");
        roster.mistakes.iter().map(|mistake| mistake.message.clone()).collect()
    }

    #[test]
    fn a_list_without_a_header_is_checked_as_one_with_a_header_is() {
        let control = "A\u{1}B";
        let long = "x".repeat(300);
        let names = [
            (Field::Email, vec!["re", "a@b.c", "A@B.C", "mailto:a@b.c", "<d@e.f>", "g@h.con", "", "\u{200b}i@j.k"]),
            (Field::ReferenceId, vec!["A", "B", "A", control, &long, "1.2E+16", "#REF!", "ref-0123456789", " C", ""]),
            (Field::EntryId, vec!["7", "x", "7", "99999999999999", "-1", "1.0", ""]),
        ];
        for (field, names) in names {
            for purpose in [Purpose::Name, Purpose::NameByReference] {
                if purpose == Purpose::NameByReference && field != Field::ReferenceId {
                    continue;
                }
                for (allow_doubles, allow_suspicious) in [(false, false), (true, false), (false, true)] {
                    let options = ReadOptions { purpose, allow_doubles, allow_suspicious, ..ReadOptions::default() };
                    let prefix = PREFIXES.iter().find(|(_, of)| *of == field).expect("a prefix").0;
                    let list = format!("{prefix}{}", names.join(&format!("\n{prefix}")));
                    let headed = format!("{},line\n{},x", field.name(), names.join(",x\n"));
                    let (bare, headed) = (told(&list, &options), told(&headed, &options));
                    let by_line = headed.iter().map(|message| one_line_less(message)).collect::<Vec<_>>();
                    assert_eq!(bare, by_line, "{field} {options:?}");
                    assert!(!bare.is_empty(), "{field}");
                }
            }
        }
    }

    /// A message that names a line, of the same text without its first line.
    fn one_line_less(message: &str) -> String {
        let Some((begin, rest)) = message.split_once("in line ") else { return message.to_owned() };
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let line: u32 = rest[..digits].parse().expect("a line");
        format!("{begin}in line {}{}", line - 1, &rest[digits..])
    }
}
