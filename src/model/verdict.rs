//! How a command ended. `exit.rs` alone turns a verdict into an exit code.

use std::fmt;

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
    /// All of them, in the order of the table of exit codes.
    pub const ALL: [Self; 14] = [
        Self::Done,
        Self::Unforeseen,
        Self::Usage,
        Self::Key,
        Self::NotFound,
        Self::Refused,
        Self::NoAnswer,
        Self::Unfinished,
        Self::Matched,
        Self::Locked,
        Self::RowsToFix,
        Self::Held,
        Self::Interrupted,
        Self::Terminated,
    ];

    /// What it means, in one line.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done, also when the reader closed the pipe",
            Self::Unforeseen => "unforeseen, local disk included",
            Self::Usage => "usage or configuration",
            Self::Key => "no key, or the service refused it",
            Self::NotFound => "not found; of many, all of them",
            Self::Refused => "the data was refused and nothing was changed",
            Self::NoAnswer => "no answer after all retries; nothing was done, nothing is in doubt",
            Self::Unfinished => "unfinished: something is in doubt or was not attempted; the same command goes on",
            Self::Matched => "a result of --fail-on is there; the output was written all the same",
            Self::Locked => "another run holds the lock",
            Self::RowsToFix => "finished, but some rows were refused, invalid or in conflict",
            Self::Held => "a sync is held: more people would leave than its limit allows; nobody was removed",
            Self::Interrupted => "interrupted or declined, after a clean stop",
            Self::Terminated => "ended by a signal, after a clean stop",
        }
    }

    /// Whether the command did what it is for, to its end: also where it found what it was to look for, and where some
    /// rows wait for a person.
    pub fn is_finished(self) -> bool {
        matches!(self, Self::Done | Self::Matched | Self::RowsToFix)
    }
}

/// An error with a verdict of its own: one line of cause and at most one hint with the next command to type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// How the command ends.
    pub verdict: Verdict,
    /// What happened, in one line.
    pub cause: String,
    /// What to type next.
    pub hint: Option<String>,
}

impl Failure {
    /// A failure without a hint.
    pub fn new(verdict: Verdict, cause: impl Into<String>) -> Self {
        Self { verdict, cause: cause.into(), hint: None }
    }

    /// The call is wrong: exit 2.
    pub fn usage(cause: impl Into<String>) -> Self {
        Self::new(Verdict::Usage, cause)
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl std::error::Error for Failure {}

/// What to type where something else answers than the service.
pub const WRONG_BASE_URL: &str = "the base URL is probably wrong; `assessctl config show` tells where it comes from";
