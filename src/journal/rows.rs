//! Rows under way: what was meant to be sent, and what came of it. Nothing personal stands here, only keyed hashes.
//!
//! A row of a roster is known by what it says: its key is the hash of reference id and e-mail, or of the whole content
//! where it has no reference id, with its number among identical rows. That one row of the table stands for a key, and
//! that only a free one can be claimed, is what keeps a second attempt from being made beside a first.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use uuid::Uuid;

use super::store::{Hash, Store};
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;
use crate::model::verdict::Failure;

/// A point in time: milliseconds since 1970, UTC.
pub type Millis = i64;

/// What is known of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// An attempt was to be made, and nobody knows its end.
    Open {
        /// When its answer was given up, where that was written down.
        given_up: Option<Millis>,
        /// When its request was over at the latest, by the time limit of whoever sent it.
        until: Millis,
        /// Whoever sent it held the project's lock, so that whoever holds it now knows that they are gone.
        locked: bool,
    },
    /// Nothing was done, for certain.
    Free,
    /// The service said no.
    Refused,
    /// Enrolled, as a fact about the past.
    Enrolled {
        /// Its entry.
        entry: EntryId,
        /// The uuid that the service answered, if an answer came.
        enrolment: Option<Uuid>,
        /// When that became known.
        known: Millis,
    },
}

/// A key of the journal with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownRow {
    /// The number that `journal show` prints.
    pub number: i64,
    /// The row's key.
    pub key: Hash,
    /// The hash of its e-mail.
    pub email: Hash,
    /// The hash of its reference id, where it has one.
    pub reference: Option<Hash>,
    /// What is known.
    pub state: KeyState,
    /// Entries that look like the row and were there before it was first sent.
    pub before: Vec<EntryId>,
    /// Attempts so far.
    pub attempts: u32,
    /// When the last one was meant to be made.
    pub intended: Millis,
    /// The line of the roster that it stood on then.
    pub line: u32,
}

/// What is written before a row is sent.
#[derive(Clone, Debug)]
pub struct Intent {
    /// The row's key.
    pub key: Hash,
    /// The hash of its e-mail.
    pub email: Hash,
    /// The hash of its reference id.
    pub reference: Option<Hash>,
    /// Entries that look like it and are there already.
    pub before: Vec<EntryId>,
    /// It was enrolled once, is gone, and is to be enrolled anew.
    pub again: bool,
    /// The line of the roster.
    pub line: u32,
}

/// What came of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Enrolled.
    Enrolled(EntryId, Option<Uuid>),
    /// The service said no.
    Refused,
    /// Nothing was done, for certain.
    Free,
    /// Its answer was given up.
    GivenUp,
}

/// Who writes: when, how long its requests last at most, and whether it holds the project's lock.
#[derive(Clone, Copy, Debug)]
pub struct Writer {
    /// Now.
    pub now: Millis,
    /// Milliseconds until a request is given up.
    pub patience: Millis,
    /// Whether nobody else runs an import into the project.
    pub locked: bool,
}

/// The journal's rows of one project of one service.
#[derive(Debug)]
pub struct JournalRows {
    store: Store,
    scope: i64,
}

impl JournalRows {
    /// Opens the rows of a project. `service` is the origin of the base URL, or the sandbox's own id.
    pub fn open(mut store: Store, service: &str, project: ProjectId) -> Result<Self, Failure> {
        let project = project.to_string();
        let find = "SELECT scope FROM scopes WHERE service = ?1 AND project = ?2";
        let known = store.read(|tables| tables.query_row(find, [service, &project], |row| row.get(0)).optional())?;
        let scope = match known {
            Some(scope) => scope,
            None => store.transact(|tables| {
                tables
                    .execute("INSERT OR IGNORE INTO scopes (service, project) VALUES (?1, ?2)", [service, &project])?;
                tables.query_row(find, [service, &project], |row| row.get(0))
            })?,
        };
        Ok(Self { store, scope })
    }

    /// The key of a row: of its reference id and e-mail, or else of its whole content, and its number among equals.
    pub fn key(&self, reference: Option<&str>, email: &str, content: &[&str], ordinal: u32) -> Hash {
        let ordinal = ordinal.to_string();
        if let Some(reference) = reference {
            return self.store.keyed_hash("row", &[reference, email, &ordinal]);
        }
        let texts: Vec<&str> = [email].iter().chain(content).copied().chain([ordinal.as_str()]).collect();
        self.store.keyed_hash("row without reference id", &texts)
    }

    /// The hash of an e-mail address alone, in the form by which addresses are compared.
    pub fn email_hash(&self, email: &str) -> Hash {
        self.store.keyed_hash("email", &[email])
    }

    /// The hash of a reference id alone.
    pub fn reference_hash(&self, reference: &str) -> Hash {
        self.store.keyed_hash("reference id", &[reference])
    }

    /// Whether nothing is known of the project.
    pub fn is_empty(&self) -> Result<bool, Failure> {
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM rows WHERE scope = ?1)";
        self.store.read(|tables| tables.query_row(sql, [self.scope], |row| row.get(0)))
    }

    /// What is known of a key.
    pub fn known(&self, key: &Hash) -> Result<Option<KnownRow>, Failure> {
        self.store.read(|tables| known(tables, self.scope, key))
    }

    /// Everything that is known of the project, in the order of the numbers, or only what is in doubt.
    pub fn all(&self, in_doubt: bool) -> Result<Vec<KnownRow>, Failure> {
        let only = if in_doubt { "AND state = 'open'" } else { "" };
        let sql = format!("SELECT {COLUMNS} FROM rows WHERE scope = ?1 {only} ORDER BY number");
        self.store.read(|tables| tables.prepare(&sql)?.query_map([self.scope], read)?.collect())
    }

    /// Whether an entry is known to be another row's.
    pub fn is_claimed(&self, entry: EntryId, by_other_than: &Hash) -> Result<bool, Failure> {
        let sql = "SELECT EXISTS (SELECT 1 FROM rows WHERE scope = ?1 AND entry = ?2 AND key <> ?3)";
        self.store.read(|tables| {
            tables.prepare_cached(sql)?.query_row(params![self.scope, entry.0, by_other_than], |row| row.get(0))
        })
    }

    /// Writes what came of rows and then the intents, all of it durable when this returns. The answer tells of the
    /// intents that found their key claimed already: those rows must not be sent.
    pub fn commit(
        &mut self,
        facts: &[(Hash, Fact, Millis)],
        intents: &[Intent],
        writer: Writer,
    ) -> Result<Vec<KnownRow>, Failure> {
        let scope = self.scope;
        self.store.transact(|tables| {
            write_facts(tables, scope, facts)?;
            let mut contested = Vec::new();
            for intent in intents {
                if !claim(tables, scope, intent, writer)? {
                    contested.extend(known(tables, scope, &intent.key)?);
                }
            }
            Ok(contested)
        })
    }

    /// Writes what came of rows. Losing it in a power cut costs look-ups, so it is not waited for.
    pub fn note(&mut self, facts: &[(Hash, Fact, Millis)]) -> Result<(), Failure> {
        let scope = self.scope;
        self.store.note(|tables| write_facts(tables, scope, facts))
    }

    /// Forgets an entry, because we removed its person: the row is new again.
    pub fn forget_entry(&mut self, entry: EntryId) -> Result<(), Failure> {
        let scope = self.scope;
        let sql = "DELETE FROM rows WHERE scope = ?1 AND entry = ?2";
        self.store.transact(|tables| tables.execute(sql, params![scope, entry.0]).map(|_| ()))
    }

    /// Settles a row in doubt by its number. `false` where there is no such row in doubt.
    pub fn resolve(&mut self, number: i64, fact: Fact, now: Millis) -> Result<bool, Failure> {
        let scope = self.scope;
        self.store.transact(|tables| {
            let find = "SELECT key FROM rows WHERE scope = ?1 AND number = ?2 AND state = 'open'";
            let key: Option<Hash> = tables.query_row(find, [scope, number], |row| row.get(0)).optional()?;
            let Some(key) = key else { return Ok(false) };
            write_facts(tables, scope, &[(key, fact, now)])?;
            Ok(true)
        })
    }

    /// Forgets what was sent to the project: rows, links and removals; the answer is how many rows that were.
    pub fn forget(&mut self) -> Result<usize, Failure> {
        let scope = self.scope;
        self.store.transact(|tables| {
            for table in ["links", "link_intents", "removals"] {
                let here = "(service, project) IN (SELECT service, project FROM scopes WHERE scope = ?1)";
                tables.execute(&format!("DELETE FROM {table} WHERE {here}"), [scope])?;
            }
            tables.execute("DELETE FROM rows WHERE scope = ?1", [scope])
        })
    }
}

const COLUMNS: &str = "number, key, email, reference, state, entry, enrolment, given_up, until, locked, known, before, \
                       attempts, intended, line";

fn known(tables: &Connection, scope: i64, key: &Hash) -> rusqlite::Result<Option<KnownRow>> {
    let sql = format!("SELECT {COLUMNS} FROM rows WHERE scope = ?1 AND key = ?2");
    tables.prepare_cached(&sql)?.query_row(params![scope, key], read).optional()
}

fn read(row: &Row<'_>) -> rusqlite::Result<KnownRow> {
    let state: String = row.get("state")?;
    let entry: Option<i32> = row.get("entry")?;
    let state = match (state.as_str(), entry) {
        ("enrolled", Some(entry)) => KeyState::Enrolled {
            entry: EntryId(entry),
            enrolment: row.get::<_, Option<[u8; 16]>>("enrolment")?.map(Uuid::from_bytes),
            known: row.get::<_, Option<Millis>>("known")?.unwrap_or_default(),
        },
        ("refused", _) => KeyState::Refused,
        ("free", _) => KeyState::Free,
        _ => KeyState::Open { given_up: row.get("given_up")?, until: row.get("until")?, locked: row.get("locked")? },
    };
    let before: String = row.get("before")?;
    Ok(KnownRow {
        number: row.get("number")?,
        key: row.get("key")?,
        email: row.get("email")?,
        reference: row.get("reference")?,
        state,
        before: before.split(' ').filter_map(|id| id.parse().ok()).collect(),
        attempts: row.get("attempts")?,
        intended: row.get("intended")?,
        line: row.get("line")?,
    })
}

/// Claims a key for one attempt, if it is new or free, or enrolled and meant to be enrolled anew.
fn claim(tables: &Connection, scope: i64, intent: &Intent, writer: Writer) -> rusqlite::Result<bool> {
    let before: Vec<String> = intent.before.iter().map(ToString::to_string).collect();
    let claimed = tables
        .prepare_cached(
            "INSERT INTO rows (scope, key, email, reference, state, attempts, intended, until, locked, before, line)
             VALUES (?1, ?2, ?3, ?4, 'open', 1, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (scope, key) DO UPDATE SET
                state = 'open', attempts = attempts + 1, intended = excluded.intended, until = excluded.until,
                locked = excluded.locked, before = excluded.before, line = excluded.line,
                entry = NULL, enrolment = NULL, given_up = NULL, known = NULL
             WHERE state IN ('free', 'refused') OR (state = 'enrolled' AND ?10)",
        )?
        .execute(params![
            scope,
            intent.key,
            intent.email,
            intent.reference,
            writer.now,
            writer.now.saturating_add(writer.patience),
            writer.locked,
            before.join(" "),
            intent.line,
            intent.again,
        ])?;
    Ok(claimed == 1)
}

/// Nothing takes back that a row is enrolled.
fn write_facts(tables: &Connection, scope: i64, facts: &[(Hash, Fact, Millis)]) -> rusqlite::Result<()> {
    for (key, fact, now) in facts {
        let change = |set: &str| format!("UPDATE rows SET {set} WHERE scope = ?1 AND key = ?2 AND state = 'open'");
        match fact {
            Fact::Enrolled(entry, enrolment) => tables
                .prepare_cached(
                    "UPDATE rows SET state = 'enrolled', entry = ?4, enrolment = ?5, known = ?3
                     WHERE scope = ?1 AND key = ?2 AND state <> 'enrolled'",
                )?
                .execute(params![scope, key, now, entry.0, enrolment.map(Uuid::into_bytes)])?,
            Fact::Refused => {
                tables.prepare_cached(&change("state = 'refused', known = ?3"))?.execute(params![scope, key, now])?
            }
            Fact::Free => {
                tables.prepare_cached(&change("state = 'free', known = ?3"))?.execute(params![scope, key, now])?
            }
            Fact::GivenUp => tables.prepare_cached(&change("given_up = ?3"))?.execute(params![scope, key, now])?,
        };
    }
    Ok(())
}

/// What is remembered of one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The service.
    pub service: String,
    /// The project's id.
    pub project: String,
    /// The first intent.
    pub first: Millis,
    /// The last intent.
    pub last: Millis,
    /// JournalRows, and of them those enrolled, refused, free, and in doubt.
    pub counts: [i64; 5],
}

/// What is remembered, project by project, the latest first.
pub fn summaries(store: &Store) -> Result<Vec<Summary>, Failure> {
    let sql = "SELECT service, project, min(intended), max(intended), count(*), sum(state = 'enrolled'),
                  sum(state = 'refused'), sum(state = 'free'), sum(state = 'open')
               FROM rows JOIN scopes USING (scope) GROUP BY scope ORDER BY max(intended) DESC";
    store.read(|tables| {
        let summary = |row: &Row<'_>| {
            Ok(Summary {
                service: row.get(0)?,
                project: row.get(1)?,
                first: row.get(2)?,
                last: row.get(3)?,
                counts: [row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?],
            })
        };
        tables.prepare(sql)?.query_map([], summary)?.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(folder: &tempfile::TempDir) -> JournalRows {
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
        JournalRows::open(Store::open(folder.path()).expect("a journal"), "https://a.example", project).expect("rows")
    }

    fn writer(now: Millis) -> Writer {
        Writer { now, patience: 1000, locked: true }
    }

    fn intent(rows: &JournalRows, reference: &str) -> Intent {
        Intent {
            key: rows.key(Some(reference), "a@b", &[], 0),
            email: rows.email_hash("a@b"),
            reference: Some(rows.reference_hash(reference)),
            before: vec![EntryId(3), EntryId(-4)],
            again: false,
            line: 2,
        }
    }

    #[test]
    fn a_key_is_claimed_once_until_it_is_certain_that_nothing_was_done() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rows = rows(&folder);
        let one = intent(&rows, "R-1");
        assert_eq!(rows.commit(&[], std::slice::from_ref(&one), writer(5)), Ok(vec![]));
        let contested = rows.commit(&[], std::slice::from_ref(&one), writer(6)).expect("written");
        assert_eq!(contested[0].state, KeyState::Open { given_up: None, until: 1005, locked: true });
        assert_eq!(contested[0].before, [EntryId(3), EntryId(-4)]);
        let freed = [(one.key, Fact::Free, 7)];
        assert_eq!(rows.commit(&freed, std::slice::from_ref(&one), writer(8)), Ok(vec![]));
        assert_eq!(rows.known(&one.key).expect("read").expect("known").attempts, 2);
    }

    #[test]
    fn enrolled_is_final_unless_it_is_meant_to_be_done_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rows = rows(&folder);
        let one = intent(&rows, "R-1");
        rows.commit(&[], std::slice::from_ref(&one), writer(5)).expect("written");
        let enrolled = KeyState::Enrolled { entry: EntryId(9), enrolment: None, known: 6 };
        for fact in [Fact::Enrolled(EntryId(9), None), Fact::Free, Fact::Refused, Fact::GivenUp] {
            rows.note(&[(one.key, fact, 6)]).expect("written");
            assert_eq!(rows.known(&one.key).expect("read").expect("known").state, enrolled);
        }
        assert!(rows.is_claimed(EntryId(9), &[0; 32]).expect("read"));
        assert!(!rows.is_claimed(EntryId(9), &one.key).expect("read"));
        assert_eq!(rows.commit(&[], std::slice::from_ref(&one), writer(7)).expect("written").len(), 1);
        assert_eq!(rows.commit(&[], &[Intent { again: true, ..one }], writer(7)), Ok(vec![]));
    }

    #[test]
    fn what_is_written_is_there_in_the_next_run_and_can_be_resolved_by_its_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = {
            let mut rows = rows(&folder);
            let one = intent(&rows, "R-1");
            rows.commit(&[], std::slice::from_ref(&one), writer(5)).expect("written");
            one
        };
        let mut rows = rows(&folder);
        let doubtful = rows.all(true).expect("read");
        assert_eq!((doubtful.len(), doubtful[0].key), (1, one.key));
        assert_eq!(rows.resolve(doubtful[0].number, Fact::Enrolled(EntryId(7), None), 9), Ok(true));
        assert_eq!(rows.resolve(doubtful[0].number, Fact::Free, 9), Ok(false), "it is in doubt no more");
        assert_eq!(summaries(&rows.store).expect("read")[0].counts, [1, 1, 0, 0, 0]);
        rows.forget_entry(EntryId(7)).expect("written");
        assert!(rows.is_empty().expect("read"));
    }

    #[test]
    fn nothing_personal_stands_in_the_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rows = rows(&folder);
        let one = intent(&rows, "R-SECRET");
        rows.commit(&[(one.key, Fact::GivenUp, 6)], std::slice::from_ref(&one), writer(5)).expect("written");
        for entry in std::fs::read_dir(folder.path()).expect("a folder") {
            let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
            for secret in ["R-SECRET", "a@b"] {
                assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret}");
            }
        }
    }
}
