//! The journal's database: one SQLite file in the state folder, and beside it the key of its hashes.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ring::hmac;
use rusqlite::{Connection, ErrorCode, OpenFlags, Params, Transaction, TransactionBehavior};

use crate::files;
use crate::model::verdict::{Failure, Verdict};

const FILE: &str = "journal.db";
const KEY: &str = "journal.key";
/// Hexadecimal digits of a key: 256 bits.
const KEY_LENGTH: usize = 64;
/// Marks the file as ours ("ajnl").
const APPLICATION: i32 = 0x616a_6e6c;
/// Versions up to 16 were never released.
const VERSION: i32 = 17;
/// How long a command that writes waits for another one.
const BUSY: Duration = Duration::from_secs(10);
/// `fullfsync`: without it macOS hands writes to the drive and does not wait until they are on it. `secure_delete`: what is
/// deleted leaves no bytes in its page.
const PRAGMAS: &str = "PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;";
/// Times are milliseconds since 1970. `people.at` of what is under way (open, removing) is null while its run lives; `entry`
/// of an open row is the one that the person had before, and `enrolment` is not null if they were enrolled. `pair.mark` is a
/// hash by the key that all hashes are made with. `rosters.digest` is null unless the last sync of the source had nothing to do; whatever is written of
/// the project's people forgets it.
const TABLES: &str = "
    CREATE TABLE pair (mark BLOB NOT NULL);
    CREATE TABLE people (
        project BLOB NOT NULL, key BLOB NOT NULL, email BLOB NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'enrolled', 'removing', 'removed')),
        at INTEGER, entry INTEGER, enrolment BLOB,
        PRIMARY KEY (project, key), CHECK (state = 'open' OR entry IS NOT NULL)) WITHOUT ROWID;
    CREATE INDEX people_by_entry ON people (project, entry);
    CREATE TABLE rosters (
        project BLOB NOT NULL, source TEXT NOT NULL, at INTEGER NOT NULL, digest INTEGER,
        PRIMARY KEY (project, source)) WITHOUT ROWID;
    CREATE TABLE roster_people (
        project BLOB NOT NULL, source TEXT NOT NULL, key BLOB NOT NULL, missing INTEGER,
        PRIMARY KEY (project, source, key),
        FOREIGN KEY (project, source) REFERENCES rosters ON DELETE CASCADE) WITHOUT ROWID;
    CREATE TABLE told (
        project BLOB NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL,
        PRIMARY KEY (project, name)) WITHOUT ROWID;
    CREATE TABLE told_results (
        project BLOB NOT NULL, name TEXT NOT NULL, entry INTEGER NOT NULL, result TEXT NOT NULL,
        completed TEXT NOT NULL, alerted INTEGER NOT NULL,
        PRIMARY KEY (project, name, entry),
        FOREIGN KEY (project, name) REFERENCES told ON DELETE CASCADE) WITHOUT ROWID;
    CREATE TRIGGER people_put AFTER INSERT ON people
        BEGIN UPDATE rosters SET digest = NULL WHERE project = new.project; END;
    CREATE TRIGGER people_set AFTER UPDATE ON people
        BEGIN UPDATE rosters SET digest = NULL WHERE project = new.project; END;
    CREATE TRIGGER people_dropped AFTER DELETE ON people
        BEGIN UPDATE rosters SET digest = NULL WHERE project = old.project; END;
    CREATE TRIGGER roster_people_put AFTER INSERT ON roster_people
        BEGIN UPDATE rosters SET digest = NULL WHERE project = new.project; END;
    CREATE TRIGGER roster_people_set AFTER UPDATE ON roster_people
        BEGIN UPDATE rosters SET digest = NULL WHERE project = new.project; END;
    CREATE TRIGGER roster_people_dropped AFTER DELETE ON roster_people
        BEGIN UPDATE rosters SET digest = NULL WHERE project = old.project; END;";

/// Marks a row as under way in another run.
pub(super) const CLAIMED: rusqlite::Error = rusqlite::Error::StatementChangedRows(0);

/// A keyed hash: all that is kept of a reference id or an e-mail.
pub type Hash = [u8; 16];

/// The open journal.
#[derive(Debug)]
pub struct Journal {
    connection: Connection,
    key: hmac::Key,
    file: PathBuf,
    /// Nothing can be written: a dry run, or a command that only reads.
    pub(super) is_read_only: bool,
}

impl Journal {
    /// Opens the journal of a state folder, and makes both on first use. Database and key belong together: where one of them
    /// is missing, or another version wrote the database, it is refused.
    pub fn open(state: &Path) -> Result<Self, Failure> {
        files::private_folder(state)?;
        let (file, key) = (state.join(FILE), state.join(KEY));
        // The key first: the run that makes both makes the key last.
        let has_key = known_key(&key)?.is_some();
        // An empty file is what a failed copy leaves: the run that makes both fills the database before it makes the key.
        if has_key && !files::is_longer(&file, 0).unwrap_or_default() {
            return Err(half(&file, &key));
        }
        if !file.exists() {
            // SQLite would make it readable for others. Never by hand where it is there: closing a file drops its locks.
            files::append(&file).map_err(|error| unwritable(&file, &error))?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&file, flags).map_err(|error| unusable(&file, &error))?;
        let key = prepare(&connection, &file, &key)?;
        Ok(Self { connection, key, file, is_read_only: false })
    }

    /// Opens the journal to read: nothing is written or made. Where there is none, it is empty.
    pub fn open_to_read(state: &Path) -> Result<Self, Failure> {
        let (file, key) = (state.join(FILE), state.join(KEY));
        let known = known_key(&key)?;
        if !files::is_longer(&file, 0).unwrap_or_default() {
            return if known.is_some() { Err(half(&file, &key)) } else { Self::empty(file) };
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&file, flags).map_err(|error| unusable(&file, &error))?;
        if check_version(&connection, &file)? {
            return Self::empty(file);
        }
        let key = keyed(&known.ok_or_else(|| half(&file, &key))?);
        check_pair(&connection, &file, &key)?;
        Ok(Self { connection, key, file, is_read_only: true })
    }

    /// An empty journal in memory. Nothing in it is compared with a hash, so any key will do.
    fn empty(file: PathBuf) -> Result<Self, Failure> {
        let made = Connection::open_in_memory().and_then(|memory| memory.execute_batch(TABLES).map(|()| memory));
        let connection = made.map_err(|error| unusable(&file, &error))?;
        Ok(Self { connection, key: keyed(""), file, is_read_only: true })
    }

    /// The keyed hash of a text. `purpose` keeps hashes of different things apart.
    pub(super) fn hash(&self, purpose: &str, text: &str) -> Hash {
        hash_by(&self.key, &format!("{purpose}\0{text}"))
    }

    /// Writes in one transaction that is on disk when this returns, or leaves everything as it was.
    pub(super) fn transact<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        self.synchronous("FULL")?;
        let done =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate).and_then(|transaction| {
                let done = work(&transaction)?;
                transaction.commit().map(|()| done)
            });
        self.synchronous("NORMAL")?;
        done.map_err(|error| unusable(&self.file, &error))
    }

    /// Writes by one statement without waiting for the disk: a power cut may undo it, a kill does not.
    pub(super) fn note(&self, sql: &str, values: impl Params) -> Result<(), Failure> {
        self.read(|tables| tables.prepare_cached(sql)?.execute(values).map(drop))
    }

    /// Reads something.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        work(&self.connection).map_err(|error| unusable(&self.file, &error))
    }

    fn synchronous(&self, how: &str) -> Result<(), Failure> {
        self.connection.pragma_update(None, "synchronous", how).map_err(|error| unusable(&self.file, &error))
    }
}

/// A time as it was written.
pub(super) fn time(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or_default()
}

/// Settles how the file is written, makes the tables of a new one, and gives the key.
fn prepare(connection: &Connection, file: &Path, key: &Path) -> Result<hmac::Key, Failure> {
    let failed = |error| unusable(file, &error);
    connection.busy_timeout(BUSY).map_err(failed)?;
    check_version(connection, file)?;
    write_ahead(connection).map_err(failed)?;
    connection.execute_batch(PRAGMAS).map_err(failed)?;
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(failed)?;
    // Asked again: another run may have been first.
    let (is_new, known) = (check_version(connection, file)?, known_key(key)?);
    let key = keyed(&match known {
        Some(text) => text,
        None if is_new => create_key(key).map_err(|error| unwritable(key, &error))?,
        None => return Err(half(file, key)),
    });
    if is_new {
        let version = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};");
        transaction.execute_batch(TABLES).and_then(|()| transaction.execute_batch(&version)).map_err(failed)?;
        transaction.execute("INSERT INTO pair VALUES (?1)", [hash_by(&key, "pair")]).map_err(failed)?;
    }
    check_pair(connection, file, &key)?;
    transaction.commit().map_err(failed)?;
    Ok(key)
}

fn hash_by(key: &hmac::Key, text: &str) -> Hash {
    // The first half of 32 bytes.
    hmac::sign(key, text.as_bytes()).as_ref().first_chunk().copied().unwrap_or_default()
}

/// With another key nobody would be recognised.
fn check_pair(connection: &Connection, file: &Path, key: &hmac::Key) -> Result<(), Failure> {
    let mark = connection.query_row("SELECT mark FROM pair", [], |row| row.get::<_, Hash>(0));
    if mark.map_err(|error| unusable(file, &error))? == hash_by(key, "pair") {
        return Ok(());
    }
    let cause = format!("{} and {KEY} beside it do not belong together", file.display());
    Err(Failure::new(Verdict::Unforeseen, cause).hint("restore both from one backup: only they know what was sent"))
}

/// Whether the database is a new one, without tables; an error where another version or another program made it.
fn check_version(connection: &Connection, file: &Path) -> Result<bool, Failure> {
    // In one statement, so that another run cannot make the tables in between.
    let sql = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
         FROM pragma_application_id, pragma_user_version";
    let read = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    match read.map_err(|error| unusable(file, &error))? {
        (0, 0, 0) => Ok(true),
        (APPLICATION, VERSION, _) => Ok(false),
        _ => {
            let cause = format!("{} is of another version of assessctl, or of another program", file.display());
            let hint = "use the assessctl that wrote it: only this file knows what was sent";
            Err(Failure::new(Verdict::Unforeseen, cause).hint(hint))
        }
    }
}

/// Turns on the write-ahead log, which the file then remembers. SQLite does not wait for another process here.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && start.elapsed() < BUSY => std::thread::sleep(Duration::from_millis(5)),
            done => return done,
        }
    }
}

/// The key as it was written; `None` where there is none.
fn known_key(path: &Path) -> Result<Option<String>, Failure> {
    let key = files::read_private(path)?.map(|text| text.trim().to_owned());
    match key {
        Some(key) if key.len() != KEY_LENGTH => {
            let cause = format!("the key of the journal, {}, is damaged", path.display());
            Err(Failure::new(Verdict::Unforeseen, cause).hint("restore it from a backup"))
        }
        key => Ok(key),
    }
}

fn create_key(path: &Path) -> std::io::Result<String> {
    let key = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()].map(|half| half.simple().to_string()).concat();
    let mut file = files::Target::create(path)?;
    writeln!(file, "{key}")?;
    file.commit().map(|()| key)
}

fn keyed(text: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, text.as_bytes())
}

/// One of database and key is missing, so nobody could be recognised.
fn half(file: &Path, key: &Path) -> Failure {
    let (there, missing) = if files::is_longer(file, 0).unwrap_or_default() { (file, key) } else { (key, file) };
    let cause =
        format!("a part of the journal is missing or empty: {} (beside {})", missing.display(), there.display());
    let hint = format!("restore it from a backup; without one, move {} away, which forgets everybody", there.display());
    Failure::new(Verdict::Unforeseen, cause).hint(hint)
}

/// Never another folder: only this journal knows what was sent.
const KEEP_FOLDER: &str = "make its folder writable and have room on its disk";

pub(super) fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Verdict::Unforeseen, format!("cannot write {}: {error}", path.display())).hint(KEEP_FOLDER)
}

/// Whether another run is at work; also by [`CLAIMED`].
fn is_busy(error: &rusqlite::Error) -> bool {
    *error == CLAIMED || matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// What can be done about a database depends on what is wrong with it.
fn unusable(file: &Path, error: &rusqlite::Error) -> Failure {
    let (what, hint) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            ("is damaged".to_owned(), "restore it from a backup: only the journal knows what was sent")
        }
        _ if is_busy(error) => ("is in use by another run".to_owned(), "try again when it has ended"),
        _ => (format!("cannot be used: {error}"), KEEP_FOLDER),
    };
    let verdict = if is_busy(error) { Verdict::NothingDone } else { Verdict::Unforeseen };
    Failure::new(verdict, format!("the journal {} {what}", file.display())).hint(hint)
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    fn opened(state: &Path) -> Journal {
        Journal::open(state).expect("a journal")
    }

    fn replace(path: &Path, text: &str) {
        let mut file = files::Target::create(path).expect("begun");
        file.write_all(text.as_bytes()).and_then(|()| file.commit()).expect("written");
    }

    #[test]
    fn a_journal_that_is_opened_again_has_the_same_hashes() {
        let state = crate::journal::scratch();
        let first = opened(&state.path().join("deep/state")).hash("email", "a@b.example");
        let again = opened(&state.path().join("deep/state"));
        assert_eq!(again.hash("email", "a@b.example"), first);
        assert_ne!(again.hash("reference id", "a@b.example"), first, "other things have other hashes");
        let read = Journal::open_to_read(&state.path().join("deep/state")).expect("to read");
        assert_eq!(read.hash("email", "a@b.example"), first);
        assert_ne!(opened(&state.path().join("other")).hash("email", "a@b.example"), first, "each folder has a key");
    }

    #[test]
    fn opening_to_read_makes_nothing_and_can_write_nothing() {
        let state = crate::journal::scratch();
        let count = |journal: &Journal| {
            journal.read(|tables| tables.query_row("SELECT count(*) FROM people", [], |row| row.get::<_, i64>(0)))
        };
        let empty = Journal::open_to_read(&state.path().join("state")).expect("empty");
        assert_eq!((count(&empty), state.path().join("state").exists()), (Ok(0), false));
        drop(opened(state.path()));
        let journal = Journal::open_to_read(state.path()).expect("to read");
        assert_eq!(count(&journal), Ok(0));
        let refused = journal.transact(|tables| tables.execute("DELETE FROM people", [])).expect_err("read only");
        assert_eq!(refused.verdict, Verdict::Unforeseen);
    }

    #[test]
    fn a_database_without_its_key_and_a_key_without_its_database_are_refused() {
        for (missing, there) in [(KEY, FILE), (FILE, KEY)] {
            let state = crate::journal::scratch();
            drop(opened(state.path()));
            files::remove(&state.path().join(missing)).expect("removed");
            for failure in [Journal::open(state.path()), Journal::open_to_read(state.path())] {
                let failure = failure.expect_err("refused");
                assert!(failure.cause.contains(&format!("{missing} (beside")), "{failure}");
                assert!(failure.hint.is_some_and(|hint| hint.contains(&format!("{there} away"))));
            }
            assert!(!state.path().join(missing).exists(), "none is made in its place");
        }
    }

    #[test]
    fn a_first_run_that_died_halfway_is_no_obstacle() {
        let state = crate::journal::scratch();
        files::append(&state.path().join(FILE)).expect("made");
        assert!(Journal::open_to_read(state.path()).is_ok());
        write_ahead(&Connection::open(state.path().join(FILE)).expect("opened")).expect("written");
        create_key(&state.path().join(KEY)).expect("made");
        assert!(Journal::open(state.path()).is_ok());
    }

    #[test]
    fn a_damaged_key_and_another_versions_database_are_refused() {
        let state = crate::journal::scratch();
        let journal = opened(state.path());
        journal.connection.pragma_update(None, "user_version", 14).expect("set");
        drop(journal);
        for opened in [Journal::open(state.path()), Journal::open_to_read(state.path())] {
            assert!(opened.expect_err("refused").cause.ends_with("of another program"));
        }
        replace(&state.path().join(KEY), "short");
        assert!(Journal::open(state.path()).expect_err("refused").cause.ends_with("is damaged"));
    }

    #[test]
    fn a_file_that_is_no_database_is_refused() {
        let state = crate::journal::scratch();
        drop(opened(state.path()));
        let file = state.path().join(FILE);
        replace(&file, &"no database at all, but long enough".repeat(100));
        for opened in [Journal::open(state.path()), Journal::open_to_read(state.path())] {
            assert!(opened.expect_err("refused").cause.ends_with("is damaged"));
        }
    }

    #[cfg(unix)]
    #[test]
    fn all_files_of_the_journal_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let state = crate::journal::scratch();
        let journal = opened(state.path());
        journal.transact(|tables| tables.execute("DELETE FROM people", [])).expect("written");
        let files = std::fs::read_dir(state.path()).expect("listed").map(|file| file.expect("a file"));
        let modes: Vec<u32> = files.map(|file| file.metadata().expect("there").permissions().mode() & 0o777).collect();
        assert!(modes.len() >= 3 && modes.iter().all(|mode| *mode == 0o600), "{modes:?}");
    }

    #[test]
    fn two_runs_that_are_the_first_share_one_key() {
        let state = crate::journal::scratch();
        let hash = || opened(state.path()).hash("email", "a@b.example");
        let hashes: Vec<Hash> = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..8).map(|_| scope.spawn(hash)).collect();
            runs.into_iter().map(|run| run.join().expect("opened")).collect()
        });
        assert!(hashes.iter().all(|hash| *hash == hashes[0]));
    }

    #[test]
    fn what_can_be_done_about_a_database_depends_on_what_is_wrong_with_it() {
        for (code, cause, verdict) in [
            (ffi::SQLITE_CORRUPT, "is damaged", Verdict::Unforeseen),
            (ffi::SQLITE_BUSY, "is in use by another run", Verdict::NothingDone),
            (ffi::SQLITE_FULL, "cannot be used: ", Verdict::Unforeseen),
            (ffi::SQLITE_READONLY, "cannot be used: ", Verdict::Unforeseen),
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let failure = unusable(Path::new("journal.db"), &error);
            assert!(failure.cause.starts_with(&format!("the journal journal.db {cause}")), "{failure}");
            assert_eq!(failure.verdict, verdict);
        }
    }
}
