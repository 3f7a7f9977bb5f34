//! What stops a change before it begins: a profile that may only read, or the answer to a question.

use super::session::Session;
use crate::model::verdict::{Failure, Verdict};

impl Session {
    /// Whether this profile may change anything.
    pub fn may_write(&self) -> Result<(), Failure> {
        if self.settings()?.read_only {
            return Err(Failure::usage("this profile is read-only").hint("add --profile NAME"));
        }
        Ok(())
    }

    /// Asks before something is removed or forgotten. Without a terminal `--yes` must have answered.
    pub fn confirm(&self, question: &str, yes: bool) -> Result<(), Failure> {
        match yes || self.console.ask(question) {
            true => Ok(()),
            false if self.console.can_ask() => Err(Failure::new(Verdict::Declined, "nothing was done")),
            false => Err(Failure::usage("nothing was done: without a terminal, this needs --yes").hint("add --yes")),
        }
    }
}
