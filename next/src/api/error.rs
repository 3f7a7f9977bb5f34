//! How a request can fail, and what that proves about its effect.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{DATE, HeaderMap, LOCATION, RETRY_AFTER};

use super::words::{is_page, plain};
use crate::model::problem::Problem;

/// The code of the 409 that a test link gets right after a creation (specification, Errors 4).
const NOT_PROVISIONED: &str = "test_taker_not_provisioned";

/// What a failed request did on the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Certainly nothing.
    None,
    /// It may or may not have happened.
    Unknown,
    /// It happened; only the answer cannot be used.
    Done,
}

/// How a request failed. `Display` shows plain words of the service only (design §10).
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// No byte of it left.
    #[error("cannot reach {host}: {why}")]
    NeverSent { host: String, why: String, is_setup: bool },
    #[error("no answer from {host}: {why}")]
    Lost { host: String, why: String },
    /// An answer with another status than 200, 201 or 204. `whole` has the service's own words, for a report only.
    #[error("the service answered {status}{}{said}", if said.is_empty() { "" } else { ": " })]
    Status {
        status: u16,
        said: String,
        whole: String,
        code: Option<String>,
        retry_after: Option<Duration>,
        is_page: bool,
    },
    #[error("the service answered {status}, but {why}")]
    Unreadable { status: u16, why: String, is_cut: bool },
    #[error("the service answered with another record than the one that was asked for")]
    OtherRecord,
    #[error("{0} test takers have this reference id, and the service would show the result of only one")]
    SharedReferenceId(usize),
    #[error("the service does not know this project")]
    UnknownProject,
    #[error("the service has no such address: the base URL is probably wrong")]
    WrongAddress,
    #[error("the list could not be read whole: it changes all the time, or its pages do not agree")]
    Unproven,
    #[error("not sent: the run was stopped")]
    Stopped,
    #[error("not sent: three answers in a row were lost, and none came since")]
    Away,
    /// A request that cannot be built.
    #[error("{0}")]
    Setup(String),
}

impl Error {
    /// What this failure proves about the effect of the request (design §7, rules 6 and 7).
    pub fn effect(&self) -> Effect {
        match self {
            _ if self.is_not_provisioned() => Effect::None,
            Self::Status { status: 408 | 409 | 500.. | ..400, .. } | Self::Lost { .. } => Effect::Unknown,
            Self::Unreadable { .. } | Self::OtherRecord => Effect::Done,
            _ => Effect::None,
        }
    }

    /// Whether another attempt may end otherwise.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::NeverSent { is_setup, .. } => !is_setup,
            Self::Status { status, is_page, .. } => matches!(status, 408 | 429 | 500..) && !is_page,
            Self::Unreadable { is_cut, .. } => *is_cut,
            Self::Lost { .. } => true,
            _ => false,
        }
    }

    /// The status of an answer that was no success.
    pub fn status(&self) -> Option<u16> {
        if let Self::Status { status, .. } = self { Some(*status) } else { None }
    }

    /// The 409 that right after a creation means: not yet.
    pub fn is_not_provisioned(&self) -> bool {
        matches!(self, Self::Status { status: 409, code: Some(code), .. } if code == NOT_PROVISIONED)
    }

    /// How long the service asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        if let Self::Status { retry_after, .. } = self { *retry_after } else { None }
    }

    /// Whether something else than the service answers: a redirect or a page for browsers.
    pub fn is_not_the_service(&self) -> bool {
        matches!(self, Self::Status { status: 300..400, .. } | Self::Status { is_page: true, .. })
    }

    /// The service's own words: for a report that the user asked for, never for a terminal or a log.
    pub fn whole(&self) -> String {
        match self {
            Self::Status { status, whole, .. } if !whole.is_empty() => format!("{status}: {whole}"),
            other => other.to_string(),
        }
    }

    /// An answer with another status than an operation's own. `carried` are the words of the request and its record; `key`
    /// is in no words at all.
    pub(super) fn of_status(status: u16, headers: &HeaderMap, body: &[u8], carried: &[String], key: &str) -> Self {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let problem: Problem = serde_json::from_slice(body).unwrap_or_default();
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let target = || header(LOCATION).and_then(|to| reqwest::Url::parse(to).ok());
        let whole = problem.words().replace(key, "…");
        let said = match status {
            300..400 => match target().as_ref().and_then(reqwest::Url::host_str) {
                Some(host) => format!("a redirect to {host}, which is not followed"),
                None => "a redirect, which is not followed".to_owned(),
            },
            _ if is_page(body) => "a page for browsers, maybe of a proxy".to_owned(),
            _ => plain(&whole, carried),
        };
        let retry_after = header(RETRY_AFTER).and_then(|value| pause(value, date(headers)));
        Self::Status { status, said, whole, code: problem.code, retry_after, is_page: is_page(body) }
    }

    /// Why no answer came, in our words: the library's text may hold the peer's.
    pub(super) fn of_transport(error: &reqwest::Error, host: &str) -> Self {
        let causes =
            || std::iter::successors(Some(error as &(dyn std::error::Error + 'static)), |error| error.source());
        let tls = causes().find_map(|cause| match cause.downcast_ref::<rustls::Error>() {
            Some(rustls::Error::InvalidCertificate(why)) => Some(format!("its certificate is not accepted: {why}")),
            Some(_) => Some("it does not speak TLS as expected".to_owned()),
            None => None,
        });
        // The proxy's status reaches us only as this text of the HTTP library.
        let asks_proxy = causes().any(|cause| cause.to_string().contains("proxy authorization required"));
        let system = causes().find_map(|cause| cause.downcast_ref::<std::io::Error>()).map(std::io::Error::kind);
        let why = match (&tls, system) {
            _ if asks_proxy => "the proxy asks for a user and password".to_owned(),
            (Some(why), _) => why.clone(),
            _ if error.is_timeout() => "it took too long".to_owned(),
            (_, Some(kind)) if kind != std::io::ErrorKind::Other => kind.to_string(),
            _ if error.is_connect() => "its name could not be looked up, or nothing answers there".to_owned(),
            _ => "the connection broke".to_owned(),
        };
        let host = host.to_owned();
        if error.is_connect() || error.is_builder() {
            return Self::NeverSent { host, why, is_setup: asks_proxy || tls.is_some() || error.is_builder() };
        }
        Self::Lost { host, why }
    }
}

/// When the service answered, by its own clock.
pub(super) fn date(headers: &HeaderMap) -> Option<Timestamp> {
    instant(headers.get(DATE)?.to_str().ok()?)
}

fn instant(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::parse(text).ok().map(|zoned| zoned.timestamp())
}

/// `Retry-After`: seconds, or a date, read against the answer's own date. A time in the past is no wait.
fn pause(value: &str, date: Option<Timestamp>) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    Some(instant(value)?.duration_since(date.unwrap_or_else(Timestamp::now)).try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, body: &str) -> Error {
        Error::of_status(status, &HeaderMap::new(), body.as_bytes(), &[], "k-1")
    }

    #[test]
    fn each_status_proves_what_the_design_says() {
        for code in [202, 206, 302, 408, 409, 500, 502, 503, 504, 599] {
            assert_eq!(status(code, "").effect(), Effect::Unknown, "{code}");
        }
        for code in [400, 401, 403, 404, 405, 410, 413, 415, 422, 429] {
            assert_eq!(status(code, "").effect(), Effect::None, "{code}");
        }
        let not_yet = status(409, r#"{"code":"test_taker_not_provisioned","message":"wait"}"#);
        assert_eq!((not_yet.effect(), not_yet.is_temporary()), (Effect::None, false));
        assert_eq!(Error::Unreadable { status: 201, why: String::new(), is_cut: true }.effect(), Effect::Done);
        assert_eq!(Error::Lost { host: String::new(), why: String::new() }.effect(), Effect::Unknown);
    }

    #[test]
    fn what_may_end_otherwise_is_tried_again() {
        let temporary = [408, 429, 500, 503].map(|code| status(code, "{}").is_temporary());
        let lasting = [302, 400, 401, 404, 409].map(|code| status(code, "{}").is_temporary());
        assert_eq!((temporary, lasting), ([true; 4], [false; 5]));
        assert!(!status(503, "<html>").is_temporary(), "a proxy's page says no more the next time");
    }

    #[test]
    fn both_error_bodies_and_bodies_of_nothing_are_read() {
        assert_eq!(
            status(400, r#"{"title":"Bad","detail":"No name","status":400}"#).to_string(),
            "the service answered 400: Bad: No name"
        );
        assert_eq!(status(409, r#"{"code":"c","message":"m"}"#).to_string(), "the service answered 409: c: m");
        assert_eq!(status(404, r#"{"title":null,"status":"x"}"#).to_string(), "the service answered 404");
        assert_eq!(status(500, "gone").to_string(), "the service answered 500");
        assert_eq!(status(400, r#"{"title":"your key k-1 is odd"}"#).whole(), "400: your key … is odd");
    }

    #[test]
    fn a_wait_is_seconds_or_a_date() {
        let date = instant("Wed, 21 Oct 2026 07:28:00 GMT");
        assert_eq!(pause("7", date), Some(Duration::from_secs(7)));
        assert_eq!(pause("Wed, 21 Oct 2026 07:28:30 GMT", date), Some(Duration::from_secs(30)));
        assert_eq!(pause("Wed, 21 Oct 2026 07:27:30 GMT", date), Some(Duration::ZERO));
        assert_eq!(pause("soon", date), None);
    }
}
