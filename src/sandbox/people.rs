//! People as lists and look-ups show them: the record, filters, orders and pages (specification, Result).

use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{AsOf, Paging, Refusal, Reply, check_searched};
use super::projects::number;
use super::service::{LastList, Shared};
use super::state::{PRESENT, fold, iso};
use crate::model::people::{Order, TestTakerOrder};
use crate::model::projects::ProjectId;

/// The columns of a record, in the order in which `record` takes them.
const COLUMNS: &str = "entry, email, reference_id, first_name, last_name, full_name, birth_year, result, completed, sent, \
                       top_performer, identity";

/// How grave a result is. The service's ranking is not shown, so this is our reading.
const GRAVITY: &str = "CASE result WHEN 'Emergency' THEN 8 WHEN 'Escalated' THEN 7 WHEN 'HighRisk' THEN 6 \
    WHEN 'Fatigued' THEN 5 WHEN 'Distressed' THEN 5 WHEN 'ReasonableCause' THEN 5 WHEN 'Confirming' THEN 4 \
    WHEN 'Completed' THEN 1 ELSE iif(result IS NULL, 0, 3) END";

/// A test taker read record.
fn record(row: &Row<'_>) -> rusqlite::Result<Value> {
    Ok(json!({
        "id": row.get::<_, i64>(0)?,
        "email": row.get::<_, String>(1)?,
        "referenceId": row.get::<_, Option<String>>(2)?,
        "firstName": row.get::<_, Option<String>>(3)?,
        "lastName": row.get::<_, Option<String>>(4)?,
        "fullName": row.get::<_, String>(5)?,
        "yearOfBirth": row.get::<_, Option<i32>>(6)?,
        "result": row.get::<_, Option<String>>(7)?,
        "dateCompleted": row.get::<_, Option<i64>>(8)?.map(iso),
        "lastTestSentUtc": row.get::<_, Option<i64>>(9)?.map(iso),
        "topPerformer": row.get::<_, bool>(10)?,
    }))
}

/// The record with the identity. An attempt under way and verification that is off have no outcome (our reading).
fn record_with_identity(row: &Row<'_>) -> rusqlite::Result<Value> {
    let (mut record, status) = (record(row)?, row.get::<_, String>(11)?);
    record["identityVerified"] = match status.as_str() {
        "Verified" => true.into(),
        "NotVerified" | "Compromised" => false.into(),
        _ => Value::Null,
    };
    record["identityStatus"] = status.into();
    Ok(record)
}

/// One person who is enrolled.
pub(super) fn find(state: &Connection, project: i64, entry: i32) -> Result<Value, Refusal> {
    let sql = format!("SELECT {COLUMNS} FROM people WHERE entry = ?2 AND project = ?1 AND until > ?3");
    let found = state.prepare_cached(&sql)?.query_row(params![project, entry, PRESENT], record).optional()?;
    found.ok_or_else(|| Refusal::not_found("test taker in this project"))
}

/// The parameters of both lists but paging. `referenceId` is of the list of test takers only.
#[derive(Debug, Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PeopleParameters {
    filter: String,
    reference_id: String,
    completed_only: bool,
    has_reference_id: Option<bool>,
    has_last_test_sent: Option<bool>,
    last_test_sent_from_utc: Option<Timestamp>,
    last_test_sent_to_utc: Option<Timestamp>,
    order_by: Option<TestTakerOrder>,
}

impl PeopleParameters {
    /// SQL of the entries in their order. Equal keys come in the order of enrolment, whatever the direction (our reading).
    fn sql(&self, direction: &str) -> String {
        let key = match self.order_by.unwrap_or(TestTakerOrder::Priority) {
            TestTakerOrder::Priority => GRAVITY,
            TestTakerOrder::Performance => &format!("top_performer * 100 - {GRAVITY}"),
            TestTakerOrder::FullName => "sorted",
            TestTakerOrder::LastTestSent => "sent",
        };
        // SQLite looks into the index by reference id only if nothing else is allowed.
        let reference_id = if self.reference_id.is_empty() { "?4 = ''" } else { "reference_id = ?4" };
        format!(
            "SELECT entry FROM people
             WHERE project = ?1 AND created <= ?2 AND until > ?2 AND (?3 = '' OR instr(searched, ?3)) AND {reference_id}
                AND (NOT ?5 OR completed IS NOT NULL) AND (?6 IS NULL OR (reference_id IS NOT NULL) = ?6)
                AND (?7 IS NULL OR (sent IS NOT NULL) = ?7) AND (?8 IS NULL OR sent >= ?8) AND (?9 IS NULL OR sent <= ?9)
             ORDER BY {key} {direction}, entry"
        )
    }

    fn entries(&self, state: &Connection, sql: &str, project: i64, as_of: i64) -> rusqlite::Result<Vec<i64>> {
        let (filter, id) = (fold(&self.filter), &self.reference_id);
        let (has_id, was_sent) = (self.has_reference_id, self.has_last_test_sent);
        let times = [self.last_test_sent_from_utc, self.last_test_sent_to_utc];
        let [from, to] = times.map(|time| Some(time?.as_microsecond()));
        let values = params![project, as_of, filter, id, self.completed_only, has_id, was_sent, from, to];
        state.prepare_cached(sql)?.query_map(values, |row| row.get(0))?.collect()
    }
}

/// What both lists are asked with.
type ListRequest = (State<Shared>, Path<ProjectId>, Extension<AsOf>, Query<Paging>, Query<PeopleParameters>);

/// GET /projects/{projectId}/testtakers. The default direction is that of the declared schema (our reading).
pub(super) async fn list(request: ListRequest) -> Reply<Vec<Value>> {
    let (State(sandbox), Path(project), Extension(AsOf(as_of)), Query(paging), Query(wanted)) = request;
    check_searched("filter", &wanted.filter)?;
    check_searched("referenceId", &wanted.reference_id)?;
    let (limit, offset) = paging.window()?;
    let state = sandbox.state().await;
    let project = number(&state, project)?;
    let sql = wanted.sql(paging.direction(Order::Desc));
    let asked = format!("{sql} {project} {as_of} {wanted:?}");
    let version = "SELECT data_version, total_changes() FROM pragma_data_version";
    let version = state.prepare_cached(version)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut last = sandbox.last_list.lock().await;
    if (&last.asked, last.version) != (&asked, version) {
        *last = LastList { entries: wanted.entries(&state, &sql, project, as_of)?, asked, version };
    }
    let mut select = state.prepare_cached(&format!("SELECT {COLUMNS} FROM people WHERE entry = ?1"))?;
    let entries = last.entries.iter().skip(offset as usize).take(limit as usize);
    Ok(Json(entries.map(|entry| select.query_row([entry], record)).collect::<Result<_, _>>()?))
}

/// GET /projects/{projectId}/results: everybody has a record, also without a result (our reading).
pub(super) async fn results(mut request: ListRequest) -> Reply<Vec<Value>> {
    request.4.reference_id.clear();
    list(request).await
}

/// GET /projects/{projectId}/results/{referenceId}. Of several people the latest completion counts, then the latest
/// enrolment (our reading).
pub(super) async fn result(
    State(sandbox): State<Shared>,
    Path((project, reference_id)): Path<(ProjectId, String)>,
    Extension(AsOf(as_of)): Extension<AsOf>,
) -> Reply<Value> {
    check_searched("referenceId", &reference_id)?;
    let state = sandbox.state().await;
    let sql = format!(
        "SELECT {COLUMNS} FROM people
         WHERE project = ?1 AND reference_id = ?2 AND created <= ?3 AND until > ?3
         ORDER BY completed DESC NULLS LAST, entry DESC LIMIT 1"
    );
    let mut select = state.prepare_cached(&sql)?;
    let values = params![number(&state, project)?, reference_id, as_of];
    let found = select.query_row(values, record_with_identity).optional()?;
    found.map(Json).ok_or_else(|| Refusal::not_found("result"))
}
