//! An error of a command in words for people: what happened, and what to type next.

use std::fmt;

use super::exit_ranks::Verdict;

/// An error with a verdict of its own: one line of cause and at most one hint with the next command to type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// How the command ends.
    pub verdict: Verdict,
    /// What happened, in one line.
    pub cause: String,
    /// What to type next.
    pub hint: Option<String>,
    /// Of a refused value, what was probably meant: another value, or options in place of it and its option.
    pub meant: Option<String>,
}

impl Failure {
    /// A failure without a hint.
    pub fn new(verdict: Verdict, cause: impl Into<String>) -> Self {
        Self { verdict, cause: cause.into(), hint: None, meant: None }
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

    /// Says which value was probably meant, as the hint does.
    #[must_use]
    pub fn meant(mut self, value: impl Into<String>) -> Self {
        self.meant = Some(value.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl std::error::Error for Failure {}

/// What to set where the temporary folder is full, not there, or another account's.
pub const TEMPORARY_FOLDER: &str = "set TMPDIR to a folder that you can write to, on a disk with room";

/// What to do where the service accepts the key and refuses the operation.
pub const FORBIDDEN_KEY: &str = "this API key may not do that; ask for one that may";

/// What to type where something else answers than the service.
pub const WRONG_BASE_URL: &str = "the base URL is probably wrong; `assessctl config show` tells where it comes from";
