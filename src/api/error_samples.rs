//! Errors by what a service answered, for the tests of what follows from them.

use std::time::Duration;

use super::error::{BodyFault, Error};
use super::rejection::Rejection;
use crate::model::error_body::Problem;

/// What a 429 of these asks to wait.
pub const PAUSE: Duration = Duration::from_secs(3);

/// An answer with this status, whose words name the person of the request.
pub fn rejected(status: u16) -> Error {
    Error::Rejected(Box::new(Rejection {
        status,
        problem: Problem { detail: Some("no to Zoe".to_owned()), ..Problem::default() },
        retry_after: (status == 429).then_some(PAUSE),
        html_title: None,
        location: None,
        hidden: vec!["Zoe".to_owned()],
        not_provisioned: false,
        always_there: false,
        still_shown: false,
    }))
}

/// A 2xx with a page for browsers.
pub fn page() -> Error {
    Error::Unreadable { status: 200, why: "its body is a page".to_owned(), body: BodyFault::Page }
}

/// A 2xx with something else than was asked for.
pub fn foreign() -> Error {
    Error::Unreadable { status: 200, why: "its body is no record".to_owned(), body: BodyFault::Foreign }
}

/// Nothing arrived.
pub fn never_sent(permanent: bool) -> Error {
    Error::NeverSent { host: "a.example:443".to_owned(), cause: "refused".to_owned(), permanent }
}

/// No answer came.
pub fn lost() -> Error {
    Error::Lost { host: "a.example:443".to_owned(), cause: "reset".to_owned() }
}

/// The deadline left no time for a request, or for another one after this.
pub fn out_of_time(before: Option<Error>) -> Error {
    Error::OutOfTime { again: None, before: before.map(Box::new) }
}
