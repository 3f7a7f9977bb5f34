//! Tables: cells are noted and measured first, laid out by blocks of rows in a second pass, so that memory stays flat.

use std::borrow::Cow;
use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Row, Width};
use jiff::tz::TimeZone;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::ansi_codes::{BOLD, BOLD_RED, PLAIN};
use super::columns::Columns;
use super::spool::{Spool, SpoolReader};
use super::widths::{Column, GAP, Show, widths};
use super::wrap::{broken, wrapped};
use crate::model::sanitize::escape_controls;
use crate::model::time::parse_service_time;

/// Rows that are laid out at a time: few enough for memory, enough to be quick.
const BLOCK: usize = 1_000;
/// Characters that a cell cannot have, because hidden ones are escaped, and that have no width: what stands between
/// them catches the eye.
const MARKS: [char; 2] = ['\u{2062}', '\u{2063}'];

/// Rows that are kept until the widths of the columns are known.
pub(super) struct Table {
    columns: Vec<Column>,
    rows: u64,
    cells: Spool,
    /// The zone of times on a terminal.
    zone: Option<TimeZone>,
}

impl Table {
    /// A table of these fields, of which the columns say more. Where a zone is given, times are shown in it, to the minute.
    pub(super) fn new(fields: &[String], columns: &Columns<'_>, zone: Option<TimeZone>) -> Self {
        let columns = fields.iter().map(|field| Column::new(field, columns)).collect();
        Self { columns, rows: 0, cells: Spool::new(), zone }
    }

    /// Takes the cells of one row, as many as there are fields.
    pub(super) fn push<'a>(&mut self, cells: impl IntoIterator<Item = Cow<'a, str>>) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            let time = self.zone.as_ref().filter(|_| column.is_time).and_then(|zone| local(&cell, zone));
            let cell = time.map_or_else(|| escape_controls(&cell), Cow::Owned);
            column.measure(&cell);
            self.cells.write_cell(&cell)?;
        }
        self.rows += 1;
        Ok(())
    }

    /// Lays the table out.
    pub(super) fn write(self, show: Show, out: &mut dyn Write) -> io::Result<()> {
        let Self { mut columns, rows, cells, .. } = self;
        if !show.color {
            for column in &mut columns {
                column.highlight = None;
            }
        }
        let cells = &mut cells.read_back()?;
        let widths = if show.blocks { None } else { widths(&columns, rows, show) };
        match widths {
            Some(widths) => Lines { columns: &columns, widths: &widths, show }.write(rows, cells, out),
            None => write_blocks(&columns, show, rows, cells, out),
        }
    }
}

/// A time of the service to the minute, with the offset of a zone, which of UTC is `Z` as in every other format; `None` for
/// what is none.
fn local(time: &str, zone: &TimeZone) -> Option<String> {
    let time = parse_service_time(time)?.to_zoned(zone.clone());
    let offset = if time.offset().is_zero() { "Z" } else { "%:z" };
    Some(time.strftime(&format!("%Y-%m-%d %H:%M{offset}")).to_string())
}

/// The lines of a row, several where sentences are broken.
struct RowLines {
    lines: Vec<Vec<String>>,
    /// Widths of its own, where a cell that is not cut needs more than its column has.
    own: Option<Vec<usize>>,
}

/// Rows that stand on a line each.
struct Lines<'a> {
    columns: &'a [Column],
    widths: &'a [usize],
    show: Show,
}

impl Lines<'_> {
    fn write(&self, rows: u64, cells: &mut SpoolReader, out: &mut dyn Write) -> io::Result<()> {
        if self.show.header {
            let names = self.columns.iter().map(|column| column.name.clone()).collect();
            for line in layout(vec![names], self.widths) {
                write_line(out, &if self.show.color { bold(&line) } else { line })?;
            }
        }
        let mut block = Vec::new();
        for _ in 0..rows {
            let RowLines { lines, own } = self.row(cells)?;
            if let Some(widths) = own {
                write_lines(std::mem::take(&mut block), self.widths, out)?;
                write_lines(lines, &widths, out)?;
                continue;
            }
            block.extend(lines);
            if block.len() >= BLOCK {
                write_lines(std::mem::take(&mut block), self.widths, out)?;
            }
        }
        write_lines(block, self.widths, out)
    }

    /// The lines of the next row.
    fn row(&self, cells: &mut SpoolReader) -> io::Result<RowLines> {
        let mut own: Option<Vec<usize>> = None;
        let mut row = Vec::with_capacity(self.columns.len());
        let mut below: Vec<Vec<String>> = Vec::new();
        for (index, (column, &room)) in self.columns.iter().zip(self.widths).enumerate() {
            let mut cell = String::new();
            cells.next_cell(&mut cell)?;
            let width = cell.width();
            if width > room {
                if column.no_truncate || self.show.width.is_none() {
                    own.get_or_insert_with(|| self.widths.to_vec())[index] = width;
                } else if column.is_prose {
                    let mut lines = broken(&cell, room).into_iter();
                    cell = lines.next().unwrap_or_default();
                    for (line, text) in lines.enumerate() {
                        if line == below.len() {
                            below.push(vec![String::new(); self.columns.len()]);
                        }
                        below[line][index] = text;
                    }
                } else {
                    clip(&mut cell, room);
                }
            }
            if column.catches_the_eye(&cell) {
                cell = format!("{}{cell}{}", MARKS[0], MARKS[1]);
            }
            row.push(cell);
        }
        below.insert(0, row);
        Ok(RowLines { lines: below, own })
    }
}

/// Shortens a text to about twice a width, so that laying it out does not cost more than it shows.
fn clip(cell: &mut String, room: usize) {
    let mut taken = 0;
    let end = cell.char_indices().find(|(_, c)| {
        taken += c.width().unwrap_or(0);
        taken > 2 * room + 1
    });
    if let Some((end, _)) = end {
        cell.truncate(end);
        cell.push('…');
    }
}

fn write_lines(rows: Vec<Vec<String>>, widths: &[usize], out: &mut dyn Write) -> io::Result<()> {
    // The library counts columns in sixteen bits; a row that is wider needs no columns.
    if widths.iter().any(|width| *width + GAP.len() > usize::from(u16::MAX)) {
        return rows.iter().try_for_each(|row| write_line(out, &row.join(GAP)));
    }
    layout(rows, widths).try_for_each(|line| write_line(out, &line))
}

/// The lines of these rows, each cell in a column of its width; what is longer is shortened with `…`.
fn layout(rows: Vec<Vec<String>>, widths: &[usize]) -> impl Iterator<Item = String> {
    let mut table = comfy_table::Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    // A cell is cut where it gets too long, not between words: no cell has this character.
    table.set_delimiter(MARKS[1]);
    for row in rows {
        let mut row = Row::from(row);
        row.max_height(1);
        table.add_row(row);
    }
    for (column, &width) in table.column_iter_mut().zip(widths) {
        // A column has at least one character; one without a width takes it from the gap.
        let gap = if width == 0 { GAP.len() - 1 } else { GAP.len() };
        let [width, gap] = [width.max(1) + gap, gap].map(|width| u16::try_from(width).unwrap_or(u16::MAX));
        column.set_padding((0, gap)).set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
    }
    table.lines().collect::<Vec<_>>().into_iter()
}

/// A line for each field, an empty one between records.
fn write_blocks(
    columns: &[Column],
    show: Show,
    rows: u64,
    cells: &mut SpoolReader,
    out: &mut dyn Write,
) -> io::Result<()> {
    // The name of an only value says nothing, and stands in the way of `$(…)`.
    let is_named = show.header && (columns.len() > 1 || show.width.is_some());
    let longest = columns.iter().map(|column| column.name.width()).max().unwrap_or(0);
    let names = columns.iter().map(|column| vec![column.name.clone()]).collect();
    let labels = if is_named { layout(names, &[longest]).collect() } else { vec![String::new(); columns.len()] };
    let indent = if is_named { longest + GAP.len() } else { 0 };
    let mut cell = String::new();
    for row in 0..rows {
        if row > 0 {
            write_line(out, "")?;
        }
        for (label, column) in labels.iter().zip(columns) {
            cells.next_cell(&mut cell)?;
            let label = if show.color { bold(label) } else { label.clone() };
            let [on, off] = if column.catches_the_eye(&cell) { [BOLD_RED, PLAIN] } else { [""; 2] };
            match show.width.map(|width| width.saturating_sub(indent)) {
                Some(room) if !column.no_truncate && cell.width() > room => {
                    let lines = wrapped(&cell, room, room).join(&format!("\n{:indent$}", ""));
                    write_line(out, &format!("{label}{on}{lines}{off}"))?;
                }
                _ => write_line(out, &format!("{label}{on}{cell}{off}"))?,
            }
        }
    }
    Ok(())
}

fn write_line(out: &mut dyn Write, line: &str) -> io::Result<()> {
    let line = line.trim_end_matches(' ');
    let line = if line.contains(MARKS[0]) { Cow::Owned(red(line)) } else { Cow::Borrowed(line) };
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")
}

/// The line with what stands between the marks in red, also where it was cut and lost the second one.
fn red(line: &str) -> String {
    let mut parts = line.split(MARKS[0]);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (value, rest) = match (part.split_once(MARKS[1]), part.find('…')) {
            (Some(both), _) => both,
            (None, Some(cut)) => part.split_at(cut + '…'.len_utf8()),
            (None, None) => (part, ""),
        };
        shown += &[BOLD_RED, value, PLAIN, rest].concat();
    }
    shown
}

/// The text in bold; the padding after it stays outside, where a line's end can lose it.
fn bold(text: &str) -> String {
    let (name, padding) = text.split_at(text.trim_end_matches(' ').len());
    if name.is_empty() { text.to_owned() } else { format!("{BOLD}{name}{PLAIN}{padding}") }
}

#[cfg(test)]
mod tests;
