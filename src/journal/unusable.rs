//! Why the journal's file cannot be used, in words.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;

/// What is to be typed where it cannot be written.
pub(super) const WRITABLE: &str = "set ASSESSCTL_STATE_DIR to a folder that you can write to, on a disk with room";

/// Whether another run is using the file.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Why the file cannot be used, in words.
pub(super) fn unusable(file: &Path, error: &rusqlite::Error) -> Failure {
    let is_busy = is_busy(error);
    let (what, hint) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            ("is damaged".to_owned(), "restore a backup; deleting it loses the record of what was sent")
        }
        _ if is_busy => ("is in use by another run".to_owned(), "try again when it has ended"),
        Some(ErrorCode::DiskFull) => {
            ("cannot be written: the disk is full".to_owned(), "make room, then run the same command again")
        }
        _ => (format!("cannot be used: {error}"), WRITABLE),
    };
    let verdict = if is_busy { Verdict::Locked } else { Verdict::Unforeseen };
    Failure::new(verdict, format!("the journal {} {what}", file.display())).hint(hint)
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn what_can_be_done_about_a_file_depends_on_what_is_wrong_with_it() {
        for (code, cause, hint) in [
            (ffi::SQLITE_NOTADB, "is damaged", "restore a backup"),
            (ffi::SQLITE_CORRUPT, "is damaged", "restore a backup"),
            (ffi::SQLITE_BUSY, "is in use by another run", "try again"),
            (ffi::SQLITE_LOCKED, "is in use by another run", "try again"),
            (ffi::SQLITE_FULL, "cannot be written: the disk is full", "make room"),
            (ffi::SQLITE_READONLY, "cannot be used: ", WRITABLE),
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let failure = unusable(Path::new("journal.db"), &error);
            assert!(failure.cause.starts_with(&format!("the journal journal.db {cause}")), "{failure}");
            assert!(failure.hint.as_ref().is_some_and(|told| told.starts_with(hint)), "{failure:?}");
            let is_busy = cause.contains("another run");
            assert_eq!(failure.verdict, if is_busy { Verdict::Locked } else { Verdict::Unforeseen }, "{failure:?}");
        }
    }
}
