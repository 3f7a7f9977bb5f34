//! What this machine wrote last into people's records, by keyed hashes. A read that shows something else soon after is older, and
//! an update that sent along what it shows would undo the last one.

use rusqlite::{OptionalExtension as _, params};

use super::clock::{Millis, Moment};
use super::keyed_hash::Hash;
use super::moment_columns::{boot_columns, moment};
use super::store::Store;
use crate::model::failure::Failure;
use crate::model::field_rules::{PersonName, ReferenceId};
use crate::model::projects::ProjectId;
use crate::model::testtakers::{Change, EntryId, TestTaker, TestTakerUpdate};

/// How long it is kept: longer than any read is believed to lag behind.
const KEPT: Millis = 24 * 60 * 60 * 1000;

/// The reference id, first and last name, in this order; an empty text is none.
type Fields<'a> = [&'a str; 3];

/// What was written into one record, and when. A field that was left out has no hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastUpdate {
    hashes: [Option<Hash>; 3],
    sent: Moment,
}

/// What was written into the records of one project.
#[derive(Debug)]
pub struct WrittenFields {
    store: Store,
    service: String,
    project: String,
}

impl WrittenFields {
    /// Opens what is known.
    pub fn open(store: Store, service: &str, project: ProjectId) -> Self {
        Self { store, service: service.to_owned(), project: project.to_string() }
    }

    /// Whether a record shows, in the fields that are asked for, what was written there less than so many milliseconds ago.
    pub fn are_shown(
        &self,
        record: &TestTaker,
        asked: [bool; 3],
        (now, settle): (&Moment, Millis),
    ) -> Result<bool, Failure> {
        let Some(last) = self.last_within(record.entry_id(), (now, settle))? else { return Ok(true) };
        let shown = fields_of(record).map(Some);
        let shown = self.hashes(record.entry_id(), shown);
        Ok((0..3).all(|at| !asked[at] || last.hashes[at].is_none() || last.hashes[at] == shown[at]))
    }

    /// Whether an entry that had this reference id may have it now: no other one was written there less than so many
    /// milliseconds ago.
    pub fn may_have_reference_id(&self, entry: EntryId, id: &str, within: (&Moment, Millis)) -> Result<bool, Failure> {
        let last = self.last_within(entry, within)?.and_then(|last| last.hashes[0]);
        Ok(last.is_none_or(|last| self.hashes(entry, [Some(id), None, None])[0] == Some(last)))
    }

    /// Notes what an update is to write, before it is sent. The answer is what was written before that.
    pub fn begin(
        &mut self,
        entry: EntryId,
        update: &TestTakerUpdate,
        sent: Moment,
    ) -> Result<Option<LastUpdate>, Failure> {
        let before = self.last(entry)?;
        let hashes = self.hashes(entry, wanted_of(update));
        self.note(entry, Some(LastUpdate { hashes, sent }))?;
        Ok(before)
    }

    /// Notes how the service stored an update: what it spells otherwise than sent is what reads show. A field that is as it
    /// was before is no spelling: the answer may lag behind as a read does.
    pub fn stored(
        &mut self,
        update: &TestTakerUpdate,
        [before, now]: [&TestTaker; 2],
        sent: Moment,
    ) -> Result<(), Failure> {
        let (wanted, before, stored) = (wanted_of(update), fields_of(before), fields_of(now));
        let is_as_sent = (0..3).all(|at| wanted[at].is_none_or(|wanted| stored[at] == wanted));
        if is_as_sent {
            return Ok(());
        }
        let shown = [0, 1, 2].map(|at| wanted[at].map(|sent| if stored[at] == before[at] { sent } else { stored[at] }));
        let hashes = self.hashes(now.entry_id(), shown);
        self.note(now.entry_id(), Some(LastUpdate { hashes, sent }))
    }

    /// Notes what was written last; `None` where nothing is known of it.
    pub fn note(&mut self, entry: EntryId, last: Option<LastUpdate>) -> Result<(), Failure> {
        self.store.transact(|tables| {
            tables.execute("DELETE FROM written_fields WHERE sent < ?1", [Moment::now().wall - KEPT])?;
            let place = params![self.service, self.project, entry.0];
            let Some(LastUpdate { hashes: [reference, first, last], sent }) = last else {
                let sql = "DELETE FROM written_fields WHERE service = ?1 AND project = ?2 AND entry = ?3";
                return tables.execute(sql, place).map(|_| ());
            };
            let (boot, ticks) = boot_columns(&sent);
            let sql = "INSERT OR REPLACE INTO written_fields
                       (service, project, entry, reference, first, last, sent, boot, ticks)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
            let values = params![self.service, self.project, entry.0, reference, first, last, sent.wall, boot, ticks];
            tables.execute(sql, values).map(|_| ())
        })
    }

    fn last_within(&self, entry: EntryId, (now, settle): (&Moment, Millis)) -> Result<Option<LastUpdate>, Failure> {
        Ok(self.last(entry)?.filter(|last| now.wall.saturating_sub(now.dates(&last.sent)) < settle))
    }

    fn last(&self, entry: EntryId) -> Result<Option<LastUpdate>, Failure> {
        let sql = "SELECT * FROM written_fields WHERE service = ?1 AND project = ?2 AND entry = ?3";
        self.store.read(|tables| {
            let place = params![self.service, self.project, entry.0];
            let read = tables.query_row(sql, place, |row| {
                let hashes = [row.get("reference")?, row.get("first")?, row.get("last")?];
                Ok(LastUpdate { hashes, sent: moment(row, row.get("sent")?, ("boot", "ticks"))? })
            });
            read.optional()
        })
    }

    /// Each record's and each field's its own: who has the same name cannot be counted.
    fn hashes(&self, entry: EntryId, fields: [Option<&str>; 3]) -> [Option<Hash>; 3] {
        let entry = entry.to_string();
        let hash = ["reference id", "first name", "last name"].into_iter().zip(fields);
        let mut hashes =
            hash.map(|(field, text)| Some(self.store.keyed_hash("written field", &[field, &entry, text?])));
        [(); 3].map(|()| hashes.next().flatten())
    }
}

fn fields_of(record: &TestTaker) -> Fields<'_> {
    [&record.reference_id, &record.first_name, &record.last_name].map(|text| text.as_deref().unwrap_or_default())
}

fn wanted_of(update: &TestTakerUpdate) -> [Option<&str>; 3] {
    fn text<T>(change: &Change<T>, text: fn(&T) -> &str) -> Option<&str> {
        match change {
            Change::Set(value) => Some(text(value)),
            Change::Clear => Some(""),
            Change::Leave => None,
        }
    }
    [
        text(&update.reference_id, ReferenceId::as_str),
        text(&update.first_name, PersonName::as_str),
        text(&update.last_name, PersonName::as_str),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTLE: Millis = 300_000;

    fn person(first: &str, last: &str) -> TestTaker {
        let json = serde_json::json!({ "id": 7, "referenceId": "R-1", "firstName": first, "lastName": last });
        serde_json::from_value(json).expect("a record")
    }

    fn renamed(first: &str, last: &str) -> TestTakerUpdate {
        let name = |text: &str| Change::Set(text.parse().expect("a name"));
        TestTakerUpdate { reference_id: Change::Leave, first_name: name(first), last_name: name(last) }
    }

    fn written(folder: &tempfile::TempDir) -> WrittenFields {
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
        WrittenFields::open(Store::open(folder.path()).expect("a journal"), "https://a.example", project)
    }

    fn at(wall: Millis) -> Moment {
        Moment { wall: Moment::now().wall + wall, boot: None }
    }

    #[test]
    fn a_read_that_shows_another_value_than_was_written_is_older_for_as_long_as_the_settle_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut written = written(&folder);
        let shown = |written: &WrittenFields, first: &str, asked, now| {
            written.are_shown(&person(first, "May"), asked, (&at(now), SETTLE)).expect("read")
        };
        assert!(shown(&written, "Old", [true; 3], 0), "nothing was written");
        assert_eq!(written.begin(EntryId(7), &renamed("New", "May"), at(0)), Ok(None));
        assert!(!shown(&written, "Old", [true; 3], 1000));
        assert!(shown(&written, "Old", [true, false, true], 1000), "the field is named by the next update");
        assert!(shown(&written, "New", [true; 3], 1000));
        assert!(shown(&written, "Old", [true; 3], SETTLE + 1000));
        let before = written.begin(EntryId(7), &renamed("Newer", "May"), at(1)).expect("noted");
        written.note(EntryId(7), before).expect("noted");
        assert!(shown(&written, "New", [true; 3], 1000), "the second one had no effect");
    }

    #[test]
    fn what_the_service_spells_otherwise_is_what_reads_show_and_an_old_value_is_no_spelling() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut written = written(&folder);
        let (update, before) = (renamed("Zoe ", "New"), person("Old", "Older"));
        written.begin(EntryId(7), &update, at(0)).expect("noted");
        written.stored(&update, [&before, &person("Zoe", "Older")], at(0)).expect("noted");
        let shown = |first: &str, last: &str| {
            written.are_shown(&person(first, last), [true; 3], (&at(1), SETTLE)).expect("read")
        };
        assert!(shown("Zoe", "New") && !shown("Zoe ", "New") && !shown("Zoe", "Older"));
    }
}
