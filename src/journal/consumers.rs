//! The consumers of `results changes`: whose memory there is, when each was told last, and what a killed run left.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::keyed_hash::Hash;
use super::store::Store;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;

/// Bytes of a hash that are kept: enough to tell a change, and little for a million people.
pub const SHORT_HASH_BYTES: usize = 8;
/// A hash as it is kept.
pub type ShortHash = [u8; SHORT_HASH_BYTES];
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
    store.keyed_hash(purpose, texts).first_chunk().copied().unwrap_or_default()
}

/// The consumers of a project in one shape, by name, each with what is remembered of it.
pub fn all(store: &Store, service: &str, project: ProjectId, shape: &str) -> Result<Vec<(String, Memory)>, Failure> {
    let sql = "SELECT name, told, (SELECT count(*) FROM told_results t WHERE t.consumer = c.consumer)
         FROM consumers c WHERE service = ?1 AND project = ?2 AND shape = ?3 AND told IS NOT NULL ORDER BY name";
    store.rows(sql, params![service, project.to_string(), shape], |row| {
        let told = Timestamp::from_millisecond(row.get(1)?).unwrap_or_default();
        Ok((row.get(0)?, Memory { told, results: row.get::<_, i64>(2)?.unsigned_abs() }))
    })
}

/// Other services under which this project has a memory of this name: the same one, perhaps, by another address.
pub fn elsewhere(store: &Store, consumer: Consumer<'_>) -> Result<Vec<String>, Failure> {
    let sql = "SELECT service FROM consumers
         WHERE project = ?1 AND shape = ?2 AND name = ?3 AND service <> ?4 AND told IS NOT NULL ORDER BY told DESC";
    let Consumer { service, project, shape, name } = consumer;
    store.rows(sql, params![project.to_string(), shape, name, service], |row| row.get(0))
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

/// The hash by which people are told apart whose records have no id.
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
    match telling.split_first_chunk::<SHORT_HASH_BYTES>() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::removals::Removals;

    const PROJECT: ProjectId = ProjectId(uuid::Uuid::from_u128(1));

    fn consumer<'a>(service: &'a str, name: &'a str) -> Consumer<'a> {
        Consumer { service, project: PROJECT, shape: "current", name }
    }

    fn store(folder: &tempfile::TempDir) -> Store {
        Store::open(folder.path()).expect("a journal")
    }

    /// Tells a consumer at a time of one result by each of these keys.
    fn tell(store: &mut Store, consumer: Consumer<'_>, at: i64, keys: &[&dyn rusqlite::ToSql]) {
        let told = store.transact(|tables| {
            let seq = enter(tables, consumer)?;
            tables.execute("UPDATE consumers SET told = ?2 WHERE consumer = ?1", [seq, at])?;
            for key in keys {
                tables.execute(
                    "INSERT INTO told_results VALUES (?1, ?2, 0, x'01', x'02', x'03', 4)",
                    params![seq, key],
                )?;
            }
            Ok(())
        });
        told.expect("written");
    }

    #[test]
    fn the_same_consumer_of_other_services_is_told_by_its_latest_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = store(&folder);
        let here = consumer("https://a.example", "hr");
        for (service, name, told) in [("a", "hr", 9), ("b", "hr", 5), ("c", "hr", 7), ("d", "other", 8)] {
            tell(&mut store, consumer(&format!("https://{service}.example"), name), told, &[]);
        }
        store.transact(|tables| enter(tables, consumer("https://never-told.example", "hr"))).expect("written");
        assert_eq!(elsewhere(&store, here), Ok(vec!["https://c.example".to_owned(), "https://b.example".to_owned()]));
        assert_eq!(
            elsewhere(&store, Consumer { project: ProjectId(uuid::Uuid::from_u128(2)), ..here }),
            Ok(Vec::new())
        );
        assert_eq!(elsewhere(&store, Consumer { shape: "legacy", ..here }), Ok(Vec::new()));
        assert_eq!(elsewhere(&store, consumer("https://d.example", "other")), Ok(Vec::new()));
    }

    #[test]
    fn of_a_person_who_was_removed_nothing_is_left_but_that_they_were_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = store(&folder);
        let zoe = person_hash(&store, &["R-1", "zoe@example.com"]);
        let kim = person_hash(&store, &["R-2", "kim@example.com"]);
        assert_ne!(zoe, kim);
        let (here, there) = (consumer("https://a.example", "hr"), consumer("https://b.example", "hr"));
        for consumer in [here, there] {
            tell(&mut store, consumer, 5, &[&7, &8, &zoe, &kim]);
        }
        let person = r#"{"id":7,"referenceId":"R-1","email":"zoe@example.com"}"#;
        let person = serde_json::from_str(person).expect("a record");
        let mut removals = Removals::open(self::store(&folder), here.service, PROJECT);
        removals.note(("id", "7"), &person).expect("noted");
        let left = |consumer| {
            store.read(|tables| {
                let (seq, _) = find(tables, consumer)?.expect("a consumer");
                let whole = "SELECT count(*), sum(result = x'01' AND fields = x'02' AND told = x'03' AND until = 4),
                             sum(result = x'' AND fields = x'' AND told IS NULL AND until IS NULL)
                             FROM told_results WHERE consumer = ?1";
                tables.query_row(whole, [seq], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            })
        };
        assert_eq!(left(here), Ok((4, 2, Some(2))), "by the id and by what tells people apart without one");
        assert_eq!(left(there), Ok((4, 4, Some(0))), "another service's person");
    }

    #[test]
    fn a_file_that_has_told_of_its_alerts_is_forgotten_and_no_other_consumers() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = store(&folder);
        let (hr, safety) = (consumer("https://a.example", "hr"), consumer("https://a.example", "safety"));
        let alerts = [[1; SHORT_HASH_BYTES], [2; SHORT_HASH_BYTES]];
        for consumer in [hr, safety] {
            begin_telling(&mut store, consumer, "/a.csv", &alerts).expect("noted");
        }
        store.transact(|tables| end_telling(tables, hr)).expect("noted");
        store.transact(|tables| end_telling(tables, consumer("https://a.example", "nobody"))).expect("nothing to do");
        assert_eq!(told_by_a_killed_run(&store, hr, "/a.csv"), Ok(Vec::new()));
        assert_eq!(told_by_a_killed_run(&store, safety, "/a.csv"), Ok(alerts.to_vec()));
    }
}
