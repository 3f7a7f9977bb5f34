//! The journal's database: one SQLite file for everything that this machine remembers; its secret stands beside it.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, Params, Row, Transaction, TransactionBehavior};

use super::hash_secret::check_secret;
use super::keyed_hash::{Hash, KeyHasher};
use super::schema::{BUSY, MIGRATIONS, prepare};
use super::unusable::{WRITABLE, is_busy, unusable};
use crate::files::{Distrust, prepare_database};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;

/// The database in the folder for state.
const FILE: &str = "journal.db";
/// How long another run is waited for where time is up and something was done that has to be noted.
const GRACE: Duration = Duration::from_secs(1);
/// So often a run that waits for another one looks whether it still may.
const STEP: Duration = Duration::from_millis(50);

/// Whether this process is to leave at once.
static IS_LEAVING: AtomicBool = AtomicBool::new(false);

/// From now on no other run is waited for: this process is to leave at once. Also for waits that have begun.
pub fn wait_no_longer() {
    IS_LEAVING.store(true, Ordering::Relaxed);
}

/// The open database.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    file: PathBuf,
    /// Keyed with the secret of this folder.
    keyed: KeyHasher,
    /// When waiting for another run is over; [`BUSY`] is the longest wait.
    until: Option<Instant>,
    /// How long another run is waited for after that.
    grace: Duration,
    /// Another run was waited for in vain: it would be the next time too.
    gave_up: Cell<bool>,
}

/// Opens the file, creating it where it is not there; what is in it was not looked at.
fn connect(file: &Path) -> Result<Connection, Failure> {
    prepare_database(file).map_err(|distrust| match distrust {
        Distrust::Io(error) => {
            Failure::new(Verdict::Unforeseen, format!("cannot create the journal {}: {error}", file.display()))
                .hint(WRITABLE)
        }
        _ => Failure::new(Verdict::Unforeseen, format!("the journal {} is not used: {distrust}", file.display()))
            .hint("set ASSESSCTL_STATE_DIR to a folder of your own (chmod 700)"),
    })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(file, flags).map_err(|error| unusable(file, &error))
}

/// Whether there is a journal in the folder for state; an error where its secret keeps it from being used.
pub fn is_there(state: &Path) -> Result<bool, Failure> {
    let file = state.join(FILE);
    if !file.exists() {
        return Ok(false);
    }
    let connection = connect(&file)?;
    connection.busy_timeout(BUSY).map_err(|error| unusable(&file, &error))?;
    check_secret(&connection, &file).map(|()| true)
}

impl Store {
    /// As [`open_until`](Self::open_until), by a run that has time.
    #[cfg(test)]
    pub fn open(state: &Path) -> Result<Self, Failure> {
        Self::open_until(state, None)
    }

    /// Opens the database in the folder for state, creating file (0600) and folder (0700) on first use and bringing an
    /// older one up to date. A newer one, a damaged one and another program's are refused by name. A run that is to be
    /// over at this instant waits no longer for another one, here and later on.
    pub fn open_until(state: &Path, until: Option<Instant>) -> Result<Self, Failure> {
        let file = state.join(FILE);
        let mut connection = connect(&file)?;
        let secret = prepare(&mut connection, &file, MIGRATIONS, patience(until))?;
        let keyed = KeyHasher::new(&secret);
        let store = Self { connection, file, keyed, until, grace: Duration::ZERO, gave_up: Cell::default() };
        store.erase_what_is_left();
        Ok(store)
    }

    /// Waits a moment for another run also when time is up: what was done has to be noted.
    #[must_use]
    pub fn patient(self) -> Self {
        Self { grace: GRACE, ..self }
    }

    /// What makes keyed hashes, without the database.
    pub fn hasher(&self) -> KeyHasher {
        self.keyed.clone()
    }

    /// The hash of these texts, keyed with this folder's secret; see [`KeyHasher::hash`].
    pub fn keyed_hash(&self, purpose: &str, texts: &[&str]) -> Hash {
        self.keyed.hash(purpose, texts)
    }

    /// Does something in one transaction that is durable when this returns, or leaves everything as it was.
    pub fn transact<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        let done = (|| {
            let transaction = self.begin()?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })();
        done.map_err(|error| unusable(&self.file, &error))
    }

    /// Begins to write once no other run does. The wait goes in small steps, because it may be cut short.
    fn begin(&self) -> rusqlite::Result<Transaction<'_>> {
        self.connection.busy_timeout(STEP)?;
        let end = Instant::now() + self.patience();
        let begun = loop {
            match Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate) {
                Err(error) if is_busy(&error) && Instant::now() < end && !is_leaving() => {}
                begun => break begun,
            }
        };
        self.gave_up.set(begun.as_ref().is_err_and(is_busy));
        self.connection.busy_timeout(self.patience())?;
        begun
    }

    /// How long another run that is writing is waited for.
    fn patience(&self) -> Duration {
        if self.gave_up.get() || is_leaving() { Duration::ZERO } else { patience(self.until).max(self.grace) }
    }

    /// Does something in one transaction whose durability is not waited for: its writer can do without it after
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

    /// Overwrites in all files what was deleted: rebuilds the database, and empties the log. Whether that was done: while
    /// another run holds the log open it is left to the next run, which [`open`](Self::open) sees to.
    pub fn erase(&mut self) -> Result<bool, Failure> {
        self.transact(|tables| tables.execute("INSERT OR IGNORE INTO to_erase VALUES (1)", []))?;
        Ok(self.try_to_erase())
    }

    fn try_to_erase(&self) -> bool {
        let rebuilt = self.connection.execute_batch("VACUUM");
        let is_busy = rebuilt.and_then(|()| {
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
        });
        is_busy == Ok(false) && self.connection.execute("DELETE FROM to_erase", []).is_ok()
    }

    /// Does what a run before this one could not do, unless it would have to wait for it.
    fn erase_what_is_left(&self) {
        let is_left = "SELECT EXISTS (SELECT 1 FROM to_erase)";
        if self.connection.query_row(is_left, [], |row| row.get(0)).unwrap_or(false) {
            let _ = self.connection.busy_timeout(Duration::ZERO);
            self.try_to_erase();
            let _ = self.connection.busy_timeout(self.patience());
        }
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

    /// The rows of a query, each as `take` reads it.
    pub fn rows<T>(
        &self,
        sql: &str,
        values: impl Params,
        take: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Failure> {
        self.read(|tables| tables.prepare_cached(sql)?.query_map(values, take)?.collect())
    }

    /// The one value that a query always has.
    pub fn value<T: FromSql>(&self, sql: &str, values: impl Params) -> Result<T, Failure> {
        self.read(|tables| tables.prepare_cached(sql)?.query_row(values, |row| row.get(0)))
    }

    /// Reads something.
    pub fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        work(&self.connection).map_err(|error| unusable(&self.file, &error))
    }
}

fn is_leaving() -> bool {
    IS_LEAVING.load(Ordering::Relaxed)
}

/// How long a run that is to be over at this instant waits for another one that is writing.
fn patience(until: Option<Instant>) -> Duration {
    until.map_or(BUSY, |until| until.saturating_duration_since(Instant::now()).min(BUSY))
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

    fn waits_in_vain(store: &mut Store) -> Duration {
        let began = Instant::now();
        let failed = store.transact(|tables| tables.execute("DELETE FROM consumers", [])).expect_err("busy");
        assert_eq!(failed.verdict, Verdict::Locked);
        began.elapsed()
    }

    #[test]
    fn a_run_whose_time_is_up_waits_a_moment_for_another_one_to_note_what_was_done_and_not_twice() {
        let folder = folder();
        let mut store = Store::open(folder.path()).expect("a journal");
        store.until = Some(Instant::now());
        let another = Store::open(folder.path()).expect("another run");
        another.read(|tables| tables.execute_batch("BEGIN IMMEDIATE")).expect("it writes");
        assert!(waits_in_vain(&mut store) < GRACE);
        store.gave_up.set(false);
        let mut store = store.patient();
        let waited = waits_in_vain(&mut store);
        assert!(waited >= GRACE && waited < BUSY, "{waited:?}");
        assert!(waits_in_vain(&mut store) < GRACE, "once is enough");
        another.read(|tables| tables.execute_batch("ROLLBACK")).expect("it is done");
        store.transact(|tables| tables.execute("DELETE FROM consumers", [])).expect("its turn");
        assert!(!store.gave_up.get());
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
        let secret = prepare(&mut connection, &file, &more, BUSY).expect("up to date");
        assert_eq!(prepare(&mut connection, &file, &more, BUSY).expect("nothing to do"), secret);
        connection.execute("INSERT INTO more VALUES (1, 2)", []).expect("both columns");
        let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version");
        assert_eq!(version, i32::try_from(more.len()).expect("few"));
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

    /// What stands in the files of a folder, logs included.
    fn stands_there(folder: &tempfile::TempDir, text: &str) -> bool {
        let files = std::fs::read_dir(folder.path()).expect("the folder");
        let mut bytes = files.map(|entry| std::fs::read(entry.expect("an entry").path()).expect("a file"));
        bytes.any(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
    }

    #[test]
    fn what_was_deleted_is_overwritten_in_all_files_and_by_a_later_run_where_one_looks_on() {
        let folder = folder();
        let mut store = Store::open(folder.path()).expect("a journal");
        let canary = "canary@example.com";
        let insert = "INSERT INTO consumers (service, project, shape, name) VALUES (?1, 'p', 'current', 'n')";
        store.transact(|tables| tables.execute(insert, [canary])).expect("written");
        let another = Store::open(folder.path()).expect("another run");
        let look = "BEGIN; SELECT count(*) FROM consumers";
        another.read(|tables| tables.execute_batch(look)).expect("a look");
        store.transact(|tables| tables.execute("DELETE FROM consumers", [])).expect("deleted");
        store.connection.busy_timeout(Duration::ZERO).expect("does not wait");
        assert_eq!((store.erase(), stands_there(&folder, canary)), (Ok(false), true), "another one looks on");
        drop(another);
        drop(Store::open(folder.path()).expect("a later run"));
        assert!(!stands_there(&folder, canary));
        let left = |store: &Store| {
            store.read(|tables| tables.query_row("SELECT count(*) FROM to_erase", [], |row| row.get::<_, i64>(0)))
        };
        assert_eq!(left(&store), Ok(0));
        store.transact(|tables| tables.execute(insert, [canary])).expect("written");
        store.transact(|tables| tables.execute("DELETE FROM consumers", [])).expect("deleted");
        assert!(stands_there(&folder, canary), "in the log");
        assert_eq!((store.erase(), stands_there(&folder, canary), left(&store)), (Ok(true), false, Ok(0)));
    }

    #[test]
    fn the_run_that_follows_empties_the_log_that_the_last_one_left() {
        let folder = folder();
        let insert = "INSERT INTO consumers (service, project, shape, name) VALUES ('s', 'p', 'current', 'n')";
        let store = Store::open(folder.path()).expect("a journal");
        assert_eq!(store.commit_last(|tables| tables.execute(insert, [])), Ok(1));
        let log = || std::fs::metadata(folder.path().join("journal.db-wal")).map_or(0, |log| log.len());
        assert!(log() > 0);
        let store = Store::open(folder.path()).expect("the next run");
        store.tidy();
        assert_eq!(log(), 0);
        let count = "SELECT count(*) FROM consumers";
        assert_eq!(store.read(|tables| tables.query_row(count, [], |row| row.get::<_, i64>(0))), Ok(1));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_cannot_be_made_and_one_that_is_not_trusted_have_words_of_their_own() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder();
        std::fs::write(folder.path().join("file"), "").expect("a file");
        let failure = Store::open(&folder.path().join("file/state")).expect_err("no folder");
        assert!(failure.cause.starts_with("cannot create the journal "), "{failure}");
        assert_eq!(failure.hint.as_deref(), Some(WRITABLE));
        let open = folder.path().join("open");
        std::fs::create_dir(&open).expect("a folder");
        std::fs::set_permissions(&open, PermissionsExt::from_mode(0o777)).expect("open to all");
        let failure = Store::open(&open).expect_err("others may write there");
        assert!(failure.cause.contains(" is not used: "), "{failure}");
        assert!(failure.hint.is_some_and(|hint| hint.ends_with("(chmod 700)")));
    }
}
