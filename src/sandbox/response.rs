//! What the service answers: a JSON body with its status, and the two documented error bodies.

use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode, Version};
use serde::Serialize;

use crate::model::error_body::Problem;
use crate::model::test_links::NOT_PROVISIONED;

/// A finished answer, not yet on the wire.
#[derive(Debug)]
pub(super) struct ServiceReply {
    status: StatusCode,
    body: Vec<u8>,
    retry_after: Option<u64>,
    /// Whether the end of the connection ends the body, as in HTTP/1.0, instead of its length.
    until_close: bool,
}

/// What an operation comes to: an answer, or the reason why there is none.
pub(super) type OperationResult = Result<ServiceReply, Refusal>;

/// Why a request is refused.
#[derive(Debug)]
pub(super) enum Refusal {
    /// A problem body (specification, Errors 1).
    Problem {
        /// The HTTP status, repeated in the body.
        status: StatusCode,
        /// What is wrong with this request.
        detail: String,
        /// Seconds of `Retry-After`, where the answer has one.
        retry_after: Option<u64>,
    },
    /// A test link asked for too early (specification, Errors 2 and 4).
    NotProvisioned,
}

impl Refusal {
    /// A problem without `Retry-After`.
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self::Problem { status, detail: detail.into(), retry_after: None }
    }

    /// 400: the request breaks a rule.
    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// A refusal that a fault makes.
    pub(super) fn rehearsed(status: StatusCode, retry_after: Option<u64>) -> Self {
        Self::Problem { status, detail: "A rehearsed fault.".to_owned(), retry_after }
    }

    /// 408: the body does not come.
    pub(super) fn too_slow() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "The body took too long.")
    }

    /// 404: the path names nothing.
    pub(super) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("There is no such {what}."))
    }

    /// The answer that tells the caller; `instance` is the request's path.
    pub(super) fn reply(self, instance: &str) -> ServiceReply {
        match self {
            Self::Problem { status, detail, retry_after } => {
                let problem = Problem {
                    kind: Some("about:blank".to_owned()),
                    title: status.canonical_reason().map(str::to_owned),
                    status: Some(status.as_u16().into()),
                    detail: Some(detail),
                    instance: Some(instance.to_owned()),
                    code: None,
                    message: None,
                };
                ServiceReply { retry_after, ..ServiceReply::json(status, &problem) }
            }
            Self::NotProvisioned => {
                let message = "The test taker is not provisioned yet. Try again in a moment.";
                // The specification asks for jitter: 1 to 5 seconds (Errors 4).
                let retry_after = Some(fastrand::u64(1..=5));
                let body = serde_json::json!({ "code": NOT_PROVISIONED, "message": message });
                ServiceReply { retry_after, ..ServiceReply::json(StatusCode::CONFLICT, &body) }
            }
        }
    }
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, format!("The sandbox cannot use its state: {error}."))
    }
}

impl ServiceReply {
    /// 200 with a JSON body.
    pub(super) fn ok(body: &impl Serialize) -> Self {
        Self::json(StatusCode::OK, body)
    }

    /// 201 with a JSON body.
    pub(super) fn created(body: &impl Serialize) -> Self {
        Self::json(StatusCode::CREATED, body)
    }

    /// 204.
    pub(super) fn no_content() -> Self {
        Self::bytes(StatusCode::NO_CONTENT, Vec::new())
    }

    fn json(status: StatusCode, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(body) => Self::bytes(status, body),
            Err(_) => Self::bytes(StatusCode::INTERNAL_SERVER_ERROR, Vec::new()),
        }
    }

    fn bytes(status: StatusCode, body: Vec<u8>) -> Self {
        Self { status, body, retry_after: None, until_close: false }
    }

    /// The same answer under another status.
    pub(super) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The answer without the second half of its body, which its head does not tell.
    pub(super) fn cut(mut self) -> Self {
        self.body.truncate(self.body.len() / 2);
        self
    }

    /// The answer with a body that the end of the connection ends.
    pub(super) fn until_close(self) -> Self {
        Self { until_close: true, ..self }
    }

    /// How many bytes the body has.
    pub(super) fn body_length(&self) -> usize {
        self.body.len()
    }

    /// The answer as HTTP, labelled with the one of the offered media types that the caller accepts.
    pub(super) fn into_response(self, accept: Option<&HeaderValue>) -> Response<Body> {
        let length = self.body.len();
        let until_close = self.until_close && length > 0;
        let mut response = Response::new(if until_close { endless(self.body) } else { Body::from(self.body) });
        *response.status_mut() = self.status;
        if until_close {
            *response.version_mut() = Version::HTTP_10;
        }
        let headers = response.headers_mut();
        if length > 0 {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(accept)));
        }
        if length > 0 && !until_close {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// A body whose length is not known beforehand.
fn endless(bytes: Vec<u8>) -> Body {
    Body::from_stream(futures_util::stream::once(async { Ok::<_, std::convert::Infallible>(bytes) }))
}

/// Bodies, of errors too, are offered as these three (specification, What the service does, Errors 5). The first that
/// `Accept` names is taken; weights are not looked at, and anything else gets JSON.
fn media_type(accept: Option<&HeaderValue>) -> &'static str {
    let accept = accept.and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.split(',').find_map(offered).unwrap_or("application/json; charset=utf-8")
}

/// The label for one part of an `Accept`, if it names what is offered.
fn offered(wanted: &str) -> Option<&'static str> {
    match wanted.split(';').next().unwrap_or_default().trim() {
        "text/json" => Some("text/json; charset=utf-8"),
        "text/plain" => Some("text/plain; charset=utf-8"),
        "application/json" | "*/*" | "application/*" => Some("application/json; charset=utf-8"),
        _ => None,
    }
}
