//! The rows of a roster, kept compactly: one text for all cells, 12 bytes for each row beside it.

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

    /// Adds a row, its cells joined by [`BETWEEN`]; its number, counted from 0, is the answer.
    pub(super) fn push(&mut self, line: u32, cells: &str) -> usize {
        self.lines.push(line);
        if !self.drops_cells {
            self.starts.push(self.text.len() as u64);
            self.text.push_str(cells);
        }
        self.lines.len() - 1
    }

    /// Adds a row of other rows as it is.
    pub(super) fn push_from(&mut self, other: &Self, row: usize) {
        self.push(other.line(row), &other.text[other.start(row)..other.start(row + 1)]);
    }

    /// Adds a row of these cells.
    pub(super) fn push_cells<const N: usize>(&mut self, line: u32, cells: [Option<&str>; N]) {
        let cells = cells.map(Option::unwrap_or_default);
        self.push(line, &cells.join(BETWEEN.encode_utf8(&mut [0; 4])));
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
        self.text[self.start(row)..self.start(row + 1)].split(BETWEEN)
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
