//! The order of long lists, kept for as long as nothing changes: a late page costs no more than an early one.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

/// How many lists are remembered: those of a client or two that walk several at a time.
const REMEMBERED: usize = 4;

/// What changes with every commit: of other connections, and of this one.
type Version = (i64, i64);

/// One list's entry ids in its order.
#[derive(Debug)]
struct Kept {
    sql: String,
    values: Vec<Value>,
    version: Version,
    entries: Arc<Vec<i32>>,
}

/// The lists that were read last.
#[derive(Debug, Default)]
pub(super) struct Orderings(Mutex<Vec<Kept>>);

impl Orderings {
    /// The entry ids that a query answers, each once and in its order; four bytes a person.
    pub(super) fn entries(
        &self,
        connection: &Connection,
        sql: &str,
        values: &[Value],
    ) -> rusqlite::Result<Arc<Vec<i32>>> {
        let version = version(connection)?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|one| one.version == version);
        if let Some(one) = kept.iter().find(|one| one.sql == sql && one.values == values) {
            return Ok(Arc::clone(&one.entries));
        }
        let mut select = connection.prepare_cached(sql)?;
        let entries = select.query_map(params_from_iter(values), |row| row.get(0))?;
        let entries = Arc::new(entries.collect::<rusqlite::Result<Vec<i32>>>()?);
        if kept.len() == REMEMBERED {
            kept.remove(0);
        }
        kept.push(Kept { sql: sql.to_owned(), values: values.to_vec(), version, entries: Arc::clone(&entries) });
        Ok(entries)
    }
}

fn version(connection: &Connection) -> rusqlite::Result<Version> {
    let mut select = connection.prepare_cached("SELECT data_version, total_changes() FROM pragma_data_version")?;
    select.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
}
