//! The project list: what it is asked for, how it is sorted, and the cache that `bypassCache` passes by.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Row, params};

use super::pages::{direction, window};
use super::request::{Page, Query};
use super::response::Refusal;
use super::state::{fold, from_word, iso, word};
use crate::model::field_rules::FILTER_MAX;
use crate::model::list_query::Order;
use crate::model::projects::{Project, ProjectOrderBy, ProjectState};

/// The columns of a project, in the order in which `read` takes them.
pub(super) const COLUMNS: &str = "id, name, created, modified, state, response";

pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Project> {
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

/// What a project list was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProjectListQuery {
    page: Page,
    order: Order,
    by: ProjectOrderBy,
    filter: String,
    state: Option<ProjectState>,
}

impl ProjectListQuery {
    pub(super) fn read(query: &Query) -> Result<Self, Refusal> {
        Ok(Self {
            page: query.page()?,
            order: query.word("order")?.unwrap_or(Order::Asc),
            by: query.word("orderBy")?.unwrap_or(ProjectOrderBy::Name),
            filter: fold(query.bounded("filter", FILTER_MAX)?.unwrap_or_default()),
            state: query.word("state")?,
        })
    }

    /// The same list at another page.
    pub(super) fn at(&self, page: Page) -> Self {
        Self { page, ..self.clone() }
    }

    /// Names are sorted ignoring case, states in the order in which the specification lists them, equal keys by id
    /// (our reading).
    pub(super) fn select(&self, connection: &Connection) -> rusqlite::Result<Vec<Project>> {
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
pub(super) struct ProjectCache {
    lifetime: Duration,
    kept: Mutex<Vec<(ProjectListQuery, Instant, Vec<Project>)>>,
}

impl ProjectCache {
    pub(super) fn new(lifetime: Duration) -> Self {
        Self { lifetime, kept: Mutex::new(Vec::new()) }
    }

    pub(super) fn get(&self, listing: &ProjectListQuery) -> Option<Vec<Project>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(_, since, _)| since.elapsed() < self.lifetime);
        kept.iter().find(|(known, ..)| known == listing).map(|(.., projects)| projects.clone())
    }

    pub(super) fn put(&self, listing: ProjectListQuery, projects: &[Project]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, ..)| *known != listing);
        kept.push((listing, Instant::now(), projects.to_vec()));
    }
}
