//! What a file says, whatever its encoding and separators are: the same file again counts no absence.

use std::fmt::Write as _;

use crate::commands::testtakers::sync_context::SyncPart;
use crate::model::text_digest::TextDigest;

/// The hash of the rows of all projects.
pub fn digest(parts: &[SyncPart]) -> String {
    let mut digest = TextDigest::new();
    for SyncPart { project, roster, .. } in parts {
        digest.add(&project.to_string());
        for row in 0..roster.row_count() {
            for value in roster.values(row) {
                digest.add(value.unwrap_or_default());
            }
        }
    }
    hex(digest.finish().as_ref())
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        // A text takes whatever is written.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
