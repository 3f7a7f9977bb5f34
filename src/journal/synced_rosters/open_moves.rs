//! People who are under way from one entry to another: into another project, or under another e-mail. Written down before
//! the first request of a move, so that a run that was killed between its halves is finished by the next one.

use rusqlite::{Connection, params};

use super::SyncJournal;
use crate::journal::clock::Moment;
use crate::journal::person_key::PersonKey;
use crate::model::failure::Failure;
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

impl SyncJournal {
    /// Writes moves down, before anything of them is sent.
    pub fn begin_moves(&mut self, source: &str, moves: &[OpenMove]) -> Result<(), Failure> {
        let (service, now) = (&self.service, Moment::now().wall);
        self.store.transact(|tables| {
            let mut insert = tables.prepare(
                "INSERT OR REPLACE INTO moves (service, project, entry, source, destination, key, begun)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            moves.iter().try_for_each(|OpenMove { from, entry, to, key }| {
                insert.execute(params![service, from.to_string(), entry.0, source, to.to_string(), key, now]).map(drop)
            })
        })
    }

    /// The moves of a source that are open.
    pub fn moves(&self, source: &str) -> Result<Vec<OpenMove>, Failure> {
        let sql = "SELECT project, entry, destination, key FROM moves WHERE service = ?1 AND source = ?2";
        let moves = self.store.rows(sql, [&*self.service, source], |row| {
            let (from, to): (String, String) = (row.get(0)?, row.get(2)?);
            let (entry, key) = (EntryId(row.get(1)?), row.get(3)?);
            Ok(from.parse().ok().zip(to.parse().ok()).map(|(from, to)| OpenMove { from, entry, to, key }))
        })?;
        Ok(moves.into_iter().flatten().collect())
    }

    /// Writes down by what rosters know people, before anything is sent that enrols them.
    pub fn begin_joins(&mut self, source: &str, joins: &[(ProjectId, PersonKey)]) -> Result<(), Failure> {
        let service = &self.service;
        self.store.transact(|tables| {
            let sql = "INSERT OR REPLACE INTO joining (service, project, source, key) VALUES (?1, ?2, ?3, ?4)";
            let mut insert = tables.prepare(sql)?;
            joins.iter().try_for_each(|(project, key)| {
                insert.execute(params![service, project.to_string(), source, key]).map(drop)
            })
        })
    }

    /// The people that syncs of a source began to enrol since its last roster, each with the project.
    pub fn joins(&self, source: &str) -> Result<Vec<(ProjectId, PersonKey)>, Failure> {
        let sql = "SELECT project, key FROM joining WHERE service = ?1 AND source = ?2";
        let joins = self.store.rows(sql, [&*self.service, source], |row| {
            Ok(row.get::<_, String>(0)?.parse().ok().zip(Some(row.get(1)?)))
        })?;
        Ok(joins.into_iter().flatten().collect())
    }

    /// The projects that the last file of a source with a column for them was about.
    pub fn followed(&self, source: &str) -> Result<Vec<ProjectId>, Failure> {
        let sql = "SELECT project FROM followed WHERE service = ?1 AND source = ?2 ORDER BY project";
        let projects =
            self.store.rows(sql, [&*self.service, source], |row| Ok(row.get::<_, String>(0)?.parse().ok()))?;
        Ok(projects.into_iter().flatten().collect())
    }
}

/// Forgets the moves out of a project that a later roster settled otherwise, and who joined it: the roster has them.
pub(super) fn settle(tables: &Connection, (service, source): (&str, &str), project: ProjectId) -> rusqlite::Result<()> {
    ["moves", "joining"].iter().try_for_each(|table| {
        let sql = format!("DELETE FROM {table} WHERE service = ?1 AND source = ?2 AND project = ?3");
        tables.execute(&sql, params![service, source, project.to_string()]).map(|_| ())
    })
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
