//! A verified list while it is collected: a temporary SQLite table, so that memory stays flat.

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, params};

use serde::de::DeserializeOwned;

use super::error::Error;

/// The key by which a record is kept apart and sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordKey {
    /// Sorted as a number.
    Number(i64),
    /// Sorted byte for byte.
    Text(String),
}

impl FromSql for RecordKey {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self::Number).or_else(|_| String::column_result(value).map(Self::Text))
    }
}

impl ToSql for RecordKey {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Number(number) => number.to_sql(),
            Self::Text(text) => text.to_sql(),
        }
    }
}

/// Collects a list: of two reads of a record the later wins.
#[derive(Debug)]
pub struct ListBuilder {
    table: Connection,
    is_first_walk: bool,
    /// What a later walk showed last.
    previous: Option<RecordKey>,
    place: i64,
}

impl ListBuilder {
    /// Opens the table: in memory while it is small, then in a file of the temporary folder that no one else can open.
    pub fn begin() -> Result<Self, Error> {
        let table = Connection::open("").map_err(Error::Collect)?;
        table
            .execute_batch(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500;
                 CREATE TABLE list (key UNIQUE NOT NULL, json TEXT NOT NULL, place INTEGER NOT NULL);
                 BEGIN;",
            )
            .map_err(Error::Collect)?;
        Ok(Self { table, is_first_walk: true, previous: None, place: 0 })
    }

    /// Begins another walk.
    pub fn next_walk(&mut self) {
        self.is_first_walk = false;
        self.previous = None;
    }

    /// Keeps a record that is new. What a later walk finds stands after what it followed there.
    pub fn add(&mut self, key: &RecordKey, json: &str) -> Result<(), Error> {
        let place = match &self.previous {
            Some(previous) => self.place_of(previous)?,
            None if self.is_first_walk => self.place + 1,
            None => 0,
        };
        self.place = self.place.max(place);
        self.came_to(key);
        self.execute("INSERT INTO list VALUES (?1, ?2, ?3)", params![key, json, place])
    }

    /// Keeps the later read of a record.
    pub fn renew(&mut self, key: &RecordKey, json: &str) -> Result<(), Error> {
        self.came_to(key);
        self.execute("UPDATE list SET json = ?2 WHERE key = ?1 AND json <> ?2", params![key, json])
    }

    fn came_to(&mut self, key: &RecordKey) {
        if !self.is_first_walk {
            self.previous = Some(key.clone());
        }
    }

    /// Forgets a record that is gone.
    pub fn remove(&mut self, key: &RecordKey) -> Result<(), Error> {
        self.execute("DELETE FROM list WHERE key = ?1", params![key])
    }

    /// The records whose keys `is_wanted`.
    pub fn select(&self, is_wanted: impl Fn(&RecordKey) -> bool) -> Result<Vec<(RecordKey, String)>, Error> {
        let mut keys = self.table.prepare("SELECT rowid, key FROM list").map_err(Error::Collect)?;
        let mut json = self.table.prepare("SELECT json FROM list WHERE rowid = ?1").map_err(Error::Collect)?;
        let mut rows = keys.query([]).map_err(Error::Collect)?;
        let mut selected = Vec::new();
        while let Some(row) = rows.next().map_err(Error::Collect)? {
            let key: RecordKey = row.get(1).map_err(Error::Collect)?;
            if is_wanted(&key) {
                let id: i64 = row.get(0).map_err(Error::Collect)?;
                let json = json.query_row([id], |row| row.get(0)).map_err(Error::Collect)?;
                selected.push((key, json));
            }
        }
        Ok(selected)
    }

    fn place_of(&self, key: &RecordKey) -> Result<i64, Error> {
        let mut select = self.table.prepare_cached("SELECT place FROM list WHERE key = ?1").map_err(Error::Collect)?;
        select.query_row([key], |row| row.get(0)).map_err(Error::Collect)
    }

    fn execute(&self, sql: &str, values: &[&dyn ToSql]) -> Result<(), Error> {
        let changed = self.table.prepare_cached(sql).and_then(|mut statement| statement.execute(values));
        changed.map(|_| ()).map_err(Error::Collect)
    }

    /// Ends collecting.
    pub fn finish(self, walk_order: bool) -> Result<VerifiedList, Error> {
        self.table.execute_batch("COMMIT").map_err(Error::Collect)?;
        Ok(VerifiedList { table: self.table, walk_order })
    }
}

/// A verified list.
#[derive(Debug)]
pub struct VerifiedList {
    table: Connection,
    walk_order: bool,
}

impl VerifiedList {
    /// Gives each record's JSON text in order: by key, or as the walks had them.
    pub fn each<E: From<Error>>(&self, mut take: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let order = if self.walk_order { "place, rowid" } else { "key" };
        let failed = |error| E::from(Error::Collect(error));
        let sql = format!("SELECT json FROM list ORDER BY {order}");
        let mut statement = self.table.prepare(&sql).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let json = row.get_ref(0).and_then(|json| json.as_str().map_err(Into::into)).map_err(failed)?;
            take(json)?;
        }
        Ok(())
    }
}

impl VerifiedList {
    /// Gives each record as we understand it, in the order of [`each`](Self::each). Each was understood once before, when
    /// its page came.
    pub fn each_record<T: DeserializeOwned>(&self, mut take: impl FnMut(T)) -> Result<(), Error> {
        self.each(|json| {
            take(serde_json::from_str(json).map_err(|_| Error::Unverified)?);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collected(walk_order: bool) -> Vec<String> {
        let mut builder = ListBuilder::begin().expect("a table");
        let number = RecordKey::Number;
        for (id, json) in [(10, "a"), (2, "b"), (3, "gone later")] {
            builder.add(&number(id), json).expect("kept");
        }
        builder.next_walk();
        builder.renew(&number(10), "a again").expect("kept");
        builder.add(&number(7), "missed at first").expect("kept");
        builder.renew(&number(2), "b again").expect("kept");
        let lacked = builder.select(|key| *key == number(3)).expect("a record");
        assert_eq!(lacked, [(number(3), "gone later".to_owned())]);
        builder.remove(&number(3)).expect("removed");
        let list = builder.finish(walk_order).expect("a list");
        let mut all = Vec::new();
        let read: Result<(), Error> = list.each(|json| {
            all.push(json.to_owned());
            Ok(())
        });
        read.expect("a readable list");
        all
    }

    #[test]
    fn the_later_read_wins_and_ids_sort_as_numbers() {
        assert_eq!(collected(false), ["b again", "missed at first", "a again"]);
    }

    #[test]
    fn the_order_of_the_walks_can_be_kept() {
        assert_eq!(collected(true), ["a again", "missed at first", "b again"]);
    }
}
