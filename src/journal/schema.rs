//! The tables of the journal, version by version, and bringing an older file up to date.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, TransactionBehavior, params};

use super::hash_secret::{self, HashSecret, known_secret, moved_secret};
use super::keyed_hash::KeyHasher;
use super::unusable::unusable;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::testtakers::EntryId;

/// How the file is written and read. Without the two of `fullfsync`, macOS hands writes to the drive and does not wait until
/// they are on it; elsewhere they do nothing. `cache_size`: 500 KiB are kept in memory, the system has the rest at hand.
/// `secure_delete`: what is deleted leaves no bytes in its page.
const PRAGMAS: &str = "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
                       PRAGMA cache_size = -500; PRAGMA secure_delete = ON;";
/// Marks the file as ours ("ajnl"), so that no other program's database is written to.
const APPLICATION_ID: i32 = 0x616a_6e6c;
/// How long a command waits for another one that is writing.
pub(super) const BUSY: Duration = Duration::from_secs(10);
/// The version from which on the secret stands in a file of its own.
const SECRET_APART: usize = 7;

/// The tables, version by version: entry `n` leads from version `n` to `n + 1`. What has been released is never
/// changed; a new version is one more entry.
pub(super) const MIGRATIONS: &[&str] = &[
    // 1: the secret, and the results that `results changes` compares with.
    "CREATE TABLE secret (only INTEGER PRIMARY KEY CHECK (only = 1), bytes BLOB NOT NULL CHECK (length(bytes) = 32));
     CREATE TABLE seen_lists (
        seq INTEGER PRIMARY KEY, service TEXT NOT NULL, project TEXT NOT NULL, shape TEXT NOT NULL,
        taken INTEGER NOT NULL, UNIQUE (service, project, shape));
     CREATE TABLE seen_results (
        list INTEGER NOT NULL, key NOT NULL, result TEXT, fields BLOB NOT NULL,
        PRIMARY KEY (list, key)) WITHOUT ROWID;",
    // 2: rows under way (journal/rows.rs).
    "CREATE TABLE scopes (
        scope INTEGER PRIMARY KEY, service TEXT NOT NULL, project TEXT NOT NULL, UNIQUE (service, project));
     CREATE TABLE rows (
        number INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL, key BLOB NOT NULL, email BLOB NOT NULL,
        reference BLOB, state TEXT NOT NULL CHECK (state IN ('open', 'free', 'refused', 'enrolled')),
        attempts INTEGER NOT NULL, intended INTEGER NOT NULL, until INTEGER NOT NULL, locked INTEGER NOT NULL,
        given_up INTEGER, known INTEGER, entry INTEGER, enrolment BLOB, before TEXT NOT NULL, line INTEGER NOT NULL,
        UNIQUE (scope, key), CHECK ((state = 'enrolled') = (entry IS NOT NULL)));
     CREATE INDEX rows_in_doubt ON rows (scope) WHERE state = 'open';
     CREATE INDEX rows_by_entry ON rows (scope, entry) WHERE entry IS NOT NULL;",
    // 3: links that were issued from here (journal/issued_links.rs), never a link; and removals in bulk
    // (journal/removals.rs).
    "CREATE TABLE links (
        service TEXT NOT NULL, project TEXT NOT NULL, entry INTEGER NOT NULL, issued INTEGER NOT NULL,
        until INTEGER NOT NULL, seen INTEGER NOT NULL, result TEXT, completed TEXT,
        PRIMARY KEY (service, project, entry)) WITHOUT ROWID;
     CREATE TABLE removals (
        service TEXT NOT NULL, project TEXT NOT NULL, key BLOB NOT NULL, removed INTEGER NOT NULL,
        PRIMARY KEY (service, project, key)) WITHOUT ROWID;",
    // 4: what each consumer of `results changes` was told (journal/consumers.rs, journal/told_results.rs). What was
    // seen before had results in clear and no consumer: it is forgotten.
    "DROP TABLE seen_results;
     DROP TABLE seen_lists;
     CREATE TABLE consumers (
        consumer INTEGER PRIMARY KEY, service TEXT NOT NULL, project TEXT NOT NULL, shape TEXT NOT NULL,
        name TEXT NOT NULL, told INTEGER, telling BLOB, UNIQUE (service, project, shape, name));
     CREATE TABLE told_results (
        consumer INTEGER NOT NULL, key NOT NULL, ordinal INTEGER NOT NULL, result BLOB NOT NULL, fields BLOB NOT NULL,
        told BLOB, until INTEGER, PRIMARY KEY (consumer, key, ordinal)) WITHOUT ROWID;
     CREATE TABLE exported (
        service TEXT NOT NULL, target BLOB NOT NULL, project TEXT NOT NULL, had_results INTEGER NOT NULL,
        PRIMARY KEY (service, target, project)) WITHOUT ROWID;",
    // 5: links are known again in a file, and one that a killed run was about to issue is looked for there.
    "ALTER TABLE links ADD COLUMN link BLOB;
     ALTER TABLE links ADD COLUMN redirect BLOB;
     CREATE TABLE link_intents (
        service TEXT NOT NULL, project TEXT NOT NULL, entry INTEGER NOT NULL, before BLOB,
        PRIMARY KEY (service, project, entry)) WITHOUT ROWID;",
    // 6: answers without a readable record, the clock of the boot (journal/clock.rs), and removals before they are sent.
    "ALTER TABLE rows ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE rows ADD COLUMN boot BLOB;
     ALTER TABLE rows ADD COLUMN ticks INTEGER;
     ALTER TABLE rows ADD COLUMN respelt INTEGER NOT NULL DEFAULT 0;
     CREATE INDEX rows_respelt ON rows (scope) WHERE respelt;
     CREATE TABLE removing (
        service TEXT NOT NULL, project TEXT NOT NULL, entry INTEGER NOT NULL, key BLOB, begun INTEGER NOT NULL,
        PRIMARY KEY (service, project, entry)) WITHOUT ROWID;",
    // 7: the secret has a file of its own, and only a hash of it stands here (journal/hash_secret.rs); how people of links
    // stood is hashed as well; which account wrote; whether something that was deleted may still stand in the files.
    "DROP TABLE secret;
     CREATE TABLE secret_hash (only INTEGER PRIMARY KEY CHECK (only = 1), hash BLOB NOT NULL);
     CREATE TABLE to_erase (only INTEGER PRIMARY KEY CHECK (only = 1));
     ALTER TABLE links ADD COLUMN progress BLOB;
     ALTER TABLE rows ADD COLUMN account TEXT;
     ALTER TABLE exported ADD COLUMN at INTEGER NOT NULL DEFAULT 0;",
    // 8: rosters that were synced, and those of plans (journal/synced_rosters.rs), and what is held
    // (journal/held_syncs.rs).
    "CREATE TABLE planned (
        service TEXT NOT NULL, project TEXT NOT NULL, id BLOB NOT NULL, people BLOB NOT NULL, roster BLOB NOT NULL,
        synced INTEGER NOT NULL, counted INTEGER NOT NULL, boot BLOB, ticks INTEGER,
        PRIMARY KEY (service, project, id));
     CREATE TABLE synced (
        service TEXT NOT NULL, project TEXT NOT NULL, source TEXT NOT NULL, people BLOB NOT NULL, roster BLOB NOT NULL,
        synced INTEGER NOT NULL, counted INTEGER NOT NULL, boot BLOB, ticks INTEGER,
        PRIMARY KEY (service, project, source));
     CREATE TABLE holds (
        service TEXT NOT NULL, id BLOB NOT NULL, source TEXT NOT NULL, kind TEXT NOT NULL, held INTEGER NOT NULL,
        projects TEXT NOT NULL, roster BLOB NOT NULL, count INTEGER NOT NULL, settled INTEGER,
        PRIMARY KEY (service, id));
     CREATE TABLE held (
        service TEXT NOT NULL, id BLOB NOT NULL, project TEXT NOT NULL, entry INTEGER NOT NULL, key BLOB NOT NULL,
        PRIMARY KEY (service, id, project, entry)) WITHOUT ROWID;",
    // 9: people under way from one entry to another, and the projects of a file for many of them
    // (journal/synced_rosters/open_moves.rs).
    "CREATE TABLE moves (
        service TEXT NOT NULL, project TEXT NOT NULL, entry INTEGER NOT NULL, source TEXT NOT NULL,
        destination TEXT NOT NULL, key BLOB NOT NULL, begun INTEGER NOT NULL,
        PRIMARY KEY (service, project, entry)) WITHOUT ROWID;
     CREATE TABLE followed (
        service TEXT NOT NULL, source TEXT NOT NULL, project TEXT NOT NULL,
        PRIMARY KEY (service, source, project)) WITHOUT ROWID;
     ALTER TABLE held ADD COLUMN destination TEXT;",
    // 10: the clock of the boot for removals in doubt and for what is held, and the order in which rosters were remembered
    // and plans were made (journal/synced_rosters.rs). Of those before, the wall clock is all that tells it.
    "ALTER TABLE removing ADD COLUMN boot BLOB;
     ALTER TABLE removing ADD COLUMN ticks INTEGER;
     ALTER TABLE holds ADD COLUMN boot BLOB;
     ALTER TABLE holds ADD COLUMN ticks INTEGER;
     ALTER TABLE holds ADD COLUMN settled_boot BLOB;
     ALTER TABLE holds ADD COLUMN settled_ticks INTEGER;
     ALTER TABLE holds ADD COLUMN number INTEGER;
     ALTER TABLE synced ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE planned ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
     UPDATE holds SET number = held WHERE kind = 'plan';
     UPDATE synced SET number = synced;
     UPDATE planned SET number = synced;",
    // 11: entries that lists may show still (journal/removed_entries.rs).
    "CREATE TABLE removed_entries (
        service TEXT NOT NULL, project TEXT NOT NULL, entry INTEGER NOT NULL, removed INTEGER NOT NULL, boot BLOB,
        ticks INTEGER, PRIMARY KEY (service, project, entry)) WITHOUT ROWID;",
    // 12: people that a sync is enrolling and no roster has yet (journal/synced_rosters/open_moves.rs).
    "CREATE TABLE joining (
        service TEXT NOT NULL, project TEXT NOT NULL, source TEXT NOT NULL, key BLOB NOT NULL,
        PRIMARY KEY (service, project, source, key)) WITHOUT ROWID;",
    // 13: what was written last into people's records (journal/written_fields.rs).
    "CREATE TABLE written_fields (
        service TEXT NOT NULL, project TEXT NOT NULL, entry INTEGER NOT NULL, reference BLOB, first BLOB, last BLOB,
        sent INTEGER NOT NULL, boot BLOB, ticks INTEGER, PRIMARY KEY (service, project, entry)) WITHOUT ROWID;",
    // 14: whose links they are: a service may give their entries to other people (journal/issued_links.rs).
    "ALTER TABLE links ADD COLUMN person BLOB;",
];

/// Settles how the file is written, brings its tables up to date, and gives its secret. `patience`: how long another run is
/// waited for.
pub(super) fn prepare(
    connection: &mut Connection,
    file: &Path,
    migrations: &[&str],
    patience: Duration,
) -> Result<HashSecret, Failure> {
    let failed = |error: rusqlite::Error| unusable(file, &error);
    connection.busy_timeout(patience).map_err(failed)?;
    check_owner(connection, file)?;
    write_ahead(connection, patience).map_err(failed)?;
    connection.execute_batch(PRAGMAS).map_err(failed)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let version = version(&transaction).map_err(failed)?;
    let Some(missing) = usize::try_from(version).ok().and_then(|version| migrations.get(version..)) else {
        return Err(newer(file, version, migrations.len()));
    };
    let has_secret = migrations.len() - missing.len() >= SECRET_APART;
    let secret = if has_secret { known_secret(&transaction, file)? } else { moved_secret(&transaction, file)? };
    let is_older = version > 0 && !missing.is_empty();
    for (at, tables) in missing.iter().enumerate() {
        transaction.execute_batch(tables).map_err(failed)?;
        if migrations.len() - missing.len() + at + 1 == SECRET_APART {
            take_secret(&transaction, &KeyHasher::new(&secret), is_older).map_err(failed)?;
        }
    }
    if !missing.is_empty() {
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
        let version = i32::try_from(migrations.len()).unwrap_or(i32::MAX);
        transaction.pragma_update(None, "user_version", version).map_err(failed)?;
    }
    transaction.commit().map_err(failed)?;
    Ok(secret)
}

/// Notes which secret it is, and hashes what stood in clear until then.
fn take_secret(tables: &Connection, keyed: &KeyHasher, is_older: bool) -> rusqlite::Result<()> {
    tables.execute("INSERT INTO secret_hash VALUES (1, ?1)", [hash_secret::hash_with(keyed)])?;
    let mut select = tables.prepare("SELECT service, project, entry, result, completed FROM links WHERE seen")?;
    let mut hash =
        tables.prepare("UPDATE links SET progress = ?4 WHERE service = ?1 AND project = ?2 AND entry = ?3")?;
    let mut links = select.query([])?;
    while let Some(link) = links.next()? {
        let (service, project, entry): (String, String, i32) = (link.get(0)?, link.get(1)?, link.get(2)?);
        let (result, completed): (Option<String>, Option<String>) = (link.get(3)?, link.get(4)?);
        let progress = keyed.progress(EntryId(entry), result.as_deref(), completed.as_deref());
        hash.execute(params![service, project, entry, progress])?;
    }
    tables.execute_batch(
        "ALTER TABLE links DROP COLUMN result; ALTER TABLE links DROP COLUMN completed; ALTER TABLE links DROP COLUMN seen;",
    )?;
    if is_older {
        tables.execute_batch("INSERT INTO to_erase VALUES (1)")?;
    }
    Ok(())
}

fn version(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn newer(file: &Path, version: i32, known: usize) -> Failure {
    let cause = format!(
        "the journal {} has version {version}, and this assessctl ({}) knows versions up to {known}",
        file.display(),
        env!("CARGO_PKG_VERSION"),
    );
    Failure::new(Verdict::Unforeseen, cause).hint("use the newer assessctl that wrote it, or set ASSESSCTL_STATE_DIR")
}

/// Refuses a database that another program made, before anything is written to it.
fn check_owner(connection: &Connection, file: &Path) -> Result<(), Failure> {
    match owner_and_tables(connection).map_err(|error| unusable(file, &error))? {
        (APPLICATION_ID, _) | (0, 0) => Ok(()),
        _ => {
            let cause = format!("{} is another program's database", file.display());
            Err(Failure::new(Verdict::Unforeseen, cause).hint("set ASSESSCTL_STATE_DIR to a folder of its own"))
        }
    }
}

/// Which program made the database, by its number, and how many tables there are.
fn owner_and_tables(connection: &Connection) -> rusqlite::Result<(i32, i64)> {
    let owner = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok((owner, tables))
}

/// Turns on the write-ahead log, which the file then remembers. SQLite does not wait for another process here.
fn write_ahead(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && start.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::Moment;
    use super::super::held_syncs::HoldId;
    use super::super::removals::Removals;
    use super::super::store::Store;
    use super::super::synced_rosters::SyncJournal;
    use super::*;

    #[test]
    fn rosters_and_plans_of_version_9_have_the_order_of_their_times_and_what_was_open_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(Store::open(folder.path()).expect("a journal"));
        let file = folder.path().join("journal.db");
        std::fs::remove_file(folder.path().join("journal.secret")).expect("its secret");
        std::fs::write(&file, "").expect("an empty file");
        let mut connection = Connection::open(&file).expect("the file");
        prepare(&mut connection, &file, &MIGRATIONS[..9], BUSY).expect("version 9");
        let (service, project) = ("https://a.example", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690");
        connection
            .execute_batch(&format!(
                "INSERT INTO synced VALUES ('{service}', '{project}', 'main', x'', zeroblob(16), 5000, 5000, NULL, NULL);
                 INSERT INTO synced VALUES ('{service}', '{project}', 'agency', x'', zeroblob(16), 3000, 3000, NULL, NULL);
                 INSERT INTO planned VALUES ('{service}', '{project}', x'01020304', x'', zeroblob(16), 4000, 4000, NULL, NULL);
                 INSERT INTO holds VALUES ('{service}', x'01020304', 'main', 'plan', 4000, '{project}', zeroblob(16), 1, 6000);
                 INSERT INTO removing VALUES ('{service}', '{project}', 7, NULL, 2000)"
            ))
            .expect("what is remembered");
        connection.close().expect("closed");
        let open = || Store::open(folder.path()).expect("up to date");
        let (journal, project) = (SyncJournal::open(open(), service), project.parse().expect("an id"));
        let number = |source| journal.recall(project, source).expect("read").and_then(|known| known.number);
        let wall = |wall| Moment { wall, boot: None };
        let hold = journal.holds().expect("read").remove(0);
        assert_eq!((number("agency"), hold.number, number("main")), (Some(3000), Some(4000), Some(5000)));
        assert_eq!((hold.held, hold.settled), (wall(4000), Some(wall(6000))));
        assert_eq!(journal.planned(HoldId([1, 2, 3, 4])).expect("read")[0].1.number, Some(4000));
        assert_eq!(journal.next_number(), Ok(5001));
        assert_eq!(Removals::open(open(), service, project).open_removals(), Ok(vec![(EntryId(7), wall(2000))]));
    }

    fn number(connection: &Connection, sql: &str) -> i64 {
        connection.query_row(sql, [], |row| row.get(0)).expect("a number")
    }

    #[test]
    fn a_file_from_before_version_7_is_to_be_erased_and_a_new_one_has_nothing_to_erase() {
        for (before, to_erase) in [(0, 0), (1, 1), (6, 1)] {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("journal.db");
            let mut connection = Connection::open(&file).expect("a file");
            if before > 0 {
                prepare(&mut connection, &file, &MIGRATIONS[..before], BUSY).expect("an older version");
            }
            let secret = prepare(&mut connection, &file, &MIGRATIONS[..7], BUSY).expect("version 7");
            assert_eq!(number(&connection, "SELECT count(*) FROM to_erase"), to_erase, "from version {before}");
            assert_eq!(number(&connection, "SELECT count(*) FROM secret_hash"), 1);
            assert_eq!(prepare(&mut connection, &file, MIGRATIONS, BUSY), Ok(secret));
            assert_eq!(number(&connection, "SELECT count(*) FROM to_erase"), to_erase, "not once more");
        }
    }

    #[test]
    fn how_the_people_of_links_stood_is_hashed_where_it_was_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("journal.db");
        let mut connection = Connection::open(&file).expect("a file");
        prepare(&mut connection, &file, &MIGRATIONS[..6], BUSY).expect("version 6");
        let links = "INSERT INTO links (service, project, entry, issued, until, seen, result, completed)
                     VALUES ('s', 'p', 7, 1, 2, 1, 'HighRisk', NULL), ('s', 'p', 8, 1, 2, 0, 'HighRisk', NULL)";
        connection.execute(links, []).expect("written");
        let secret = prepare(&mut connection, &file, MIGRATIONS, BUSY).expect("up to date");
        let progress = |entry: i32| {
            let sql = "SELECT progress FROM links WHERE entry = ?1";
            connection.query_row(sql, [entry], |row| row.get::<_, Option<[u8; 32]>>(0)).expect("a link")
        };
        let stood = KeyHasher::new(&secret).progress(EntryId(7), Some("HighRisk"), None);
        assert_eq!((progress(7), progress(8)), (Some(stood), None));
    }

    thread_local! {
        /// Another one at work on a file, until it is asked to wait for it.
        static AT_WORK: std::cell::Cell<Option<Connection>> = const { std::cell::Cell::new(None) };
    }

    #[test]
    fn the_log_is_turned_on_as_soon_as_another_one_has_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("journal.db");
        let another = Connection::open(&file).expect("a file");
        another.execute_batch("BEGIN EXCLUSIVE; CREATE TABLE a (b)").expect("at work");
        AT_WORK.set(Some(another));
        let mut connection = Connection::open(&file).expect("the file");
        let ends_without_waiting = |_| AT_WORK.take().is_some_and(|_| false);
        connection.busy_handler(Some(ends_without_waiting)).expect("a handler");
        assert_eq!(write_ahead(&connection, BUSY), Ok(()));
        assert!(AT_WORK.take().is_none(), "it was waited for");
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).expect("a mode");
        assert_eq!(mode, "wal");
    }

    #[test]
    fn a_file_that_is_no_database_is_told_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("journal.db");
        std::fs::write(&file, "no database at all, but long enough".repeat(100)).expect("written");
        let start = Instant::now();
        let failed = write_ahead(&Connection::open(&file).expect("a file"), BUSY).expect_err("no database");
        assert_eq!(failed.sqlite_error_code(), Some(ErrorCode::NotADatabase));
        assert!(start.elapsed() < BUSY, "it was tried once");
    }
}
