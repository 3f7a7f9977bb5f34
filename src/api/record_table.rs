//! Records in a temporary SQLite table: for lists whose walks found different things, and for lists that are sorted.

use rusqlite::types::ToSql;
use rusqlite::{Connection, params};

use super::error::Error;
use super::record_file::RecordFile;
use super::record_key::RecordKey;

/// A list's records by their keys, each with its place in the walks.
#[derive(Debug)]
pub(super) struct RecordTable(Connection);

impl RecordTable {
    /// Opens the table: in memory while it is small, then in a file of the temporary folder that no one else can open.
    pub(super) fn begin() -> Result<Self, Error> {
        let table = Connection::open("").map_err(failed)?;
        table
            .execute_batch(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500;
                 CREATE TABLE list (key UNIQUE NOT NULL, json TEXT NOT NULL, place INTEGER NOT NULL);
                 BEGIN;",
            )
            .map_err(failed)?;
        Ok(Self(table))
    }

    /// Takes the records of a walk, which stand at the places 1, 2, 3 …
    pub(super) fn of(records: &mut RecordFile) -> Result<Self, Error> {
        let table = Self::begin()?;
        let mut place = 0;
        while let Some(record) = records.next().map_err(Error::Collect)? {
            place += 1;
            table.add(&record.key, record.text().map_err(Error::Collect)?, place)?;
        }
        Ok(table)
    }

    /// Adds a record that is new.
    pub(super) fn add(&self, key: &RecordKey, json: &str, place: i64) -> Result<(), Error> {
        self.execute("INSERT INTO list VALUES (?1, ?2, ?3)", params![key, json, place])
    }

    /// Replaces the text of a record.
    pub(super) fn renew(&self, key: &RecordKey, json: &str) -> Result<(), Error> {
        self.execute("UPDATE list SET json = ?2 WHERE key = ?1 AND json <> ?2", params![key, json])
    }

    /// Deletes a record.
    pub(super) fn remove(&self, key: &RecordKey) -> Result<(), Error> {
        self.execute("DELETE FROM list WHERE key = ?1", params![key])
    }

    /// Where a record stands.
    pub(super) fn place_of(&self, key: &RecordKey) -> Result<i64, Error> {
        let mut select = self.0.prepare_cached("SELECT place FROM list WHERE key = ?1").map_err(failed)?;
        select.query_row([key], |row| row.get(0)).map_err(failed)
    }

    /// The records whose keys `is_wanted`.
    pub(super) fn select(&self, is_wanted: impl Fn(&RecordKey) -> bool) -> Result<Vec<(RecordKey, String)>, Error> {
        let mut keys = self.0.prepare("SELECT rowid, key FROM list").map_err(failed)?;
        let mut json = self.0.prepare("SELECT json FROM list WHERE rowid = ?1").map_err(failed)?;
        let mut rows = keys.query([]).map_err(failed)?;
        let mut selected = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let key: RecordKey = row.get(1).map_err(failed)?;
            if is_wanted(&key) {
                let id: i64 = row.get(0).map_err(failed)?;
                let json = json.query_row([id], |row| row.get(0)).map_err(failed)?;
                selected.push((key, json));
            }
        }
        Ok(selected)
    }

    /// Gives each record's key and text in order: by place, else by key.
    pub(super) fn each<E: From<Error>>(
        &self,
        by_place: bool,
        mut take: impl FnMut(&RecordKey, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let order = if by_place { "place, rowid" } else { "key" };
        let failed = |error| E::from(failed(error));
        let mut statement = self.0.prepare(&format!("SELECT json, key FROM list ORDER BY {order}")).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let json = row.get_ref(0).and_then(|json| json.as_bytes().map_err(Into::into)).map_err(failed)?;
            take(&row.get(1).map_err(failed)?, json)?;
        }
        Ok(())
    }

    fn execute(&self, sql: &str, values: &[&dyn ToSql]) -> Result<(), Error> {
        let changed = self.0.prepare_cached(sql).and_then(|mut statement| statement.execute(values));
        changed.map(|_| ()).map_err(failed)
    }
}

fn failed(error: rusqlite::Error) -> Error {
    Error::Collect(std::io::Error::other(error))
}
