//! The state of the sandbox: one SQLite file that survives between commands and is shared by several processes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, TransactionBehavior, params};
use uuid::Uuid;

use crate::files;
use crate::model::verdict::{Failure, Verdict};

/// The project of a new sandbox.
pub const PROJECT: &str = "Demo";

/// Version of `TABLES`. A sandbox holds nothing that is worth a migration: another version is reset.
const VERSION: i32 = 1;

/// How long one process waits for another one that is writing.
const BUSY: Duration = Duration::from_secs(10);

/// Times are microseconds since 1970. People who were removed stay, for lists that lag: `until` is when they left. The index
/// finds a page of a long list without a look at each of its people.
const TABLES: &str = "
    CREATE TABLE projects (
        seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, folded TEXT NOT NULL,
        created INTEGER NOT NULL, modified INTEGER NOT NULL, state TEXT NOT NULL, response TEXT NOT NULL);
    CREATE TABLE people (
        entry INTEGER PRIMARY KEY, project INTEGER NOT NULL, email TEXT NOT NULL, reference_id TEXT, first_name TEXT,
        last_name TEXT, full_name TEXT NOT NULL, sorted TEXT NOT NULL, searched TEXT NOT NULL, birth_year INTEGER, result TEXT,
        completed INTEGER, sent INTEGER, top_performer INTEGER NOT NULL DEFAULT 0, identity TEXT NOT NULL DEFAULT '',
        created INTEGER NOT NULL, until INTEGER NOT NULL DEFAULT 9223372036854775807);
    CREATE INDEX people_by_name ON people (project, sorted, entry, until, created);
    CREATE INDEX people_by_reference_id ON people (project, reference_id);
    CREATE TABLE links (
        token TEXT PRIMARY KEY, entry INTEGER NOT NULL, expires INTEGER NOT NULL, redirect_uri TEXT, ended TEXT);
    CREATE INDEX links_by_entry ON links (entry);
    CREATE TABLE redirect_uris (
        seq INTEGER PRIMARY KEY, uri TEXT NOT NULL, folded TEXT NOT NULL UNIQUE, created INTEGER NOT NULL);";

/// The time that a read of the latest state asks for: before the `until` of people who are enrolled, after everything else.
pub(super) const PRESENT: i64 = i64::MAX - 1;

/// Opens the state in `folder`, or creates it there with its first project.
pub(super) fn open(folder: &Path) -> Result<Connection, Failure> {
    let (mut connection, file) = connect(folder)?;
    match prepare(&mut connection) {
        Ok(VERSION) => Ok(connection),
        Ok(_) => {
            let cause = format!("{} was written by another version of assessctl", file.display());
            Err(Failure::usage(cause).hint("assessctl sandbox reset"))
        }
        Err(error) => Err(unusable(&file, &error)),
    }
}

/// Forgets everything and begins again with the first project, whatever version wrote the file. Processes that serve the
/// same file go on with the new state.
pub fn reset(folder: &Path) -> Result<(), Failure> {
    let (mut connection, file) = connect(folder)?;
    let renewed = write_ahead(&connection).and_then(|()| {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let names = transaction.prepare(names)?.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
        names.iter().try_for_each(|name| transaction.execute_batch(&format!("DROP TABLE \"{name}\"")))?;
        lay_out(&transaction)?;
        transaction.commit()
    });
    renewed.map_err(|error| unusable(&file, &error))
}

fn connect(folder: &Path) -> Result<(Connection, PathBuf), Failure> {
    files::private_folder(folder)?;
    let file = folder.join("sandbox.db");
    // SQLite would let others read it. A file in use is not opened here: closing it would drop SQLite's locks.
    let made = files::is_longer(&file, 0).and_then(|has| if has { Ok(()) } else { files::append(&file).map(drop) });
    made.map_err(|error| Failure::new(Verdict::Unforeseen, format!("cannot create {}: {error}", file.display())))?;
    let connection = Connection::open(&file).and_then(|connection| {
        connection.busy_timeout(BUSY)?;
        // What was answered outlives the end of a process, which is the promise; after a power cut the last writes may be gone.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    });
    connection.map(|connection| (connection, file.clone())).map_err(|error| unusable(&file, &error))
}

fn unusable(file: &Path, error: &rusqlite::Error) -> Failure {
    Failure::new(Verdict::Unforeseen, format!("cannot use {}: {error}", file.display()))
}

/// The version of the tables, which are laid out in an empty file.
fn prepare(connection: &mut Connection) -> rusqlite::Result<i32> {
    let version = |connection: &Connection| connection.pragma_query_value(None, "user_version", |row| row.get(0));
    let found = version(connection)?;
    if found != 0 {
        return Ok(found);
    }
    write_ahead(connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been quicker.
    if version(&transaction)? == 0 {
        lay_out(&transaction)?;
    }
    transaction.commit()?;
    version(connection)
}

/// Switches to the write-ahead log, which the file then remembers. SQLite itself does not wait for other processes here.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && start.elapsed() < BUSY => {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

fn lay_out(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    add_project(connection, PROJECT, "").map(|_| ())
}

/// Adds a project. It starts Active (our reading: the state is not shown).
pub(super) fn add_project(connection: &Connection, name: &str, response: &str) -> rusqlite::Result<Uuid> {
    let id = Uuid::new_v4();
    let mut insert = connection.prepare_cached(
        "INSERT INTO projects (id, name, folded, created, modified, state, response)
         VALUES (?1, ?2, ?3, ?4, ?4, 'Active', ?5)",
    )?;
    insert.execute(params![id.to_string(), name, fold(name), now(), response])?;
    Ok(id)
}

/// Now, as the state keeps times.
pub(super) fn now() -> i64 {
    Timestamp::now().as_microsecond()
}

/// A length of time, as the state keeps times.
pub(super) fn micros(length: Duration) -> i64 {
    i64::try_from(length.as_micros()).unwrap_or(i64::MAX)
}

/// A kept time as the service writes it: ISO 8601, UTC.
pub(super) fn iso(micros: i64) -> String {
    Timestamp::from_microsecond(micros).map_or_else(|_| String::new(), |time| time.to_string())
}

/// A text in the form in which filters and orders compare it: ignoring case.
pub(super) fn fold(text: &str) -> String {
    text.to_lowercase()
}
