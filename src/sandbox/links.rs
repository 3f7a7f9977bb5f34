//! Test links: each call gives a new one and ends the earlier ones (specification, Test link).

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse as _, Response};
use rusqlite::{OptionalExtension as _, TransactionBehavior, params};
use serde_json::json;
use uuid::Uuid;

use super::http::{Refusal, read};
use super::projects::number;
use super::service::Shared;
use super::state::{PRESENT, iso, micros, now};
use crate::model::links::LinkRequest;
use crate::model::people::EntryId;
use crate::model::projects::ProjectId;

/// How long a link works.
const LIFETIME: Duration = Duration::from_hours(24);

/// POST /projects/{projectId}/testtakers/{id}/test-link. No body is an empty one (our reading).
pub(super) async fn issue(
    State(sandbox): State<Shared>,
    Path((project, EntryId(entry))): Path<(ProjectId, EntryId)>,
    body: Bytes,
) -> Result<Response, Refusal> {
    let wanted = if body.is_empty() { LinkRequest::default() } else { read(&body)? };
    let mut state = sandbox.state().await;
    let transaction = state.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = number(&transaction, project)?;
    let created = transaction
        .prepare_cached("SELECT created FROM people WHERE entry = ?2 AND project = ?1 AND until > ?3")?
        .query_row(params![number, entry, PRESENT], |row| row.get::<_, i64>(0))
        .optional()?
        .ok_or_else(|| Refusal::not_found("test taker in this project"))?;
    let now = now();
    if now < created.saturating_add(micros(sandbox.provisioning)) {
        return Ok(not_provisioned());
    }
    let expires = now + micros(LIFETIME);
    let token = Uuid::new_v4().simple().to_string();
    transaction
        .prepare_cached("UPDATE links SET ended = 'rotated' WHERE entry = ?1 AND ended IS NULL")?
        .execute([entry])?;
    transaction
        .prepare_cached("INSERT INTO links (token, entry, expires, redirect_uri) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![token, entry, expires, wanted.redirect_uri])?;
    transaction.commit()?;
    let mut url = sandbox.url_of(&format!("/take/{token}"));
    if let Some(uri) = &wanted.redirect_uri {
        url.query_pairs_mut().append_pair("redirect_uri", uri);
    }
    if let Some(id) = &wanted.reference_id {
        url.query_pairs_mut().append_pair("reference_id", id);
    }
    Ok(Json(json!({ "url": url.as_str(), "expiresAtUtc": iso(expires) })).into_response())
}

/// The second error body, with 1 to 5 seconds of `Retry-After` (specification, Errors 2 and 4).
fn not_provisioned() -> Response {
    let message = "The test taker is not provisioned yet. Try again in a moment.";
    let body = json!({ "code": "test_taker_not_provisioned", "message": message });
    let seconds = fastrand::u8(1..=5).to_string();
    (StatusCode::CONFLICT, [(RETRY_AFTER, seconds)], Json(body)).into_response()
}
