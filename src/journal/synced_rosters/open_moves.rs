//! People who are under way from one entry to another: into another project, or under another e-mail. Written down before
//! the first request of a move, so that a run that was killed between its halves is finished by the next one.

use rusqlite::{Connection, params};

use super::clock::Millis;
use super::person_key::PersonKey;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;

/// A move that was begun, and whose old entry is not known to be gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenMove {
    /// The project that is left; of a changed e-mail the person's one.
    pub from: ProjectId,
    /// The entry that goes once the new one stands.
    pub entry: EntryId,
    /// The project that is joined.
    pub to: ProjectId,
    /// By what rosters know the person.
    pub key: PersonKey,
}

/// Writes moves down, before anything of them is sent.
pub(super) fn begin(
    tables: &Connection,
    (service, source): (&str, &str),
    moves: &[OpenMove],
    now: Millis,
) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO moves (service, project, entry, source, destination, key, begun)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let mut insert = tables.prepare(sql)?;
    for OpenMove { from, entry, to, key } in moves {
        insert.execute(params![service, from.to_string(), entry.0, source, to.to_string(), key, now])?;
    }
    Ok(())
}

/// The moves of a source that are open.
pub(super) fn all(tables: &Connection, service: &str, source: &str) -> rusqlite::Result<Vec<OpenMove>> {
    let sql = "SELECT project, entry, destination, key FROM moves WHERE service = ?1 AND source = ?2";
    let mut select = tables.prepare(sql)?;
    let each = select.query_map([service, source], |row| {
        let (from, to): (String, String) = (row.get(0)?, row.get(2)?);
        let (entry, key) = (EntryId(row.get(1)?), row.get(3)?);
        Ok(from.parse().ok().zip(to.parse().ok()).map(|(from, to)| OpenMove { from, entry, to, key }))
    })?;
    each.filter_map(Result::transpose).collect()
}

/// Writes down by what rosters know people, before anything is sent that enrols them.
pub(super) fn begin_joins(
    tables: &Connection,
    (service, source): (&str, &str),
    joins: &[(ProjectId, PersonKey)],
) -> rusqlite::Result<()> {
    let mut insert =
        tables.prepare("INSERT OR REPLACE INTO joining (service, project, source, key) VALUES (?1, ?2, ?3, ?4)")?;
    joins
        .iter()
        .try_for_each(|(project, key)| insert.execute(params![service, project.to_string(), source, key]).map(|_| ()))
}

/// The people whom syncs of a source began to enrol since its last roster.
pub(super) fn joins(tables: &Connection, service: &str, source: &str) -> rusqlite::Result<Vec<(ProjectId, PersonKey)>> {
    let mut select = tables.prepare("SELECT project, key FROM joining WHERE service = ?1 AND source = ?2")?;
    let each =
        select.query_map([service, source], |row| Ok(row.get::<_, String>(0)?.parse().ok().zip(Some(row.get(1)?))))?;
    each.filter_map(Result::transpose).collect()
}

/// Forgets the moves out of a project that a later roster settled otherwise, and who joined it: the roster has them.
pub(super) fn settle(tables: &Connection, (service, source): (&str, &str), project: ProjectId) -> rusqlite::Result<()> {
    ["moves", "joining"].iter().try_for_each(|table| {
        let sql = format!("DELETE FROM {table} WHERE service = ?1 AND source = ?2 AND project = ?3");
        tables.execute(&sql, params![service, source, project.to_string()]).map(|_| ())
    })
}

/// The projects that the last file of a source with a column for them was about.
pub(super) fn followed(tables: &Connection, service: &str, source: &str) -> rusqlite::Result<Vec<ProjectId>> {
    let sql = "SELECT project FROM followed WHERE service = ?1 AND source = ?2 ORDER BY project";
    let mut select = tables.prepare(sql)?;
    let each = select.query_map([service, source], |row| Ok(row.get::<_, String>(0)?.parse().ok()))?;
    each.filter_map(Result::transpose).collect()
}

/// Remembers which projects a file was about.
pub(super) fn follow(
    tables: &Connection,
    (service, source): (&str, &str),
    projects: &[ProjectId],
) -> rusqlite::Result<()> {
    tables.execute("DELETE FROM followed WHERE service = ?1 AND source = ?2", params![service, source])?;
    let mut insert =
        tables.prepare("INSERT OR REPLACE INTO followed (service, source, project) VALUES (?1, ?2, ?3)")?;
    projects.iter().try_for_each(|project| insert.execute(params![service, source, project.to_string()]).map(|_| ()))
}
