//! How the rows of a run ended so far.

use crate::bulk::outcome::{Outcome, RowResult};

/// The ends of so many rows. Room for them is taken when the first row ends: before that the rows are compared with a list,
/// and what that takes is given back.
#[derive(Debug, Default)]
pub(super) struct RowEnds {
    count: usize,
    /// Of the first rows; the others have no end yet.
    ends: Vec<Option<RowResult>>,
}

impl RowEnds {
    pub(super) fn none(count: usize) -> Self {
        Self { count, ends: Vec::new() }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The end of a row, once it has one.
    pub(super) fn get(&self, row: usize) -> Option<&RowResult> {
        self.ends.get(row)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, row: usize) -> Option<&mut RowResult> {
        self.ends.get_mut(row)?.as_mut()
    }

    /// Ends a row.
    pub(super) fn set(&mut self, row: usize, end: RowResult) {
        if self.ends.len() <= row {
            self.ends.reserve_exact(self.count - self.ends.len());
            self.ends.resize(row + 1, None);
        }
        self.ends[row] = Some(end);
    }

    /// The ends of all rows. What has none was not attempted.
    pub(super) fn into_all(mut self) -> Vec<RowResult> {
        self.ends.resize(self.count, None);
        // In place: there may be many.
        self.ends.into_iter().map(|end| end.unwrap_or(RowResult::new(Outcome::NotAttempted))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_for_the_ends_of_rows_is_taken_once() {
        let mut ends = RowEnds::none(3);
        for row in [1, 0, 2] {
            ends.set(row, RowResult::new(Outcome::Enrolled));
        }
        assert_eq!((ends.len(), ends.into_all().len()), (3, 3));
    }
}
