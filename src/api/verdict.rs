//! What a failed request means for a command: its verdict and its hint.

use jiff::Timestamp;

use super::error::Error;
use crate::model::time::local;
use crate::model::verdict::{Failure, Verdict};

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let failure = Self::new(verdict(error), cause(error));
        match hint(error) {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

/// What happened, with the time of a wait that is too long to be waited for.
fn cause(error: &Error) -> String {
    match error.retry_after().filter(|_| error.asks_too_long()) {
        Some(wait) => {
            let until = Timestamp::now().saturating_add(wait).map_or_else(|_| "another year".to_owned(), local);
            format!("the service asks to wait until {until}")
        }
        None => error.to_string(),
    }
}

fn verdict(error: &Error) -> Verdict {
    match error {
        Error::Status { status: 401 | 403, .. } => Verdict::Key,
        _ if error.is_not_the_service() => Verdict::Usage,
        Error::NeverSent { is_setup: true, .. }
        | Error::UnknownProject
        | Error::WrongAddress
        | Error::Setup(_)
        | Error::SharedReferenceId(_) => Verdict::Usage,
        Error::Status { status: 408 | 429 | 500.., .. }
        | Error::NeverSent { .. }
        | Error::Lost { .. }
        | Error::Stopped
        | Error::Away
        | Error::Unreadable { is_cut: true, .. } => Verdict::NothingDone,
        Error::Status { status: 404 | 410, .. } => Verdict::NotFound,
        Error::Status { .. } => Verdict::Refused,
        Error::Unproven => Verdict::Unfinished,
        Error::Unreadable { .. } | Error::OtherRecord => Verdict::Unforeseen,
    }
}

fn hint(error: &Error) -> Option<&'static str> {
    Some(match error {
        _ if error.asks_too_long() => "run the same command again at that time",
        Error::Status { status: 401, .. } => "check the API key: assessctl doctor",
        Error::Status { status: 403, .. } => "this API key has no right to do this: ask for another one in the portal",
        Error::Status { status: 429, .. } => "the service is busy: try again later",
        Error::NeverSent { is_setup: true, .. } => "check the base URL, `ca-cert` and the proxy: assessctl doctor",
        _ if error.is_not_the_service() => "check the base URL and the proxy: assessctl doctor",
        Error::UnknownProject => "assessctl projects list",
        Error::WrongAddress | Error::NeverSent { .. } | Error::Lost { .. } | Error::Away => {
            "check the base URL and the network: assessctl doctor"
        }
        Error::Unreadable { .. } => "check whether the base URL is wrong or the service has changed: assessctl doctor",
        Error::Unproven => "run the same command again when fewer people are changing",
        Error::SharedReferenceId(_) => "name one by its entry id, such as id:4711",
        _ => return None,
    })
}
