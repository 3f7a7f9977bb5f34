//! What went wrong with a request, and what that says about its effect.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use url::form_urlencoded::byte_serialize;

use super::limits::LONGEST_WAIT;
use crate::model::problem::Problem;
use crate::model::results::ResultsApi;

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

/// A request that did not end as it should.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The service could not be reached.
    #[error("cannot reach {host}: {cause}")]
    NeverSent {
        /// Host and port.
        host: String,
        /// The innermost cause, in the library's words.
        cause: String,
        /// Whether trying again is useless: an untrusted certificate, say.
        permanent: bool,
    },
    /// The answer was lost after the request went out.
    #[error("no answer from {host}: {cause}")]
    Lost {
        /// Host and port.
        host: String,
        /// The innermost cause.
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
        /// Whether it is a page for browsers, as proxies and portals send.
        html: bool,
    },
    /// The deadline leaves no time for the request, or for the pause before its next attempt.
    #[error("{}", out_of_time(*.again, .before.as_deref()))]
    OutOfTime {
        /// When the service may be asked again, where it said so.
        again: Option<Timestamp>,
        /// How the last attempt ended, if there was one.
        before: Option<Box<Error>>,
    },
    /// The results endpoints have the other documented shape.
    #[error("the service answers results in the {found} shape", found = shape_name(*.found))]
    OtherShape {
        /// The shape that was found.
        found: ResultsApi,
    },
    /// The service ignores the page parameter, so that a list can't be read whole.
    #[error(
        "the service answered the same page twice (page {page} repeats the one before): the list cannot be read whole"
    )]
    RepeatedPage {
        /// The page that repeated its predecessor.
        page: u32,
    },
    /// The list moved so much that no walk confirmed another.
    #[error(
        "the list could not be read whole: {} walks in a row each found records that the ones before had missed",
        super::walk::WALKS_MAX
    )]
    Unverified,
    /// The list can't be kept until it is whole.
    #[error("cannot collect the list in the temporary folder: {0}")]
    Collect(#[source] rusqlite::Error),
    /// The run was stopped before this was sent.
    #[error("not sent: the run was stopped")]
    Closed,
    /// An id that can't be written as one segment of a path.
    #[error("this reference id cannot be written into a path")]
    Path,
    /// The HTTP client could not be set up.
    #[error("cannot set up HTTP: {0}")]
    Setup(String),
}

fn out_of_time(again: Option<Timestamp>, before: Option<&Error>) -> String {
    let before = before.map(|error| format!(": {error}"));
    format!("the deadline leaves no time for this{}{}", asked_again(again), before.unwrap_or_default())
}

fn asked_again(at: Option<Timestamp>) -> String {
    at.map(|time| format!("; the service may be asked again at {}", time.strftime("%FT%TZ"))).unwrap_or_default()
}

fn shape_name(api: ResultsApi) -> &'static str {
    match api {
        ResultsApi::Current => "current",
        ResultsApi::Legacy => "older (legacy)",
    }
}

/// An answer with another status than 2xx.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// HTTP status.
    pub status: u16,
    /// What the error body said; empty where it was none of the documented ones.
    pub problem: Problem,
    /// `Retry-After`, in seconds or counted from the answer's own date.
    pub retry_after: Option<Duration>,
    /// Title of an HTML page that came instead of an error body.
    pub html_title: Option<String>,
    /// Host of a redirect's `Location`.
    pub location: Option<String>,
    /// Values of ours that the request carried; masked in what is displayed.
    pub carried: Vec<String>,
    /// Whether this is a test link's "not provisioned yet".
    pub not_provisioned: bool,
    /// Whether the path is of a list that the service always has (our assumption).
    pub always_there: bool,
}

impl Rejection {
    /// The answer without a secret that the service repeats, wherever it stands.
    pub(super) fn hiding(self, secret: &str) -> Self {
        let secret = [secret.to_owned()];
        let hidden = |text: String| mask(&text, &secret);
        Self { problem: self.problem.map(hidden), location: self.location.map(hidden), ..self }
    }

    /// The server's words with the values that the request carried masked: they may name a person.
    fn masked_words(&self) -> Option<String> {
        self.problem.words().map(|words| mask(&words, &self.carried))
    }
}

/// Replaces each of `values` in `text`, ignoring case and also where it stands encoded, the longest first; short ones
/// only where they stand as a word, or a one-letter name would leave nothing readable.
pub(super) fn mask(text: &str, values: &[String]) -> String {
    let mut values: Vec<String> = values.iter().filter(|v| !v.trim().is_empty()).flat_map(|v| forms(v)).collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    values.dedup();
    values.iter().fold(text.to_owned(), |masked, value| mask_one(&masked, value))
}

/// A value as it is, as it stands in a path, in a query, and in a page.
fn forms(value: &str) -> Vec<String> {
    let query: String = byte_serialize(value.as_bytes()).collect();
    let path = query.replace('+', "%20");
    let page = value.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&#39;");
    let mut forms = vec![value.to_owned(), query.replace("%40", "@"), path.replace("%40", "@"), query, path];
    forms.extend([page.replace('@', "&#64;"), page]);
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn mask_one(text: &str, value: &str) -> String {
    let needle: Vec<char> = value.chars().flat_map(char::to_lowercase).collect();
    let anywhere = value.chars().count() > 3;
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let stands =
            |end: usize| !out.ends_with(char::is_alphanumeric) && !rest[end..].starts_with(char::is_alphanumeric);
        let end = begins(rest, &needle).filter(|end| anywhere || stands(*end));
        out.push(if end.is_some() { '…' } else { first });
        rest = &rest[end.unwrap_or(first.len_utf8())..];
    }
    out
}

/// How many bytes of the text are the needle, which is in lower case.
fn begins(text: &str, needle: &[char]) -> Option<usize> {
    let mut left = needle;
    for (at, c) in text.char_indices() {
        for lower in c.to_lowercase() {
            left = left.strip_prefix(&[lower])?;
        }
        if left.is_empty() {
            return Some(at + c.len_utf8());
        }
    }
    None
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = reqwest::StatusCode::from_u16(self.status).ok().and_then(|status| status.canonical_reason());
        match reason {
            Some(reason) => write!(f, "{} {reason}", self.status)?,
            None => write!(f, "status {}", self.status)?,
        }
        if let Some(host) = &self.location {
            write!(f, ", a redirect to {host}, which is not followed")?;
        }
        if let Some(title) = &self.html_title {
            write!(f, ", an HTML page titled {title:?}")?;
        }
        // Most servers repeat the reason as the title.
        let words = self.masked_words().unwrap_or_default();
        let words = reason.and_then(|reason| words.strip_prefix(reason)).unwrap_or(&words).trim_start_matches(": ");
        if !words.is_empty() {
            write!(f, ": {words}")?;
        }
        // A shorter pause was waited for.
        let long = self.retry_after.filter(|pause| *pause > LONGEST_WAIT);
        f.write_str(&asked_again(long.and_then(|pause| Timestamp::now().checked_add(pause).ok())))
    }
}

impl Error {
    /// What this proves about the request's effect.
    pub fn class(&self) -> Class {
        match self {
            Self::OutOfTime { before: Some(error), .. } => error.class(),
            Self::OutOfTime { .. }
            | Self::NeverSent { .. }
            | Self::Closed
            | Self::Path
            | Self::Setup(_)
            | Self::Unverified
            | Self::Collect(_) => Class::NeverSent,
            Self::Lost { .. } => Class::Lost,
            Self::Unreadable { .. } | Self::OtherShape { .. } | Self::RepeatedPage { .. } => Class::DoneUnreadable,
            Self::Rejected(rejection) => match rejection.status {
                429 => Class::RefusedForNow,
                409 if rejection.not_provisioned => Class::RefusedForNow,
                408 | 409 => Class::Lost,
                400..=499 => Class::Refused,
                _ => Class::Lost,
            },
        }
    }

    /// Whether the deadline has passed: nothing more can be asked in this run.
    pub fn is_out_of_time(&self) -> bool {
        matches!(self, Self::OutOfTime { .. })
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

    /// What happened without the service's own words, where many people are at stake: they may name anybody.
    pub fn redacted(&self) -> String {
        match self {
            Self::Rejected(rejection) => {
                let quiet = Rejection { problem: Problem::default(), html_title: None, ..(**rejection).clone() };
                quiet.to_string()
            }
            other => other.to_string(),
        }
    }

    /// Whether the service says that it does not have what was asked for. A page for browsers is not its word.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Rejected(rejection) if rejection.status == 404) && !self.is_not_the_service()
    }

    /// Whether a 404 shows that something else answers than the service: with a page for browsers, or about a list that
    /// the service always has.
    pub fn is_not_the_service(&self) -> bool {
        matches!(self, Self::Rejected(it) if it.status == 404 && (it.html_title.is_some() || it.always_there))
    }

    /// Whether the answer is a redirect: the base URL is wrong.
    pub fn is_redirect(&self) -> bool {
        self.status().is_some_and(|status| (300..400).contains(&status))
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

    /// Whether an operation that has no second effect is worth another attempt.
    pub fn worth_retrying(&self) -> bool {
        match self {
            Self::NeverSent { permanent, .. } => !permanent,
            Self::Closed
            | Self::Unverified
            | Self::Collect(_)
            | Self::Path
            | Self::Setup(_)
            | Self::OutOfTime { .. } => false,
            _ if self.is_redirect() => false,
            _ => matches!(self.class(), Class::Lost | Class::RefusedForNow),
        }
    }

    /// This error, or that of an earlier attempt of the same write which may have had its effect, where this one says
    /// only that the last attempt had none. That somebody is not there is news in any case.
    #[must_use]
    pub fn prefer_ambiguous(self, before: Option<Self>) -> Self {
        match before {
            Some(before) if before.outcome_unknown() && !self.outcome_unknown() && !self.is_not_found() => before,
            _ => self,
        }
    }

    /// Whether the request may have had its effect although no proper answer says so.
    pub fn outcome_unknown(&self) -> bool {
        matches!(self.class(), Class::Lost | Class::DoneUnreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(status: u16, detail: Option<&str>, carried: &[&str]) -> Error {
        Error::Rejected(Box::new(Rejection {
            status,
            problem: Problem { detail: detail.map(str::to_owned), ..Problem::default() },
            retry_after: None,
            html_title: None,
            location: None,
            carried: carried.iter().map(|&value| value.to_owned()).collect(),
            not_provisioned: false,
            always_there: false,
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

    #[test]
    fn masking_keeps_text_around_wide_characters_whole() {
        assert_eq!(mask("ÄÖ name Müller ÄÖ", &["müller".into(), "Müller".into()]), "ÄÖ name … ÄÖ");
        assert_eq!(mask("a cat, a", &["a".into()]), "… cat, …");
    }

    #[test]
    fn what_was_sent_is_masked_in_any_case_and_encoding() {
        let sent = ["Zoë Müller".to_owned(), "zoe@example.com".to_owned()];
        for (text, masked) in [
            ("ZOË MÜLLER is busy", "… is busy"),
            ("GET /x?filter=Zo%C3%AB+M%C3%BCller&page=1", "GET /x?filter=…&page=1"),
            ("GET /Zo%c3%ab%20m%c3%bcller/", "GET /…/"),
            ("filter=zoe%40example.com", "filter=…"),
            ("to zoe&#64;example.com", "to …"),
        ] {
            assert_eq!(mask(text, &sent), masked);
        }
    }
}
