//! Entries that were removed from here a short time ago: a list that lags behind shows them still.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::clock::{Millis, Moment};
use super::moment_columns::{boot_columns, moment};
use crate::model::testtakers::EntryId;

/// How long an entry is kept: longer than any list lags behind (our assumption).
const LONGEST_LAG: Millis = 24 * 60 * 60 * 1000;

/// Notes that an entry was removed now, and forgets those of long ago.
pub(super) fn note(tables: &Connection, (service, project): (&str, &str), entry: EntryId) -> rusqlite::Result<()> {
    let now = Moment::now();
    let (boot, ticks) = boot_columns(&now);
    tables.execute("DELETE FROM removed_entries WHERE removed < ?1", [now.wall - LONGEST_LAG])?;
    let sql = "INSERT OR REPLACE INTO removed_entries (service, project, entry, removed, boot, ticks)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    tables.execute(sql, params![service, project, entry.0, now.wall, boot, ticks]).map(|_| ())
}

/// The entries of a scope that were removed less than so many milliseconds ago, but for those that came back: a service may
/// give a person who is enrolled anew the old entry. Each with when that was by the clock of `now`.
pub(super) fn within(
    tables: &Connection,
    scope: i64,
    now: &Moment,
    age: Millis,
) -> rusqlite::Result<HashMap<EntryId, Millis>> {
    let sql = "SELECT entry, removed, boot, ticks FROM removed_entries JOIN scopes USING (service, project)
               WHERE scope = ?1 AND entry NOT IN (SELECT entry FROM rows WHERE scope = ?1 AND entry IS NOT NULL)";
    let mut select = tables.prepare(sql)?;
    let each = select.query_map([scope], |row| {
        let removed = moment(row, row.get("removed")?, ("boot", "ticks"))?;
        Ok((EntryId(row.get(0)?), now.dates(&removed)))
    })?;
    each.filter(|read| read.as_ref().map_or(true, |(_, removed)| now.wall - removed < age)).collect()
}
