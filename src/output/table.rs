//! Tables: cells are noted and measured first, laid out by blocks of rows in a second pass, so that memory stays flat.

use std::borrow::Cow;
use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Row, Width};
use jiff::tz::TimeZone;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::columns::Columns;
use super::spool::{Spool, SpoolReader};
use super::widths::{Column, GAP, Show, widths};
use crate::model::sanitize::escape_controls;
use crate::model::time::parse_service_time;

/// Rows that are laid out at a time: few enough for memory, enough to be quick.
const BLOCK: usize = 1_000;
/// Characters that a cell cannot have, because hidden ones are escaped, and that have no width: what stands between
/// them catches the eye.
const MARKS: [char; 2] = ['\u{2062}', '\u{2063}'];
const RED: &str = "\x1b[1;31m";
const BOLD: &str = "\x1b[1m";
const PLAIN: &str = "\x1b[0m";

/// The cells of a table in waiting.
pub(super) struct Table {
    columns: Vec<Column>,
    rows: u64,
    cells: Spool,
    /// The zone of times on a terminal.
    zone: Option<TimeZone>,
}

impl Table {
    /// A table of these fields, of which the columns say more.
    pub(super) fn new(fields: &[String], columns: &Columns<'_>) -> Self {
        let columns = fields.iter().map(|field| Column::new(field, columns)).collect();
        Self { columns, rows: 0, cells: Spool::new(), zone: None }
    }

    /// Shows times to the minute, in this zone.
    #[must_use]
    pub(super) fn in_zone(self, zone: Option<TimeZone>) -> Self {
        Self { zone, ..self }
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

/// A time of the service to the minute, with the offset of a zone; `None` for what is none.
fn local(time: &str, zone: &TimeZone) -> Option<String> {
    let time = parse_service_time(time)?.to_zoned(zone.clone());
    Some(time.strftime("%Y-%m-%d %H:%M%:z").to_string())
}

/// Rows that stand on one line each.
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
            let (row, widths) = self.row(cells)?;
            if let Some(widths) = widths {
                write_lines(std::mem::take(&mut block), self.widths, out)?;
                write_lines(vec![row], &widths, out)?;
                continue;
            }
            block.push(row);
            if block.len() == BLOCK {
                write_lines(std::mem::take(&mut block), self.widths, out)?;
            }
        }
        write_lines(block, self.widths, out)
    }

    /// The next row, and widths of its own where a cell that is not cut needs more than its column has.
    fn row(&self, cells: &mut SpoolReader) -> io::Result<(Vec<String>, Option<Vec<usize>>)> {
        let mut own: Option<Vec<usize>> = None;
        let mut row = Vec::with_capacity(self.columns.len());
        for (index, (column, &room)) in self.columns.iter().zip(self.widths).enumerate() {
            let mut cell = String::new();
            cells.next_cell(&mut cell)?;
            let width = cell.width();
            if width > room {
                if column.no_truncate || self.show.width.is_none() {
                    own.get_or_insert_with(|| self.widths.to_vec())[index] = width;
                } else {
                    clip(&mut cell, room);
                }
            }
            if column.catches_the_eye(&cell) {
                cell = format!("{}{cell}{}", MARKS[0], MARKS[1]);
            }
            row.push(cell);
        }
        Ok((row, own))
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
    let longest = columns.iter().map(|column| column.name.width()).max().unwrap_or(0);
    let names = columns.iter().map(|column| vec![column.name.clone()]).collect();
    let labels = if show.header { layout(names, &[longest]).collect() } else { vec![String::new(); columns.len()] };
    let mut cell = String::new();
    for row in 0..rows {
        if row > 0 {
            write_line(out, "")?;
        }
        for (label, column) in labels.iter().zip(columns) {
            cells.next_cell(&mut cell)?;
            let label = if show.color { bold(label) } else { label.clone() };
            let [on, off] = if column.catches_the_eye(&cell) { [RED, PLAIN] } else { [""; 2] };
            write_line(out, &format!("{label}{on}{cell}{off}"))?;
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
        shown += &[RED, value, PLAIN, rest].concat();
    }
    shown
}

/// The text in bold; the padding after it stays outside, where a line's end can lose it.
fn bold(text: &str) -> String {
    let (name, padding) = text.split_at(text.trim_end_matches(' ').len());
    if name.is_empty() { text.to_owned() } else { format!("{BOLD}{name}{PLAIN}{padding}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::widths::WIDEST;
    use super::*;

    const PIPE: Show = Show { width: None, header: true, color: false, blocks: false };

    #[test]
    fn times_are_local_to_the_minute_where_somebody_reads_them() {
        let shown = |zone| {
            let columns = Columns::of(&[]).times(&["at"]);
            let mut table = Table::new(&["at".to_owned(), "name".to_owned()], &columns).in_zone(zone);
            for (at, name) in [("2026-03-01T23:30:15.1234567Z", "2026-03-01T23:30:15Z"), ("soon", ""), ("", "")] {
                table.push([Cow::from(at), Cow::from(name)]).expect("room");
            }
            let mut out = Vec::new();
            table.write(Show { header: false, ..PIPE }, &mut out).expect("written");
            String::from_utf8(out).expect("text")
        };
        let two = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(shown(Some(two)), "2026-03-02 01:30+02:00  2026-03-01T23:30:15Z\nsoon\n\n");
        assert!(shown(None).starts_with("2026-03-01T23:30:15.1234567Z"));
    }

    fn shown(fields: &[&str], rows: &[&[&str]], show: Show) -> String {
        let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
        let columns = Columns::of(&[]).no_truncate(&["id"]).highlight("result", |word| word == "HighRisk");
        let mut table = Table::new(&fields, &columns);
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
            text.lines().skip(1).map(|line| line.split('|').next().expect("a cell").width()).collect();
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
    fn many_rows_have_the_same_columns_in_every_block() {
        let rows: Vec<Vec<String>> = (0..2 * BLOCK + 7).map(|row| vec![row.to_string(), "x".to_owned()]).collect();
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
        let text = shown(&["id", "end"], &rows, PIPE);
        assert_eq!(text.lines().count(), rows.len() + 1);
        assert!(text.starts_with("id    end\n0     x\n1     x\n"));
        assert!(text.lines().skip(1).all(|line| line.len() == 7 && line.ends_with("  x")));
    }

    #[test]
    fn a_cell_beyond_all_bounds_is_whole_off_a_terminal_and_short_on_one() {
        let huge = "é".repeat(100_000);
        let rows: &[&[&str]] = &[&["1", &huge, "end"], &["2", "b", "end"]];
        let text = shown(&["n", "name", "last"], rows, PIPE);
        assert!(text.contains(&format!("\n1  {huge}  end\n")), "whole");
        assert!(text.lines().last().expect("a line").len() < 2 * WIDEST);
        let text = shown(&["n", "name", "last"], rows, Show { width: Some(40), ..PIPE });
        assert!(text.lines().all(|line| line.width() <= 40) && text.contains("é…  end\n"), "{text}");
    }

    #[test]
    fn columns_of_nothing_keep_their_gap_alone() {
        let show = Show { header: false, ..PIPE };
        assert_eq!(shown(&["a", "b", "c"], &[&["7", "", "x"], &["88", "", "y"]], show), "7     x\n88    y\n");
    }

    #[test]
    fn a_highlighted_value_that_is_cut_stays_red() {
        let rows: &[&[&str]] = &[&["a name that is long", "Emergency room", "HighRisk"]];
        let fields = ["name", "other", "result"];
        let show = Show { color: true, header: false, width: Some(28), ..PIPE };
        let columns = Columns::of(&[]).highlight("other", |word| word == "Emergency room");
        let mut table = Table::new(&fields.map(str::to_owned), &columns);
        table.push(rows[0].iter().map(|cell| Cow::Borrowed(*cell))).expect("room");
        let mut out = Vec::new();
        table.write(show, &mut out).expect("written");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(text, "a name …  \u{1b}[1;31mEmergen…\u{1b}[0m  HighRisk\n");
    }

    #[test]
    fn a_highlighted_value_is_red_where_colour_is_wanted_and_keeps_its_columns_straight() {
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
                prop_assert!(line.width() <= wide, "{} > {}: {:?}", line.width(), wide, line);
            }
        }

        #[test]
        fn a_shortened_text_has_room_and_says_that_it_is_short(text in r"\PC{0,40}", to in 1_usize..20) {
            let mut clipped = text.clone();
            if text.width() > to {
                clip(&mut clipped, to);
            }
            let lines: Vec<String> = layout(vec![vec![clipped]], &[to]).collect();
            prop_assert_eq!(lines.len(), 1);
            let short = lines[0].trim_end_matches(' ');
            // A wide character alone does not fit into a column of one.
            prop_assert!(short == text.trim_end_matches(' ') || (short.width() <= to.max(2) && short.ends_with('…')), "{:?}", short);
        }
    }
}
