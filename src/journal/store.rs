//! The journal's database: one SQLite file for everything that this machine remembers, with a secret for keyed hashes.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit as _, Mac as _};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, TransactionBehavior};
use sha2::Sha256;

use crate::model::verdict::{Failure, Verdict};

/// The database in the folder for state.
const FILE: &str = "journal.db";
/// What is kept of it in memory, in KiB. The system has the rest at hand.
const CACHE_KIB: i32 = 500;
/// Marks the file as ours ("ajnl"), so that no other program's database is written to.
const APPLICATION_ID: i32 = 0x616a_6e6c;
/// How long a command waits for another one that is writing.
const BUSY: Duration = Duration::from_secs(10);
/// Bytes of the secret of this folder.
const SECRET: usize = 32;

/// The tables, version by version: entry `n` leads from version `n` to `n + 1`. What has been released is never
/// changed; a new version is one more entry.
const MIGRATIONS: &[&str] = &[
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
    // 3: links that were issued from here (journal/links.rs), never a link; and removals in bulk (journal/removals.rs).
    "CREATE TABLE links (
        service TEXT NOT NULL, project TEXT NOT NULL, entry INTEGER NOT NULL, issued INTEGER NOT NULL,
        until INTEGER NOT NULL, seen INTEGER NOT NULL, result TEXT, completed TEXT,
        PRIMARY KEY (service, project, entry)) WITHOUT ROWID;
     CREATE TABLE removals (
        service TEXT NOT NULL, project TEXT NOT NULL, key BLOB NOT NULL, removed INTEGER NOT NULL,
        PRIMARY KEY (service, project, key)) WITHOUT ROWID;",
    // 4: what each consumer of `results changes` was told (journal/consumers.rs, journal/seen.rs). What was seen before
    // had results in clear and no consumer: it is forgotten.
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
];

/// A keyed hash: whoever has the file but not a guess learns nothing, and two folders have nothing in common.
pub type Hash = [u8; 32];

/// The open database.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    file: PathBuf,
    /// Keyed with the secret, which is kept nowhere else.
    keyed: KeyHasher,
}

/// Makes keyed hashes.
#[derive(Clone, Debug)]
pub struct KeyHasher(Hmac<Sha256>);

impl KeyHasher {
    /// Keyed with a secret.
    pub fn new(secret: &[u8]) -> Self {
        Self(Hmac::new_from_slice(secret).expect("HMAC takes keys of any length"))
    }

    /// HMAC-SHA-256 of these texts; see [`Store::keyed_hash`].
    pub fn hash(&self, purpose: &str, texts: &[&str]) -> Hash {
        let mut mac = self.0.clone();
        for text in std::iter::once(&purpose).chain(texts) {
            mac.update(&(text.len() as u64).to_be_bytes());
            mac.update(text.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }
}

impl Store {
    /// Opens the database in the folder for state, creating file (0600) and folder (0700) on first use and bringing an
    /// older one up to date. A newer one, a damaged one and another program's are refused by name.
    pub fn open(state: &Path) -> Result<Self, Failure> {
        let file = state.join(FILE);
        create(state, &file).map_err(|error| {
            Failure::new(Verdict::Unforeseen, format!("cannot create the journal {}: {error}", file.display()))
                .hint(WRITABLE)
        })?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(&file, flags).map_err(|error| unusable(&file, &error))?;
        let secret = prepare(&mut connection, &file, MIGRATIONS)?;
        let keyed = KeyHasher::new(&secret);
        Ok(Self { connection, file, keyed })
    }

    /// What makes keyed hashes, without the database.
    pub fn hasher(&self) -> KeyHasher {
        self.keyed.clone()
    }

    /// HMAC-SHA-256 of these texts, keyed with this folder's secret. `purpose` keeps hashes of different things apart;
    /// texts are never run together, so `["ab", ""]` and `["a", "b"]` differ.
    pub fn keyed_hash(&self, purpose: &str, texts: &[&str]) -> Hash {
        self.keyed.hash(purpose, texts)
    }

    /// Does something in one transaction that is durable when this returns, or leaves everything as it was.
    pub fn transact<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        let done = (|| {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })();
        done.map_err(|error| unusable(&self.file, &error))
    }

    /// Does something in one transaction whose durability is not waited for: whoever writes it can do without it after
    /// a power cut. A crash of this program loses nothing.
    pub fn note<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        self.synchronous("NORMAL")?;
        let done = self.transact(work);
        self.synchronous("FULL")?;
        done
    }

    fn synchronous(&self, how: &str) -> Result<(), Failure> {
        self.connection.pragma_update(None, "synchronous", how).map_err(|error| unusable(&self.file, &error))
    }

    /// Copies the log into the file and empties it, which [`commit_last`](Self::commit_last) leaves to the run that follows.
    /// Where another run holds it open, or there is no room, a later one does it.
    pub fn tidy(&self) {
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    /// Does something in one transaction that is the last thing before the process ends: what could wait is done before
    /// the call that makes it count, and nothing follows that call. A power cut may undo it, a kill does not.
    pub fn commit_last<T>(self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        let mut store = self;
        let quiet = store.connection.pragma_update(None, "wal_autocheckpoint", 0);
        quiet.map_err(|error| unusable(&store.file, &error))?;
        let done = store.synchronous("NORMAL").and_then(|()| store.transact(work));
        // Closing would copy the log into the file and wait for the disk; the next run does that.
        std::mem::forget(store);
        done
    }

    /// Reads something.
    pub fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        work(&self.connection).map_err(|error| unusable(&self.file, &error))
    }
}

/// Creates what is not there, for its owner alone.
fn create(folder: &Path, file: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    builder.create(folder)?;
    match options.open(file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

const WRITABLE: &str = "set ASSESSCTL_STATE_DIR to a folder that you can write to, on a disk with room";

fn unusable(file: &Path, error: &rusqlite::Error) -> Failure {
    let failed = |what: &str| Failure::new(Verdict::Unforeseen, format!("the journal {} {what}", file.display()));
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            failed("is damaged").hint("restore a backup; deleting it loses the record of what was sent")
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            failed("is in use by another run").hint("try again when it has ended")
        }
        Some(ErrorCode::DiskFull) => {
            failed("cannot be written: the disk is full").hint("make room, then run the same command again")
        }
        _ => failed(&format!("cannot be used: {error}")).hint(WRITABLE),
    }
}

/// Settles how the file is written, brings its tables up to date, and gives its secret.
fn prepare(connection: &mut Connection, file: &Path, migrations: &[&str]) -> Result<[u8; SECRET], Failure> {
    let failed = |error: rusqlite::Error| unusable(file, &error);
    connection.busy_timeout(BUSY).map_err(failed)?;
    check_owner(connection, file)?;
    write_ahead(connection).map_err(failed)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    // Without these, macOS hands writes to the drive and does not wait until they are on it; elsewhere they do nothing.
    connection.pragma_update(None, "fullfsync", true).map_err(failed)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true).map_err(failed)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB).map_err(failed)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let version = version(&transaction).map_err(failed)?;
    let Some(missing) = usize::try_from(version).ok().and_then(|version| migrations.get(version..)) else {
        return Err(newer(file, version, migrations.len()));
    };
    for tables in missing {
        transaction.execute_batch(tables).map_err(failed)?;
    }
    if !missing.is_empty() {
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
        let version = i32::try_from(migrations.len()).unwrap_or(i32::MAX);
        transaction.pragma_update(None, "user_version", version).map_err(failed)?;
    }
    let secret = secret(&transaction, file)?;
    transaction.commit().map_err(failed)?;
    Ok(secret)
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
    let look = || -> rusqlite::Result<(i32, i64)> {
        let owner = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let tables = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        Ok((owner, tables))
    };
    match look().map_err(|error| unusable(file, &error))? {
        (APPLICATION_ID, _) | (0, 0) => Ok(()),
        _ => {
            let cause = format!("{} is another program's database", file.display());
            Err(Failure::new(Verdict::Unforeseen, cause).hint("set ASSESSCTL_STATE_DIR to a folder of its own"))
        }
    }
}

/// Turns on the write-ahead log, which the file then remembers. SQLite does not wait for another process here.
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

/// The secret of this folder, made on first use.
fn secret(connection: &Connection, file: &Path) -> Result<[u8; SECRET], Failure> {
    let failed = |error: rusqlite::Error| unusable(file, &error);
    let known = connection.query_row("SELECT bytes FROM secret", [], |row| row.get(0)).optional();
    if let Some(secret) = known.map_err(failed)? {
        return Ok(secret);
    }
    let mut secret = [0; SECRET];
    getrandom::fill(&mut secret)
        .map_err(|error| Failure::new(Verdict::Unforeseen, format!("the system gives no random bytes: {error}")))?;
    connection.execute("INSERT INTO secret VALUES (1, ?1)", [secret]).map_err(failed)?;
    Ok(secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    #[test]
    fn what_is_committed_is_waited_for_until_it_is_on_the_drive() {
        let folder = folder();
        let mut store = Store::open(folder.path()).expect("a journal");
        let set = |store: &Store, pragma: &str| {
            store.read(|tables| tables.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0))).expect("a value")
        };
        let (full, normal) = (2, 1);
        assert_eq!(
            ["synchronous", "fullfsync", "checkpoint_fullfsync"].map(|pragma| set(&store, pragma)),
            [full, 1, 1]
        );
        let noted = store.note(|tables| tables.pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0)));
        assert_eq!((noted, set(&store, "synchronous")), (Ok(normal), full));
    }

    #[test]
    fn hashes_stay_the_same_in_one_folder_and_differ_between_two() {
        let (here, there) = (folder(), folder());
        let hash = |folder: &tempfile::TempDir| {
            Store::open(folder.path()).expect("a journal").keyed_hash("email", &["zoe@example.com"])
        };
        assert_eq!(hash(&here), hash(&here));
        assert_ne!(hash(&here), hash(&there));
    }

    #[test]
    fn hashes_keep_purposes_and_texts_apart() {
        let folder = folder();
        let store = Store::open(folder.path()).expect("a journal");
        let hashes = [
            store.keyed_hash("a", &["ab", ""]),
            store.keyed_hash("a", &["a", "b"]),
            store.keyed_hash("a", &["ab"]),
            store.keyed_hash("b", &["ab"]),
        ];
        assert!(hashes.iter().enumerate().all(|(at, hash)| !hashes[..at].contains(hash)));
    }

    #[test]
    fn work_that_fails_leaves_everything_as_it_was() {
        let folder = folder();
        let mut store = Store::open(folder.path()).expect("a journal");
        let insert = "INSERT INTO consumers (service, project, shape, name) VALUES ('s', 'p', 'current', 'n')";
        let failed = store.transact(|tables| {
            tables.execute(insert, [])?;
            tables.execute(insert, [])
        });
        assert_eq!(failed.expect_err("not unique").verdict, Verdict::Unforeseen);
        let count = |store: &Store| {
            store.read(|tables| tables.query_row("SELECT count(*) FROM consumers", [], |row| row.get::<_, i64>(0)))
        };
        assert_eq!(count(&store), Ok(0));
        store.transact(|tables| tables.execute(insert, [])).expect("written");
        assert_eq!(count(&Store::open(folder.path()).expect("again")), Ok(1));
    }

    #[test]
    fn an_older_file_is_brought_up_to_date_step_by_step() {
        let folder = folder();
        drop(Store::open(folder.path()).expect("a journal"));
        let file = folder.path().join(FILE);
        let mut connection = Connection::open(&file).expect("the file");
        let more = [MIGRATIONS, &["CREATE TABLE more (a)", "ALTER TABLE more ADD COLUMN b"]].concat();
        let secret = prepare(&mut connection, &file, &more).expect("up to date");
        assert_eq!(prepare(&mut connection, &file, &more).expect("nothing to do"), secret);
        connection.execute("INSERT INTO more VALUES (1, 2)", []).expect("both columns");
        assert_eq!(version(&connection).expect("a version"), i32::try_from(more.len()).expect("few"));
    }

    #[test]
    fn a_newer_file_is_refused_with_both_versions_and_its_name() {
        let folder = folder();
        drop(Store::open(folder.path()).expect("a journal"));
        let file = folder.path().join(FILE);
        Connection::open(&file).and_then(|c| c.pragma_update(None, "user_version", 99)).expect("a later version");
        let failure = Store::open(folder.path()).expect_err("newer");
        let known = format!("up to {}", MIGRATIONS.len());
        for part in ["version 99", known.as_str(), &*file.to_string_lossy()] {
            assert!(failure.cause.contains(part), "{failure}");
        }
    }

    #[test]
    fn a_damaged_file_and_a_foreign_one_are_named_and_left_alone() {
        for (content, word) in [(None, "another program"), (Some("no database at all, but long enough"), "damaged")] {
            let folder = folder();
            let file = folder.path().join(FILE);
            match content {
                Some(text) => std::fs::write(&file, text.repeat(100)).expect("written"),
                None => Connection::open(&file).and_then(|c| c.execute_batch("CREATE TABLE a (b)")).expect("a table"),
            }
            let before = std::fs::read(&file).expect("the file");
            let failure = Store::open(folder.path()).expect_err("not ours");
            assert!(failure.cause.contains(word) && failure.cause.contains("journal.db"), "{failure}");
            assert_eq!(std::fs::read(&file).expect("the file"), before);
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_file_and_its_folder_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = folder();
        let state = folder.path().join("new/state");
        let mut store = Store::open(&state).expect("a journal");
        store.transact(|tables| tables.execute("DELETE FROM consumers", [])).expect("written");
        let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&state), 0o700);
        for entry in std::fs::read_dir(&state).expect("the folder") {
            assert_eq!(mode(&entry.expect("an entry").path()), 0o600);
        }
    }
}
