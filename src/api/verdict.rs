//! What a failed request means for a command: its verdict and its hint.

use jiff::Timestamp;

use super::error::Error;
use crate::model::time::local;
use crate::model::verdict::{Failure, Verdict};

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let (verdict, hint) = meaning(error);
        Self { verdict, cause: cause(error), hint: hint.map(str::to_owned) }
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

/// How a command ends by an error, and what to do next. The first line that holds decides.
fn meaning(error: &Error) -> (Verdict, Option<&'static str>) {
    const NETWORK: &str = "check the base URL and the network: assessctl doctor";
    const CHANGED: &str = "check whether the base URL is wrong or the service has changed: assessctl doctor";
    match error {
        _ if error.asks_too_long() => (Verdict::NothingDone, Some("run the same command again at that time")),
        Error::Status { status: 401, .. } => (Verdict::Key, Some("check the API key: assessctl doctor")),
        Error::Status { status: 403, .. } => {
            (Verdict::Key, Some("this API key has no right to do this: ask for another key in the portal"))
        }
        Error::Status { status: 429, .. } => (Verdict::NothingDone, Some("the service is busy: try again later")),
        Error::NeverSent { is_setup: true, .. } => {
            (Verdict::Usage, Some("check the base URL, `ca-cert` and the proxy: assessctl doctor"))
        }
        _ if error.is_not_the_service() => (Verdict::Usage, Some("check the base URL and the proxy: assessctl doctor")),
        Error::UnknownProject => (Verdict::Usage, Some("assessctl projects list")),
        Error::WrongAddress => (Verdict::Usage, Some(NETWORK)),
        Error::SharedReferenceId(_) => (Verdict::Usage, Some("name one by its entry id, such as id:4711")),
        Error::Setup(_) => (Verdict::Usage, None),
        Error::NeverSent { .. } | Error::Lost { .. } | Error::Away => (Verdict::NothingDone, Some(NETWORK)),
        Error::Unreadable { is_cut: true, .. } => (Verdict::NothingDone, Some(CHANGED)),
        Error::Unreadable { .. } => (Verdict::Unforeseen, Some(CHANGED)),
        Error::TwoResults => (Verdict::Unfinished, Some("run the same command again in a few minutes")),
        Error::Unproven => (Verdict::Unfinished, Some("run the same command again when fewer people are changing")),
        Error::Status { status: 408 | 500.., .. } | Error::Stopped => (Verdict::NothingDone, None),
        Error::Status { status: 404 | 410, .. } => (Verdict::NotFound, None),
        Error::Status { .. } => (Verdict::Refused, None),
        Error::OtherRecord => (Verdict::Unforeseen, None),
    }
}
