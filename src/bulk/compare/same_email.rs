//! The rows and records of one e-mail address, as a comparison judges them.

use std::collections::{HashMap, VecDeque};

use crate::model::testtakers::EntryId;

use super::match_rule::Differences;
use super::roster_index::TextHash;

/// In place of a row: there are several.
pub(super) const SEVERAL: u32 = u32::MAX;

/// A record that has something in common with a row: hashes of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Note {
    /// The row that alone has the e-mail, by half a hash; [`SEVERAL`] where there are others.
    pub(super) lone_row: u32,
    pub(super) entry: EntryId,
    pub(super) email: TextHash,
    pub(super) reference: Option<TextHash>,
    pub(super) content: Content,
}

/// First name, last name and year of birth; `None` where there is none.
pub(super) type Content = (Option<TextHash>, Option<TextHash>, Option<i32>);

/// The free rows and records of one e-mail address.
#[derive(Default)]
pub(super) struct SameEmail {
    /// By reference id: the first row that has it, and those without a record.
    referenced: HashMap<TextHash, (usize, VecDeque<usize>)>,
    pub(super) plain_rows: Vec<usize>,
    /// Records without a reference id.
    pub(super) plain_notes: Vec<Note>,
    /// Records with a reference id that no row of this address has.
    pub(super) other_notes: Vec<Note>,
}

impl SameEmail {
    pub(super) fn add_row(&mut self, row: usize, reference: Option<TextHash>, is_free: bool) {
        match reference {
            Some(reference) => {
                let (_, free) = self.referenced.entry(reference).or_insert_with(|| (row, VecDeque::new()));
                free.extend(is_free.then_some(row));
            }
            None => self.plain_rows.extend(is_free.then_some(row)),
        }
    }

    /// The row for which a record stands by its reference id, or the row that has one such record already.
    pub(super) fn add_note(&mut self, note: Note) -> Option<Result<usize, usize>> {
        let Some(reference) = note.reference else {
            self.plain_notes.push(note);
            return None;
        };
        let Some((first, free)) = self.referenced.get_mut(&reference) else {
            self.other_notes.push(note);
            return None;
        };
        Some(free.pop_front().ok_or(*first))
    }

    /// The rows with a reference id that have no record, in their order.
    pub(super) fn free_rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = self.referenced.values().flat_map(|(_, free)| free).copied().collect();
        rows.sort_unstable();
        rows
    }
}

/// What a record says otherwise than a row does, where the row says something.
pub(super) fn differences(row: Content, record: Content) -> Differences {
    Differences {
        first_name: row.0.is_some() && row.0 != record.0,
        last_name: row.1.is_some() && row.1 != record.1,
        year: row.2.is_some() && row.2 != record.2,
        year_contradicts: row.2.is_some() && record.2.is_some() && row.2 != record.2,
        ..Differences::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_differs_where_the_row_says_something_else_and_not_where_it_says_nothing() {
        let hash = |of: u64| Some(TextHash::new(of).expect("a hash"));
        let none = Differences::default();
        let (zoe, kim) = ((hash(1), hash(2), Some(1980)), (hash(3), hash(4), Some(1990)));
        let all = Differences { first_name: true, last_name: true, year: true, year_contradicts: true, ..none };
        for (row, record, differs) in [
            (zoe, zoe, none),
            (zoe, kim, all),
            (zoe, (None, None, None), Differences { year_contradicts: false, ..all }),
            ((None, None, None), zoe, none),
            ((hash(1), None, None), kim, Differences { first_name: true, ..none }),
            ((None, hash(2), None), kim, Differences { last_name: true, ..none }),
            ((None, None, Some(1980)), kim, Differences { year: true, year_contradicts: true, ..none }),
        ] {
            assert_eq!(differences(row, record), differs, "{row:?} {record:?}");
        }
    }
}
