//! Tables: cells are noted and measured first, laid out in a second pass, so that memory stays flat.

use std::borrow::Cow;
use std::io::{self, Write};

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::Columns;
use super::spool::{Reading, Spool};
use crate::model::sanitize::escape_controls;

const GAP: &str = "  ";
/// A column that may be cut keeps this much; less of a name or a time says nothing.
const NARROWEST: usize = 8;
/// An uncut cell wider than this (a reference id may have 500 characters) pushes its own row aside and not all rows.
const USUAL: usize = 40;

/// How a table is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Show {
    /// Columns of the terminal; `None` off a terminal: nothing is cut then.
    pub(super) width: Option<usize>,
    /// Whether the fields are named.
    pub(super) header: bool,
    /// Whether the names are bold and alarming values red.
    pub(super) color: bool,
    /// Whether each record is a block of lines, one a field, instead of a line.
    pub(super) blocks: bool,
}

/// A field as a column, and what is known of its cells so far.
#[derive(Debug)]
struct Column {
    name: String,
    /// Never cut.
    whole: bool,
    /// Cells that stand in bold red where colour is wanted.
    alarms: Vec<String>,
    /// Width of the widest cell.
    widest: usize,
    /// Width of the widest cell that is not over-wide.
    usual: usize,
    /// Over-wide cells.
    overwide: u64,
}

/// The cells of a table in waiting.
pub(super) struct Table {
    columns: Vec<Column>,
    rows: u64,
    cells: Spool,
}

impl Table {
    /// A table of these fields, of which the columns say more.
    pub(super) fn new(fields: Vec<String>, columns: &Columns<'_>) -> Self {
        let column = |field: String| Column {
            whole: columns.keeps_whole(&field),
            alarms: columns.alarms(&field),
            name: escape_controls(&field).into_owned(),
            widest: 0,
            usual: 0,
            overwide: 0,
        };
        Self { columns: fields.into_iter().map(column).collect(), rows: 0, cells: Spool::new() }
    }

    /// Takes the cells of one row, as many as there are fields.
    pub(super) fn push<'a>(&mut self, cells: impl IntoIterator<Item = Cow<'a, str>>) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            let cell = escape_controls(&cell);
            let width = width(&cell);
            column.widest = column.widest.max(width);
            if width > USUAL {
                column.overwide += 1;
            } else {
                column.usual = column.usual.max(width);
            }
            self.cells.write_cell(&cell)?;
        }
        self.rows += 1;
        Ok(())
    }

    /// Lays the table out.
    pub(super) fn write(mut self, show: Show, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        let whole: Vec<bool> = self.columns.iter().map(|column| column.whole).collect();
        let widths = if show.blocks { None } else { self.widths(show, &whole) };
        let alarms: Vec<_> = self.columns.iter_mut().map(|column| std::mem::take(&mut column.alarms)).collect();
        let alarms = if show.color { alarms } else { vec![Vec::new(); alarms.len()] };
        let cells = &mut self.cells.read_back()?;
        if let Some(widths) = widths {
            Lines { widths: &widths, whole: &whole, alarms: &alarms }.write(&names, show, self.rows, cells, out)
        } else {
            write_blocks(&names, &alarms, show, self.rows, cells, out)
        }
    }

    /// Widths at which each row fits one line; `None` where records had better be blocks.
    fn widths(&self, show: Show, whole: &[bool]) -> Option<Vec<usize>> {
        let named = |column: &Column, cells: usize| cells.max(if show.header { width(&column.name) } else { 0 });
        let natural: Vec<usize> = self.columns.iter().map(|column| named(column, column.widest)).collect();
        let Some(terminal) = show.width else { return Some(natural) };
        let room = terminal.saturating_sub(GAP.len() * self.columns.len().saturating_sub(1));
        if natural.iter().sum::<usize>() <= room || self.rows == 0 {
            return Some(natural);
        }
        if let Some(widths) = fit(&natural, whole, room) {
            return Some(widths);
        }
        // A few over-wide cells may break their own rows; where most rows would break, blocks read better.
        if self.columns.iter().any(|column| column.whole && column.overwide * 2 > self.rows) {
            return None;
        }
        let usual = |column: &Column| named(column, if column.whole { column.usual } else { column.widest });
        fit(&self.columns.iter().map(usual).collect::<Vec<_>>(), whole, room)
    }
}

/// Takes from the widest columns first until all fit into `room`; `None` where they cannot.
fn fit(natural: &[usize], whole: &[bool], room: usize) -> Option<Vec<usize>> {
    let at = |cap: usize| -> Vec<usize> {
        natural.iter().zip(whole).map(|(&width, &whole)| if whole { width } else { width.min(cap) }).collect()
    };
    let fits = |widths: &[usize]| widths.iter().sum::<usize>() <= room;
    let mut widths = at(NARROWEST);
    if !fits(&widths) {
        return None;
    }
    // The largest cap that fits; no column is wider than the room afterwards, so the search ends there.
    let (mut low, mut high) = (NARROWEST, room.max(NARROWEST) + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(&at(middle)) { low = middle } else { high = middle }
    }
    widths.clone_from(&at(low));
    let mut left = room.saturating_sub(widths.iter().sum());
    for (width, &natural) in widths.iter_mut().zip(natural) {
        if left > 0 && *width < natural {
            *width += 1;
            left -= 1;
        }
    }
    Some(widths)
}

/// Rows that stand on one line each.
struct Lines<'a> {
    widths: &'a [usize],
    whole: &'a [bool],
    alarms: &'a [Vec<String>],
}

impl Lines<'_> {
    fn write(
        &self,
        names: &[String],
        show: Show,
        rows: u64,
        cells: &mut Reading,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if show.header {
            let header = self.line(names, &vec![false; names.len()]);
            write_line(out, &if show.color { bold(&header) } else { header })?;
        }
        let mut row = vec![String::new(); names.len()];
        for _ in 0..rows {
            for cell in &mut row {
                cells.next_cell(cell)?;
            }
            write_line(out, &self.line(&row, self.whole))?;
        }
        Ok(())
    }

    fn line(&self, cells: &[String], whole: &[bool]) -> String {
        let mut line = String::with_capacity(self.widths.iter().sum::<usize>() + cells.len() * GAP.len());
        for (((cell, &wide), &whole), alarms) in cells.iter().zip(self.widths).zip(whole).zip(self.alarms) {
            let shown = if whole { Cow::Borrowed(cell.as_str()) } else { shorten(cell, wide) };
            if alarms.contains(cell) {
                line.push_str(&red(&shown));
            } else {
                line.push_str(&shown);
            }
            line.extend(std::iter::repeat_n(' ', wide.saturating_sub(width(&shown)) + GAP.len()));
        }
        line
    }
}

/// A line for each field, an empty one between records.
fn write_blocks(
    names: &[String],
    alarms: &[Vec<String>],
    show: Show,
    rows: u64,
    cells: &mut Reading,
    out: &mut dyn Write,
) -> io::Result<()> {
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let label = |name: &String| {
        let mut label = name.clone();
        pad(&mut label, longest);
        if show.color { bold(&label) + GAP } else { label + GAP }
    };
    let labels: Vec<String> = names.iter().map(|name| if show.header { label(name) } else { String::new() }).collect();
    let mut cell = String::new();
    for row in 0..rows {
        if row > 0 {
            write_line(out, "")?;
        }
        for (label, alarms) in labels.iter().zip(alarms) {
            cells.next_cell(&mut cell)?;
            let shown = if alarms.contains(&cell) { red(&cell) } else { Cow::Borrowed(cell.as_str()) };
            write_line(out, &format!("{label}{shown}"))?;
        }
    }
    Ok(())
}

fn write_line(out: &mut dyn Write, line: &str) -> io::Result<()> {
    out.write_all(line.trim_end_matches(' ').as_bytes())?;
    out.write_all(b"\n")
}

/// The text in bold; the padding after it stays outside, where a line's end can lose it.
fn bold(text: &str) -> String {
    let (name, padding) = text.split_at(text.trim_end_matches(' ').len());
    format!("\x1b[1m{name}\x1b[0m{padding}")
}

fn red(text: &str) -> Cow<'_, str> {
    Cow::Owned(format!("\x1b[1;31m{text}\x1b[0m"))
}

fn pad(text: &mut String, to: usize) {
    text.extend(std::iter::repeat_n(' ', to.saturating_sub(width(text))));
}

/// Columns that a text takes on a terminal, counted in what a reader sees as characters.
fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(str::width).sum() }
}

/// The text itself, or as much of its beginning as leaves room for `…`.
fn shorten(text: &str, to: usize) -> Cow<'_, str> {
    if width(text) <= to {
        return Cow::Borrowed(text);
    }
    let mut taken = 0;
    let mut short = String::new();
    for grapheme in text.graphemes(true) {
        taken += grapheme.width();
        if taken + 1 > to {
            break;
        }
        short.push_str(grapheme);
    }
    short.push('…');
    Cow::Owned(short)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PIPE: Show = Show { width: None, header: true, color: false, blocks: false };

    fn shown(fields: &[&str], rows: &[&[&str]], show: Show) -> String {
        let fields = fields.iter().map(ToString::to_string).collect();
        let columns = Columns::of(&[]).uncut(&["id"]).alarming("result", &["HighRisk"]);
        let mut table = Table::new(fields, &columns);
        for row in rows {
            table.push(row.iter().map(|cell| Cow::Borrowed(*cell))).expect("room");
        }
        let mut out = Vec::new();
        table.write(show, &mut out).expect("written");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn off_a_terminal_nothing_is_cut_and_no_line_ends_in_spaces() {
        let text = shown(&["id", "name"], &[&["7", &"x".repeat(200)], &["1234", ""]], PIPE);
        assert_eq!(text, format!("id    name\n7     {}\n1234\n", "x".repeat(200)));
    }

    #[test]
    fn wide_characters_combining_marks_and_emoji_keep_columns_straight() {
        let rows: &[&[&str]] = &[&["漢字", "|"], &["e\u{301}", "|"], &["👨\u{200d}👩\u{200d}👧", "|"], &["abcd", "|"]];
        let text = shown(&["n", "end"], rows, PIPE);
        let ends: Vec<usize> =
            text.lines().skip(1).map(|line| width(line.split('|').next().expect("a cell"))).collect();
        assert_eq!(ends, [6, 6, 6, 6], "{text}");
    }

    #[test]
    fn a_terminal_gets_long_cells_shortened_and_ids_whole() {
        let rows: &[&[&str]] = &[&["0123456789", "a long name of a person", "Completed"]];
        let show = Show { width: Some(34), ..PIPE };
        assert_eq!(
            shown(&["id", "fullName", "result"], rows, show),
            "id          fullName     result\n0123456789  a long nam…  Completed\n"
        );
    }

    #[test]
    fn a_terminal_too_narrow_for_a_line_gets_blocks() {
        let rows: &[&[&str]] = &[&[&"7".repeat(36), "Night shift", "Active"], &["8", "", "Draft"]];
        let show = Show { width: Some(40), ..PIPE };
        let expected =
            format!("id     {}\nname   Night shift\nstate  Active\n\nid     8\nname\nstate  Draft\n", "7".repeat(36));
        assert_eq!(shown(&["id", "name", "state"], rows, show), expected);
    }

    #[test]
    fn one_over_wide_id_breaks_its_own_row_alone() {
        let huge = "9".repeat(500);
        let rows: &[&[&str]] = &[&["1", "Ann"], &[&huge, "Bob"], &["333", "Cy"]];
        let show = Show { width: Some(80), ..PIPE };
        let expected = format!("id   name\n1    Ann\n{huge}  Bob\n333  Cy\n");
        assert_eq!(shown(&["id", "name"], rows, show), expected);
    }

    #[test]
    fn control_characters_of_a_cell_are_shown() {
        let text = shown(&["a\tb"], &[&["x\u{1b}[2J\ny"]], PIPE);
        assert_eq!(text, "a\\tb\nx\\u{1b}[2J\\ny\n");
    }

    #[test]
    fn a_record_alone_is_a_list_of_its_fields_and_without_header_its_values() {
        let show = Show { blocks: true, ..PIPE };
        let rows: &[&[&str]] = &[&["7", "Ann"]];
        assert_eq!(shown(&["id", "name"], rows, show), "id    7\nname  Ann\n");
        assert_eq!(shown(&["id", "name"], rows, Show { header: false, ..show }), "7\nAnn\n");
    }

    #[test]
    fn names_are_bold_in_colour_and_an_empty_table_is_its_header() {
        let show = Show { color: true, width: Some(80), ..PIPE };
        assert_eq!(shown(&["id", "name"], &[], show), "\u{1b}[1mid  name\u{1b}[0m\n");
        assert_eq!(shown(&["id"], &[], Show { header: false, ..show }), "");
        let block = Show { blocks: true, ..show };
        assert_eq!(shown(&["id"], &[&["7"]], block), "\u{1b}[1mid\u{1b}[0m  7\n");
    }

    #[test]
    fn an_alarming_value_is_red_where_colour_is_wanted_and_keeps_its_columns_straight() {
        let rows: &[&[&str]] = &[&["7", "HighRisk", "x"], &["8", "Completed", "y"]];
        let show = Show { color: true, header: false, ..PIPE };
        let fields = ["id", "result", "end"];
        assert_eq!(shown(&fields, rows, show), "7  \u{1b}[1;31mHighRisk\u{1b}[0m   x\n8  Completed  y\n");
        assert_eq!(shown(&fields, rows, Show { color: false, ..show }), "7  HighRisk   x\n8  Completed  y\n");
        let block = Show { blocks: true, ..show };
        assert_eq!(shown(&fields, &rows[..1], block), "7\n\u{1b}[1;31mHighRisk\u{1b}[0m\nx\n");
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_its_terminal(
            rows in prop::collection::vec(prop::collection::vec(r"\PC{0,30}", 4), 1..6),
            wide in 38_usize..120,
        ) {
            let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
            let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
            let text = shown(&["a", "b", "c", "d"], &rows, Show { width: Some(wide), ..PIPE });
            prop_assert_eq!(text.lines().count(), rows.len() + 1);
            for line in text.lines() {
                // Cells may join across the gap into one grapheme only to become narrower.
                prop_assert!(width(line) <= wide, "{} > {}: {:?}", width(line), wide, line);
            }
        }

        #[test]
        fn a_shortened_text_has_room_and_says_that_it_is_short(text in r"\PC{0,40}", to in 1_usize..20) {
            let short = shorten(&text, to);
            prop_assert!(short == text || (width(&short) <= to && short.ends_with('…')));
        }
    }
}
