//! Which links were issued from here, until when they live, and how their people stood then; never a link.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, params};

use super::store::Store;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::model::verdict::Failure;

/// What is known of the links of one project of a service.
#[derive(Debug)]
pub struct Links {
    store: Store,
    service: String,
    project: String,
}

/// A person's result and completion: they move when the assessment starts, which spends the link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestProgress {
    result: Option<String>,
    completed: Option<String>,
}

impl TestProgress {
    /// How a person stands.
    pub fn of(record: &TestTaker) -> Self {
        let result = record.result.as_ref().map(|result| result.word().to_owned());
        Self { result, completed: record.date_completed.clone() }
    }
}

/// A link that was issued.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    until: Timestamp,
    stand: Option<TestProgress>,
}

impl Links {
    /// Opens what is known.
    pub fn open(store: Store, service: &str, project: ProjectId) -> Self {
        Self { store, service: service.to_owned(), project: project.to_string() }
    }

    /// Until when the link of a person lives, where one does: its time has not run out, and the person's record has not
    /// moved since it was issued. `None` also where links were issued elsewhere: those are unknown.
    pub fn valid_until(&self, record: &TestTaker, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
        let known = self.known(record.entry_id())?;
        let lives = |known: &Known| {
            known.until > now && known.stand.as_ref().is_none_or(|stand| *stand == TestProgress::of(record))
        };
        Ok(known.filter(lives).map(|known| known.until))
    }

    fn known(&self, entry: EntryId) -> Result<Option<Known>, Failure> {
        self.store.read(|tables| {
            let sql = "SELECT until, seen, result, completed FROM links
                       WHERE service = ?1 AND project = ?2 AND entry = ?3";
            let mut known = tables.prepare_cached(sql)?;
            let row = known.query_row(params![self.service, self.project, entry.0], |row| {
                let until = Timestamp::from_microsecond(row.get(0)?).unwrap_or(Timestamp::MIN);
                let stand = TestProgress { result: row.get(2)?, completed: row.get(3)? };
                Ok(Known { until, stand: row.get::<_, bool>(1)?.then_some(stand) })
            });
            row.optional()
        })
    }

    /// Before a link is issued: the one that is known will be void, whether or not an answer comes.
    pub fn about_to_issue(&mut self, entry: EntryId) -> Result<(), Failure> {
        if self.known(entry)?.is_none() {
            return Ok(());
        }
        let (service, project) = (&self.service, &self.project);
        self.store.transact(|tables| {
            let sql = "DELETE FROM links WHERE service = ?1 AND project = ?2 AND entry = ?3";
            tables.execute(sql, params![service, project, entry.0])
        })?;
        Ok(())
    }

    /// After a link was handed out. `stand` is how its person stood before; `None` where nobody looked.
    pub fn issued(
        &mut self,
        entry: EntryId,
        at: Timestamp,
        until: Timestamp,
        stand: Option<&TestProgress>,
    ) -> Result<(), Failure> {
        let (service, project) = (&self.service, &self.project);
        let values = stand.cloned().unwrap_or_default();
        self.store.transact(|tables| {
            let sql = "INSERT OR REPLACE INTO links (service, project, entry, issued, until, seen, result, completed)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let (at, until) = (at.as_microsecond(), until.as_microsecond());
            let (seen, TestProgress { result, completed }) = (stand.is_some(), values);
            tables.execute(sql, params![service, project, entry.0, at, until, seen, result, completed])
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    fn person(result: &str) -> TestTaker {
        serde_json::from_str(&format!(r#"{{"id":7,"result":{result}}}"#)).expect("a record")
    }

    fn links(folder: &tempfile::TempDir, service: &str) -> Links {
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
        Links::open(Store::open(folder.path()).expect("a journal"), service, project)
    }

    #[test]
    fn a_link_lives_until_its_time_runs_out_or_its_person_moves() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut links = links(&folder, "https://a.example");
        let (issued, until) = (time("2026-03-01T06:00:00Z"), time("2026-03-02T06:00:00Z"));
        let fresh = person("null");
        assert_eq!(links.valid_until(&fresh, issued), Ok(None));
        links.issued(EntryId(7), issued, until, Some(&TestProgress::of(&fresh))).expect("noted");
        assert_eq!(links.valid_until(&fresh, time("2026-03-02T05:59:59Z")), Ok(Some(until)));
        assert_eq!(links.valid_until(&fresh, until), Ok(None));
        assert_eq!(links.valid_until(&person("\"Started\""), issued), Ok(None));
    }

    #[test]
    fn a_link_that_is_about_to_be_replaced_lives_no_more() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut links = links(&folder, "https://a.example");
        let (issued, until) = (time("2026-03-01T06:00:00Z"), time("2026-03-02T06:00:00Z"));
        links.issued(EntryId(7), issued, until, None).expect("noted");
        assert_eq!(links.valid_until(&person("\"Completed\""), issued), Ok(Some(until)), "nobody had looked");
        links.about_to_issue(EntryId(7)).expect("noted");
        assert_eq!(links.valid_until(&person("null"), issued), Ok(None));
    }

    #[test]
    fn services_know_nothing_of_each_others_links() {
        let folder = tempfile::tempdir().expect("a folder");
        let (issued, until) = (time("2026-03-01T06:00:00Z"), time("2026-03-02T06:00:00Z"));
        links(&folder, "https://a.example").issued(EntryId(7), issued, until, None).expect("noted");
        assert_eq!(links(&folder, "https://b.example").valid_until(&person("null"), issued), Ok(None));
    }
}
