//! The secret of the keyed hashes, in a file of its own: with the database alone no guess can be tried.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use ring::rand::{SecureRandom as _, SystemRandom};
use rusqlite::{Connection, OptionalExtension as _};

use super::keyed_hash::{Hash, KeyHasher};
use super::unusable::unusable;
use crate::files::{Replacement, read_secret};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;

/// The ending of its name, beside the database.
const ENDING: &str = "secret";
/// The secret of a folder.
pub(super) type HashSecret = [u8; 32];

/// Tables that hold nothing which a secret was used for.
const WITHOUT_HASHES: &str = "'secret_hash', 'to_erase', 'scopes', 'followed', 'removed_entries', 'sqlite_sequence'";

/// The secret of a file that has none in it any more. One that is missing or another's is an error where anything was
/// hashed with it: no person would be known again.
pub(super) fn known_secret(tables: &Connection, file: &Path) -> Result<HashSecret, Failure> {
    let found = match beside(tables, file)? {
        (Some(secret), true) => return Ok(secret),
        (found, _) => found,
    };
    let secret = found.map_or_else(|| make(file), Ok)?;
    tables.execute("UPDATE secret_hash SET hash = ?1", [hash(&secret)]).map_err(|error| unusable(file, &error))?;
    Ok(secret)
}

/// Refuses the same secrets, and changes nothing. A file that has its secret in it yet needs none beside it.
pub(super) fn check_secret(tables: &Connection, file: &Path) -> Result<(), Failure> {
    let is_apart = has_table(tables, "secret_hash").map_err(|error| unusable(file, &error))?;
    if is_apart { beside(tables, file).map(drop) } else { Ok(()) }
}

/// The secret beside a file, and whether it is the file's own; an error where it has to be and is not.
fn beside(tables: &Connection, file: &Path) -> Result<(Option<HashSecret>, bool), Failure> {
    let kept: Vec<u8> = tables
        .query_row("SELECT hash FROM secret_hash", [], |row| row.get(0))
        .map_err(|error| unusable(file, &error))?;
    let found = read(file)?;
    let is_own = found.is_some_and(|secret| hash(&secret) == kept[..]);
    if !is_own && has_hashes(tables).map_err(|error| unusable(file, &error))? {
        return Err(lost(file, found.is_some()));
    }
    Ok((found, is_own))
}

/// Whether anything stands there that was hashed with the secret.
fn has_hashes(tables: &Connection) -> rusqlite::Result<bool> {
    let names = format!("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ({WITHOUT_HASHES})");
    let names: Vec<String> = tables.prepare(&names)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for name in names {
        let any = format!("SELECT EXISTS (SELECT 1 FROM \"{name}\")");
        if tables.query_row(&any, [], |row| row.get(0))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The secret of a new file, or that of an older one out of the table where it stood. It is in its own file, durably,
/// before the table goes: a kill in between leaves both, and they are the same.
pub(super) fn moved_secret(tables: &Connection, file: &Path) -> Result<HashSecret, Failure> {
    let inside = secret_inside(tables).map_err(|error| unusable(file, &error))?;
    match (inside, read(file)?) {
        (Some(inside), Some(found)) if inside != found => Err(lost(file, true)),
        (_, Some(found)) => Ok(found),
        (Some(inside), None) => write(file, &inside).map(|()| inside),
        (None, None) => make(file),
    }
}

fn has_table(tables: &Connection, name: &str) -> rusqlite::Result<bool> {
    tables.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1)", [name], |row| row.get(0))
}

/// The secret of a file that has it in a table yet.
fn secret_inside(tables: &Connection) -> rusqlite::Result<Option<HashSecret>> {
    if !has_table(tables, "secret")? {
        return Ok(None);
    }
    tables.query_row("SELECT bytes FROM secret", [], |row| row.get(0)).optional()
}

fn path(database: &Path) -> PathBuf {
    database.with_extension(ENDING)
}

/// The secret beside the database; `None` where there is none.
pub(super) fn read(database: &Path) -> Result<Option<HashSecret>, Failure> {
    let path = path(database);
    let bytes = read_secret(&path, size_of::<HashSecret>() as u64 + 1).map_err(|error| {
        let cause = format!("cannot read the secret of the journal {}: {error}", path.display());
        Failure::new(Verdict::Unforeseen, cause).hint(format!("it has to be yours alone: look at {}", path.display()))
    })?;
    match bytes.map(HashSecret::try_from) {
        None => Ok(None),
        Some(Ok(secret)) => Ok(Some(secret)),
        Some(Err(_)) => Err(lost(database, true)),
    }
}

/// Writes the secret, durably and for its owner alone.
pub(super) fn write(database: &Path, secret: &HashSecret) -> Result<(), Failure> {
    let path = path(database);
    let written = Replacement::begin(&path).and_then(|mut file| {
        file.write_all(secret)?;
        file.commit()
    });
    written.map_err(|error| {
        let cause = format!("cannot write the secret of the journal {}: {error}", path.display());
        Failure::new(Verdict::Unforeseen, cause).hint("set ASSESSCTL_STATE_DIR to a folder that you can write to")
    })
}

/// Makes a new one.
pub(super) fn make(database: &Path) -> Result<HashSecret, Failure> {
    let mut secret = HashSecret::default();
    SystemRandom::new()
        .fill(&mut secret)
        .map_err(|_| Failure::new(Verdict::Unforeseen, "the system gives no random bytes"))?;
    write(database, &secret).map(|()| secret)
}

/// By which the database knows its secret.
pub(super) fn hash(secret: &HashSecret) -> Hash {
    hash_with(&KeyHasher::new(secret))
}

/// The same, of what was keyed with it.
pub(super) fn hash_with(keyed: &KeyHasher) -> Hash {
    keyed.hash("secret", &[])
}

/// Why nothing is sent without the right secret: the people that this machine enrolled could not be told from others.
pub(super) fn lost(database: &Path, is_there: bool) -> Failure {
    let (path, what) = (path(database), if is_there { "is another journal's" } else { "is missing" });
    let cause = format!("the secret of the journal, {}, {what}: nothing is sent without it", path.display());
    let database = database.display();
    Failure::new(Verdict::Unforeseen, cause).hint(format!(
        "restore it from the backup that {database} is from; without one move {database} away: then no person counts as \
         enrolled from here, and rows in doubt may be enrolled twice"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::schema::{BUSY, MIGRATIONS, prepare};
    use crate::journal::store::Store;

    const HASHED: &str = "INSERT INTO removals VALUES ('https://a.example', 'p', x'01', 0)";
    const NOT_HASHED: &str = "INSERT INTO scopes VALUES (1, 'https://a.example', 'p')";

    /// A journal with its secret, where this was written.
    fn written(sql: &str) -> (tempfile::TempDir, PathBuf, HashSecret) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(folder.path()).expect("a journal");
        store.transact(|tables| tables.execute(sql, [])).expect("written");
        let file = folder.path().join("journal.db");
        let secret = read(&file).expect("read").expect("a secret");
        (folder, file, secret)
    }

    fn cause(folder: &tempfile::TempDir) -> String {
        Store::open(folder.path()).expect_err("not the secret").cause
    }

    #[test]
    fn a_secret_that_anything_was_hashed_with_is_missed_and_no_other_takes_its_place() {
        let (folder, file, secret) = written(HASHED);
        write(&file, &[7; 32]).expect("another one");
        assert!(cause(&folder).contains("another journal's"));
        let mut longer = secret.to_vec();
        longer.push(0);
        std::fs::write(path(&file), longer).expect("written");
        assert!(cause(&folder).contains("another journal's"), "the right one and a byte more");
        std::fs::remove_file(path(&file)).expect("removed");
        assert!(cause(&folder).contains("is missing"));
        assert_eq!(read(&file), Ok(None), "none was made");
        write(&file, &secret).expect("restored");
        assert!(Store::open(folder.path()).is_ok());
    }

    #[test]
    fn a_secret_that_nothing_was_hashed_with_is_made_anew() {
        let (folder, file, secret) = written(NOT_HASHED);
        std::fs::remove_file(path(&file)).expect("removed");
        assert!(Store::open(folder.path()).is_ok());
        assert!(read(&file).expect("read").is_some_and(|made| made != secret));
        write(&file, &[7; 32]).expect("another one");
        assert!(Store::open(folder.path()).is_ok());
        assert_eq!(read(&file), Ok(Some([7; 32])), "one that is there is taken");
    }

    #[test]
    fn the_secret_of_an_older_journal_is_moved_and_is_the_one_that_stands_beside_it() {
        let inside = [3; 32];
        let moved = |beside: Option<HashSecret>| {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("journal.db");
            let mut connection = Connection::open(&file).expect("a file");
            prepare(&mut connection, &file, &MIGRATIONS[..1], BUSY).expect("version 1");
            std::fs::remove_file(path(&file)).expect("its secret stood in the table");
            connection.execute("INSERT INTO secret VALUES (1, ?1)", [inside]).expect("a secret");
            if let Some(secret) = beside {
                write(&file, &secret).expect("written");
            }
            let secret = prepare(&mut connection, &file, MIGRATIONS, BUSY);
            (secret.map_err(|failure| failure.cause.contains("another journal's")), read(&file).expect("read"))
        };
        assert_eq!(moved(None), (Ok(inside), Some(inside)));
        assert_eq!(moved(Some(inside)), (Ok(inside), Some(inside)), "a kill left both");
        assert_eq!(moved(Some([7; 32])), (Err(true), Some([7; 32])));
    }
}
