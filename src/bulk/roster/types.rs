//! What reading a roster and telling of its mistakes have in common: text encodings and places in the text.

use std::fmt;
use std::str::FromStr;

use encoding_rs::{UTF_8, WINDOWS_1252};

/// A text encoding, named as on the web (`utf-8`, `utf-16le`, `windows-1252`, `windows-1250`, …).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(pub(super) &'static encoding_rs::Encoding);

impl Encoding {
    /// What we write.
    pub const UTF_8: Self = Self(UTF_8);
}

impl FromStr for Encoding {
    type Err = String;
    fn from_str(label: &str) -> Result<Self, String> {
        let found = encoding_rs::Encoding::for_label_no_replacement(label.trim().as_bytes());
        found.map(Self).ok_or_else(|| {
            format!(
                "{label:?} is not an encoding: give utf-8, utf-16le, utf-16be, windows-1252 or another label of the web"
            )
        })
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // encoding_rs writes single-byte names in lower case; people know this one with a capital.
        f.write_str(if self.0 == WINDOWS_1252 { "Windows-1252" } else { self.0.name() })
    }
}

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

/// What a roster says of a person: the fields of the enrolment body (specification, Create test taker body).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// `email`
    Email,
    /// `firstName`
    FirstName,
    /// `lastName`
    LastName,
    /// `birthYear`; a list's `yearOfBirth` is the same.
    BirthYear,
    /// `referenceId`
    ReferenceId,
    /// `projectEntryId`, or the `id` of a list: only where rows name people who are enrolled.
    EntryId,
}

impl Field {
    /// Those of an enrolment, in the order of the specification.
    pub const ALL: [Self; 5] = [Self::Email, Self::FirstName, Self::LastName, Self::BirthYear, Self::ReferenceId];

    /// The specification's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::FirstName => "firstName",
            Self::LastName => "lastName",
            Self::BirthYear => "birthYear",
            Self::ReferenceId => "referenceId",
            Self::EntryId => "projectEntryId",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
