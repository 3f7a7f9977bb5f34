//! Projects: list, create, get, and the project's link.

use rusqlite::{Connection, OptionalExtension};

use super::pages::page_of;
use super::project_list::{COLUMNS, ProjectListQuery, read};
use super::request::Call;
use super::response::{OperationResult, Refusal, ServiceReply};
use super::service::RunningService;
use super::state::insert_project;
use crate::model::projects::{NewProject, Project, ProjectId};

fn one(connection: &Connection, id: ProjectId) -> Result<Project, Refusal> {
    let mut select = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM projects WHERE id = ?1"))?;
    let project = select.query_row([id.to_string()], read).optional()?;
    project.ok_or_else(|| Refusal::not_found("project"))
}

/// GET /projects
pub(super) fn list(service: &RunningService, call: &Call) -> OperationResult {
    let query = ProjectListQuery::read(&call.query)?;
    let bypass = call.query.flag("bypassCache")? == Some(true);
    let projects = page_of(call, |page| {
        let query = query.at(page);
        if let Some(projects) = service.projects.get(&query).filter(|_| !bypass) {
            return Ok(projects);
        }
        let projects = query.select(&service.state())?;
        service.projects.put(query, &projects);
        Ok(projects)
    })?;
    Ok(ServiceReply::ok(&projects))
}

/// POST /projects. Answers 200, as every operation does for which the specification states nothing else.
pub(super) fn create(service: &RunningService, call: &Call) -> OperationResult {
    let fields = call.fields()?;
    let new =
        NewProject { name: fields.required("name")?, fit_for_duty_response: fields.optional("fitForDutyResponse")? };
    // "Optional on creation: may be omitted or null, and is then stored and returned as an empty string."
    let response = new.fit_for_duty_response.map(String::from).unwrap_or_default();
    let state = service.state();
    let id = insert_project(&state, new.name.as_str(), &response)?;
    Ok(ServiceReply::ok(&one(&state, id)?))
}

/// GET /projects/{projectId}
pub(super) fn get(service: &RunningService, call: &Call) -> OperationResult {
    Ok(ServiceReply::ok(&one(&service.state(), call.project()?)?))
}

/// GET /projects/{projectId}/get-link
pub(super) fn link(service: &RunningService, call: &Call) -> OperationResult {
    let project = one(&service.state(), call.project()?)?;
    Ok(ServiceReply::ok(&format!("{}/join/{}", service.address, project.id)))
}
