//! What went wrong with a request, and what that says about its effect.

use std::io;
use std::time::Duration;

use jiff::Timestamp;

use super::refused_certificate::RefusedCertificate;
use super::rejection::{Rejection, ask_again_at};
use super::whole_list::UNPROVEN;
use crate::model::max_records::TooManyRecords;
use crate::model::results::ResultsApi;
use crate::model::testtakers::EntryId;
use crate::model::time::utc;

/// What a failed request proves about its effect on the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// No byte of the request arrived: connection refused, DNS, TLS, connect timeout.
    NeverSent,
    /// The service said "not now" and did nothing: 429, or a test link's 409 `test_taker_not_provisioned`.
    RefusedForNow,
    /// The service said no and did nothing: a 4xx other than 408, 409 and 429.
    Refused,
    /// It may or may not have happened: reset, end of file, timeout, 408, 409, 3xx, 5xx.
    Lost,
    /// A 2xx whose body can't be used: it happened, but what it answered is unknown.
    DoneUnreadable,
}

impl Class {
    /// Whether the request certainly changed nothing.
    pub fn is_without_effect(self) -> bool {
        matches!(self, Self::NeverSent | Self::RefusedForNow | Self::Refused)
    }
}

/// What an error means for all that follows in a run. To decide how to go on, ask for this and not for a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 401: the service does not know the key.
    UnknownKey,
    /// 403: the key may not do this.
    Forbidden,
    /// The service does not have what was asked for.
    NotFound,
    /// The base URL is wrong, because something else than the service answers there: a redirect, a page for browsers, or
    /// a 404 about a list that the service always has.
    NotTheService,
    /// A permanent fault of set-up, before the service answered anything in this run.
    Misconfigured,
    /// Nothing more can be asked in this run: the deadline has passed, or the service asks for a longer pause than we
    /// wait.
    OutOfTime,
    /// Anything else: its [`Class`] says what it proves.
    Other,
}

/// What is wrong with the way to the service, so that trying again later is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupFault {
    /// The certificate is not accepted.
    #[error("{0}")]
    Certificate(RefusedCertificate),
    /// The resolver says that there is no such name. One that could not answer is no fault of set-up.
    #[error("this host name does not exist")]
    HostName,
    /// What answers a TLS handshake is no TLS.
    #[error("nothing speaks TLS at this port (is it plain http?)")]
    NotTls,
    /// What answers a request is no HTTP.
    #[error("nothing speaks HTTP at this port")]
    NotHttp,
}

/// In which way the body of a 2xx answer is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFault {
    /// Cut off, empty or not JSON: a read is repeated.
    Broken,
    /// That of a read, also when it was asked again: the service gives no whole answer now.
    BrokenAgain,
    /// A page for browsers, as proxies and portals send.
    Page,
    /// JSON of another shape than the specification shows, larger than any answer, or no answer at all (202, 206).
    Foreign,
}

/// A request that did not end as it should.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The service could not be reached.
    #[error("cannot reach {host}: {cause}")]
    NeverSent {
        /// Host and port.
        host: String,
        /// Why, in our words.
        cause: String,
        /// Whether trying again is useless: an untrusted certificate, say.
        permanent: bool,
    },
    /// The service was never reached in this run, and will not be until its address or certificate is changed.
    #[error("cannot reach {host}: {fault}")]
    Misconfigured {
        /// Host and port.
        host: String,
        /// What is wrong.
        fault: SetupFault,
        /// Whether bytes of the request went out all the same, to whatever answered.
        sent: bool,
    },
    /// The answer was lost after the request went out.
    #[error("no answer from {host}: {cause}")]
    Lost {
        /// Host and port.
        host: String,
        /// Why, in our words.
        cause: String,
    },
    /// The service answered with another status than 2xx.
    #[error("{0}")]
    Rejected(Box<Rejection>),
    /// A 2xx answer that can't be read.
    #[error("the service answered {status}, but {why}")]
    Unreadable {
        /// HTTP status.
        status: u16,
        /// What is wrong with the answer; never its content.
        why: String,
        /// What was wrong with it.
        body: BodyFault,
    },
    /// The deadline leaves no time for the request, or for the pause before its next attempt.
    #[error("{}", out_of_time(*.again, .before.as_deref()))]
    OutOfTime {
        /// When the service may be asked again, where it said so.
        again: Option<Timestamp>,
        /// How the last attempt ended, if there was one.
        before: Option<Box<Error>>,
    },
    /// The service asked for a longer pause than we wait, and this request was not sent.
    #[error("the service asks not to be called before {}", utc(*.again))]
    ToldToWait {
        /// When it may be asked again.
        again: Timestamp,
    },
    /// The results endpoints have the other documented shape.
    #[error("the service answers results in the {found} shape", found = shape_name(*.found))]
    OtherShape {
        /// The shape that was found.
        found: ResultsApi,
    },
    /// The service answered with another person's record.
    #[error("the service answered with another record than the one that was asked for ({0})")]
    OtherRecord(&'static str),
    /// The answer to an update was lost, and the record is neither as it was nor as it was to be.
    #[error("the answer was lost, and another update has changed the record meanwhile")]
    ChangedMeanwhile,
    /// Several test takers have the reference id by which one result was asked for.
    #[error("{} test takers have this reference id ({}), and the service would show one of their results",
        .0.len(), .0.iter().map(|entry| format!("id:{entry}")).collect::<Vec<_>>().join(", "))]
    SharedReferenceId(Vec<EntryId>),
    /// The service ignores the page parameter, so that a list can't be read whole.
    #[error("the service answers the same page for every page number: the list cannot be read whole")]
    RepeatedPage,
    /// The list moved so much, or its pages are such, that what was read of it and its count never agreed.
    #[error("{UNPROVEN}")]
    Unverified,
    /// The list has more records than may be read.
    #[error(transparent)]
    TooManyRecords(#[from] TooManyRecords),
    /// The list can't be kept until it is whole.
    #[error("cannot collect the list in the temporary folder: {0}")]
    Collect(io::Error),
    /// The run was stopped before this was sent.
    #[error("not sent: the run was stopped")]
    Closed,
    /// An id that can't be written as one segment of a path.
    #[error("this reference id cannot be written into a path")]
    Path,
    /// The platform has no certificates to trust, and none were given.
    #[error("this machine has no certificate store, so that no service can be trusted")]
    NoCertificateStore,
    /// The HTTP client could not be set up.
    #[error("cannot set up HTTP: {0}")]
    Setup(String),
}

fn out_of_time(again: Option<Timestamp>, before: Option<&Error>) -> String {
    let before = before.map(|error| format!(": {error}"));
    format!("the deadline leaves no time for this{}{}", ask_again_at(again), before.unwrap_or_default())
}

fn shape_name(api: ResultsApi) -> &'static str {
    match api {
        ResultsApi::Current => "current",
        ResultsApi::Legacy => "older (legacy)",
    }
}

impl Error {
    /// What this proves about the request's effect.
    pub fn class(&self) -> Class {
        match self {
            Self::OutOfTime { before: Some(error), .. } => error.class(),
            Self::OutOfTime { .. }
            | Self::NeverSent { .. }
            | Self::ToldToWait { .. }
            | Self::Closed
            | Self::Path
            | Self::Setup(_)
            | Self::NoCertificateStore
            | Self::Unverified
            | Self::SharedReferenceId(_)
            | Self::TooManyRecords(_)
            | Self::Collect(_)
            | Self::Misconfigured { sent: false, .. } => Class::NeverSent,
            Self::Lost { .. } | Self::ChangedMeanwhile | Self::Misconfigured { sent: true, .. } => Class::Lost,
            Self::Unreadable { .. } | Self::OtherShape { .. } | Self::OtherRecord(_) | Self::RepeatedPage => {
                Class::DoneUnreadable
            }
            Self::Rejected(rejection) => match rejection.status {
                429 => Class::RefusedForNow,
                409 if rejection.not_provisioned => Class::RefusedForNow,
                408 | 409 => Class::Lost,
                400..=499 => Class::Refused,
                _ => Class::Lost,
            },
        }
    }

    /// What this means for all that follows.
    pub fn kind(&self) -> Kind {
        match self {
            Self::OutOfTime { .. } | Self::ToldToWait { .. } => Kind::OutOfTime,
            Self::Misconfigured { .. } => Kind::Misconfigured,
            Self::Unreadable { body: BodyFault::Page, .. } => Kind::NotTheService,
            Self::Rejected(rejection) => match rejection.status {
                401 => Kind::UnknownKey,
                403 => Kind::Forbidden,
                404 if rejection.html_title.is_some() || rejection.always_there => Kind::NotTheService,
                404 if rejection.still_shown => Kind::Other,
                404 => Kind::NotFound,
                300..=399 => Kind::NotTheService,
                _ => Kind::Other,
            },
            _ => Kind::Other,
        }
    }

    /// HTTP status of a rejection.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Rejected(rejection) => Some(rejection.status),
            _ => None,
        }
    }

    /// `Retry-After` of a rejection.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Rejected(rejection) => rejection.retry_after,
            _ => None,
        }
    }

    /// Whether this is a test link's 409 `test_taker_not_provisioned`.
    pub fn is_not_provisioned(&self) -> bool {
        matches!(self, Self::Rejected(rejection) if rejection.not_provisioned)
    }

    /// What happened without the service's own words, where many people are concerned: those may name a person.
    pub fn redacted(&self) -> String {
        match self {
            Self::Rejected(rejection) => {
                let quiet = Rejection { html_title: None, ..(**rejection).clone().without_words() };
                quiet.to_string()
            }
            other => other.to_string(),
        }
    }

    /// Whether the service says that it does not have what was asked for. A page for browsers is not its word.
    pub fn is_not_found(&self) -> bool {
        self.kind() == Kind::NotFound
    }

    /// Whether the outcome is unknown and can be looked up: not where something else than the service answers.
    pub fn can_be_looked_up(&self) -> bool {
        self.outcome_unknown() && !matches!(self.kind(), Kind::NotTheService | Kind::Misconfigured)
    }

    /// A body that was broken at the last attempt of a read, too: the service gives no whole answer now.
    pub(super) fn after_last_read(self) -> Self {
        match self {
            Self::Unreadable { status, why, body: BodyFault::Broken } => {
                Self::Unreadable { status, why, body: BodyFault::BrokenAgain }
            }
            other => other,
        }
    }

    /// The server's own words, whole, for a report that the user asked for; never for stderr.
    pub fn unredacted(&self) -> String {
        match self {
            Self::Rejected(rejection) => match rejection.problem.words() {
                Some(words) => format!("{}: {words}", rejection.status),
                None => self.to_string(),
            },
            _ => self.to_string(),
        }
    }

    /// This error, or that of an earlier attempt of the same write which may have had its effect, where this one says
    /// only that the last attempt had none. That a person is not there is news in any case.
    #[must_use]
    pub fn prefer_ambiguous(self, before: Option<Self>) -> Self {
        match before {
            Some(before) if before.outcome_unknown() && !self.outcome_unknown() && !self.is_not_found() => before,
            _ => self,
        }
    }

    /// This error of a request that was not sent again, beside how its last attempt ended.
    pub(super) fn after(self, before: Option<Self>) -> Self {
        match self {
            Self::OutOfTime { again, .. } => Self::OutOfTime { again, before: before.map(Box::new) },
            error => before.unwrap_or(error),
        }
    }

    /// Whether the service said, before anything was done, that it is not. That something is not there proves no such
    /// thing: an earlier attempt may have done it.
    pub fn had_no_effect(&self) -> bool {
        !self.outcome_unknown() && !self.is_not_found()
    }

    /// Whether the request may have had its effect although no proper answer says so.
    pub fn outcome_unknown(&self) -> bool {
        matches!(self.class(), Class::Lost | Class::DoneUnreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error_body::Problem;

    fn rejected(status: u16, detail: Option<&str>, hidden: &[&str]) -> Error {
        Error::Rejected(Box::new(Rejection {
            status,
            problem: Problem { detail: detail.map(str::to_owned), ..Problem::default() },
            retry_after: None,
            html_title: None,
            location: None,
            hidden: hidden.iter().map(|&value| value.to_owned()).collect(),
            not_provisioned: false,
            always_there: false,
            still_shown: false,
        }))
    }

    #[test]
    fn each_status_proves_what_the_table_says() {
        for status in [400, 401, 403, 404, 413, 415, 422, 418] {
            assert_eq!(rejected(status, None, &[]).class(), Class::Refused, "{status}");
        }
        for status in [301, 307, 408, 409, 500, 502, 503, 504, 599] {
            assert_eq!(rejected(status, None, &[]).class(), Class::Lost, "{status}");
        }
        assert_eq!(rejected(429, None, &[]).class(), Class::RefusedForNow);
        assert!(!rejected(307, None, &[]).worth_retrying());
        assert!(rejected(503, None, &[]).worth_retrying());
    }

    #[test]
    fn what_the_request_carried_is_masked_in_the_servers_words_and_whole_in_the_report() {
        let error = rejected(400, Some("Zoe@Example.com is taken by zoe"), &["zoe@example.com", "Zoe", ""]);
        assert_eq!(error.to_string(), "400 Bad Request: … is taken by …");
        assert_eq!(error.unredacted(), "400: Zoe@Example.com is taken by zoe");
    }

    #[test]
    fn a_title_that_repeats_the_reason_is_said_once() {
        let said = |words: &str| rejected(401, Some(words), &[]).to_string();
        assert_eq!(said("Unauthorized: no key"), "401 Unauthorized: no key");
        assert_eq!(said("Unauthorized"), "401 Unauthorized");
        assert_eq!(said("no key"), "401 Unauthorized: no key");
    }
}
