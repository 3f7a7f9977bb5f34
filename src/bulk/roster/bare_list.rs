//! A bare list: people who are enrolled, named one a line and without a header.

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
    let mut cells = record.cells();
    let (Some((cell, _)), None) = (cells.next(), cells.next()) else { return false };
    match options.purpose {
        Purpose::Enrol => false,
        Purpose::Name => prefixed(cell.trim()).is_some(),
        Purpose::NameByReference => prefixed(cell.trim()).is_some() || !means_a_field(cell, options),
    }
}

/// Reads the list whose first line is in `record`.
pub(super) fn read(
    records: &mut dyn RecordSource,
    record: &mut CsvRecord,
    purpose: Purpose,
) -> Result<(RosterColumns, Rows), RosterError> {
    let mut rows = Rows::default();
    let mut kind = None;
    loop {
        let (unit, line) = (record.unit(), record.place().line);
        let wrong = |why| RosterError::NotInList { unit, line, why };
        let (Some((cell, _)), 1, None) = (record.cell(0), record.len(), record.flaw()) else {
            return Err(wrong("has several cells, and the list has no header"));
        };
        let (field, name) = match (prefixed(cell.trim()), purpose) {
            (Some(named), _) => named,
            (None, Purpose::NameByReference) => (Field::ReferenceId, cell.trim()),
            (None, _) => return Err(wrong("does not say what it is: ref:, email: or id: is missing")),
        };
        if *kind.get_or_insert(field) != field {
            return Err(wrong("names a person in another way than the lines before it"));
        }
        rows.push_cells(line, [Some(name)]);
        if !records.read(record)? {
            break;
        }
    }
    rows.shrink();
    Ok((RosterColumns::of_one(kind.unwrap_or(Field::ReferenceId)), rows))
}
