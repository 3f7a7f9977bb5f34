//! Rows under way: what was meant to be sent, and what came of it. Nothing personal stands here, only keyed hashes.
//!
//! A row of a roster is known by what it says: its key is the hash of reference id and e-mail, or of the whole content
//! where it has no reference id, with its number among identical rows. That one row of the table stands for a key, and
//! that only a free one can be claimed, is what keeps a second attempt from being made beside a first.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use uuid::Uuid;

use super::clock::{Millis, Moment};
use super::consumers::person_hash;
use super::keyed_hash::Hash;
use super::moment_columns::{boot_columns, moment};
use super::os_account::account;
use super::removals;
use super::removed_entries;
use super::row_store::{Fact, Intent, KeyState, KnownRow, RowHasher, RowStore, Writer};
use super::store::Store;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;

/// The journal's rows of one project of one service.
#[derive(Debug)]
pub struct JournalRows {
    store: Store,
    service: String,
    project: String,
    /// The number that stands for service and project.
    scope: i64,
    /// The account of this machine that writes.
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
        Ok(Self { store, service: service.to_owned(), project, scope, account: account() })
    }

    /// What makes the hashes of rows.
    pub fn hasher(&self) -> RowHasher {
        RowHasher(self.store.hasher())
    }

    /// Everything that is known of the project, in the order of the numbers, or only what is in doubt.
    pub fn all(&self, in_doubt: bool) -> Result<Vec<KnownRow>, Failure> {
        let only = if in_doubt { "AND state = 'open'" } else { "" };
        self.store.rows(&format!("SELECT * FROM rows WHERE scope = ?1 {only} ORDER BY number"), [self.scope], read)
    }

    /// Notes, before the request is sent, that an entry is about to be removed. `false` where that was noted before, and
    /// what came of it is not known.
    pub fn about_to_remove(&mut self, entry: EntryId, now: Moment) -> Result<bool, Failure> {
        self.store.transact(|tables| removals::begin(tables, (&self.service, &self.project), entry, (None, &now)))
    }

    /// Notes that an entry that was about to be removed was not.
    pub fn did_not_remove(&mut self, entry: EntryId) -> Result<(), Failure> {
        self.store.transact(|tables| removals::call_off(tables, (&self.service, &self.project), entry))
    }

    /// Forgets an entry and all that is known of it, because we removed its person: the row is new again. `called` are the
    /// reference ids and e-mails that the person may have been told by, where results have no id.
    pub fn forget_entry(&mut self, entry: EntryId, called: &[[&str; 2]]) -> Result<(), Failure> {
        let told: Vec<Hash> = called.iter().map(|texts| person_hash(&self.store, texts)).collect();
        self.store.transact(|tables| removals::forget_entry(tables, (&self.service, &self.project), entry, &told))
    }

    /// Settles a row in doubt by its number with what is known of it. `false` where there is no such row in doubt.
    pub fn resolve(&mut self, number: i64, facts: &[Fact], now: Moment) -> Result<bool, Failure> {
        self.store.transact(|tables| {
            let find = "SELECT key FROM rows WHERE scope = ?1 AND number = ?2 AND state = 'open'";
            let key: Option<Hash> = tables.query_row(find, [self.scope, number], |row| row.get(0)).optional()?;
            let Some(key) = key else { return Ok(false) };
            // The user knows more than the answer that could not be read.
            let sql = "UPDATE rows SET answered = 0, account = ?3 WHERE scope = ?1 AND key = ?2";
            tables.execute(sql, params![self.scope, key, self.account])?;
            let facts: Vec<_> = facts.iter().map(|fact| (key, *fact, now)).collect();
            write_facts(tables, self.scope, &facts)?;
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
        let accounts = self.store.rows(sql, [self.scope], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(accounts.into_iter().collect())
    }
}

impl RowStore for JournalRows {
    fn is_empty(&self) -> Result<bool, Failure> {
        self.store.value("SELECT NOT EXISTS (SELECT 1 FROM rows WHERE scope = ?1)", [self.scope])
    }

    fn known(&self, key: &Hash) -> Result<Option<KnownRow>, Failure> {
        self.store.read(|tables| known(tables, self.scope, key))
    }

    fn unsettled(&self, now: &Moment, settle: Millis) -> Result<Vec<KnownRow>, Failure> {
        let sql = "SELECT * FROM rows WHERE scope = ?1 AND (state = 'open' OR (state = 'enrolled' AND
                   (respelt OR known > ?2 OR (boot = ?3 AND ticks > ?4)))) ORDER BY number";
        let (boot, ticks) = boot_columns(now);
        let since = params![self.scope, now.wall.saturating_sub(settle), boot, ticks.map(|ticks| ticks - settle)];
        let mut rows: Vec<KnownRow> = self.store.rows(sql, since, read)?;
        rows.retain(|row| {
            row.respelt || matches!(row.state, KeyState::Open { .. }) || row.since(now) > now.wall - settle
        });
        Ok(rows)
    }

    fn is_claimed(&self, entry: EntryId, by_other_than: &Hash) -> Result<bool, Failure> {
        let sql = "SELECT EXISTS (SELECT 1 FROM rows WHERE scope = ?1 AND entry = ?2 AND key <> ?3)";
        self.store.value(sql, params![self.scope, entry.0, by_other_than])
    }

    fn removing(&self) -> Result<Vec<EntryId>, Failure> {
        let sql = "SELECT entry FROM removing WHERE service = ?1 AND project = ?2";
        self.store.rows(sql, [&self.service, &self.project], |row| row.get(0).map(EntryId))
    }

    fn removed_within(&self, now: &Moment, age: Millis) -> Result<HashMap<EntryId, Millis>, Failure> {
        self.store.read(|tables| removed_entries::within(tables, self.scope, now, age))
    }

    fn enrolled(&self, wanted: &dyn Fn(EntryId, &Hash, Option<&Hash>) -> bool) -> Result<Vec<KnownRow>, Failure> {
        let sql = "SELECT * FROM rows WHERE scope = ?1 AND state = 'enrolled' AND entry IS NOT NULL";
        self.store.read(|tables| {
            let mut select = tables.prepare(sql)?;
            let each = select.query_map([self.scope], |row| {
                let (email, reference): (Hash, Option<Hash>) = (row.get("email")?, row.get("reference")?);
                let entry = EntryId(row.get("entry")?);
                wanted(entry, &email, reference.as_ref()).then(|| read(row)).transpose()
            })?;
            each.filter_map(Result::transpose).collect()
        })
    }

    fn last_enrolled(&self, until: Millis, most: u32) -> Result<Vec<EntryId>, Failure> {
        let sql = "SELECT entry FROM rows WHERE scope = ?1 AND state = 'enrolled' AND known <= ?2
                   ORDER BY number DESC LIMIT ?3";
        self.store.rows(sql, params![self.scope, until, most], |row| row.get(0).map(EntryId))
    }

    fn commit(
        &mut self,
        facts: &[(Hash, Fact, Moment)],
        intents: &[Intent],
        writer: Writer,
    ) -> Result<Vec<KnownRow>, Failure> {
        self.store.transact(|tables| {
            write_facts(tables, self.scope, facts)?;
            let mut contested = Vec::new();
            for intent in intents {
                if !claim(tables, self.scope, intent, (writer, &self.account))? {
                    contested.extend(known(tables, self.scope, &intent.key)?);
                }
            }
            Ok(contested)
        })
    }

    fn note(&mut self, facts: &[(Hash, Fact, Moment)], durable: bool) -> Result<(), Failure> {
        if durable {
            return self.store.transact(|tables| write_facts(tables, self.scope, facts));
        }
        self.store.note(|tables| write_facts(tables, self.scope, facts))
    }
}

fn known(tables: &Connection, scope: i64, key: &Hash) -> rusqlite::Result<Option<KnownRow>> {
    let sql = "SELECT * FROM rows WHERE scope = ?1 AND key = ?2";
    tables.prepare_cached(sql)?.query_row(params![scope, key], read).optional()
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
        noted: moment(row, wall, ("boot", "ticks"))?,
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

/// No fact makes an enrolled row anything else.
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
mod tests;
