//! The state of the service: one SQLite file that survives between commands and serves several processes at once.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, params};
use uuid::Uuid;

use super::Error;
use crate::files::prepare_database;
use crate::model::projects::{ProjectId, ProjectState, SANDBOX_PROJECT};

/// Marks the file as ours ("asbx"), so that no other program's database is written to.
const APPLICATION_ID: i32 = 0x6173_6278;
/// Version of the tables of `state.sql`; a newer one is refused.
const VERSION: i32 = 3;
/// How long a command waits for another process that is writing.
const BUSY: Duration = Duration::from_secs(10);

const TABLES: &str = include_str!("state.sql");

/// Finds a page of a long list without looking at each of its people.
const INDEX: &str = "CREATE INDEX test_takers_in_order ON test_takers (project, removed, full_name_folded, entry);";

/// Now, as the state keeps times: microseconds since 1970.
pub(super) fn now() -> i64 {
    Timestamp::now().as_microsecond()
}

/// A kept time as the service writes it: ISO 8601, UTC.
pub(super) fn iso(microseconds: i64) -> String {
    Timestamp::from_microsecond(microseconds).map_or_else(|_| String::new(), |time| time.to_string())
}

/// A text in the form by which filters and sort orders compare it: without regard to case.
pub(super) fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// Opens the state, creating file (0600) and folder (0700) on first use.
pub(super) fn open(file: &Path) -> Result<Connection, Error> {
    prepare_database(file).map_err(|distrust| Error::File { file: file.to_owned(), source: distrust.into() })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags).map_err(|source| unusable(file, source))?;
    prepare(&mut connection, file)?;
    Ok(connection)
}

fn unusable(file: &Path, source: rusqlite::Error) -> Error {
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => Error::NotOurs { file: file.to_owned() },
        _ => Error::State(source),
    }
}

fn prepare(connection: &mut Connection, file: &Path) -> Result<(), Error> {
    let failed = |source| unusable(file, source);
    connection.busy_timeout(BUSY).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    // What is deleted leaves no bytes behind.
    connection.pragma_update(None, "secure_delete", "ON").map_err(failed)?;
    if version(connection, file)? != VERSION {
        write_ahead(connection).map_err(failed)?;
        lay_out(connection, file)?;
    }
    // A power cut may cost a sandbox its last answers, but never its consistency.
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)
}

/// Turns on the write-ahead log, which the file then remembers. SQLite does not wait for another process here.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        let done = connection.pragma_update(None, "journal_mode", "WAL");
        match done {
            Err(error) if is_busy(&error) && start.elapsed() < BUSY => std::thread::sleep(Duration::from_millis(5)),
            other => return other,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

/// The version of the tables that are there, 0 where there are none. Another program's database, and tables of a newer
/// version, are refused.
fn version(connection: &Connection, file: &Path) -> Result<i32, Error> {
    // One statement, so that another process which lays out the tables is seen wholly or not at all.
    let marks = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) = 0
                 FROM pragma_application_id, pragma_user_version";
    let read = connection.query_row(marks, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    match read.map_err(|source| unusable(file, source))? {
        (APPLICATION_ID, known, _) if known <= VERSION => Ok(known),
        (APPLICATION_ID, newer, _) => Err(Error::Newer { file: file.to_owned(), version: newer }),
        (0, 0, true) => Ok(0),
        _ => Err(Error::NotOurs { file: file.to_owned() }),
    }
}

fn lay_out(connection: &mut Connection, file: &Path) -> Result<(), Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    match version(&transaction, file)? {
        // Another process was quicker while we waited for the lock.
        VERSION => return Ok(()),
        0 => {
            transaction.execute_batch(TABLES)?;
            transaction.execute_batch(INDEX)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            found(&transaction)?;
        }
        earlier => {
            // Version 1 had another index; before version 3 the time of a removal was not noted.
            if earlier == 1 {
                transaction.execute_batch(&format!("DROP INDEX test_takers_by_name; {INDEX}"))?;
            }
            transaction.execute_batch("ALTER TABLE test_takers ADD COLUMN removed_at INTEGER;")?;
        }
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    Ok(transaction.commit()?)
}

/// Founds a new service in empty tables: its own id, and the first project, which is empty.
fn found(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute("INSERT INTO service (only, id) VALUES (1, ?1)", [Uuid::new_v4().to_string()])?;
    insert_project(transaction, SANDBOX_PROJECT, "").map(|_| ())
}

/// Adds a project in the state in which projects start: Active (our reading).
pub(super) fn insert_project(connection: &Connection, name: &str, response: &str) -> rusqlite::Result<ProjectId> {
    let id = ProjectId(Uuid::new_v4());
    let mut insert = connection.prepare_cached(
        "INSERT INTO projects (id, name, name_folded, created, modified, state, response)
         VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6)",
    )?;
    let state = word(&ProjectState::Active);
    insert.execute(params![id.to_string(), name, fold(name), now(), state, response])?;
    Ok(id)
}

/// A word of the specification's enums as it travels.
pub(super) fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// A word of the state as the enum that holds it; unlisted words are kept.
pub(super) fn from_word<T: serde::de::DeserializeOwned>(word: String) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(word)).ok()
}

/// The service's own identity: a uuid kept in its state, new after a reset.
pub fn service_id(state: &Path) -> Result<Uuid, Error> {
    let connection = open(state)?;
    let text: String = connection.query_row("SELECT id FROM service", [], |row| row.get(0))?;
    Uuid::parse_str(&text).map_err(|_| Error::NotOurs { file: PathBuf::from(state) })
}

/// Forgets everything and founds a new service: another id, one project `Demo`. Processes that serve the same file go
/// on with the new one. Whether nothing of what was forgotten is left in the files: one that is being read keeps its log
/// until the next reset, or until the last one that uses it ends.
pub fn reset(state: &Path) -> Result<bool, Error> {
    let mut connection = open(state)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(
        "DELETE FROM links; DELETE FROM test_takers; DELETE FROM projects; DELETE FROM redirect_uris;
         DELETE FROM service;",
    )?;
    found(&transaction)?;
    transaction.commit()?;
    connection.execute_batch("VACUUM")?;
    let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(busy == 0)
}
