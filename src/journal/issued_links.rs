//! Which links were issued from here, until when they work, and what result their people had then; never a link. It
//! decides whether a link still works; `bulk/keep_or_issue_link.rs` decides whether a new one is issued.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, ToSql, params};

use super::keyed_hash::Hash;
use super::store::Store;
use crate::model::failure::Failure;
use crate::model::field_rules::{filled, fold_email};
use crate::model::projects::ProjectId;
use crate::model::test_status::TestStatus;
use crate::model::testtakers::{EntryId, TestTaker};

/// What is known of the links of one project of a service.
#[derive(Debug)]
pub struct Links {
    store: Store,
    service: String,
    project: String,
}

/// How the last link of a person stands, as far as this machine knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// This machine issued none that it remembers.
    Unknown,
    /// It was issued from here, and has expired or was used (the person's record has moved since), or another person has the
    /// entry now.
    Spent,
    /// It was issued from here and works.
    Valid {
        /// Until when.
        until: Timestamp,
        /// Keyed hash of the link, to find it in a file.
        link: Option<Hash>,
        /// Keyed hash of the redirect URI that it was issued with.
        redirect: Option<Hash>,
    },
    /// A run was about to issue one and did not say what came of it.
    Interrupted {
        /// Keyed hash of the link that the file held before, if any: another one there is what came of it.
        before: Option<Hash>,
    },
}

/// A link that was handed out.
#[derive(Clone, Copy, Debug)]
pub struct IssuedLink<'a> {
    /// The link itself; a keyed hash of it is kept.
    pub url: &'a str,
    /// The redirect URI that it was issued with; a keyed hash of it is kept.
    pub redirect_uri: Option<&'a str>,
    /// When it was issued.
    pub at: Timestamp,
    /// Until when it works.
    pub until: Timestamp,
    /// Its person's record before; `None` where nothing was read. Keyed hashes are kept of how they stood and of their e-mail.
    pub person: Option<&'a TestTaker>,
}

impl Links {
    /// Opens what is known.
    pub fn open(store: Store, service: &str, project: ProjectId) -> Self {
        Self { store, service: service.to_owned(), project: project.to_string() }
    }

    /// The keyed hash by which a link is known.
    pub fn hash_of(&self, url: &str) -> Hash {
        self.store.keyed_hash("link", &[url])
    }

    /// The keyed hash by which a redirect URI, or none, is known.
    pub fn redirect_hash_of(&self, redirect_uri: Option<&str>) -> Hash {
        self.store.keyed_hash("redirect", &[redirect_uri.unwrap_or_default()])
    }

    /// How the last link of a person stands. Links that were issued elsewhere are unknown here.
    pub fn state(&self, record: &TestTaker, now: Timestamp) -> Result<LinkState, Failure> {
        let place = params![self.service, self.project, record.entry_id().0];
        let (intent, issued) = self.store.read(|tables| {
            let intent = "SELECT before FROM link_intents WHERE service = ?1 AND project = ?2 AND entry = ?3";
            let intent = tables.prepare_cached(intent)?.query_row(place, |row| row.get(0)).optional()?;
            let issued = "SELECT until, progress, link, redirect, person FROM links
                          WHERE service = ?1 AND project = ?2 AND entry = ?3";
            let issued = tables.prepare_cached(issued)?.query_row(place, |row| {
                let known: [Option<Hash>; 2] = [row.get("progress")?, row.get("person")?];
                Ok((Timestamp::from_microsecond(row.get(0)?), known, row.get(2)?, row.get(3)?))
            });
            Ok((intent, issued.optional()?))
        })?;
        if let Some(before) = intent {
            return Ok(LinkState::Interrupted { before });
        }
        let Some((until, [progress, person], link, redirect)) = issued else { return Ok(LinkState::Unknown) };
        let until = until.unwrap_or(Timestamp::MIN);
        let has_moved = progress.is_some_and(|progress| progress != self.progress_hash(record));
        let is_anothers = person.zip(self.person_hash(record)).is_some_and(|(person, theirs)| person != theirs);
        let is_spent = until <= now || has_moved || is_anothers;
        Ok(if is_spent { LinkState::Spent } else { LinkState::Valid { until, link, redirect } })
    }

    /// The last link of each person, by its keyed hash.
    pub fn last_links(&self) -> Result<Vec<(Hash, EntryId)>, Failure> {
        let sql = "SELECT link, entry FROM links WHERE service = ?1 AND project = ?2 AND link IS NOT NULL";
        self.store.rows(sql, params![self.service, self.project], |row| Ok((row.get(0)?, EntryId(row.get(1)?))))
    }

    /// A person's result and completion: they move when the assessment starts, which spends the link.
    fn progress_hash(&self, record: &TestTaker) -> Hash {
        let result = record.result.as_ref().map(TestStatus::word);
        self.store.hasher().progress(record.entry_id(), result, record.date_completed.as_deref())
    }

    /// By what it is known that another person has the entry: the API changes no e-mail.
    fn person_hash(&self, record: &TestTaker) -> Option<Hash> {
        let email = filled(record.email.as_deref())?;
        Some(self.store.keyed_hash("link of", &[&record.entry_id().to_string(), &fold_email(email)]))
    }

    /// Before a link is issued, durably: from now on the one that is known counts as void, whether or not an answer comes.
    /// `before` is the person's last link in the file that the new one goes to. The answer is whether an earlier run did
    /// not say what came of its request, which may still take effect.
    pub fn about_to_issue(&mut self, entry: EntryId, before: Option<&str>) -> Result<bool, Failure> {
        let before = before.map(|url| self.hash_of(url));
        // An intent that is open already knows what stood in the file before it.
        let sql = "INSERT OR IGNORE INTO link_intents (service, project, entry, before) VALUES (?1, ?2, ?3, ?4)";
        let values = params![self.service, self.project, entry.0, before];
        let noted = self.store.transact(|tables| tables.prepare_cached(sql)?.execute(values))?;
        Ok(noted == 0)
    }

    /// The service refused what this run was about to do: what was known of the person's link is true again.
    pub fn was_refused(&mut self, entry: EntryId) -> Result<(), Failure> {
        let place = params![self.service, self.project, entry.0];
        self.store.transact(|tables| end_intent(tables, place)).map(drop)
    }

    /// After a link was handed out.
    pub fn issued(&mut self, entry: EntryId, issued: IssuedLink<'_>) -> Result<(), Failure> {
        let (link, redirect) = (self.hash_of(issued.url), self.redirect_hash_of(issued.redirect_uri));
        let (at, until) = (issued.at.as_microsecond(), issued.until.as_microsecond());
        let progress = issued.person.map(|person| self.progress_hash(person));
        let person = issued.person.and_then(|person| self.person_hash(person));
        let sql =
            "INSERT OR REPLACE INTO links (service, project, entry, issued, until, progress, link, redirect, person)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let values = params![self.service, self.project, entry.0, at, until, progress, link, redirect, person];
        let issued = self.store.transact(|tables| {
            tables.prepare_cached(sql)?.execute(values)?;
            end_intent(tables, &values[..3])
        });
        issued.map(drop)
    }
}

fn end_intent(tables: &Connection, place: &[&dyn ToSql]) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM link_intents WHERE service = ?1 AND project = ?2 AND entry = ?3";
    tables.prepare_cached(sql)?.execute(place)
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

    const ISSUED: &str = "2026-03-01T06:00:00Z";
    const UNTIL: &str = "2026-03-02T06:00:00Z";

    fn issue(links: &mut Links, person: Option<&TestTaker>) {
        let (url, redirect_uri) = ("https://a.example/take/1", Some("https://hr.example/done"));
        let issued = IssuedLink { url, redirect_uri, at: time(ISSUED), until: time(UNTIL), person };
        links.issued(EntryId(7), issued).expect("noted");
    }

    #[test]
    fn a_link_is_valid_until_it_expires_or_its_person_moves() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut links = links(&folder, "https://a.example");
        let fresh = person("null");
        assert_eq!(links.state(&fresh, time(ISSUED)), Ok(LinkState::Unknown));
        issue(&mut links, Some(&fresh));
        let valid = LinkState::Valid {
            until: time(UNTIL),
            link: Some(links.hash_of("https://a.example/take/1")),
            redirect: Some(links.redirect_hash_of(Some("https://hr.example/done"))),
        };
        assert_eq!(links.state(&fresh, time("2026-03-02T05:59:59Z")), Ok(valid));
        assert_eq!(links.state(&fresh, time(UNTIL)), Ok(LinkState::Spent));
        assert_eq!(links.state(&person("\"Started\""), time(ISSUED)), Ok(LinkState::Spent));
    }

    #[test]
    fn a_link_is_not_that_of_another_person_who_has_the_entry_now() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut links = links(&folder, "https://a.example");
        let of = |email: &str| TestTaker { email: Some(email.to_owned()), ..person("null") };
        issue(&mut links, Some(&of("ann@a.example")));
        let state = |person: &TestTaker| links.state(person, time(ISSUED)).expect("a state");
        assert!(matches!(state(&of("Ann@A.example")), LinkState::Valid { .. }));
        assert!(matches!(state(&person("null")), LinkState::Valid { .. }), "nothing says that it is another one");
        assert_eq!(state(&of("bob@a.example")), LinkState::Spent);
    }

    #[test]
    fn a_link_that_is_about_to_be_replaced_is_valid_no_more_and_the_file_tells_what_came_of_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut links = links(&folder, "https://a.example");
        issue(&mut links, None);
        let state = |links: &Links| links.state(&person("\"Completed\""), time(ISSUED)).expect("a state");
        assert!(matches!(state(&links), LinkState::Valid { .. }), "no progress was read");
        assert_eq!(links.about_to_issue(EntryId(7), Some("https://a.example/take/1")), Ok(false));
        links.was_refused(EntryId(7)).expect("noted");
        assert!(matches!(state(&links), LinkState::Valid { .. }), "a refusal voids nothing");
        assert_eq!(links.about_to_issue(EntryId(7), Some("https://a.example/take/1")), Ok(false));
        assert_eq!(links.about_to_issue(EntryId(7), None), Ok(true), "what became of the first is not known");
        let before = Some(links.hash_of("https://a.example/take/1"));
        assert_eq!(state(&links), LinkState::Interrupted { before }, "the first intent counts");
        issue(&mut links, None);
        assert!(matches!(state(&links), LinkState::Valid { .. }));
    }

    #[test]
    fn services_know_nothing_of_each_others_links() {
        let folder = tempfile::tempdir().expect("a folder");
        issue(&mut links(&folder, "https://a.example"), None);
        assert_eq!(links(&folder, "https://b.example").state(&person("null"), time(ISSUED)), Ok(LinkState::Unknown));
    }

    #[test]
    fn a_link_and_its_redirect_are_known_by_hashes_of_their_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let links = links(&folder, "https://a.example");
        let (one, other) = (links.hash_of("https://a.example/take/1"), links.hash_of("https://a.example/take/2"));
        let uris =
            [None, Some("https://hr.example/done"), Some("https://hr.example/other"), Some("https://a.example/take/1")];
        let known = [[one, other].to_vec(), uris.map(|uri| links.redirect_hash_of(uri)).to_vec()].concat();
        assert!(known.iter().enumerate().all(|(at, hash)| !known[..at].contains(hash)), "{known:?}");
    }
}
