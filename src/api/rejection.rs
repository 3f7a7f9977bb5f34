//! A refusal as it comes over the wire: the documented error bodies, a redirect, or the page of a proxy.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{DATE, HeaderMap, LOCATION, RETRY_AFTER};

use super::redaction::{quoted, without_secret};
use super::retry_after::{LONGEST_WAIT, retry_after};
use crate::model::error_body::Problem;
use crate::model::test_links::NOT_PROVISIONED;
use crate::model::time::utc;

/// An answer with another status than 2xx.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// HTTP status.
    pub status: u16,
    /// What the error body said; empty where it was none of the documented ones.
    pub problem: Problem,
    /// `Retry-After`, in seconds or counted from the answer's own date.
    pub retry_after: Option<Duration>,
    /// Title of an HTML page that came instead of an error body, as it may be shown.
    pub html_title: Option<String>,
    /// Host of a redirect's `Location`, as it may be shown.
    pub location: Option<String>,
    /// Values of ours that the request carried, the key among them; redacted in what is displayed.
    pub hidden: Vec<String>,
    /// Whether this is a test link's "not provisioned yet".
    pub not_provisioned: bool,
    /// Whether the path is of a list that the service always has (our assumption).
    pub always_there: bool,
    /// Whether a read showed the entry that is not there by this answer.
    pub still_shown: bool,
}

impl Rejection {
    /// The answer without a secret that the service repeats, also where its words are shown whole.
    pub(super) fn hiding(self, secret: &str) -> Self {
        let problem = self.problem.map(|text| without_secret(&text, secret));
        Self { problem, ..self }
    }

    /// The answer without any text of the service. That a page for browsers came stays known.
    pub(super) fn without_words(self) -> Self {
        let html_title = self.html_title.map(|_| String::new());
        Self { problem: Problem::default(), html_title, ..self }
    }

    /// The server's words as they may be shown.
    fn redacted_words(&self) -> Option<String> {
        self.problem.words().map(|words| quoted(&words, &self.hidden))
    }
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
            match title.as_str() {
                "" => f.write_str(", an HTML page")?,
                title => write!(f, ", an HTML page titled {title:?}")?,
            }
        }
        // Most servers repeat the reason as the title.
        let words = self.redacted_words().unwrap_or_default();
        let words = reason.and_then(|reason| words.strip_prefix(reason)).unwrap_or(&words).trim_start_matches(": ");
        if !words.is_empty() {
            write!(f, ": {words}")?;
        }
        // A shorter pause was waited for.
        let long = self.retry_after.filter(|pause| *pause > LONGEST_WAIT);
        f.write_str(&ask_again_at(long.and_then(|pause| Timestamp::now().checked_add(pause).ok())))
    }
}

/// When the service may be asked again, as the end of a sentence.
pub(super) fn ask_again_at(at: Option<Timestamp>) -> String {
    at.map(|time| format!("; the service may be asked again at {}", utc(time))).unwrap_or_default()
}

/// Reads a refusal. `hidden` are values of ours that the request carried.
pub(super) fn rejection(status: u16, headers: &HeaderMap, body: &[u8], hidden: &[String]) -> Rejection {
    let [location, retry_after_text, date] = [LOCATION, RETRY_AFTER, DATE].map(|name| headers.get(name)?.to_str().ok());
    let problem: Problem = serde_json::from_slice(body).unwrap_or_default();
    let location = location.filter(|_| (300..400).contains(&status)).map(|location| location_host(location, hidden));
    Rejection {
        status,
        not_provisioned: status == 409 && problem.code.as_deref() == Some(NOT_PROVISIONED),
        retry_after: retry_after_text.and_then(|value| retry_after(value, date, Timestamp::now())),
        html_title: html_title(body, hidden),
        location,
        hidden: hidden.to_vec(),
        problem,
        always_there: false,
        still_shown: false,
    }
}

/// The host of a `Location`; a relative one stays at the same host.
fn location_host(location: &str, hidden: &[String]) -> String {
    // `//host/path` keeps the scheme and goes to another host.
    let whole = if location.starts_with("//") { format!("https:{location}") } else { location.to_owned() };
    let Ok(url) = reqwest::Url::parse(&whole) else { return "another path of the same host".to_owned() };
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{}:{port}", quoted(host, hidden)),
        (Some(host), None) => quoted(host, hidden),
        (None, _) => "something that is not a web address".to_owned(),
    }
}

/// The title of an HTML page (empty where it has none) as it may be shown, without these values; `None` for anything else.
pub(super) fn html_title(body: &[u8], hidden: &[String]) -> Option<String> {
    let start = String::from_utf8_lossy(&body[..body.len().min(4096)]);
    let head = start.trim_start_matches('\u{feff}').trim_start();
    if !["<!doctype html", "<html"].iter().any(|tag| begins_with(head, tag)) {
        return None;
    }
    let lower = start.to_ascii_lowercase();
    let title = lower.find("<title>").map(|at| at + "<title>".len());
    let end = title.and_then(|at| lower[at..].find("</title>").map(|len| at + len));
    let text = title.zip(end).map(|(from, to)| start[from..to].trim()).unwrap_or_default();
    Some(quoted(text, hidden).chars().take(80).collect())
}

fn begins_with(text: &str, tag: &str) -> bool {
    text.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_html_page_is_named_by_its_title_and_json_is_not_taken_for_one() {
        let page = b"<!DOCTYPE html><html><head><TITLE> Sign in </TITLE></head>";
        assert_eq!(html_title(page, &[]).as_deref(), Some("Sign in"));
        assert_eq!(html_title(b"<html><body>x", &[]).as_deref(), Some(""));
        let page = b"<html><title>zoe@x.example has https://t.example/take/1, EMP-1</title>";
        assert_eq!(html_title(page, &["EMP-1".into()]).as_deref(), Some("… has … …"));
        assert_eq!(html_title(b"{\"title\":\"<html>\"}", &[]), None);
        assert_eq!(html_title(b"", &[]), None);
    }

    #[test]
    fn a_rejection_reads_both_error_bodies_and_neither() {
        let headers = HeaderMap::new();
        let code = br#"{"code":"test_taker_not_provisioned","message":"wait"}"#;
        assert!(rejection(409, &headers, code, &[]).not_provisioned);
        assert!(!rejection(400, &headers, code, &[]).not_provisioned);
        assert_eq!(rejection(500, &headers, b"oops", &[]).to_string(), "500 Internal Server Error");
        assert_eq!(rejection(599, &headers, b"", &[]).to_string(), "status 599");
    }

    #[test]
    fn a_redirect_names_the_host_and_not_the_path() {
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, "https://evil.example/path?x=1".parse().expect("a header"));
        let shown = rejection(307, &headers, b"", &[]).to_string();
        assert_eq!(shown, "307 Temporary Redirect, a redirect to evil.example, which is not followed");
        for (location, host) in [
            ("//evil.example/x", "evil.example"),
            ("http://127.0.0.1:81/", "127.0.0.1:81"),
            ("/login", "another path of the same host"),
            ("login?next=http://evil.example", "another path of the same host"),
            ("javascript:alert(1)", "something that is not a web address"),
            ("data:text/html,x", "something that is not a web address"),
        ] {
            assert_eq!(location_host(location, &[]), host);
        }
        for port in ["", ":81"] {
            let location = format!("https://emp-0001.example{port}/");
            assert_eq!(location_host(&location, &["EMP-0001".into()]), format!("….example{port}"));
        }
    }
}
