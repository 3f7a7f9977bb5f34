//! Why no answer came, in our words: what the libraries below say may hold the peer's text.

use std::io;

use super::error::{Error, SetupFault};
use super::error_causes::{find, innermost};
use super::redaction::quoted;
use super::refused_certificate::refused_certificate;

/// What a client knew when a request failed.
pub struct Attempt<'a> {
    /// Host and port of the service.
    pub host: String,
    /// Whether the service has answered anything in this run.
    pub answered_before: bool,
    /// Whether the head of an answer had come.
    pub answer_begun: bool,
    /// Values that the request carried: masked in what the libraries say.
    pub hidden: &'a [String],
}

impl Attempt<'_> {
    /// What the failure proves, and why it happened.
    pub fn failed(self, error: &reqwest::Error) -> Error {
        if error.is_builder() {
            let cause = quoted(&innermost(error).to_string(), self.hidden);
            return Error::NeverSent { host: self.host, cause, permanent: true };
        }
        let sent = !error.is_connect();
        if let Some(fault) = setup_fault(error) {
            return if !self.answered_before {
                Error::Misconfigured { host: self.host, fault, sent }
            } else if sent {
                // The port is right: it has answered before.
                let cause = if fault == SetupFault::NotHttp { NOT_HTTP.to_owned() } else { fault.to_string() };
                Error::Lost { host: self.host, cause }
            } else {
                Error::NeverSent { host: self.host, cause: fault.to_string(), permanent: true }
            };
        }
        let cause = self.cause(error);
        if error.is_connect() || (!self.answer_begun && was_not_processed(error)) {
            return Error::NeverSent { host: self.host, cause, permanent: false };
        }
        Error::Lost { host: self.host, cause }
    }

    fn cause(&self, error: &reqwest::Error) -> String {
        if error.is_timeout() {
            return if error.is_connect() { "connecting took too long" } else { "it took too long" }.to_owned();
        }
        let innermost = innermost(error);
        let known = find::<h2::Error>(error).and_then(http2).or_else(|| find::<hyper::Error>(error).and_then(http1));
        let known = known.or_else(|| innermost.downcast_ref().map(system));
        let known = known.or_else(|| find::<io::Error>(error).and_then(resolver));
        known.unwrap_or_else(|| {
            let text: String = innermost.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
            quoted(&text, self.hidden)
        })
    }
}

/// What is said of an answer whose head contradicts itself, or is none.
const NOT_HTTP: &str = "the head of the answer breaks the rules of HTTP";

/// A fault that stays until the address or the certificate is changed.
fn setup_fault(error: &reqwest::Error) -> Option<SetupFault> {
    if let Some(words) = refused_certificate(error) {
        return Some(SetupFault::Certificate(words));
    }
    if error.is_connect() {
        let tls = find::<rustls::Error>(error);
        if matches!(tls, Some(rustls::Error::InvalidMessage(_) | rustls::Error::InappropriateMessage { .. })) {
            return Some(SetupFault::NotTls);
        }
        return find::<io::Error>(error).filter(|error| is_no_such_host(error)).map(|_| SetupFault::HostName);
    }
    // An answer that begins as none can: a server of something else. One that is cut off later is no fault of set-up.
    let parse = find::<hyper::Error>(error).filter(|error| error.is_parse() && !error.is_incomplete_message());
    parse.filter(|error| !error.is_parse_too_large()).map(|_| SetupFault::NotHttp)
}

/// How the resolvers of the platforms say that a name does not exist; one that has no answer says otherwise. The
/// standard library passes on their words and, but for Windows, no number.
const NO_SUCH_HOST: [&str; 4] = [
    "Name or service not known",
    "No address associated with hostname",
    "Name does not resolve",
    "nodename nor servname provided",
];
/// `WSAHOST_NOT_FOUND`.
const WINDOWS_NO_SUCH_HOST: i32 = 11001;

/// Whether a resolver said that there is no such name, which no other attempt will change.
pub fn is_no_such_host(error: &io::Error) -> bool {
    let words = error.to_string();
    error.raw_os_error() == Some(WINDOWS_NO_SUCH_HOST) || NO_SUCH_HOST.iter().any(|known| words.contains(known))
}

/// Whether the service said that it did not look at the request: a stream that it refused, or one that was opened
/// after the last that it took before it closed the connection (RFC 9113, 6.8 and 8.7). The library tells the others
/// that the connection broke.
fn was_not_processed(error: &reqwest::Error) -> bool {
    find::<h2::Error>(error).is_some_and(|error| {
        error.is_remote() && (error.is_go_away() || error.reason() == Some(h2::Reason::REFUSED_STREAM))
    })
}

/// An error of HTTP/2 without its debug data, which is the peer's text.
fn http2(error: &h2::Error) -> Option<String> {
    let reason = error.reason()?;
    Some(match (error.is_remote(), error.is_go_away(), error.is_reset()) {
        (true, true, _) => format!("the service closed the HTTP/2 connection ({reason})"),
        (true, _, true) => format!("the service reset the HTTP/2 stream ({reason})"),
        _ => format!("the answer breaks the rules of HTTP/2 ({reason})"),
    })
}

fn http1(error: &hyper::Error) -> Option<String> {
    let words = match () {
        () if error.is_incomplete_message() => "the connection was closed before the answer was complete",
        () if error.is_parse_too_large() => "the head of the answer is too large",
        () if error.is_parse() => NOT_HTTP,
        () if error.is_canceled() || error.is_closed() => "the connection was closed",
        () if error.is_body_write_aborted() => "the request could not be written",
        () => return None,
    };
    Some(words.to_owned())
}

/// An error of the system's resolver, which the standard library writes down as a text.
fn resolver(error: &io::Error) -> Option<String> {
    let text = error.to_string();
    let words = text.strip_prefix("failed to lookup address information: ")?;
    Some(format!("the host name could not be looked up: {words}"))
}

/// An error of the operating system in its words; any other kind in ours.
fn system(error: &io::Error) -> String {
    match error.kind() {
        _ if error.raw_os_error().is_some() => error.to_string(),
        io::ErrorKind::UnexpectedEof => "the connection was closed before the answer was complete".to_owned(),
        kind => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_does_not_exist_is_told_from_a_resolver_that_has_no_answer() {
        let said = |words: &str| io::Error::other(format!("failed to lookup address information: {words}"));
        assert!(is_no_such_host(&said("Name or service not known")));
        assert!(is_no_such_host(&said("nodename nor servname provided, or not known")));
        assert!(is_no_such_host(&io::Error::from_raw_os_error(WINDOWS_NO_SUCH_HOST)));
        for again in ["Temporary failure in name resolution", "Try again"] {
            assert!(!is_no_such_host(&said(again)), "{again}");
            assert!(resolver(&said(again)).is_some_and(|words| words.ends_with(again)));
        }
    }

    #[test]
    fn what_an_io_error_wraps_is_found_behind_it() {
        let wrapped = io::Error::other(io::Error::other(h2::Error::from(h2::Reason::REFUSED_STREAM)));
        assert_eq!(find::<h2::Error>(&wrapped).and_then(h2::Error::reason), Some(h2::Reason::REFUSED_STREAM));
        assert!(find::<hyper::Error>(&wrapped).is_none());
    }
}
