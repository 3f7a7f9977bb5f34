//! How a command ends, and an error in words for people.

/// The ways in which a command ends, the mildest first: of several the greatest counts. `exit.rs` gives the numbers
/// (docs/reference.md, exit codes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Done, also when the reader closed the pipe.
    Done,
    /// Not found; of many, all of them.
    NotFound,
    /// The data was refused and nothing was changed.
    Refused,
    /// Nothing was done: no answer after all attempts, or another run is at work.
    NothingDone,
    /// Finished, but some rows need a person.
    RowsToFix,
    /// A sync is held.
    Held,
    /// Something is in doubt or was not attempted, or a list could not be read whole.
    Unfinished,
    /// `--fail-on` matched.
    Alert,
    /// Unforeseen, local disk included.
    Unforeseen,
    /// The call or the configuration is wrong.
    Usage,
    /// No key, 401 or 403.
    Key,
    /// The question was answered with no.
    Declined,
    /// SIGINT.
    Interrupted,
    /// SIGTERM.
    Terminated,
}

/// An error with one line of cause and at most one hint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct Failure {
    pub verdict: Verdict,
    pub cause: String,
    /// What to do next, best a command to type.
    pub hint: Option<String>,
}

impl Failure {
    pub fn new(verdict: Verdict, cause: impl Into<String>) -> Self {
        Self { verdict, cause: cause.into(), hint: None }
    }

    /// The call or the configuration is wrong.
    pub fn usage(cause: impl Into<String>) -> Self {
        Self::new(Verdict::Usage, cause)
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}
