//! The rows of a roster, kept compactly: one text for all cells, 12 bytes for each row beside it.

use memchr::memchr_iter;

use super::row_estimate::make_room;

/// Between two cells; a NUL cannot stand in a roster.
pub(super) const BETWEEN: char = '\0';

/// The cells of all rows as they were.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// Only their lines are kept.
    drops_cells: bool,
    text: String,
    starts: Vec<u64>,
    lines: Vec<u32>,
}

impl Rows {
    /// Rows of a file of so many bytes: a text that need not grow leaves no holes in the memory.
    pub(super) fn of_file(size: u64) -> Self {
        Self { text: String::with_capacity(usize::try_from(size).unwrap_or_default()), ..Self::default() }
    }

    /// Rows of which only the lines are kept, and no cells.
    pub(super) fn without_cells() -> Self {
        Self { drops_cells: true, ..Self::default() }
    }

    /// Makes room for so many more.
    pub(super) fn expect(&mut self, more: usize) {
        make_room(&mut self.lines, more);
        if !self.drops_cells {
            make_room(&mut self.starts, more);
        }
    }

    /// Adds a row of these cells; its number, counted from 0, is the answer.
    pub(super) fn push<'c>(&mut self, line: u32, cells: impl Iterator<Item = &'c str>) -> usize {
        self.lines.push(line);
        if !self.drops_cells {
            self.starts.push(self.text.len() as u64);
            for (index, cell) in cells.enumerate() {
                if index > 0 {
                    self.text.push(BETWEEN);
                }
                self.text.push_str(cell);
            }
        }
        self.lines.len() - 1
    }

    /// Adds a row of other rows as it is.
    pub(super) fn push_from(&mut self, other: &Self, row: usize) {
        self.push(other.line(row), other.cells(row));
    }

    /// The same, where a cell may not be there.
    pub(super) fn push_cells<const N: usize>(&mut self, line: u32, cells: [Option<&str>; N]) {
        self.push(line, cells.into_iter().map(Option::unwrap_or_default));
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The line on which a row starts.
    pub(super) fn line(&self, row: usize) -> u32 {
        self.lines.get(row).copied().unwrap_or_default()
    }

    /// The row that has this line.
    pub(super) fn at_line(&self, line: u32) -> usize {
        self.lines.partition_point(|start| *start <= line).saturating_sub(1)
    }

    pub(super) fn cells(&self, row: usize) -> impl Iterator<Item = &str> {
        let cells = &self.text[self.start(row)..self.start(row + 1)];
        let mut from = 0;
        memchr_iter(BETWEEN as u8, cells.as_bytes()).chain([cells.len()]).map(move |to| {
            let cell = &cells[from..to];
            from = to + BETWEEN.len_utf8();
            cell
        })
    }

    /// Where a row begins; after the last one, where the text ends.
    fn start(&self, row: usize) -> usize {
        let start = self.starts.get(row).and_then(|start| usize::try_from(*start).ok());
        start.unwrap_or(self.text.len())
    }

    /// Gives back what growing took beyond need.
    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.lines.shrink_to_fit();
    }
}
