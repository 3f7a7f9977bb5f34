//! Why a file is no roster at all.

use std::io;

use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::sanitize::escape_controls;
use crate::model::shell_word::shell_word;

use super::cell_places::{CellPlace, Unit};
use super::encoding_names::Encoding;

/// What to do about a file without people.
pub const GIVE_ROWS: &str = "give a CSV with a header and at least one row";

/// Why a file is no roster at all. Says nothing of what stands in it.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "xlsx"), allow(dead_code, reason = "no workbook is read"))]
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
    #[error("has no header: {unit} {line} {why}")]
    NoHeader {
        /// What is counted.
        unit: Unit,
        /// The first line that is not blank.
        line: u32,
        /// What it has instead. Its cells are a person's: they are not quoted.
        why: &'static str,
        /// What to do about it.
        hint: String,
    },
    /// A list without a header has a line that names no person as the others do.
    #[error("{unit} {line} {why}")]
    NotInList {
        /// What is counted.
        unit: Unit,
        line: u32,
        /// What it has instead.
        why: &'static str,
    },
    /// A file that is neither text nor a workbook that can be read.
    #[error("is {0}, not CSV")]
    Container(&'static str),
    /// A workbook that is damaged, or made to look like one.
    #[error("is a workbook that cannot be read: {0}")]
    Broken(&'static str),
    /// A workbook over our limits, or an archive that inflates to far more than its size.
    #[error("is a workbook that is too large: {0}")]
    TooBig(&'static str),
    /// `--sheet` names a sheet that is not there, or none is shown.
    #[error("{}", no_sheet(.name.as_deref(), .sheets.as_deref()))]
    NoSheet {
        /// What `--sheet` names.
        name: Option<String>,
        /// What there is; `None` where no text of the file is repeated.
        sheets: Option<Vec<String>>,
    },
    /// An option that this kind of file has no use for.
    #[error("is {is}: leave {option} out")]
    NotFor {
        option: &'static str,
        /// What the file is.
        is: &'static str,
    },
    /// Bytes that are no character.
    #[error("line {line}: byte {position} of the file (0x{byte:02X}) is not {encoding}")]
    Malformed {
        /// Line of the byte.
        line: u32,
        /// Position in the file, counted from 1.
        position: u64,
        byte: u8,
        /// What the file was read as.
        encoding: Encoding,
    },
    /// The first bytes of a character, and then the end.
    #[error("line {line}: the file ends in the middle of a character")]
    CutCharacter {
        /// Its line.
        line: u32,
    },
    /// A NUL character.
    #[error("{unit} {line}, {} {column}: a NUL byte; this is not text", if *.unit == Unit::Row { "column" } else { "character" })]
    Nul {
        /// What is counted.
        unit: Unit,
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
        opening: Option<CellPlace>,
    },
    /// `--map` or `--ignore-column` names a header that is not there.
    #[error("has no column \"{}\" for {flag}: {}", escape_controls(name), columns(headers.as_deref()))]
    NoSuchColumn {
        flag: &'static str,
        /// What it names.
        name: String,
        /// What there is; nothing where the first line may be a person's, `None` where no text of the file is repeated.
        headers: Option<Vec<String>>,
        /// What the flag takes, where it was written the wrong way round.
        turned: Option<String>,
    },
}

fn columns(headers: Option<&[String]>) -> String {
    match headers {
        None => "what its columns are called is left out with --mask".to_owned(),
        Some([]) => "its first line names none of the fields".to_owned(),
        Some(headers) => format!("its columns are {}", escape_controls(&headers.join(", "))),
    }
}

fn opened(opening: Option<&CellPlace>) -> String {
    opening.map_or_else(String::new, |place| {
        format!(" (the quote at line {}, character {} is not closed)", place.line, place.column)
    })
}

fn no_sheet(name: Option<&str>, sheets: Option<&[String]>) -> String {
    let sheets = sheets.map(|sheets| escape_controls(&sheets.join(", ")).into_owned());
    let missing = name.map_or("that is shown".to_owned(), |name| format!("\"{}\"", escape_controls(name)));
    match (name, sheets) {
        (Some(_), Some(sheets)) => format!("has no sheet {missing}: its sheets are {sheets}"),
        (None, Some(sheets)) => format!("has no sheet {missing}: --sheet NAME reads one of {sheets}"),
        (_, None) => format!("has no sheet {missing}; what its sheets are called is left out with --mask"),
    }
}

impl RosterError {
    /// As the end of a command: the file's name, the cause, what to do, and how the command ends.
    pub fn failure(&self, name: &str) -> Failure {
        let verdict = match self {
            Self::Io(error) if is_wrong_path(error) => Verdict::Usage,
            Self::Io(_) => Verdict::Unforeseen,
            Self::NoSuchColumn { .. } | Self::NoSheet { .. } | Self::NotFor { .. } => Verdict::Usage,
            _ => Verdict::Refused,
        };
        let message = self.to_string();
        // What is told of the whole file reads on from its name.
        let between = if message.starts_with("line ") { ": " } else { " " };
        let failure = Failure::new(verdict, format!("{}{between}{message}", escape_controls(name)));
        if let Self::CutCharacter { line } = self {
            return failure.hint(get_again(*line));
        }
        match self.hint() {
            // What comes by a pipe is changed in the pipe.
            Some(hint) if name == STDIN => failure.hint(hint.replace(OF_A_FILE, "` in the pipe")),
            Some(hint) => failure.hint(hint.replace(" FILE`", &format!(" {}`", shell_word(&escape_controls(name))))),
            None => failure,
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::Container(_) | Self::Broken(_) | Self::TooBig(_) => {
                Some("save the sheet as \"CSV UTF-8\" and give that file")
            }
            Self::Malformed { .. } => Some("name the encoding it was saved in, such as --encoding windows-1252"),
            Self::Nul { .. } => Some("if it is UTF-16, say --encoding utf-16le; else it is not a text file"),
            Self::NoHeader { hint, .. } => Some(hint),
            Self::NotInList { .. } => Some(NAMES),
            Self::Io(error) if error.kind() == io::ErrorKind::IsADirectory => Some("name a file in it"),
            Self::Empty | Self::Blank | Self::NoRows => Some(GIVE_ROWS),
            Self::NoSuchColumn { turned, .. } => turned.as_deref(),
            _ => None,
        }
    }
}

/// What to do about a list of names that may be anything.
pub(super) const NAMES: &str = "put a line such as email or referenceId on top, or ref:, email: or id: before each name: \
                                `sed s/^/ref:/ FILE`, piped into the command with `--file -`, does that for reference ids";

/// The same where the first one is an e-mail address.
pub(super) const ADDRESSES: &str = "put a line such as email on top, or email: before each address: `sed s/^/email:/ FILE`, \
                                    piped into the command with `--file -`, does that";
/// The same where the first one is a number.
pub(super) const NUMBERS: &str = "put a line such as id or referenceId on top, or id: or ref: before each number: \
                                  `sed s/^/id:/ FILE`, piped into the command with `--file -`, does that for entry ids, \
                                  which a list prints with -q";
/// What they are given in, where no pipe is.
const OF_A_FILE: &str = " FILE`, piped into the command with `--file -`,";
/// How standard input is called.
const STDIN: &str = "standard input";

/// What to do about a file that was cut off in this line.
pub fn get_again(line: u32) -> String {
    format!("get the whole file again: it ends in the middle of line {line}, and people may be missing from it")
}

fn is_wrong_path(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), IsADirectory | NotFound | PermissionDenied)
}
