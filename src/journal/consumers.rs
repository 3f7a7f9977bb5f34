//! The consumers of `results changes`: whose memory there is, when each was told last, and what a killed run left.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::keyed_hash::Hash;
use super::store::Store;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;

/// Bytes of a hash that are kept: enough to tell a change, and little for a million people.
pub const KEPT: usize = 8;
/// A hash as it is kept.
pub type ShortHash = [u8; KEPT];
/// What the hash of a file that tells of alerts is for.
const TARGET: &str = "told file";

/// Whose memory is meant: a consumer's, of one list of results.
#[derive(Clone, Copy, Debug)]
pub struct Consumer<'a> {
    /// The service's name.
    pub service: &'a str,
    pub project: ProjectId,
    /// The word of the documented shape: the two have nothing in common.
    pub shape: &'a str,
    /// The consumer's own name.
    pub name: &'a str,
}

/// What is remembered of a consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// When the look began whose results it was told last.
    pub told: Timestamp,
    /// How many results are remembered.
    pub results: u64,
}

/// The beginning of a keyed hash.
pub fn short(store: &Store, purpose: &str, texts: &[&str]) -> ShortHash {
    let mut kept = [0; KEPT];
    kept.copy_from_slice(&store.keyed_hash(purpose, texts)[..KEPT]);
    kept
}

/// The consumers of a project in one shape, by name, each with what is remembered of it.
pub fn all(store: &Store, service: &str, project: ProjectId, shape: &str) -> Result<Vec<(String, Memory)>, Failure> {
    let sql = "SELECT name, told, (SELECT count(*) FROM told_results t WHERE t.consumer = c.consumer)
         FROM consumers c WHERE service = ?1 AND project = ?2 AND shape = ?3 AND told IS NOT NULL ORDER BY name";
    store.read(|tables| {
        let mut select = tables.prepare(sql)?;
        let each = select.query_map(params![service, project.to_string(), shape], |row| {
            let told = Timestamp::from_millisecond(row.get(1)?).unwrap_or_default();
            Ok((row.get(0)?, Memory { told, results: row.get::<_, i64>(2)?.unsigned_abs() }))
        })?;
        each.collect()
    })
}

/// Other services under which this project has a memory of this name: the same one, perhaps, by another address.
pub fn elsewhere(store: &Store, consumer: Consumer<'_>) -> Result<Vec<String>, Failure> {
    let sql = "SELECT service FROM consumers
         WHERE project = ?1 AND shape = ?2 AND name = ?3 AND service <> ?4 AND told IS NOT NULL ORDER BY told DESC";
    let Consumer { service, project, shape, name } = consumer;
    store.read(|tables| {
        let mut select = tables.prepare(sql)?;
        select.query_map(params![project.to_string(), shape, name, service], |row| row.get(0))?.collect()
    })
}

/// Forgets a consumer; `false` where there was none.
pub fn forget(store: &mut Store, consumer: Consumer<'_>) -> Result<bool, Failure> {
    store.transact(|tables| match find(tables, consumer)? {
        Some((seq, _)) => {
            tables.execute("DELETE FROM told_results WHERE consumer = ?1", [seq])?;
            tables.execute("DELETE FROM consumers WHERE consumer = ?1", [seq]).map(|_| true)
        }
        None => Ok(false),
    })
}

/// The hash of what tells people apart whose records have no id.
pub fn person_hash(store: &Store, texts: &[&str]) -> Hash {
    store.keyed_hash("person", texts)
}

/// Forgets what consumers were told of a person, by entry id, and by [`person_hash`] where that is known: the result and
/// all else. That the person was there stays until each consumer is told of the removal.
pub(super) fn forget_person(
    tables: &Connection,
    (service, project): (&str, &str),
    entry: EntryId,
    person: Option<Hash>,
) -> rusqlite::Result<()> {
    let sql = "UPDATE told_results SET result = x'', fields = x'', told = NULL, until = NULL
               WHERE (key = ?3 OR key = ?4) AND consumer IN (SELECT consumer FROM consumers WHERE service = ?1 AND project = ?2)";
    tables.prepare_cached(sql)?.execute(params![service, project, entry.0, person]).map(|_| ())
}

/// Notes, durably, that a file is about to tell of these alerts: a run that follows a killed one then knows what the
/// file tells that no exit code told.
pub fn begin_telling(
    store: &mut Store,
    consumer: Consumer<'_>,
    target: &str,
    alerts: &[ShortHash],
) -> Result<(), Failure> {
    let mut telling = short(store, TARGET, &[target]).to_vec();
    telling.extend(alerts.concat());
    store.transact(|tables| {
        let seq = enter(tables, consumer)?;
        tables.execute("UPDATE consumers SET telling = ?2 WHERE consumer = ?1", params![seq, telling]).map(|_| ())
    })
}

/// The alerts that a file tells of a run that was killed before it could end; none where there was no such run.
pub fn told_by_a_killed_run(store: &Store, consumer: Consumer<'_>, target: &str) -> Result<Vec<ShortHash>, Failure> {
    let sql = "SELECT telling FROM consumers WHERE consumer = ?1";
    let telling: Option<Vec<u8>> = store.read(|tables| match find(tables, consumer)? {
        Some((seq, _)) => tables.query_row(sql, [seq], |row| row.get(0)),
        None => Ok(None),
    })?;
    let telling = telling.unwrap_or_default();
    match telling.split_first_chunk::<KEPT>() {
        Some((file, alerts)) if *file == short(store, TARGET, &[target]) => Ok(alerts.as_chunks().0.to_vec()),
        _ => Ok(Vec::new()),
    }
}

/// Forgets that a file was about to tell of alerts.
pub fn end_telling(tables: &Connection, consumer: Consumer<'_>) -> rusqlite::Result<()> {
    match find(tables, consumer)? {
        Some((seq, _)) => tables.execute("UPDATE consumers SET telling = NULL WHERE consumer = ?1", [seq]).map(|_| ()),
        None => Ok(()),
    }
}

/// The consumer's number, and when it was told last in milliseconds; without a time where it never was.
pub fn find(tables: &Connection, consumer: Consumer<'_>) -> rusqlite::Result<Option<(i64, Option<i64>)>> {
    let sql = "SELECT consumer, told FROM consumers WHERE service = ?1 AND project = ?2 AND shape = ?3 AND name = ?4";
    let values = params![consumer.service, consumer.project.to_string(), consumer.shape, consumer.name];
    tables.query_row(sql, values, |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

/// The consumer's number; it gets one where it has none.
pub fn enter(tables: &Connection, consumer: Consumer<'_>) -> rusqlite::Result<i64> {
    if let Some((seq, _)) = find(tables, consumer)? {
        return Ok(seq);
    }
    let sql = "INSERT INTO consumers (service, project, shape, name) VALUES (?1, ?2, ?3, ?4)";
    tables.execute(sql, params![consumer.service, consumer.project.to_string(), consumer.shape, consumer.name])?;
    Ok(tables.last_insert_rowid())
}
