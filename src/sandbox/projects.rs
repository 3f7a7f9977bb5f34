//! Projects: list, create, get, and the project's link (specification, Projects).

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{AsOf, Paging, Refusal, Reply, check_searched, read};
use super::service::Shared;
use super::state::{PRESENT, add_project, fold, iso};
use crate::model::people::Order;
use crate::model::projects::{NewProject, ProjectId, ProjectOrder, ProjectState};

const COLUMNS: &str = "id, name, created, modified, state, response";

fn record(row: &Row<'_>) -> rusqlite::Result<Value> {
    Ok(json!({
        "id": row.get::<_, String>(0)?,
        "name": row.get::<_, String>(1)?,
        "dateCreated": iso(row.get(2)?),
        "lastModified": iso(row.get(3)?),
        "state": row.get::<_, String>(4)?,
        "fitForDutyResponse": row.get::<_, String>(5)?,
    }))
}

fn find(state: &Connection, id: ProjectId, as_of: i64) -> Result<Value, Refusal> {
    let sql = format!("SELECT {COLUMNS} FROM projects WHERE id = ?1 AND created <= ?2");
    let found = state.prepare_cached(&sql)?.query_row(params![id.to_string(), as_of], record).optional()?;
    found.ok_or_else(|| Refusal::not_found("project"))
}

/// The internal number of a project.
pub(super) fn number(state: &Connection, id: ProjectId) -> Result<i64, Refusal> {
    let mut select = state.prepare_cached("SELECT seq FROM projects WHERE id = ?1")?;
    let found = select.query_row([id.to_string()], |row| row.get(0)).optional()?;
    found.ok_or_else(|| Refusal::not_found("project"))
}

/// The parameters of the list. There is no cache, so `bypassCache` changes nothing.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ProjectParameters {
    filter: String,
    state: Option<ProjectState>,
    order_by: Option<ProjectOrder>,
}

/// GET /projects. Names are sorted ignoring case, states as the specification lists them, equals by id (our reading).
pub(super) async fn list(
    State(sandbox): State<Shared>,
    Extension(AsOf(as_of)): Extension<AsOf>,
    Query(paging): Query<Paging>,
    Query(wanted): Query<ProjectParameters>,
) -> Reply<Vec<Value>> {
    check_searched("filter", &wanted.filter)?;
    let key = match wanted.order_by.unwrap_or(ProjectOrder::Name) {
        ProjectOrder::Name => "folded",
        ProjectOrder::DateCreated => "created",
        ProjectOrder::LastModified => "modified",
        ProjectOrder::State => "instr('Draft Active Inactive Deleted ActiveExpired ', state || ' ')",
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM projects WHERE instr(folded, ?1) AND (?2 IS NULL OR state = ?2) AND created <= ?3
         ORDER BY {key} {}, id LIMIT ?4 OFFSET ?5",
        paging.direction(Order::Asc)
    );
    let (limit, offset) = paging.window()?;
    let in_state = wanted.state.map(|state| format!("{state:?}"));
    let state = sandbox.state().await;
    let mut select = state.prepare_cached(&sql)?;
    let found = select.query_map(params![fold(&wanted.filter), in_state, as_of, limit, offset], record)?;
    Ok(Json(found.collect::<Result<_, _>>()?))
}

/// POST /projects: 200, as for every operation that states nothing else.
pub(super) async fn create(State(sandbox): State<Shared>, body: Bytes) -> Reply<Value> {
    let new: NewProject = read(&body)?;
    let response = new.fit_for_duty_response.map(String::from).unwrap_or_default();
    let state = sandbox.state().await;
    let id = add_project(&state, &new.name, &response)?;
    find(&state, id, PRESENT).map(Json)
}

/// GET /projects/{projectId}
pub(super) async fn one(
    State(sandbox): State<Shared>,
    Extension(AsOf(as_of)): Extension<AsOf>,
    Path(project): Path<ProjectId>,
) -> Reply<Value> {
    find(&*sandbox.state().await, project, as_of).map(Json)
}

/// GET /projects/{projectId}/get-link
pub(super) async fn link(State(sandbox): State<Shared>, Path(project): Path<ProjectId>) -> Reply<String> {
    number(&*sandbox.state().await, project)?;
    Ok(Json(sandbox.url_of(&format!("/join/{project}")).into()))
}
