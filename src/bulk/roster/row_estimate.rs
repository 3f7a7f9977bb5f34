//! How many rows a file seems to have, so that what is kept of each gets its room at once: what grows is copied, and both
//! copies are memory.

/// The length of this many first rows is taken for that of the others.
const SAMPLE: usize = 1_000;
/// The most rows that room is made for in advance.
const MOST: u64 = 4_000_000;

/// The size of a file and of its first rows.
#[derive(Default)]
pub(super) struct RowEstimate {
    size: u64,
    sampled: u64,
}

impl RowEstimate {
    /// Of a file of so many bytes; 0 where that is not known.
    pub(super) fn of_file(size: u64) -> Self {
        Self { size, sampled: 0 }
    }

    /// Looks at the cells of a row, numbered from 0. Once enough were seen: how many more there seem to be, a tenth added, for room
    /// that is not used costs nothing.
    pub(super) fn after<'c>(&mut self, row: usize, cells: impl Iterator<Item = &'c str>) -> Option<usize> {
        if row >= SAMPLE {
            return None;
        }
        self.sampled += cells.map(|cell| cell.len() as u64 + 1).sum::<u64>();
        if row + 1 < SAMPLE {
            return None;
        }
        let rest = u128::from(self.size.saturating_sub(self.sampled));
        let rows = rest * SAMPLE as u128 * 11 / 10 / u128::from(self.sampled.max(1));
        usize::try_from(rows.min(MOST.into())).ok()
    }
}

/// Makes room for so many more, where there is any: a list that grows later is slower, and no less whole.
pub(super) fn make_room<T>(list: &mut Vec<T>, more: usize) {
    let _ = list.try_reserve_exact(more);
}
