//! Why a file is no roster at all.

use std::io;

use crate::model::sanitize::escape_controls;
use crate::model::verdict::{Failure, Verdict};

use super::types::{Encoding, Place};

/// What to do about a file without people.
pub const GIVE_ROWS: &str = "give a CSV with a header and at least one row";

/// Why a file is no roster at all. Says nothing of what stands in it.
#[derive(Debug, thiserror::Error)]
pub enum RosterError {
    /// The source cannot be read: the disk, or a folder in place of a file.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// No bytes.
    #[error("is empty")]
    Empty,
    /// Blank lines alone.
    #[error("has blank lines and nothing else")]
    Blank,
    /// A header and nothing below it.
    #[error("has a header and no rows")]
    NoRows,
    /// The first line tells a person.
    #[error("has no header: line {line} {why}")]
    NoHeader {
        /// The first line that is not blank.
        line: u32,
        /// What it has instead. Its cells are a person's: they are not quoted.
        why: &'static str,
        /// What to do about it.
        hint: String,
    },
    /// A list without a header has a line that names no person as the others do.
    #[error("line {line} {why}")]
    NotInList {
        /// The line.
        line: u32,
        /// What it has instead.
        why: &'static str,
    },
    /// A workbook, or another format that is not text.
    #[error("is {0}, not CSV")]
    Container(&'static str),
    /// Bytes that are no character.
    #[error("line {line}: byte {position} of the file (0x{byte:02X}) is not {encoding}")]
    Malformed {
        /// Line of the byte.
        line: u32,
        /// Position in the file, counted from 1.
        position: u64,
        /// The byte.
        byte: u8,
        /// What the file was read as.
        encoding: Encoding,
    },
    /// A NUL character.
    #[error("line {line}, character {column}: a NUL byte; this is not text")]
    Nul {
        /// Its line.
        line: u32,
        /// Its character.
        column: u32,
    },
    /// More bytes than a record may have.
    #[error("line {line}: the record that starts here is longer than 1 MiB{}", opened(.opening.as_ref()))]
    RecordTooLong {
        /// Where the record starts.
        line: u32,
        /// The quote that may be the reason.
        opening: Option<Place>,
    },
    /// `--map` or `--ignore-column` names a header that is not there.
    #[error("has no column \"{}\" for {flag}: its columns are {}", escape_controls(name), escape_controls(&headers.join(", ")))]
    NoSuchColumn {
        /// The flag.
        flag: &'static str,
        /// What it names.
        name: String,
        /// What there is.
        headers: Vec<String>,
    },
}

fn opened(opening: Option<&Place>) -> String {
    opening.map_or_else(String::new, |place| {
        format!(" (the quote at line {}, character {} is not closed)", place.line, place.column)
    })
}

impl RosterError {
    /// As the end of a command: the file's name, the cause, what to do, and how the command ends.
    pub fn failure(&self, name: &str) -> Failure {
        let verdict = match self {
            Self::Io(error) if is_wrong_path(error) => Verdict::Usage,
            Self::Io(_) => Verdict::Unforeseen,
            Self::NoSuchColumn { .. } => Verdict::Usage,
            _ => Verdict::Refused,
        };
        let message = self.to_string();
        // What is told of the whole file reads on from its name.
        let between = if message.starts_with("line ") { ": " } else { " " };
        let failure = Failure::new(verdict, format!("{}{between}{message}", escape_controls(name)));
        match self.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::Container(_) => Some("save the sheet as \"CSV UTF-8\" and give that file"),
            Self::Malformed { .. } => Some("name the encoding it was saved in, such as --encoding windows-1252"),
            Self::Nul { .. } => Some("if it is UTF-16, say --encoding utf-16le; else it is not a text file"),
            Self::NoHeader { hint, .. } => Some(hint),
            Self::NotInList { .. } => {
                Some("put a line such as email or referenceId on top, or ref:, email: or id: before each name")
            }
            Self::Io(error) if error.kind() == io::ErrorKind::IsADirectory => Some("name a file in it"),
            Self::Empty | Self::Blank | Self::NoRows => Some(GIVE_ROWS),
            _ => None,
        }
    }
}

fn is_wrong_path(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), IsADirectory | NotFound | PermissionDenied)
}
