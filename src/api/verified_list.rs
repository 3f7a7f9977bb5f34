//! A verified list while it is collected: a temporary SQLite table, so that memory stays flat.

use rusqlite::types::{ToSql, ToSqlOutput};
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
    walk: u32,
    position: i64,
}

impl ListBuilder {
    /// Opens the table: in memory while it is small, then in a file of the temporary folder that nobody else can open.
    pub fn begin() -> Result<Self, Error> {
        let table = Connection::open("").map_err(Error::Collect)?;
        table
            .execute_batch(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500;
                 CREATE TABLE list (key UNIQUE NOT NULL, json TEXT NOT NULL, walk INTEGER NOT NULL,
                                    position INTEGER NOT NULL);
                 BEGIN;",
            )
            .map_err(Error::Collect)?;
        Ok(Self { table, walk: 0, position: 0 })
    }

    /// Keeps a record, and says whether it is new.
    pub fn put(&mut self, key: &RecordKey, json: &str) -> Result<bool, Error> {
        self.position += 1;
        let row = params![key, json, self.walk, self.position];
        let change = |sql| self.table.prepare_cached(sql).and_then(|mut statement| statement.execute(row));
        let new = change("INSERT OR IGNORE INTO list VALUES (?1, ?2, ?3, ?4)").map_err(Error::Collect)? == 1;
        if !new {
            change("UPDATE list SET json = ?2, walk = ?3, position = ?4 WHERE key = ?1").map_err(Error::Collect)?;
        }
        Ok(new)
    }

    /// Begins the next walk.
    pub fn next_walk(&mut self) {
        self.walk += 1;
        self.position = 0;
    }

    /// Ends collecting.
    pub fn finish(self, last_order: bool) -> Result<VerifiedList, Error> {
        self.table.execute_batch("COMMIT").map_err(Error::Collect)?;
        Ok(VerifiedList { table: self.table, last_order })
    }
}

/// A verified list.
#[derive(Debug)]
pub struct VerifiedList {
    table: Connection,
    last_order: bool,
}

impl VerifiedList {
    /// Gives each record's JSON text in order: by key, or as the last walk had them (what it did not show comes last).
    pub fn each<E: From<Error>>(&self, mut take: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let order = if self.last_order { "walk DESC, position" } else { "key" };
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

    fn collected(last_order: bool) -> Vec<String> {
        let mut builder = ListBuilder::begin().expect("a table");
        let mut put = |walk: &[(i64, &str)]| {
            let new: Vec<bool> =
                walk.iter().map(|(id, json)| builder.put(&RecordKey::Number(*id), json).expect("kept")).collect();
            builder.next_walk();
            new
        };
        assert_eq!(put(&[(10, "a"), (2, "b"), (3, "gone later")]), [true, true, true]);
        assert_eq!(put(&[(2, "b again"), (10, "a again")]), [false, false]);
        let list = builder.finish(last_order).expect("a list");
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
        assert_eq!(collected(false), ["b again", "gone later", "a again"]);
    }

    #[test]
    fn the_order_of_the_last_walk_can_be_kept() {
        assert_eq!(collected(true), ["b again", "a again", "gone later"]);
    }
}
