//! The people that this machine removed in bulk, by keyed hashes, so that a run that is repeated knows its own work.

use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::clock::Moment;
use super::consumers::{forget_person, person_hash};
use super::keyed_hash::Hash;
use super::moment_columns::{boot_columns, moment};
use super::removed_entries;
use super::store::Store;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};

/// Tables, beside that of the rows, of which nothing is left about an entry that was removed.
/// A move stays until a roster is remembered that knows the person where they went.
const ENTRY_TABLES: [&str; 4] = ["links", "link_intents", "removing", "written_fields"];

/// What is known of removals from one project of a service.
#[derive(Debug)]
pub struct Removals {
    store: Store,
    service: String,
    project: String,
}

impl Removals {
    /// Opens what is known.
    pub fn open(store: Store, service: &str, project: ProjectId) -> Self {
        Self { store, service: service.to_owned(), project: project.to_string() }
    }

    fn key(&self, (kind, name): (&str, &str)) -> Hash {
        self.store.keyed_hash("removed", &[kind, name])
    }

    /// Notes, before the request is sent, that a person is about to be removed: what a killed run removed is known to be
    /// our own work. `false` where an earlier run had begun it, and what came of that is not known.
    pub fn begin(&mut self, name: (&str, &str), entry: EntryId, now: Moment) -> Result<bool, Failure> {
        let key = self.key(name);
        self.store.transact(|tables| begin(tables, (&self.service, &self.project), entry, (Some(key), &now)))
    }

    /// Notes that a person was removed, and forgets all else that is known of them: who was removed by us may be enrolled
    /// anew without being asked for. `name` is how the row called them, as the kind of name and the name, kept as a hash.
    pub fn note(&mut self, name: (&str, &str), person: &TestTaker) -> Result<(), Failure> {
        let texts = [&person.reference_id, &person.email].map(|text| text.as_deref().unwrap_or_default());
        let told = person_hash(&self.store, &texts);
        self.note_entry(name, person.entry_id(), &[told])
    }

    fn note_entry(&mut self, name: (&str, &str), entry: EntryId, told: &[Hash]) -> Result<(), Failure> {
        let (key, now) = (self.key(name), Timestamp::now().as_microsecond());
        self.store.transact(|tables| {
            let sql = "INSERT OR REPLACE INTO removals (service, project, key, removed) VALUES (?1, ?2, ?3, ?4)";
            tables.execute(sql, params![self.service, self.project, key, now])?;
            forget_entry(tables, (&self.service, &self.project), entry, told)
        })
    }

    /// Removals that were about to be sent, and of which it is not noted that they were: each entry with when that was.
    pub fn open_removals(&self) -> Result<Vec<(EntryId, Moment)>, Failure> {
        let sql = "SELECT entry, begun, boot, ticks FROM removing WHERE service = ?1 AND project = ?2";
        self.store.rows(sql, params![self.service, self.project], |row| {
            Ok((EntryId(row.get(0)?), moment(row, row.get("begun")?, ("boot", "ticks"))?))
        })
    }

    /// Settles a removal whose end was not noted. An entry that is gone was removed by us; one that is still there was not.
    pub fn settle(&mut self, entry: EntryId, is_gone: bool) -> Result<(), Failure> {
        let (place, now) = ((self.service.as_str(), self.project.as_str()), Timestamp::now().as_microsecond());
        self.store.transact(|tables| {
            if !is_gone {
                return call_off(tables, place, entry);
            }
            let sql = "INSERT OR REPLACE INTO removals (service, project, key, removed)
                       SELECT service, project, key, ?4 FROM removing
                       WHERE service = ?1 AND project = ?2 AND entry = ?3 AND key IS NOT NULL";
            tables.execute(sql, params![place.0, place.1, entry.0, now])?;
            forget_entry(tables, place, entry, &[])
        })
    }

    /// Leaves no byte of what is known no more; see [`Store::erase`].
    pub fn erase(&mut self) -> Result<bool, Failure> {
        self.store.erase()
    }

    /// Ends what a killed run began: it was about to remove a person that a row called so, and the person is gone.
    pub fn complete(&mut self, name: (&str, &str)) -> Result<(), Failure> {
        let sql = "SELECT entry FROM removing WHERE service = ?1 AND project = ?2 AND key = ?3";
        let begun: Vec<i32> =
            self.store.rows(sql, params![self.service, self.project, self.key(name)], |row| row.get(0))?;
        begun.into_iter().try_for_each(|entry| self.note_entry(name, EntryId(entry), &[]))
    }

    /// Whether this machine removed a person of this name, or was about to.
    pub fn has(&self, name: (&str, &str)) -> Result<bool, Failure> {
        let sql = "SELECT EXISTS (SELECT 1 FROM removals WHERE service = ?1 AND project = ?2 AND key = ?3)
                       OR EXISTS (SELECT 1 FROM removing WHERE service = ?1 AND project = ?2 AND key = ?3)";
        self.store.value(sql, params![self.service, self.project, self.key(name)])
    }
}

/// A project of a service.
pub(super) type ProjectOfService<'a> = (&'a str, &'a str);

/// Notes that an entry is about to be removed now, and the key of its name where it has one; `false` where that was noted
/// before.
pub(super) fn begin(
    tables: &Connection,
    (service, project): ProjectOfService<'_>,
    entry: EntryId,
    (key, now): (Option<Hash>, &Moment),
) -> rusqlite::Result<bool> {
    let known = "SELECT EXISTS (SELECT 1 FROM removing WHERE service = ?1 AND project = ?2 AND entry = ?3)";
    let is_open: bool = tables.query_row(known, params![service, project, entry.0], |row| row.get(0))?;
    let (boot, ticks) = boot_columns(now);
    let sql =
        "INSERT INTO removing (service, project, entry, key, begun, boot, ticks) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
               ON CONFLICT DO UPDATE SET key = coalesce(?4, key), begun = ?5, boot = ?6, ticks = ?7";
    tables.execute(sql, params![service, project, entry.0, key, now.wall, boot, ticks])?;
    Ok(!is_open)
}

/// Notes that an entry that was about to be removed was not.
pub(super) fn call_off(
    tables: &Connection,
    (service, project): ProjectOfService<'_>,
    entry: EntryId,
) -> rusqlite::Result<()> {
    let sql = "DELETE FROM removing WHERE service = ?1 AND project = ?2 AND entry = ?3";
    tables.execute(sql, params![service, project, entry.0]).map(|_| ())
}

/// Forgets all that is known of an entry that was removed. `told` are the hashes by which its person may have been told, where
/// results have no id.
pub(super) fn forget_entry(
    tables: &Connection,
    place: ProjectOfService<'_>,
    entry: EntryId,
    told: &[Hash],
) -> rusqlite::Result<()> {
    let enrolled = "DELETE FROM rows WHERE entry = ?3
                    AND scope IN (SELECT scope FROM scopes WHERE service = ?1 AND project = ?2)";
    tables.execute(enrolled, params![place.0, place.1, entry.0])?;
    for table in ENTRY_TABLES {
        let all = format!("DELETE FROM {table} WHERE service = ?1 AND project = ?2 AND entry = ?3");
        tables.execute(&all, params![place.0, place.1, entry.0])?;
    }
    removed_entries::note(tables, place, entry)?;
    forget_person(tables, place, entry, None)?;
    told.iter().try_for_each(|told| forget_person(tables, place, entry, Some(*told)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::clock::BootTime;

    fn person(entry: i32) -> TestTaker {
        serde_json::from_str(&format!(r#"{{"id":{entry}}}"#)).expect("a record")
    }

    fn at(ticks: i64) -> Moment {
        Moment { wall: 7_000 + ticks, boot: Some(BootTime { boot: uuid::Uuid::from_u128(3), ticks }) }
    }

    #[test]
    fn a_removal_is_known_by_the_name_that_a_row_gave_and_in_its_own_service() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
        let open = |service: &str| Removals::open(Store::open(folder.path()).expect("a journal"), service, project);
        let mut here = open("https://a.example");
        let name = ("referenceId", "7");
        here.note(name, &person(7)).expect("noted");
        here.note(name, &person(7)).expect("noted again");
        assert_eq!((here.has(name), here.has(("referenceId", "8"))), (Ok(true), Ok(false)));
        assert_eq!(here.has(("id", "7")), Ok(false), "another kind of name");
        here.begin(("email", "a@b"), EntryId(9), Moment::now()).expect("noted");
        assert_eq!(here.has(("email", "a@b")), Ok(true), "it was about to be removed");
        here.complete(("email", "a@b")).expect("noted");
        assert_eq!(here.has(("email", "a@b")), Ok(true));
        let begun =
            |tables: &rusqlite::Connection| tables.query_row("SELECT count(*) FROM removing", [], |row| row.get(0));
        assert_eq!(here.store.read(begun), Ok(0), "nothing is under way any more");
        assert_eq!(open("https://b.example").has(name), Ok(false));
    }

    #[test]
    fn a_removal_whose_end_was_not_noted_is_settled_by_whether_its_entry_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
        let mut here = Removals::open(Store::open(folder.path()).expect("a journal"), "https://a.example", project);
        let (gone, there) = (("email", "a@b"), ("email", "c@d"));
        assert_eq!(here.begin(gone, EntryId(7), at(1)), Ok(true));
        assert_eq!([2, 3].map(|when| here.begin(there, EntryId(8), at(when))), [Ok(true), Ok(false)]);
        assert_eq!(here.open_removals(), Ok(vec![(EntryId(7), at(1)), (EntryId(8), at(3))]), "by both clocks");
        here.settle(EntryId(7), true).expect("settled");
        here.settle(EntryId(8), false).expect("settled");
        assert_eq!(here.open_removals(), Ok(vec![]));
        assert_eq!((here.has(gone), here.has(there)), (Ok(true), Ok(false)));
    }

    #[test]
    fn what_another_run_holds_open_is_not_said_to_be_erased() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
        let mut here = Removals::open(Store::open(folder.path()).expect("a journal"), "https://a.example", project);
        let another = Store::open(folder.path()).expect("a journal");
        let reads = |tables: &Connection| tables.execute_batch("BEGIN; SELECT count(*) FROM removals");
        another.read(reads).expect("a look");
        here.store.read(|tables| tables.busy_timeout(std::time::Duration::ZERO)).expect("does not wait");
        assert_eq!(here.erase(), Ok(false));
        another.read(|tables| tables.execute_batch("COMMIT")).expect("its end");
        assert_eq!(here.erase(), Ok(true));
    }
}
