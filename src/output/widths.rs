//! How wide the columns of a table are, by what was measured and the room there is.

use unicode_width::UnicodeWidthStr as _;

use super::columns::Columns;
use crate::model::sanitize::escape_controls;

/// What stands between two columns.
pub(super) const GAP: &str = "  ";
/// A column that may be cut keeps this many characters; less of a name says nothing.
const NARROWEST: usize = 8;
/// A column of sentences keeps this much: less gives a word or two a line.
const PROSE: usize = 16;
/// On a terminal a whole cell wider than this (a reference id may have 500 characters) pushes its own row aside and not
/// all rows.
const USUAL: usize = 40;
/// Off a terminal no column is wider than this, so that one huge cell does not fill every row with spaces.
pub(super) const WIDEST: usize = 1_000;

/// How a table is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Show {
    /// Columns of the terminal; `None` off a terminal: nothing is cut then.
    pub(super) width: Option<usize>,
    /// Whether the fields are named.
    pub(super) header: bool,
    /// Whether the names are bold and highlighted values red.
    pub(super) color: bool,
    /// Whether each record is a block of lines, one a field, instead of a line.
    pub(super) blocks: bool,
}

/// A field as a column, and what is known of its cells so far.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    /// Never cut.
    pub(super) no_truncate: bool,
    /// Its cells are sentences, which are broken into lines and not cut.
    pub(super) is_prose: bool,
    /// Its cells are times of the service, which say nothing when they are cut.
    pub(super) is_time: bool,
    /// Cells that stand in bold red where colour is wanted.
    pub(super) highlight: Option<fn(&str) -> bool>,
    /// Width of the widest cell.
    widest: usize,
    /// Width of the widest cell that is not over-wide.
    usual: usize,
    /// Over-wide cells.
    overwide: u64,
}

impl Column {
    /// Whether a cell must catch the eye; an empty one says nothing.
    pub(super) fn catches_the_eye(&self, cell: &str) -> bool {
        !cell.is_empty() && self.highlight.is_some_and(|is_highlighted| is_highlighted(cell))
    }

    pub(super) fn new(field: &str, columns: &Columns<'_>) -> Self {
        Self {
            no_truncate: columns.is_whole(field),
            is_prose: columns.prose.contains(&field),
            is_time: columns.times.contains(&field),
            highlight: columns.highlighted(field),
            name: escape_controls(field).into_owned(),
            widest: 0,
            usual: 0,
            overwide: 0,
        }
    }

    /// Takes note of one more cell.
    pub(super) fn measure(&mut self, cell: &str) {
        let width = cell.width();
        self.widest = self.widest.max(width);
        if width > USUAL {
            self.overwide += 1;
        } else {
            self.usual = self.usual.max(width);
        }
    }
}

/// Widths at which each row fits one line; `None` where records had better be blocks.
pub(super) fn widths(columns: &[Column], rows: u64, show: Show) -> Option<Vec<usize>> {
    let natural: Vec<usize> = columns.iter().map(|column| under_header(column, column.widest, show)).collect();
    let Some(terminal) = show.width else {
        return Some(natural.into_iter().map(|width| width.min(WIDEST)).collect());
    };
    let least: Vec<usize> = columns.iter().map(least).collect();
    let room = terminal.saturating_sub(GAP.len() * columns.len().saturating_sub(1));
    if natural.iter().sum::<usize>() <= room || rows == 0 {
        return Some(natural);
    }
    if let Some(widths) = fit(&natural, &least, room) {
        return Some(widths);
    }
    // A few over-wide cells may break their own rows; where most rows would break, blocks read better.
    if columns.iter().any(|column| column.no_truncate && column.overwide * 2 > rows) {
        return None;
    }
    fit(&columns.iter().map(|column| usual_width(column, show)).collect::<Vec<_>>(), &least, room)
}

/// What a column is not narrowed below.
fn least(column: &Column) -> usize {
    if column.no_truncate || column.is_time {
        usize::MAX
    } else if column.is_prose {
        PROSE
    } else {
        NARROWEST
    }
}

fn under_header(column: &Column, cells: usize, show: Show) -> usize {
    if show.header { cells.max(column.name.width()) } else { cells }
}

fn usual_width(column: &Column, show: Show) -> usize {
    under_header(column, if column.no_truncate { column.usual } else { column.widest }, show)
}

/// Takes from the widest columns first until all fit into `room`; `None` where they cannot.
fn fit(natural: &[usize], least: &[usize], room: usize) -> Option<Vec<usize>> {
    if total_capped(natural, least, NARROWEST) > room {
        return None;
    }
    // The largest cap that fits; no column is wider than the room afterwards, so the search ends there.
    let (mut low, mut high) = (NARROWEST, room.max(NARROWEST) + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if total_capped(natural, least, middle) <= room { low = middle } else { high = middle }
    }
    let mut widths: Vec<usize> = capped(natural, least, low).collect();
    let mut left = room.saturating_sub(widths.iter().sum());
    for (width, &natural) in widths.iter_mut().zip(natural) {
        if left > 0 && *width < natural {
            *width += 1;
            left -= 1;
        }
    }
    Some(widths)
}

fn capped<'a>(natural: &'a [usize], least: &'a [usize], cap: usize) -> impl Iterator<Item = usize> + 'a {
    natural.iter().zip(least).map(move |(&width, &least)| width.min(cap.max(least)))
}

fn total_capped(natural: &[usize], least: &[usize], cap: usize) -> usize {
    capped(natural, least, cap).sum()
}
