//! Rows under way: what was meant to be sent, and what came of it. Nothing personal stands here, only keyed hashes.
//!
//! A row of a roster is known by what it says: its key is the hash of reference id and e-mail, or of the whole content
//! where it has no reference id, with its number among identical rows. That one row of the table stands for a key, and
//! that only a free one can be claimed, is what keeps a second attempt from being made beside a first.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use uuid::Uuid;

use super::account::account;
use super::clock::{BootTime, Millis, Moment};
use super::consumers::{forget_person, person_hash};
use super::keyed_hash::Hash;
use super::row_store::{Fact, Intent, KeyState, KnownRow, RowHasher, RowStore, Writer};
use super::store::Store;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;
use crate::model::verdict::Failure;

/// The journal's rows of one project of one service.
#[derive(Debug)]
pub struct JournalRows {
    store: Store,
    scope: i64,
    /// Who writes.
    account: String,
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
        Ok(Self { store, scope, account: account() })
    }

    /// What makes the hashes of rows.
    pub fn hasher(&self) -> RowHasher {
        RowHasher(self.store.hasher())
    }

    /// Everything that is known of the project, in the order of the numbers, or only what is in doubt.
    pub fn all(&self, in_doubt: bool) -> Result<Vec<KnownRow>, Failure> {
        let only = if in_doubt { "AND state = 'open'" } else { "" };
        let sql = format!("SELECT {COLUMNS} FROM rows WHERE scope = ?1 {only} ORDER BY number");
        self.store.read(|tables| tables.prepare(&sql)?.query_map([self.scope], read)?.collect())
    }

    /// Notes, before the request is sent, that an entry is about to be removed.
    pub fn about_to_remove(&mut self, entry: EntryId, now: Moment) -> Result<(), Failure> {
        let scope = self.scope;
        let sql = "INSERT OR REPLACE INTO removing (service, project, entry, begun)
                   SELECT service, project, ?2, ?3 FROM scopes WHERE scope = ?1";
        self.store.transact(|tables| tables.execute(sql, params![scope, entry.0, now.wall]).map(|_| ()))
    }

    /// Forgets an entry and all that is known of it, because we removed its person: the row is new again. `called` are the
    /// reference ids and e-mails that the person may have been told by, where results have no id.
    pub fn forget_entry(&mut self, entry: EntryId, called: &[[&str; 2]]) -> Result<(), Failure> {
        let scope = self.scope;
        let told: Vec<Hash> = called.iter().map(|texts| person_hash(&self.store, texts)).collect();
        self.store.transact(|tables| {
            tables.execute("DELETE FROM rows WHERE scope = ?1 AND entry = ?2", params![scope, entry.0])?;
            for table in ["removing", "links", "link_intents"] {
                let here = "(service, project) IN (SELECT service, project FROM scopes WHERE scope = ?1)";
                tables.execute(&format!("DELETE FROM {table} WHERE entry = ?2 AND {here}"), params![scope, entry.0])?;
            }
            let place = tables.query_row("SELECT service, project FROM scopes WHERE scope = ?1", [scope], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })?;
            let place = (place.0.as_str(), place.1.as_str());
            forget_person(tables, place, entry, None)?;
            told.iter().try_for_each(|told| forget_person(tables, place, entry, Some(*told)))
        })
    }

    /// Settles a row in doubt by its number. `false` where there is no such row in doubt.
    pub fn resolve(&mut self, number: i64, fact: Fact, now: Moment) -> Result<bool, Failure> {
        let (scope, account) = (self.scope, self.account.clone());
        self.store.transact(|tables| {
            let find = "SELECT key FROM rows WHERE scope = ?1 AND number = ?2 AND state = 'open'";
            let key: Option<Hash> = tables.query_row(find, [scope, number], |row| row.get(0)).optional()?;
            let Some(key) = key else { return Ok(false) };
            // The user knows more than the answer that could not be read.
            let sql = "UPDATE rows SET answered = 0, account = ?3 WHERE scope = ?1 AND key = ?2";
            tables.execute(sql, params![scope, key, account])?;
            write_facts(tables, scope, &[(key, fact, now)])?;
            Ok(true)
        })
    }

    /// Leaves no byte of what is known no more; see [`Store::erase`].
    pub fn erase(&mut self) -> Result<bool, Failure> {
        self.store.erase()
    }

    /// Which account of this machine wrote a row last, by the rows' numbers.
    pub fn accounts(&self) -> Result<BTreeMap<i64, String>, Failure> {
        let sql = "SELECT number, account FROM rows WHERE scope = ?1 AND account <> ''";
        self.store.read(|tables| {
            tables.prepare(sql)?.query_map([self.scope], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }
}

impl RowStore for JournalRows {
    fn is_empty(&self) -> Result<bool, Failure> {
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM rows WHERE scope = ?1)";
        self.store.read(|tables| tables.query_row(sql, [self.scope], |row| row.get(0)))
    }

    fn known(&self, key: &Hash) -> Result<Option<KnownRow>, Failure> {
        self.store.read(|tables| known(tables, self.scope, key))
    }

    fn unsettled(&self, now: &Moment, settle: Millis) -> Result<Vec<KnownRow>, Failure> {
        let sql = format!(
            "SELECT {COLUMNS} FROM rows WHERE scope = ?1 AND (state = 'open' OR (state = 'enrolled' AND
                (respelt OR known > ?2 OR (boot = ?3 AND ticks > ?4)))) ORDER BY number"
        );
        let (boot, ticks) = boot_columns(now);
        let since = params![self.scope, now.wall.saturating_sub(settle), boot, ticks.map(|ticks| ticks - settle)];
        let mut rows: Vec<KnownRow> =
            self.store.read(|tables| tables.prepare(&sql)?.query_map(since, read)?.collect())?;
        rows.retain(|row| {
            row.respelt || matches!(row.state, KeyState::Open { .. }) || row.since(now) > now.wall - settle
        });
        Ok(rows)
    }

    fn is_claimed(&self, entry: EntryId, by_other_than: &Hash) -> Result<bool, Failure> {
        let sql = "SELECT EXISTS (SELECT 1 FROM rows WHERE scope = ?1 AND entry = ?2 AND key <> ?3)";
        self.store.read(|tables| {
            tables.prepare_cached(sql)?.query_row(params![self.scope, entry.0, by_other_than], |row| row.get(0))
        })
    }

    fn removing(&self) -> Result<Vec<EntryId>, Failure> {
        let sql = "SELECT entry FROM removing JOIN scopes USING (service, project) WHERE scope = ?1";
        self.store.read(|tables| tables.prepare(sql)?.query_map([self.scope], |row| row.get(0).map(EntryId))?.collect())
    }

    fn last_enrolled(&self, until: Millis) -> Result<Option<EntryId>, Failure> {
        let sql =
            "SELECT entry FROM rows WHERE scope = ?1 AND state = 'enrolled' AND enrolment IS NOT NULL AND known <= ?2
                   ORDER BY number DESC LIMIT 1";
        self.store
            .read(|tables| tables.query_row(sql, params![self.scope, until], |row| row.get(0).map(EntryId)).optional())
    }

    fn commit(
        &mut self,
        facts: &[(Hash, Fact, Moment)],
        intents: &[Intent],
        writer: Writer,
    ) -> Result<Vec<KnownRow>, Failure> {
        let (scope, account) = (self.scope, self.account.clone());
        self.store.transact(|tables| {
            write_facts(tables, scope, facts)?;
            let mut contested = Vec::new();
            for intent in intents {
                if !claim(tables, scope, intent, (writer, &account))? {
                    contested.extend(known(tables, scope, &intent.key)?);
                }
            }
            Ok(contested)
        })
    }

    fn note(&mut self, facts: &[(Hash, Fact, Moment)], durable: bool) -> Result<(), Failure> {
        let scope = self.scope;
        if durable {
            return self.store.transact(|tables| write_facts(tables, scope, facts));
        }
        self.store.note(|tables| write_facts(tables, scope, facts))
    }
}

const COLUMNS: &str = "number, key, email, reference, state, entry, enrolment, given_up, until, locked, known, before, \
                       attempts, intended, line, answered, boot, ticks, respelt";

fn boot_columns(moment: &Moment) -> (Option<[u8; 16]>, Option<Millis>) {
    moment.boot.map(|boot| (boot.boot.into_bytes(), boot.ticks)).unzip()
}

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
        _ => KeyState::Open {
            given_up: row.get("given_up")?,
            until: row.get("until")?,
            locked: row.get("locked")?,
            answered: row.get("answered")?,
        },
    };
    let intended: Millis = row.get("intended")?;
    let wall = match state {
        KeyState::Open { given_up, .. } => given_up.unwrap_or(intended),
        KeyState::Enrolled { known, .. } => known,
        KeyState::Free | KeyState::Refused => row.get::<_, Option<Millis>>("known")?.unwrap_or(intended),
    };
    let boot: Option<[u8; 16]> = row.get("boot")?;
    let boot = boot.map(Uuid::from_bytes).zip(row.get("ticks")?).map(|(boot, ticks)| BootTime { boot, ticks });
    let before: String = row.get("before")?;
    Ok(KnownRow {
        number: row.get("number")?,
        key: row.get("key")?,
        email: row.get("email")?,
        reference: row.get("reference")?,
        state,
        before: before.split(' ').filter_map(|id| id.parse().ok()).collect(),
        attempts: row.get("attempts")?,
        intended,
        line: row.get("line")?,
        noted: Moment { wall, boot },
        respelt: row.get("respelt")?,
    })
}

/// Claims a key for one attempt, if it is new or free, or enrolled and meant to be enrolled anew.
fn claim(
    tables: &Connection,
    scope: i64,
    intent: &Intent,
    (writer, account): (Writer, &str),
) -> rusqlite::Result<bool> {
    let before: Vec<String> = intent.before.iter().map(ToString::to_string).collect();
    let (boot, ticks) = boot_columns(&writer.now);
    let claimed = tables
        .prepare_cached(
            "INSERT INTO rows (scope, key, email, reference, state, attempts, intended, until, locked, before, line,
                boot, ticks, account)
             VALUES (?1, ?2, ?3, ?4, 'open', 1, ?5, ?6, ?7, ?8, ?9, ?11, ?12, ?13)
             ON CONFLICT (scope, key) DO UPDATE SET
                state = 'open', attempts = attempts + 1, intended = excluded.intended, until = excluded.until,
                locked = excluded.locked, before = excluded.before, line = excluded.line,
                entry = NULL, enrolment = NULL, given_up = NULL, known = NULL, answered = 0,
                respelt = 0,
                boot = excluded.boot, ticks = excluded.ticks, account = excluded.account
             WHERE state IN ('free', 'refused') OR (state = 'enrolled' AND ?10)",
        )?
        .execute(params![
            scope,
            intent.key,
            intent.email,
            intent.reference,
            writer.now.wall,
            writer.now.wall.saturating_add(writer.patience),
            writer.locked,
            before.join(" "),
            intent.line,
            intent.again,
            boot,
            ticks,
            account,
        ])?;
    Ok(claimed == 1)
}

/// Nothing takes back that a row is enrolled.
fn write_facts(tables: &Connection, scope: i64, facts: &[(Hash, Fact, Moment)]) -> rusqlite::Result<()> {
    for (key, fact, moment) in facts {
        let set = match fact {
            Fact::Enrolled(..) => {
                "state = 'enrolled', entry = ?6, enrolment = ?7, known = ?3 WHERE state <> 'enrolled'"
            }
            Fact::Refused => "state = 'refused', known = ?3 WHERE state = 'open'",
            Fact::Free => "state = 'free', known = ?3 WHERE state = 'open' AND answered = 0",
            Fact::GivenUp => "given_up = ?3 WHERE state = 'open'",
            Fact::Respelt => "respelt = 1 WHERE TRUE",
            Fact::Answered => "given_up = ?3, answered = 1 WHERE state = 'open'",
        };
        let sql = format!("UPDATE rows SET boot = ?4, ticks = ?5, {set} AND scope = ?1 AND key = ?2");
        let (boot, ticks) = boot_columns(moment);
        let mut update = tables.prepare_cached(&sql)?;
        match fact {
            Fact::Enrolled(entry, enrolment) => {
                let enrolment = enrolment.map(Uuid::into_bytes);
                update.execute(params![scope, key, moment.wall, boot, ticks, entry.0, enrolment])?
            }
            _ => update.execute(params![scope, key, moment.wall, boot, ticks])?,
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(folder: &tempfile::TempDir) -> JournalRows {
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
        JournalRows::open(Store::open(folder.path()).expect("a journal"), "https://a.example", project).expect("rows")
    }

    fn moment(wall: Millis) -> Moment {
        Moment { wall, boot: None }
    }

    fn writer(now: Millis) -> Writer {
        Writer { now: moment(now), patience: 1000, locked: true }
    }

    fn intent(rows: &JournalRows, reference: &str) -> Intent {
        Intent {
            key: rows.hasher().key(Some(reference), "a@b", &[], 0),
            email: rows.hasher().email("a@b"),
            reference: Some(rows.hasher().reference(reference)),
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
        assert_eq!(contested[0].state, KeyState::Open { given_up: None, until: 1005, locked: true, answered: false });
        assert_eq!(contested[0].before, [EntryId(3), EntryId(-4)]);
        let freed = [(one.key, Fact::Free, moment(7))];
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
            rows.note(&[(one.key, fact, moment(6))], false).expect("written");
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
        assert_eq!(rows.resolve(doubtful[0].number, Fact::Enrolled(EntryId(7), None), moment(9)), Ok(true));
        assert_eq!(rows.resolve(doubtful[0].number, Fact::Free, moment(9)), Ok(false), "it is in doubt no more");
        let summary = super::super::summaries::summaries(&rows.store).expect("read");
        assert_eq!(summary[0].counts, [1, 1, 0, 0, 0]);
        rows.about_to_remove(EntryId(7), moment(10)).expect("written");
        assert_eq!(rows.removing(), Ok(vec![EntryId(7)]));
        rows.forget_entry(EntryId(7), &[]).expect("written");
        assert_eq!(rows.removing(), Ok(vec![]));
        assert!(rows.is_empty().expect("read"));
    }

    #[test]
    fn an_answer_without_a_record_is_kept_and_the_row_is_not_free_until_the_user_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rows = rows(&folder);
        let one = intent(&rows, "R-1");
        rows.commit(&[], std::slice::from_ref(&one), writer(5)).expect("written");
        rows.note(&[(one.key, Fact::Answered, moment(6)), (one.key, Fact::Free, moment(7))], true).expect("written");
        let known = rows.known(&one.key).expect("read").expect("known");
        assert_eq!(known.state, KeyState::Open { given_up: Some(6), until: 1005, locked: true, answered: true });
        assert_eq!(rows.resolve(known.number, Fact::Free, moment(9)), Ok(true));
        assert_eq!(rows.commit(&[], std::slice::from_ref(&one), writer(10)), Ok(vec![]));
        let known = rows.known(&one.key).expect("read").expect("known");
        assert_eq!(known.state, KeyState::Open { given_up: None, until: 1010, locked: true, answered: false });
    }

    #[test]
    fn the_last_entry_that_was_answered_is_known_and_one_that_was_only_found_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rows = rows(&folder);
        for (number, id) in [(1, Some(Uuid::from_u128(1))), (2, Some(Uuid::from_u128(2))), (3, None)] {
            let intent = intent(&rows, &format!("R-{number}"));
            rows.commit(&[], std::slice::from_ref(&intent), writer(5)).expect("written");
            let fact = Fact::Enrolled(EntryId(number), id);
            rows.note(&[(intent.key, fact, moment(10 * i64::from(number)))], true).expect("written");
        }
        let last = [9, 10, 100].map(|until| rows.last_enrolled(until).expect("read"));
        assert_eq!(last, [None, Some(EntryId(1)), Some(EntryId(2))]);
    }

    #[test]
    fn what_was_enrolled_a_short_while_ago_is_unsettled_by_the_clock_of_the_boot() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rows = rows(&folder);
        let one = intent(&rows, "R-1");
        let by_boot = |wall, ticks| Moment { wall, boot: Some(BootTime { boot: Uuid::from_u128(1), ticks }) };
        let writer = Writer { now: by_boot(1_000_000, 50), patience: 1000, locked: true };
        rows.commit(&[], std::slice::from_ref(&one), writer).expect("written");
        rows.note(&[(one.key, Fact::Enrolled(EntryId(1), None), by_boot(1_000_000, 100))], true).expect("written");
        let unsettled = |now| rows.unsettled(&now, 300).expect("read").len();
        assert_eq!(unsettled(by_boot(90_000_000, 200)), 1, "the wall clock was set forward");
        assert_eq!(unsettled(by_boot(1_000_100, 900)), 0, "and back");
        assert_eq!(unsettled(moment(1_000_100)), 1);
        assert_eq!(unsettled(moment(1_000_400)), 0);
    }

    #[test]
    fn nothing_personal_stands_in_the_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rows = rows(&folder);
        let one = intent(&rows, "R-SECRET");
        rows.commit(&[(one.key, Fact::GivenUp, moment(6))], std::slice::from_ref(&one), writer(5)).expect("written");
        for entry in std::fs::read_dir(folder.path()).expect("a folder") {
            let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
            for secret in ["R-SECRET", "a@b"] {
                assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret}");
            }
        }
    }
}
