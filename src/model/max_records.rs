//! `--max-records`: how many records a list may have before it is taken for one without an end.

/// Records of one list, at most, unless the user says otherwise.
pub const RECORDS_MAX: u64 = 10_000_000;

/// A list has more records than may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the list has more than {most} records: it may have no end")]
pub struct TooManyRecords {
    /// So many may be read.
    pub most: u64,
}

impl TooManyRecords {
    /// What to type next.
    pub const HINT: &str = "if that is right, --max-records N reads more";

    /// Whether so many records may be read.
    pub fn check(records: u64, most: u64) -> Result<(), Self> {
        if records > most { Err(Self { most }) } else { Ok(()) }
    }
}
