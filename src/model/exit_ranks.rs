//! How a command ended, and which of several ends is the gravest and becomes the exit code; `exit.rs` alone knows the numbers.
//! How one run over many rows ended stands in `bulk/run_verdict.rs`; of what `doctor` looks at, the first trouble counts.

/// The ways in which a command ends, the mildest first: of several the greatest counts, so that an alert is never
/// hidden by what else went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Done, also when the reader closed the pipe.
    Done,
    /// Usage or configuration; an ambiguous name; a redirect.
    Usage,
    /// Not found; of many, all of them.
    NotFound,
    /// The data was refused and nothing was changed.
    Refused,
    /// No answer after all retries; nothing was done, nothing is in doubt.
    NoAnswer,
    /// Another run holds the lock.
    Locked,
    /// Finished, but some rows were refused, invalid, in conflict or enrolled twice.
    RowsToFix,
    /// A sync is held: more people would leave than its limit allows, and none of them was removed.
    Held,
    /// Something is in doubt or was not attempted.
    Unfinished,
    /// A result of `--fail-on` is there; the output was written all the same.
    Matched,
    /// Unforeseen, local disk included.
    Unforeseen,
    /// No key, 401 or 403.
    Key,
    /// SIGINT, or the user declined, after a clean stop.
    Interrupted,
    /// SIGTERM, after a clean stop.
    Terminated,
}

impl Verdict {
    /// How a command of several parts ends where this is the end of one, and another one changed something: what says that
    /// nothing was done is then unfinished.
    #[must_use]
    pub fn beside_changes(self) -> Self {
        match self {
            Self::Usage | Self::NotFound | Self::Refused | Self::NoAnswer | Self::Locked => Self::Unfinished,
            other => other,
        }
    }

    /// Whether the command did what it is for, to its end: also where it found what it was to look for, and where some
    /// rows wait for a person.
    pub fn is_finished(self) -> bool {
        matches!(self, Self::Done | Self::Matched | Self::RowsToFix)
    }
}
