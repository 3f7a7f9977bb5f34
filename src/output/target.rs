//! Which files `--to` may name: what it cannot mean is refused before anything is asked of the service.

use std::path::Path;

use super::Error;
use super::error::FOLDER;
use crate::files::{check_place, names_folder};
use crate::model::output_format::Format;

/// Endings of files that hold something else than a page or a picture of ours.
const OTHER_ENDINGS: [&str; 16] = [
    "csv", "json", "ndjson", "jsonl", "xlsx", "xls", "ods", "doc", "docx", "odt", "pdf", "txt", "md", "png", "jpg",
    "gif",
];

/// Refuses a file that is called after a format which the command does not write; `ours` is the ending that fits, also
/// in another spelling.
pub fn check_ending(path: &Path, ours: &'static str) -> Result<(), Error> {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    match ending {
        Some(ending) if ending != ours && OTHER_ENDINGS.contains(&ending.as_str()) => {
            let format = Format::of_ending(&ending);
            if format.is_some() && format == Format::of_ending(ours) {
                return Ok(());
            }
            Err(Error::OtherFormat { path: path.to_owned(), ours })
        }
        _ => Ok(()),
    }
}

/// Refuses what `--to` cannot mean, before anything is asked of the service.
pub fn check_target(path: &Path) -> Result<(), Error> {
    if path.as_os_str().is_empty() {
        return Err(refused(path, "give the name of a file"));
    }
    if path.to_str().is_some_and(|path| path.contains("://")) {
        return Err(refused(path, "it is an address: write a file of this machine, or a pipe"));
    }
    if path.is_dir() || names_folder(path) {
        return Err(refused(path, FOLDER));
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(refused(path, "its folder does not exist"))
        }
        _ => check_place(path).map_err(|source| Error::File { path: path.to_owned(), source }),
    }
}

fn refused(path: &Path, reason: &'static str) -> Error {
    Error::Target { path: path.to_owned(), reason }
}
