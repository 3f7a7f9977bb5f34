//! How a request can fail, and what that proves about its effect.

use std::io::ErrorKind::{ConnectionRefused, ConnectionReset, HostUnreachable, NetworkUnreachable, UnexpectedEof};
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{DATE, HeaderMap, LOCATION, RETRY_AFTER};
use rustls::CertificateError;

use super::redact::{is_page, plain, without_key};
use crate::model::problem::words_and_code;

/// The code of the 409 that a test link gets right after a creation (specification, Errors 4).
const NOT_PROVISIONED: &str = "test_taker_not_provisioned";

/// How a request failed. `Display` shows plain words of the service only (`redact.rs`).
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// No byte of it was sent.
    #[error("cannot reach {host}: {why}")]
    NeverSent { host: String, why: String, is_setup: bool },
    #[error("no answer from {host}: {why}")]
    Lost { host: String, why: String },
    /// An answer with another status than that of a success. `whole` has the service's own words, for a report only.
    #[error("the service answered {status}{}{said}", if said.is_empty() { "" } else { ": " })]
    Status {
        status: u16,
        said: String,
        whole: String,
        code: Option<String>,
        retry_after: Option<Duration>,
        is_page: bool,
    },
    /// A success whose record cannot be used.
    #[error("the service's answer cannot be read: {why}")]
    Unreadable { why: String, is_cut: bool },
    #[error("the service answered with a different record than the one asked for")]
    OtherRecord,
    #[error("two answers of the service about the same person contradict each other")]
    TwoResults,
    /// With their entry ids, as they are typed.
    #[error("several test takers have this reference id: {0}")]
    SharedReferenceId(String),
    #[error("the service does not know this project")]
    UnknownProject,
    #[error("the service is not at this address: the base URL is probably wrong")]
    WrongAddress,
    #[error("the list could not be read completely: it keeps changing, or its pages do not agree")]
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
    /// The status of an answer that was no success.
    pub fn status(&self) -> Option<u16> {
        if let Self::Status { status, .. } = self { Some(*status) } else { None }
    }

    /// The 409 that means "not yet" right after a creation.
    pub fn is_not_provisioned(&self) -> bool {
        matches!(self, Self::Status { status: 409, code: Some(code), .. } if code == NOT_PROVISIONED)
    }

    /// How long the service asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        if let Self::Status { retry_after, .. } = self { *retry_after } else { None }
    }

    /// Whether something else than the service answers: a redirect, or a page for browsers. Gateways send pages too, with
    /// 429, 502, 503 and 504, and the service is behind them.
    pub fn is_not_the_service(&self) -> bool {
        let is_page = matches!(self, Self::Status { is_page: true, .. });
        matches!(self.status(), Some(300..400)) || (is_page && !self.is_temporary())
    }

    /// The service's own words: for a report that the user asked for, never for a terminal or a log.
    pub fn whole(&self) -> String {
        match self {
            Self::Status { status, whole, .. } if !whole.is_empty() => format!("{status}: {whole}"),
            other => other.to_string(),
        }
    }

    /// The same without words of the service.
    pub(super) fn without_words(mut self) -> Self {
        if let Self::Status { status: ..300 | 400.., is_page: false, said, whole, .. } = &mut self {
            said.clear();
            whole.clear();
        }
        self
    }

    /// An answer with another status than an operation's own. `carried` are the words of the request and its record; `key`
    /// is in no words at all.
    pub(super) fn of_status(status: u16, headers: &HeaderMap, body: &[u8], carried: &[String], key: &str) -> Self {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let target = || header(LOCATION).and_then(|to| reqwest::Url::parse(to).ok());
        let (words, code) = words_and_code(body);
        let whole = without_key(&words, key);
        let said = match status {
            300..400 => match target().as_ref().and_then(reqwest::Url::host_str) {
                Some(host) => without_key(&format!("a redirect to {host}, which is not followed"), key),
                None => "a redirect, which is not followed".to_owned(),
            },
            _ if is_page(body) => "a web page, maybe from a proxy".to_owned(),
            _ => plain(&whole, carried),
        };
        let retry_after = header(RETRY_AFTER).and_then(|value| pause(value, date(headers)));
        Self::Status { status, said, whole, code, retry_after, is_page: is_page(body) }
    }

    /// Why no answer came, in our words: the library's text may hold the peer's.
    pub(super) fn of_transport(error: &reqwest::Error, host: &str) -> Self {
        let causes: Vec<Cause<'_>> = std::iter::successors(Some(error as Cause<'_>), cause_of).collect();
        // What a proxy answered reaches us only as this text of the HTTP library.
        let tunnel = causes.iter().map(ToString::to_string).find(|text| text.starts_with("tunnel error"));
        let tls = causes.iter().find_map(|cause| cause.downcast_ref::<rustls::Error>());
        let kind = causes.iter().find_map(|cause| cause.downcast_ref::<std::io::Error>()).map(std::io::Error::kind);
        let reason = match (tls, kind) {
            (Some(rustls::Error::InvalidCertificate(why)), _) => Some(certificate(why)),
            (Some(_), _) | (_, Some(UnexpectedEof)) if error.is_connect() => {
                Some("it does not speak TLS; maybe a proxy answers instead".to_owned())
            }
            _ if error.is_dns() => Some("its name cannot be looked up".to_owned()),
            _ if error.is_timeout() => Some("it took too long".to_owned()),
            (_, Some(kind @ (ConnectionRefused | ConnectionReset | HostUnreachable | NetworkUnreachable))) => {
                Some(kind.to_string())
            }
            _ => None,
        };
        let asks_proxy = tunnel.as_ref().is_some_and(|text| text.contains("authorization required"));
        let why = match (tunnel, reason) {
            _ if asks_proxy => "the proxy asks for a user and password".to_owned(),
            (Some(_), Some(reason)) => format!("the proxy cannot be reached: {reason}"),
            (Some(_), None) => "the proxy does not connect to it".to_owned(),
            (None, Some(reason)) => reason,
            (None, None) => "the connection broke".to_owned(),
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

type Cause<'e> = &'e (dyn std::error::Error + 'static);

/// An I/O error's own `source` leaves out the error that it holds.
fn cause_of<'e>(error: &Cause<'e>) -> Option<Cause<'e>> {
    match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
        Some(held) => Some(held),
        None => error.source(),
    }
}

fn certificate(why: &CertificateError) -> String {
    use CertificateError as E;
    let why = match why {
        E::UnknownIssuer => "this computer does not trust its issuer",
        E::Expired | E::ExpiredContext { .. } => "it has expired",
        E::NotValidYet | E::NotValidYetContext { .. } => "it is not valid yet, or the clock of this computer is wrong",
        E::NotValidForName | E::NotValidForNameContext { .. } => "it is for another name",
        // With the usual `openssl req -x509` a certificate is that of an issuer.
        _ => "it is revoked, damaged, signed by another key, or that of an issuer (CA:TRUE)",
    };
    format!("its certificate is not accepted: {why}")
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
    fn both_error_bodies_and_bodies_of_nothing_are_read() {
        assert_eq!(
            status(400, r#"{"title":"Bad","detail":"No name","status":400}"#).to_string(),
            "the service answered 400: Bad - No name"
        );
        assert_eq!(status(409, r#"{"code":"c","message":"m"}"#).to_string(), "the service answered 409: c - m");
        assert_eq!(status(404, r#"{"title":null,"status":"x"}"#).to_string(), "the service answered 404");
        assert_eq!(status(500, "gone").to_string(), "the service answered 500");
        assert_eq!(status(400, r#"{"title":"your key k-1 is odd"}"#).whole(), "400: your key [hidden] is odd");
        assert_eq!(status(400, "{}").whole(), status(400, "{}").to_string(), "no words");
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
