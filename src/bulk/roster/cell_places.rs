//! Places in a roster, and what its rows are counted by: lines of a text, or rows of a sheet.

use std::fmt;

/// What the rows of a roster are counted by in messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Lines of a text: a row may have several.
    #[default]
    Line,
    /// Rows of a sheet.
    Row,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "line",
            Self::Row => "row",
        })
    }
}

/// The sheet of a workbook that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetSource {
    /// Its name; its number, `#2`, where no text of the file is repeated.
    pub name: String,
    /// What is not as it seems on the screen, each in a line: what is hidden, merged or not read.
    pub remarks: Vec<String>,
}

/// A place in the text or sheet, both counted from 1; a column is a Unicode character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellPlace {
    /// Line: `\n`, `\r\n` and a lone `\r` each end one. Of a sheet the row.
    pub line: u32,
    /// Character in the line, or column of the sheet.
    pub column: u32,
}
