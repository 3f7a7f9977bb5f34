//! Why records cannot be shown.

use std::io;
use std::path::{Path, PathBuf};

use super::terminal::stdout_is_closed;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::TEMPORARY_FOLDER;
use crate::model::output_format::Format;

/// What is said of a folder in the place of a file.
pub(super) const FOLDER: &str = "it is a folder";

/// An error of printing: what could not be done, its source why, and a hint where there is something to type.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `--fields` names what the record does not have.
    #[error("there is no field {field:?} here: the fields are {known}")]
    UnknownField {
        /// What was asked for.
        field: String,
        /// The fields there are, with commas.
        known: String,
        /// What was probably meant, none or one of several.
        near: Vec<String>,
    },
    /// `--fields` names a field twice.
    #[error("the field {0:?} is named twice")]
    DoubledField(String),
    /// `--jq` asks for a field that the output does not have.
    #[error("--jq: there is no field {field:?} {}: the fields {}are {known}",
        if *of_list { "in a list" } else { "here" },
        if *of_list { "of its records " } else { "" })]
    #[cfg_attr(not(feature = "jq"), expect(dead_code, reason = "there is no expression in such a build"))]
    JqField {
        /// What was asked for.
        field: String,
        /// The fields there are, with commas.
        known: String,
        /// Whether a list was asked for it, and not one of its records.
        of_list: bool,
        /// What was probably meant.
        meant: Option<String>,
    },
    /// `--excel` with another format than CSV.
    #[error("--excel is for CSV alone")]
    NotForSpreadsheets(Format),
    /// `--no-header` with a format that has none.
    #[error("--no-header does nothing with {}", .0.ending().to_uppercase())]
    NoHeader(Format),
    /// `--jq` without JSON.
    #[error("--jq goes with JSON alone")]
    NotForJq,
    /// The expression of `--jq` cannot be understood.
    #[error("--jq: {what} (line {line}, character {column})")]
    #[cfg_attr(not(feature = "jq"), expect(dead_code, reason = "there is no expression in such a build"))]
    Jq {
        /// What is wrong.
        what: String,
        /// The line of the expression, counted from one.
        line: usize,
        /// The character of the line, counted from one.
        column: usize,
    },
    /// The expression of `--jq` ended with an error; nothing was printed.
    #[error("--jq: {why} (after {after} results)")]
    #[cfg_attr(not(feature = "jq"), expect(dead_code, reason = "there is no expression in such a build"))]
    JqFailed {
        /// How many results there were before.
        after: usize,
        /// Why, without the value that it is about: that may be a person's.
        why: &'static str,
    },
    /// `-o xlsx` without `--to`.
    #[error("a workbook is no text: it needs a file")]
    NeedsFile,
    /// What a workbook has no room for.
    #[error("this cannot stand in a workbook: {0}")]
    #[cfg_attr(not(feature = "xlsx"), allow(dead_code, reason = "no workbook is written"))]
    NotInWorkbook(String),
    /// This build writes no workbooks.
    #[error("this build of assessctl writes no workbooks")]
    #[cfg_attr(feature = "xlsx", allow(dead_code, reason = "this build does"))]
    NoWorkbooks,
    /// The file of `--to` has an ending that names no format, and `-o` names none either.
    #[error("cannot tell the format from the ending of {}", .0.display())]
    UnknownFormat(PathBuf),
    /// The file of `--to` is called after a format that the command does not write.
    #[error("{} would not be what its ending says: this is written as {}", path.display(), ours.to_uppercase())]
    OtherFormat {
        /// What `--to` names.
        path: PathBuf,
        /// The ending of what is written.
        ours: &'static str,
    },
    /// A record that is not JSON of the shape that was announced.
    #[error("a record cannot be shown")]
    Record(#[from] serde_json::Error),
    /// The file of `--to` cannot be what the user meant.
    #[error("cannot write to {path}: {reason}", path = path.display())]
    Target {
        /// What `--to` names.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// The file of `--to` is to be continued, and holds something else.
    #[error("cannot continue {}: it has other columns or another format than this run writes; it was not changed", .0.display())]
    Foreign(PathBuf),
    /// The file of `--to` cannot be written; what stood there before still does.
    #[error("cannot write to {path}", path = path.display())]
    File {
        /// What `--to` names.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Standard output cannot be written, a closed pipe aside.
    #[error("cannot write to standard output")]
    Stdout(#[source] io::Error),
    /// The temporary folder is full or not there.
    #[error("cannot keep the output in the temporary folder until it is whole")]
    Spool(#[source] io::Error),
}

impl Error {
    /// How the command ends.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::File { source, .. } if source.kind() == io::ErrorKind::TimedOut => Verdict::NoAnswer,
            Self::JqFailed { .. }
            | Self::NotInWorkbook(_)
            | Self::Record(_)
            | Self::File { .. }
            | Self::Stdout(_)
            | Self::Spool(_) => Verdict::Unforeseen,
            // What was asked for cannot be done.
            _ => Verdict::Usage,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::UnknownField { near, .. } if !near.is_empty() => {
                return Some(format!("did you mean {}?", near.join(" or ")));
            }
            Self::JqField { meant, .. } => return meant.clone(),
            Self::OtherFormat { ours, .. } => return Some(format!("end the name in .{ours}")),
            Self::NotForSpreadsheets(Format::Xlsx) => "leave --excel out: a workbook needs none",
            Self::NotForSpreadsheets(_) => "add -o csv",
            Self::NoHeader(_) => "leave it out: each record names its fields",
            Self::NotForJq => {
                "leave -o out: texts come out as they are, and `@csv` or `@tsv` in the expression makes rows"
            }
            Self::JqFailed { .. } => "-o json shows what the expression is run over",
            Self::NeedsFile => "add --to FILE.xlsx",
            Self::NotInWorkbook(_) | Self::NoWorkbooks => "take another format, such as --to FILE.csv",
            Self::Target { reason: FOLDER, .. } => {
                "name a file in it; `assessctl results export --to-dir FOLDER` writes a file for each project"
            }
            Self::UnknownFormat(path) if is_date(path) => {
                "--to names a file and no time; as one it ends in .csv, .json, .ndjson, .xlsx or .txt"
            }
            Self::UnknownFormat(_) => "end the name in .csv, .json, .ndjson, .xlsx or .txt, or add -o FORMAT",
            Self::Stdout(_) if stdout_is_closed() => "open it (> /dev/null throws the output away), or add --to FILE",
            Self::Foreign(_) => "name a new file, or give the -o, --fields and --with that it was begun with",
            Self::Spool(_) => TEMPORARY_FOLDER,
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// Whether a file is called as a day or a time is written.
fn is_date(path: &Path) -> bool {
    let name = path.to_str().unwrap_or_default();
    let day = name.get(..10).unwrap_or_default().as_bytes();
    day.iter().enumerate().all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
        && day.len() == 10
}
