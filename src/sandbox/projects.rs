//! Projects: list, create, get, and the project's link.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Service;
use super::call::{Call, Page, Query};
use super::people::{direction, window};
use super::reply::{Answer, Refusal, Reply};
use super::state::{fold, from_word, insert_project, iso, word};
use crate::model::listing::Order;
use crate::model::projects::{NewProject, Project, ProjectId, ProjectOrderBy, ProjectState};
use crate::model::text::FILTER_MAX;

const COLUMNS: &str = "id, name, created, modified, state, response";

fn read(row: &Row<'_>) -> rusqlite::Result<Project> {
    let id: String = row.get(0)?;
    let id = id
        .parse()
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error)))?;
    Ok(Project {
        id,
        name: row.get(1)?,
        date_created: Some(iso(row.get(2)?)),
        last_modified: Some(iso(row.get(3)?)),
        state: from_word(row.get(4)?),
        fit_for_duty_response: row.get(5)?,
    })
}

fn one(connection: &Connection, id: ProjectId) -> Result<Project, Refusal> {
    let mut select = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM projects WHERE id = ?1"))?;
    let project = select.query_row([id.to_string()], read).optional()?;
    project.ok_or_else(|| Refusal::not_found("project"))
}

/// What a project list was asked for.
#[derive(Clone, Debug, PartialEq)]
struct Listing {
    page: Page,
    order: Order,
    by: ProjectOrderBy,
    filter: String,
    state: Option<ProjectState>,
}

impl Listing {
    fn read(query: &Query) -> Result<Self, Refusal> {
        Ok(Self {
            page: query.page()?,
            order: query.word("order")?.unwrap_or(Order::Asc),
            by: query.word("orderBy")?.unwrap_or(ProjectOrderBy::Name),
            filter: fold(query.bounded("filter", FILTER_MAX)?.unwrap_or_default()),
            state: query.word("state")?,
        })
    }

    /// Names are sorted ignoring case, states in the order in which the specification lists them, equal keys by id
    /// (our reading).
    fn select(&self, connection: &Connection) -> rusqlite::Result<Vec<Project>> {
        let key = match self.by {
            ProjectOrderBy::Name => "name_folded",
            ProjectOrderBy::DateCreated => "created",
            ProjectOrderBy::LastModified => "modified",
            ProjectOrderBy::State => "instr('Draft Active Inactive Deleted ActiveExpired ', state || ' ')",
        };
        let sql = format!(
            "SELECT {COLUMNS} FROM projects WHERE instr(name_folded, ?1) AND (?2 IS NULL OR state = ?2)
             ORDER BY {key} {}, id LIMIT ?3 OFFSET ?4",
            direction(self.order)
        );
        let (limit, offset) = window(self.page);
        let mut select = connection.prepare_cached(&sql)?;
        let projects = select.query_map(params![self.filter, self.state.as_ref().map(word), limit, offset], read)?;
        projects.collect()
    }
}

/// The server's cache that `bypassCache` passes by. That it exists is all the specification shows; our reading is that
/// the list, and nothing else, may be some seconds old.
#[derive(Debug)]
pub(super) struct Cache {
    lifetime: Duration,
    kept: Mutex<Vec<(Listing, Instant, Vec<Project>)>>,
}

impl Cache {
    pub(super) fn new(lifetime: Duration) -> Self {
        Self { lifetime, kept: Mutex::new(Vec::new()) }
    }

    fn get(&self, listing: &Listing) -> Option<Vec<Project>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(_, since, _)| since.elapsed() < self.lifetime);
        kept.iter().find(|(known, ..)| known == listing).map(|(.., projects)| projects.clone())
    }

    fn put(&self, listing: Listing, projects: &[Project]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, ..)| *known != listing);
        kept.push((listing, Instant::now(), projects.to_vec()));
    }
}

/// GET /projects
pub(super) fn list(service: &Service, call: &Call) -> Answer {
    let listing = Listing::read(&call.query)?;
    let bypass = call.query.flag("bypassCache")? == Some(true);
    if let Some(projects) = service.projects.get(&listing).filter(|_| !bypass) {
        return Ok(Reply::ok(&projects));
    }
    let projects = listing.select(&service.state())?;
    service.projects.put(listing, &projects);
    Ok(Reply::ok(&projects))
}

/// POST /projects. Answers 200, as every operation does for which the specification states nothing else.
pub(super) fn create(service: &Service, call: &Call) -> Answer {
    let fields = call.fields()?;
    let new =
        NewProject { name: fields.required("name")?, fit_for_duty_response: fields.optional("fitForDutyResponse")? };
    // "Optional on creation: may be omitted or null, and is then stored and returned as an empty string."
    let response = new.fit_for_duty_response.map(String::from).unwrap_or_default();
    let state = service.state();
    let id = insert_project(&state, new.name.as_str(), &response)?;
    Ok(Reply::ok(&one(&state, id)?))
}

/// GET /projects/{projectId}
pub(super) fn get(service: &Service, call: &Call) -> Answer {
    Ok(Reply::ok(&one(&service.state(), call.project()?)?))
}

/// GET /projects/{projectId}/get-link
pub(super) fn link(service: &Service, call: &Call) -> Answer {
    let project = one(&service.state(), call.project()?)?;
    Ok(Reply::ok(&format!("{}/join/{}", service.address, project.id)))
}
