//! What all operations share: how a request is read, how a page is cut, and how a refusal is answered.

use axum::Json;
use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::model::people::Order;

/// What an operation comes to.
pub(super) type Reply<T> = Result<Json<T>, Refusal>;

/// Why a request is refused. The text becomes the detail of a problem body.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) detail: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into() }
    }

    /// 400: the request breaks a rule.
    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// 404: the path names nothing.
    pub(super) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("There is no such {what}."))
    }
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, format!("The sandbox cannot use its state: {error}."))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, self.detail).into_response()
    }
}

/// Turns a refusal in plain text, ours or one of axum's, into a problem body (specification, Errors 1). Other answers pass.
pub(super) async fn with_problem(response: Response, instance: &str) -> Response {
    let is_text = |label: &HeaderValue| label.as_bytes().starts_with(b"text/plain");
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || !response.headers().get(CONTENT_TYPE).is_none_or(is_text) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    // The texts are made in this process: they are short and whole.
    let detail = to_bytes(body, 1 << 16).await.unwrap_or_default();
    let problem = json!({
        "type": "about:blank",
        "title": status.canonical_reason(),
        "status": status.as_u16(),
        "detail": String::from_utf8_lossy(&detail),
        "instance": instance,
    });
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(head, Body::from(problem.to_string()))
}

/// An answer that never comes: its body fails before hyper has sent the head, so hyper closes the connection.
pub(super) fn cut() -> Response {
    let failed = futures_util::stream::iter([Err::<Vec<u8>, _>(std::io::Error::other("a rehearsed fault"))]);
    Response::new(Body::from_stream(failed))
}

/// Reads a body as JSON, whatever its label says; unknown fields are ignored.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| Refusal::bad(error.to_string()))?;
    json.end().map_err(|error| Refusal::bad(error.to_string()))?;
    Ok(value)
}

/// The parameters that all lists share.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Paging {
    page: Option<i32>,
    page_size: Option<i32>,
    order: Option<Order>,
}

impl Paging {
    /// How many records the page has, and how many come before it. Numbers outside the specification's limits are 400 (our
    /// reading).
    pub(super) fn window(&self) -> Result<(u32, u32), Refusal> {
        let (page, size) = (self.page.unwrap_or(1), self.page_size.unwrap_or(100));
        match (u32::try_from(page).unwrap_or(0), u32::try_from(size).unwrap_or(0)) {
            (0, _) => Err(Refusal::bad("page starts at 1.")),
            (page, size @ 1..=100) => Ok((size, (page - 1).saturating_mul(size))),
            _ => Err(Refusal::bad("pageSize is 1 to 100.")),
        }
    }

    /// The direction as SQL, of a list that has this one by default.
    pub(super) fn direction(&self, default: Order) -> &'static str {
        match self.order.unwrap_or(default) {
            Order::Asc => "ASC",
            Order::Desc => "DESC",
        }
    }
}

/// Checks a text that a list is searched for: at most 500 characters.
pub(super) fn check_searched(name: &str, text: &str) -> Result<(), Refusal> {
    match text.chars().count() {
        ..=500 => Ok(()),
        count => Err(Refusal::bad(format!("{name} has {count} characters, 500 are allowed."))),
    }
}

/// The time whose state a read shows: the present, unless a fault lets it lag.
#[derive(Clone, Copy, Debug)]
pub(super) struct AsOf(pub(super) i64);
