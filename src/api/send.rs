//! The one function that sends, and how its answer is read.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{ACCEPT, CONTENT_TYPE, DATE, HeaderMap};
use reqwest::{Method, Response, StatusCode};
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

use super::adaptive_limiter::Feedback;
use super::circuit_breaker::Launch;
use super::client::{Client, Exchange};
use super::error::{BodyFault, Class, Error};
use super::no_answer::Attempt;
use super::rejection::{html_title, rejection};
use super::request_limits::{BODY_BYTES_MAX, PAGE_BYTES_MAX};
use super::retries::{ATTEMPTS, Repeat, backoff};
use super::retry_after::{LONGEST_WAIT, http_date};
use super::success_body::SuccessBody;
use super::throttle::Permit;
use super::url_path::{Segment, build, template};
use crate::model::field_rules::filled;
use crate::model::testtakers::TestTaker;

/// Statuses of success that no operation of the service has: something between us answered with less than the whole.
const NO_ANSWERS: [StatusCode; 2] = [StatusCode::ACCEPTED, StatusCode::PARTIAL_CONTENT];

/// A request as an operation describes it.
pub struct Request<'a> {
    method: Method,
    path: &'a [Segment<'a>],
    query: Vec<(&'static str, String)>,
    body: Option<Vec<u8>>,
    /// Values of ours that may name a person or a thing: masked in the server's words.
    carried: Vec<String>,
    repeat: Repeat,
    limit: usize,
}

impl<'a> Request<'a> {
    /// A read.
    pub fn get(path: &'a [Segment<'a>]) -> Self {
        Self::new(Method::GET, path, Repeat::Read)
    }

    /// A request of any kind.
    pub fn new(method: Method, path: &'a [Segment<'a>], repeat: Repeat) -> Self {
        let carried = path.iter().filter_map(|segment| match segment {
            Segment::Reference(text) => Some((*text).to_owned()),
            _ => None,
        });
        let carried = carried.collect();
        Self { method, path, query: Vec::new(), body: None, carried, repeat, limit: BODY_BYTES_MAX }
    }

    /// A page of a list: a query, and a larger answer.
    pub fn page(path: &'a [Segment<'a>], query: Vec<(&'static str, String)>) -> Self {
        let personal = query.iter().filter(|(name, _)| matches!(*name, "filter" | "referenceId"));
        let carried = personal.map(|(_, value)| value.clone()).collect();
        Self { query, carried, limit: PAGE_BYTES_MAX, ..Self::get(path) }
    }

    /// Says whom it is about: an entry id alone tells nothing of what is to be masked.
    pub fn about(mut self, person: &TestTaker) -> Self {
        let texts = [&person.email, &person.reference_id, &person.first_name, &person.last_name, &person.full_name];
        self.carried.extend(texts.into_iter().filter_map(|text| filled(text.as_deref())).map(str::to_owned));
        self
    }

    /// Adds a JSON body.
    pub fn json(mut self, body: &impl Serialize) -> Result<Self, Error> {
        let written = serde_json::to_value(body).and_then(|value| {
            collect_texts(&value, &mut self.carried);
            serde_json::to_vec(body)
        });
        self.body = Some(written.map_err(|error| Error::Setup(error.to_string()))?);
        Ok(self)
    }
}

/// Collects the texts and numbers of a body.
fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(values) => values.iter().for_each(|value| collect_texts(value, texts)),
        Value::Object(values) => values.values().for_each(|value| collect_texts(value, texts)),
        Value::Null | Value::Bool(_) => {}
    }
}

impl Client {
    /// Sends a request, repeats it as far as its kind and the run's budget allow, and returns a 2xx answer. While the
    /// service seems to be away, a write is not sent.
    pub(super) async fn send(&self, request: &Request<'_>) -> Result<SuccessBody, Error> {
        if request.method != Method::GET {
            self.wait_until_there(request.path).await?;
        }
        let ended = self.send_often(request).await;
        if self.throttle.request_ended(ended.as_ref().is_err_and(|error| matches!(error.class(), Class::Lost))) {
            self.tell(&Exchange::Waiting { pause: self.throttle.hold(), why: "too many answers were lost" });
        }
        ended
    }

    async fn send_often(&self, request: &Request<'_>) -> Result<SuccessBody, Error> {
        let mut attempt = 0;
        let mut before = None;
        loop {
            self.check_time(self.throttle.pause(), &mut before)?;
            let permit = match self.throttle.permit(request.method != Method::GET, self.deadline()).await {
                Ok(permit) => permit,
                Err(error) => return Err(error.after(before)),
            };
            let error = match self.send_once(request, permit).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let is_write = request.method != Method::GET;
            let pause = self.pause_after(&error, attempt);
            attempt += 1;
            let may_repeat = attempt < ATTEMPTS && request.repeat.is_allowed_after(&error) && pause <= LONGEST_WAIT;
            if !may_repeat || !self.throttle.may_repeat() {
                let error = error.prefer_ambiguous(before.filter(|_| is_write));
                return Err(if is_write { error } else { error.after_last_read() });
            }
            let why = error.redacted();
            let was_told = pause_for_all(&error).is_some();
            before = Some(error.prefer_ambiguous(before.filter(|_| is_write)));
            self.check_time(pause, &mut before)?;
            if !was_told {
                self.tell(&Exchange::Waiting { pause, why: &why });
            }
            if !self.throttle.sleep(pause, is_write).await {
                return Err(before.unwrap_or(Error::Closed));
            }
        }
    }

    /// Waits while too many answers were lost, and asks with a GET whether the service is there; never with a write.
    async fn wait_until_there(&self, path: &[Segment<'_>]) -> Result<(), Error> {
        loop {
            self.check_time(self.throttle.hold(), &mut None)?;
            match self.throttle.launch(self.deadline()).await {
                Launch::Now => return Ok(()),
                Launch::Probe => {
                    // The project or the list that the write is about.
                    let probe = Request::get(&path[..path.len().min(2)]);
                    let permit = self.throttle.permit(false, self.deadline()).await?;
                    let ended = self.send_once(&probe, permit).await;
                    self.throttle
                        .probed(!ended.is_err_and(|error| matches!(error.class(), Class::Lost | Class::NeverSent)));
                }
                Launch::NotBefore(_) => {
                    self.check_time(self.throttle.hold(), &mut None)?;
                    return Err(Error::Closed);
                }
                Launch::GivenUp => {
                    let cause = "many answers were lost, and it has not answered since".to_owned();
                    return Err(Error::NeverSent { host: self.host(), cause, permanent: false });
                }
            }
        }
    }

    /// How long to wait after an error. What the service asks of every request is kept by the throttle.
    fn pause_after(&self, error: &Error, attempt: u32) -> Duration {
        let own = backoff(attempt);
        match (pause_for_all(error), error.retry_after()) {
            (Some(asked), _) => {
                let pause = asked.max(own).saturating_add(Duration::from_millis(fastrand::u64(0..250)));
                if self.throttle.shut_for(pause) && pause <= LONGEST_WAIT {
                    self.tell(&Exchange::Waiting { pause, why: &error.redacted() });
                }
                pause
            }
            (None, asked) => own.max(asked.unwrap_or_default()),
        }
    }

    /// One attempt.
    async fn send_once(&self, request: &Request<'_>, permit: Permit<'_>) -> Result<SuccessBody, Error> {
        let url = build(&self.base, request.path, &request.query)?;
        let mut sent = self
            .http
            .request(request.method.clone(), url)
            .header("x-api-key", self.key.clone())
            .header(ACCEPT, "application/json")
            .timeout(self.attempt_time(request.method != Method::GET, request.repeat));
        if let Some(body) = &request.body {
            sent = sent.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        let start = Instant::now();
        let ended = self.receive(sent, request).await;
        permit.tell(feedback(&ended));
        drop(permit);
        let status = match &ended {
            Ok(answer) => Some(answer.status()),
            Err(Error::Unreadable { status, .. }) => Some(*status),
            Err(error) => error.status(),
        };
        let (method, path) = (request.method.as_str(), template(request.path));
        self.tell(&Exchange::Ended { method, path: &path, status, took: start.elapsed() });
        ended
    }

    async fn receive(&self, sent: reqwest::RequestBuilder, request: &Request<'_>) -> Result<SuccessBody, Error> {
        // What the service says, a page for browsers or the library's error may repeat what was sent.
        let key = self.key.to_str().unwrap_or_default().to_owned();
        let hidden: Vec<String> = request.carried.iter().cloned().chain([key]).collect();
        let mut response = sent.send().await.map_err(|error| self.failed(&error, false, &hidden))?;
        self.answered.set(true);
        let status = response.status();
        self.note_clock(response.headers());
        let headers = response.headers().clone();
        let body = read_limited(&mut response, request.limit).await;
        if !status.is_success() {
            // An error body that can't be read whole says nothing; the status says enough.
            let body = body.unwrap_or_default();
            let rejection = rejection(status.as_u16(), &headers, &body, &hidden);
            let rejection = rejection.hiding(self.key.to_str().unwrap_or_default());
            let rejection = if self.hides_words { rejection.without_words() } else { rejection };
            return Err(Error::Rejected(Box::new(rejection)));
        }
        match body {
            Ok(body) => {
                let title =
                    html_title(&body, &hidden).map(|title| if self.hides_words { String::new() } else { title });
                let answer = SuccessBody::new(status.as_u16(), body, title, request.limit == PAGE_BYTES_MAX);
                if NO_ANSWERS.contains(&status) {
                    return Err(answer.foreign("this service has no such answer"));
                }
                // Found here, where a request is repeated.
                match request.method {
                    Method::GET => answer.expect_json()?,
                    Method::DELETE => answer.expect_nothing_or_json()?,
                    _ => {}
                }
                Ok(answer)
            }
            Err(BodyError::TooLarge) => {
                let why = format!("its body is larger than {} MiB", request.limit >> 20);
                Err(Error::Unreadable { status: status.as_u16(), why, body: BodyFault::Foreign })
            }
            // For a read this is a lost answer and worth another attempt; a write has happened.
            Err(BodyError::Broken(error)) if request.repeat.is_safe() => Err(self.failed(&error, true, &hidden)),
            Err(BodyError::Broken(_)) => Err(Error::Unreadable {
                status: status.as_u16(),
                why: "its body broke off".into(),
                body: BodyFault::Broken,
            }),
        }
    }

    fn note_clock(&self, headers: &HeaderMap) {
        let date = headers.get(DATE).and_then(|value| value.to_str().ok()).and_then(http_date);
        if let Some(date) = date {
            self.clock_ahead.set(Some(date.duration_since(Timestamp::now())));
        }
    }

    fn failed(&self, error: &reqwest::Error, answer_begun: bool, hidden: &[String]) -> Error {
        let attempt = Attempt { host: self.destination(), answered_before: self.answered.get(), answer_begun, hidden };
        attempt.failed(error)
    }
}

/// The pause that the service asks of every request; "not provisioned" concerns one test taker alone.
fn pause_for_all(error: &Error) -> Option<Duration> {
    error.retry_after().filter(|_| !error.is_not_provisioned())
}

/// What an answer says about the pace. An error other than 429 and 503 says nothing of it.
fn feedback(ended: &Result<SuccessBody, Error>) -> Feedback {
    match ended {
        Ok(_) => Feedback::Served,
        Err(error) => match error.status() {
            Some(429 | 503) => Feedback::Refused,
            Some(400..=499) => Feedback::Served,
            _ => Feedback::Nothing,
        },
    }
}

enum BodyError {
    TooLarge,
    Broken(reqwest::Error),
}

/// Reads a body and counts while it does, so that no answer can fill the memory.
async fn read_limited(response: &mut Response, limit: usize) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(BodyError::Broken)? {
        if body.len() + chunk.len() > limit {
            return Err(BodyError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fuzz::fuzz;
    use crate::model::results::TestResult;
    use crate::model::testtakers::Enrolment;

    #[test]
    fn fuzzed_answers_are_read_or_refused_and_never_repeat_what_was_sent() {
        let seeds: [&[u8]; 6] = [
            include_bytes!("../../tests/fixtures/fuzz/page.html"),
            include_bytes!("../../tests/fixtures/wire/problem.json"),
            include_bytes!("../../tests/fixtures/wire/code-and-message.json"),
            include_bytes!("../../tests/fixtures/wire/enrolment.json"),
            include_bytes!("../../tests/fixtures/wire/test-taker.json"),
            include_bytes!("../../tests/fixtures/wire/result.json"),
        ];
        let words =
            ["zoe@example.com", "EMP-1", "\\u0045MP-1", "\"detail\":\"", "<title>", "</title>", "null", "\"", ","];
        let carried = ["zoe@example.com".to_owned(), "EMP-1".to_owned()];
        fuzz(100_000, &seeds, &words, |bytes| {
            let body = bytes.to_vec();
            let title = html_title(&body, &carried);
            let is_titled = title.is_some();
            let answer = SuccessBody::new(200, body, title, false);
            let read = [
                answer.read::<TestTaker>().map(|_| ()),
                answer.read::<Enrolment>().map(|_| ()),
                answer.read::<TestResult>().map(|_| ()),
            ];
            let unread = read.iter().filter_map(|read| read.as_ref().err().map(ToString::to_string));
            let refused = Error::Rejected(Box::new(rejection(500, &HeaderMap::new(), bytes, &carried))).to_string();
            for said in unread.clone().chain([refused.clone()]) {
                let said = said.to_ascii_lowercase();
                assert!(!said.contains("zoe@example.com") && !said.contains("emp-1"), "{said}");
            }
            (unread.count(), refused.len().min(300), is_titled)
        });
    }
}
