//! Which exit a command takes that an error of a request ends: what is wrong with the call, and what may be tried later.

use super::error::{BodyFault, Class, Error, Kind};
use crate::model::exit_ranks::Verdict;

impl Error {
    /// How a command ends that this error ends.
    pub fn verdict(&self) -> Verdict {
        match (self.kind(), self) {
            (Kind::UnknownKey | Kind::Forbidden, _) => Verdict::Key,
            (Kind::NotFound, _) => Verdict::NotFound,
            (Kind::NotTheService | Kind::Misconfigured, _)
            | (
                _,
                Self::OtherShape { .. }
                | Self::SharedReferenceId(_)
                | Self::Path
                | Self::Setup(_)
                | Self::NoCertificateStore,
            ) => Verdict::Usage,
            (Kind::OutOfTime, _) | (_, Self::Unreadable { body: BodyFault::BrokenAgain, .. }) => Verdict::NoAnswer,
            (_, Self::Unverified) => Verdict::Unfinished,
            (
                _,
                Self::Unreadable { .. }
                | Self::OtherRecord(_)
                | Self::RepeatedPage
                | Self::TooManyRecords(_)
                | Self::Collect(_),
            ) => Verdict::Unforeseen,
            _ if self.class() == Class::Refused => Verdict::Refused,
            _ => Verdict::NoAnswer,
        }
    }
}
