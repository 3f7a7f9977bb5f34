//! Enrolling people, updating and removing them (specification, Test takers).

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use rusqlite::{Connection, TransactionBehavior, params};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::http::{Refusal, Reply, read};
use super::people::find;
use super::projects::number;
use super::service::Shared;
use super::state::{fold, now};
use crate::model::people::EntryId;
use crate::model::projects::ProjectId;
use crate::model::text::{PersonName, ReferenceId};

/// Body of POST testtakers. The specification has no rule for an address; a blank one is 400 (our reading).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Newcomer {
    pub(super) email: String,
    pub(super) first_name: Option<PersonName>,
    pub(super) last_name: Option<PersonName>,
    pub(super) birth_year: Option<i32>,
    pub(super) reference_id: Option<ReferenceId>,
}

/// POST /projects/{projectId}/testtakers. The same person again is another entry (our reading).
pub(super) async fn enrol(
    State(sandbox): State<Shared>,
    Path(project): Path<ProjectId>,
    body: Bytes,
) -> Result<(StatusCode, Json<Value>), Refusal> {
    let new: Newcomer = read(&body)?;
    if new.email.trim().is_empty() {
        return Err(Refusal::bad("email is required."));
    }
    let mut state = sandbox.state().await;
    let transaction = state.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let entry = insert(&transaction, number(&transaction, project)?, &new)?;
    transaction.commit()?;
    let record = json!({
        "id": Uuid::new_v4(),
        "projectEntryId": entry,
        "email": new.email,
        "firstName": new.first_name,
        "lastName": new.last_name,
        "birthYear": new.birth_year,
        "referenceId": new.reference_id,
    });
    Ok((StatusCode::CREATED, Json(record)))
}

/// Adds a person. Entry ids ascend; people who were removed stay in the table, so none is used again.
pub(super) fn insert(state: &Connection, project: i64, new: &Newcomer) -> rusqlite::Result<i64> {
    let (first, last, reference_id) =
        (new.first_name.as_deref(), new.last_name.as_deref(), new.reference_id.as_deref());
    let full = full_name(first, last);
    let searched = searched(reference_id, &full, &new.email);
    let mut insert = state.prepare_cached(
        "INSERT INTO people (project, email, reference_id, first_name, last_name, full_name, sorted, searched, birth_year,
            created)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    let year = new.birth_year;
    insert.execute(params![project, new.email, reference_id, first, last, full, fold(&full), searched, year, now()])?;
    Ok(state.last_insert_rowid())
}

/// First and last name combined; empty if there is none.
fn full_name(first: Option<&str>, last: Option<&str>) -> String {
    [first, last].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// What `filter` looks into. No match goes across a line end.
fn searched(reference_id: Option<&str>, full_name: &str, email: &str) -> String {
    fold(&[reference_id.unwrap_or_default(), full_name, email].join("\n"))
}

/// Body of PATCH testtakers; its `id` does nothing. What is absent stays, and null clears (our reading).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update {
    first_name: Option<PersonName>,
    last_name: Option<PersonName>,
    reference_id: Option<ReferenceId>,
}

/// PATCH /projects/{projectId}/testtakers/{id}. The answer is a read record without `topPerformer`.
pub(super) async fn update(
    State(sandbox): State<Shared>,
    Path((project, EntryId(entry))): Path<(ProjectId, EntryId)>,
    body: Bytes,
) -> Reply<Value> {
    let Update { first_name, last_name, reference_id } = read(&body)?;
    let given: Map<String, Value> = read(&body)?;
    let mut state = sandbox.state().await;
    let transaction = state.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut record = find(&transaction, number(&transaction, project)?, entry)?;
    let values =
        [("firstName", json!(first_name)), ("lastName", json!(last_name)), ("referenceId", json!(reference_id))];
    for (field, value) in values.into_iter().filter(|(field, _)| given.contains_key(*field)) {
        record[field] = value;
    }
    let [first, last, id, email] =
        ["firstName", "lastName", "referenceId", "email"].map(|field| record[field].as_str());
    let full = full_name(first, last);
    let searched = searched(id, &full, email.unwrap_or_default());
    transaction.execute(
        "UPDATE people SET first_name = ?2, last_name = ?3, full_name = ?4, reference_id = ?5, sorted = ?6, searched = ?7
         WHERE entry = ?1",
        params![entry, first, last, full, id, fold(&full), searched],
    )?;
    transaction.commit()?;
    record["fullName"] = full.into();
    record.as_object_mut().and_then(|fields| fields.shift_remove("topPerformer"));
    Ok(Json(record))
}

/// DELETE /projects/{projectId}/testtakers/{id}. A repeat is 204 again, an id that was never given out 404 (our reading).
pub(super) async fn remove(
    State(sandbox): State<Shared>,
    Path((project, EntryId(entry))): Path<(ProjectId, EntryId)>,
) -> Result<StatusCode, Refusal> {
    let state = sandbox.state().await;
    let mut update =
        state.prepare_cached("UPDATE people SET until = min(until, ?3) WHERE entry = ?2 AND project = ?1")?;
    match update.execute(params![number(&state, project)?, entry, now()])? {
        0 => Err(Refusal::not_found("test taker in this project")),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}
