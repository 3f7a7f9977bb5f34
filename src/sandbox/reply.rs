//! What the service answers: a JSON body with its status, and the two documented error bodies.

use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use serde::Serialize;

use crate::model::links::NOT_PROVISIONED;
use crate::model::problem::Problem;

/// A finished answer, not yet on the wire.
#[derive(Debug)]
pub(super) struct Reply {
    status: StatusCode,
    body: Vec<u8>,
    retry_after: Option<u64>,
}

/// What an operation comes to: an answer, or the reason why there is none.
pub(super) type OperationResult = Result<Reply, Refusal>;

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

/// The second error body (specification, Errors 2).
#[derive(Serialize)]
struct Coded {
    code: &'static str,
    message: &'static str,
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

    /// 404: the path names nothing.
    pub(super) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("There is no such {what}."))
    }

    /// The answer that tells the caller; `instance` is the request's path.
    pub(super) fn reply(self, instance: &str) -> Reply {
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
                Reply { retry_after, ..Reply::json(status, &problem) }
            }
            Self::NotProvisioned => {
                let message = "The test taker is not provisioned yet. Try again in a moment.";
                // The specification asks for jitter: 1 to 5 seconds (Errors 4).
                let retry_after = Some(fastrand::u64(1..=5));
                let body = Coded { code: NOT_PROVISIONED, message };
                Reply { retry_after, ..Reply::json(StatusCode::CONFLICT, &body) }
            }
        }
    }
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, format!("The sandbox cannot use its state: {error}."))
    }
}

impl Reply {
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
        Self { status: StatusCode::NO_CONTENT, body: Vec::new(), retry_after: None }
    }

    fn json(status: StatusCode, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(body) => Self { status, body, retry_after: None },
            Err(_) => Self { status: StatusCode::INTERNAL_SERVER_ERROR, body: Vec::new(), retry_after: None },
        }
    }

    /// How many bytes the body has.
    pub(super) fn body_length(&self) -> usize {
        self.body.len()
    }

    /// The answer as HTTP, labelled with the one of the offered media types that the caller accepts.
    pub(super) fn into_response(self, accept: Option<&HeaderValue>) -> Response<Body> {
        let empty = self.body.is_empty();
        let length = self.body.len();
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if !empty {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(accept)));
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// Bodies, of errors too, are offered as these three (specification, What the service does, Errors 5). The first that
/// `Accept` names is taken; weights are not looked at, and anything else gets JSON.
fn media_type(accept: Option<&HeaderValue>) -> &'static str {
    let offered = |wanted: &str| match wanted.split(';').next().unwrap_or_default().trim() {
        "text/json" => Some("text/json; charset=utf-8"),
        "text/plain" => Some("text/plain; charset=utf-8"),
        "application/json" | "*/*" | "application/*" => Some("application/json; charset=utf-8"),
        _ => None,
    };
    let accept = accept.and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.split(',').find_map(offered).unwrap_or("application/json; charset=utf-8")
}
