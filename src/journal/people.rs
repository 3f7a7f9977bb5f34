//! What this machine did to the people of one project: a row each, in one of three states.

use jiff::Timestamp;
use rusqlite::{Row, params};
use uuid::Uuid;

use super::database::{CLAIMED, Hash, Journal, time};
use super::rosters::entry_key;
use crate::model::people::{EntryId, TestTaker};
use crate::model::projects::ProjectId;
use crate::model::text::fold_email;
use crate::model::verdict::Failure;

/// The keys of a person: the reference id, or the e-mail where there is none; and the e-mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    pub key: Hash,
    pub email: Hash,
}

impl Identity {
    /// The hash of the reference id, where there is one.
    pub fn reference(&self) -> Option<&Hash> {
        Some(&self.key).filter(|key| **key != self.email)
    }
}

/// What was done to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A creation was sent, or was about to be, and nobody knows whether it took effect. Its answer was given up then. An
    /// entry that the person had before, and that is gone, may still be shown by a list: it is no answer.
    Open { since: Timestamp, before: Option<EntryId> },
    /// The service answered so (`enrolment`), or a list showed it (`None`).
    Enrolled { entry: EntryId, enrolment: Option<Uuid>, at: Timestamp },
    /// This machine removed the person; or was about to, and nobody knows whether it did (`is_certain`).
    Removed { entry: EntryId, enrolment: Option<Uuid>, at: Timestamp, is_certain: bool },
}

impl State {
    /// The enrolment that this machine got as an answer, while its person may be in the project.
    pub fn enrolment(&self) -> Option<Uuid> {
        match self {
            Self::Enrolled { enrolment, .. } | Self::Removed { enrolment, is_certain: false, .. } => *enrolment,
            _ => None,
        }
    }

    /// The entry that the person has or had.
    pub fn entry(&self) -> Option<EntryId> {
        match self {
            Self::Open { before, .. } => *before,
            Self::Enrolled { entry, .. } | Self::Removed { entry, .. } => Some(*entry),
        }
    }
}

/// A person whom the journal knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub identity: Identity,
    pub state: State,
}

/// The people of one project, as the journal has them.
#[derive(Clone, Copy, Debug)]
pub struct People<'j> {
    journal: &'j Journal,
    project: [u8; 16],
}

impl Journal {
    /// The people of a project. The address of the service does not count: a project's id is unique.
    pub fn people(&self, project: ProjectId) -> People<'_> {
        People { journal: self, project: project.into_bytes() }
    }
}

impl People<'_> {
    /// The keys under which a person is known here. Reference ids count byte for byte, e-mails as they are compared.
    pub fn identity(&self, reference: Option<&str>, email: &str) -> Identity {
        let email = self.journal.hash("email", &fold_email(email));
        Identity { key: reference.map_or(email, |id| self.journal.hash("reference id", id)), email }
    }

    /// The keys under which the person of a record is known here.
    pub fn of_record(&self, record: &TestTaker) -> Identity {
        self.identity(record.reference_id.as_deref(), record.email.as_deref().unwrap_or_default())
    }

    /// What a run left open when it died counts as given up now, and that is written down once: the caller holds the project's
    /// lock, so that run is gone. Nothing is written where the journal was opened to read.
    pub fn settle(&self, now: Timestamp) -> Result<(), Failure> {
        if self.journal.is_read_only {
            return Ok(());
        }
        let settle = "UPDATE people SET at = ?2 WHERE project = ?1 AND at IS NULL";
        self.journal.note(settle, params![self.project, now.as_millisecond()])
    }

    /// Everybody, after [`Self::settle`].
    pub fn load(&self, now: Timestamp) -> Result<Vec<Known>, Failure> {
        self.settle(now)?;
        let at = now.as_millisecond();
        self.journal.read(|tables| {
            let mut select =
                tables.prepare("SELECT key, email, state, at, entry, enrolment FROM people WHERE project = ?1")?;
            select.query_map([self.project], |row| known(row, at))?.collect()
        })
    }

    /// Intents, on disk before the first byte of these people is sent. An error, and nothing is to be sent, where one of them
    /// is open already.
    pub fn begin(&self, people: &[Identity]) -> Result<(), Failure> {
        self.journal.transact(|tables| {
            let mut insert = tables.prepare_cached(
                "INSERT INTO people (project, key, email, state) VALUES (?1, ?2, ?3, 'open')
                 ON CONFLICT DO UPDATE SET email = ?3, state = 'open', at = NULL,
                 enrolment = iif(state = 'enrolled', ifnull(enrolment, zeroblob(16)), NULL) WHERE state <> 'open'",
            )?;
            for person in people {
                if insert.execute(params![self.project, person.key, person.email])? != 1 {
                    return Err(CLAIMED);
                }
            }
            Ok(())
        })
    }

    /// The service answered the creation of an open person (`enrolment`), or a list shows them.
    pub fn enrolled(
        &self,
        person: Identity,
        entry: EntryId,
        enrolment: Option<Uuid>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let sql = "UPDATE people SET state = 'enrolled', entry = ?3, enrolment = ?4, at = ?5
             WHERE project = ?1 AND key = ?2 AND state = 'open'";
        let enrolment = enrolment.map(Uuid::into_bytes);
        self.journal.note(sql, params![self.project, person.key, entry.0, enrolment, now.as_millisecond()])
    }

    /// Rows that agree with an entry, and what it looks like: its person is known by them from now on. Whoever is open stays so.
    pub fn agreeing(&self, people: &[Known]) -> Result<(), Failure> {
        self.journal.transact(|tables| {
            let mut insert = tables.prepare(
                "INSERT INTO people (project, key, email, state, at, entry, enrolment) VALUES (?1, ?2, ?3, 'enrolled', ?4, ?5, ?6)
                 ON CONFLICT DO UPDATE SET email = ?3, state = 'enrolled', at = ?4, entry = ?5, enrolment = ?6
                 WHERE state <> 'open'",
            )?;
            for Known { identity, state } in people {
                let State::Enrolled { entry, enrolment, at } = *state else { continue };
                let (enrolment, at) = (enrolment.map(Uuid::into_bytes), at.as_millisecond());
                insert.execute(params![self.project, identity.key, identity.email, at, entry.0, enrolment])?;
            }
            Ok(())
        })
    }

    /// The answer about an open person was given up at this time.
    pub fn lost(&self, person: Identity, now: Timestamp) -> Result<(), Failure> {
        let sql = "UPDATE people SET at = ?3 WHERE project = ?1 AND key = ?2 AND state = 'open'";
        self.journal.note(sql, params![self.project, person.key, now.as_millisecond()])
    }

    /// Nothing was done to an open person, for certain. Whoever was enrolled before is so again, a long time ago, for a whole list
    /// lacked them; and an entry that was removed stays known as removed.
    pub fn free(&self, person: Identity, now: Timestamp) -> Result<(), Failure> {
        let keep = "UPDATE people SET state = iif(enrolment IS NULL, 'removed', 'enrolled'), at = iif(enrolment IS NULL, ?3, 0),
             enrolment = nullif(enrolment, zeroblob(16))
             WHERE project = ?1 AND key = ?2 AND state = 'open' AND entry IS NOT NULL";
        self.journal.note(keep, params![self.project, person.key, now.as_millisecond()])?;
        let drop = "DELETE FROM people WHERE project = ?1 AND key = ?2 AND state = 'open'";
        self.journal.note(drop, params![self.project, person.key])
    }

    /// These people are about to be removed, each with their entry; on disk before the first DELETE. So people whom we
    /// removed are enrolled again when they come back. People whom another machine enrolled are noted as well.
    pub fn removing(&self, people: &[(Identity, EntryId)]) -> Result<(), Failure> {
        self.journal.transact(|tables| {
            let mut update = tables.prepare(
                "UPDATE people SET state = 'removing', at = NULL
                 WHERE project = ?1 AND entry = ?2 AND state <> 'open'",
            )?;
            // A person who is known under another entry does not change: this one was a second record.
            let mut insert = tables.prepare(
                "INSERT INTO people (project, key, email, state, entry) VALUES (?1, ?3, ?4, 'removing', ?2)
                 ON CONFLICT DO UPDATE SET state = 'removing', entry = ?2, at = NULL WHERE state <> 'enrolled'",
            )?;
            for (person, entry) in people {
                if update.execute(params![self.project, entry.0])? == 0 {
                    insert.execute(params![self.project, entry.0, person.key, person.email])?;
                }
            }
            Ok(())
        })
    }

    /// An entry that was about to be removed certainly was not (`is_kept`), or its answer was given up at this time.
    pub fn not_removed(&self, entry: EntryId, is_kept: bool, now: Timestamp) -> Result<(), Failure> {
        let sql = "UPDATE people SET state = iif(?3, 'enrolled', state), at = ?4
             WHERE project = ?1 AND entry = ?2 AND state = 'removing'";
        self.journal.note(sql, params![self.project, entry.0, is_kept, now.as_millisecond()])
    }

    /// Somebody of the last rosters whom this machine enrolled anew is one of them still.
    pub fn succeeded(&self, before: EntryId, entry: EntryId) -> Result<(), Failure> {
        let sql = "UPDATE OR REPLACE roster_people SET key = ?3 WHERE project = ?1 AND key = ?2 AND missing IS NULL
             AND source IN (SELECT source FROM rosters WHERE project = ?1)";
        self.journal.note(sql, params![self.project, entry_key(before), entry_key(entry)])
    }

    /// The service answered that an entry is removed.
    pub fn removed(&self, entry: EntryId, now: Timestamp) -> Result<(), Failure> {
        let sql =
            "UPDATE people SET state = 'removed', at = ?3 WHERE project = ?1 AND entry = ?2 AND state = 'removing'";
        self.journal.note(sql, params![self.project, entry.0, now.as_millisecond()])
    }
}

fn known(row: &Row<'_>, now: i64) -> rusqlite::Result<Known> {
    // A time in the future counts as now: a clock that was set back must not stretch a settle time.
    let at = time(row.get::<_, Option<i64>>("at")?.unwrap_or(now).min(now));
    let entry = row.get::<_, Option<i32>>("entry")?.map(EntryId);
    let enrolment = row.get::<_, Option<[u8; 16]>>("enrolment")?.map(Uuid::from_bytes);
    let state = match (row.get::<_, String>("state")?.as_str(), entry) {
        ("enrolled", Some(entry)) => State::Enrolled { entry, enrolment, at },
        (word @ ("removing" | "removed"), Some(entry)) => {
            State::Removed { entry, enrolment, at, is_certain: word == "removed" }
        }
        (_, before) => State::Open { since: at, before },
    };
    Ok(Known { identity: Identity { key: row.get("key")?, email: row.get("email")? }, state })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> ProjectId {
        "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id")
    }

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    fn open(since: i64) -> State {
        State::Open { since: second(since), before: None }
    }

    fn states(people: People<'_>, now: i64) -> Vec<State> {
        let mut known = people.load(second(now)).expect("read");
        known.sort_by_key(|known| known.state.entry());
        known.into_iter().map(|known| known.state).collect()
    }

    #[test]
    fn a_person_is_open_until_something_is_known() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        let people = journal.people(project());
        let [ann, bob, cy] = ["A1", "B2", "C3"].map(|id| people.identity(Some(id), "team@x.example"));
        people.begin(&[ann, bob, cy]).expect("begun");
        people.enrolled(ann, EntryId(7), Some(Uuid::nil()), second(10)).expect("noted");
        people.lost(bob, second(11)).expect("noted");
        people.free(cy, second(12)).expect("noted");
        let open = open(11);
        let enrolled = State::Enrolled { entry: EntryId(7), enrolment: Some(Uuid::nil()), at: second(10) };
        assert_eq!(states(people, 20), [open, enrolled]);
        people.free(ann, second(12)).expect("noted");
        people.enrolled(ann, EntryId(8), None, second(12)).expect("noted");
        assert_eq!(states(people, 20), [open, enrolled], "an answer is final");
        let elsewhere = journal.people("3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b691".parse().expect("an id"));
        assert_eq!(states(elsewhere, 20), []);
    }

    #[test]
    fn what_a_dead_run_left_open_counts_from_when_it_is_found_and_only_once() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        let people = journal.people(project());
        people.begin(&[people.identity(None, " Ann@X.example")]).expect("begun");
        let dry_run = Journal::open_to_read(state.path()).expect("to read");
        assert_eq!(states(dry_run.people(project()), 100), [open(100)]);
        assert_eq!(states(people, 200), [open(200)], "a dry run writes nothing");
        assert_eq!(states(people, 300), [open(200)]);
        assert_eq!(states(people, 150), [open(150)], "the future counts as now");
    }

    #[test]
    fn nothing_is_begun_for_somebody_who_is_open() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        let people = journal.people(project());
        let [ann, bob] = ["ann@x.example", "bob@x.example"].map(|email| people.identity(None, email));
        people.begin(&[ann]).expect("begun");
        assert_eq!(
            people.begin(&[bob, ann]).expect_err("refused").verdict,
            crate::model::verdict::Verdict::NothingDone
        );
        assert_eq!(states(people, 1).len(), 1, "all or nothing");
    }

    #[test]
    fn a_removal_is_of_an_entry_and_of_people_whom_others_enrolled_too() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        let people = journal.people(project());
        let [ann, bob, cy] = ["A1", "B2", "C3"].map(|id| people.identity(Some(id), "team@x.example"));
        people.begin(&[ann, cy]).expect("begun");
        people.enrolled(ann, EntryId(7), None, second(1)).expect("noted");
        people.removing(&[(ann, EntryId(9)), (bob, EntryId(8)), (cy, EntryId(6))]).expect("noted");
        people.removed(EntryId(8), second(2)).expect("noted");
        let gone = |entry, at, is_certain| State::Removed {
            entry: EntryId(entry),
            enrolment: None,
            at: second(at),
            is_certain,
        };
        let (removed, removing) = (|entry, at| gone(entry, at, true), |entry, at| gone(entry, at, false));
        let enrolled = State::Enrolled { entry: EntryId(7), enrolment: None, at: second(1) };
        assert_eq!(states(people, 3), [removing(6, 3), enrolled, removed(8, 2)], "9 was a second record of Ann's");
        assert_eq!(states(people, 4)[0], removing(6, 3), "it counts from when it is found");
        people.removing(&[(bob, EntryId(7))]).expect("noted");
        people.removed(EntryId(7), second(4)).expect("noted");
        people.begin(&[ann]).expect("begun again");
        let open = State::Open { since: second(5), before: Some(EntryId(7)) };
        assert_eq!(states(people, 5), [removing(6, 3), open, removed(8, 2)]);
        people.free(ann, second(5)).expect("noted");
        assert_eq!(states(people, 5)[1], removed(7, 5), "a list may show 7 for a while");
    }

    #[test]
    fn an_attempt_that_did_nothing_takes_away_nobody_who_was_found() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        let people = journal.people(project());
        let [ann, bob] = ["A1", "B2"].map(|id| people.identity(Some(id), "team@x.example"));
        people.begin(&[ann]).expect("begun");
        let enrolled = |at| State::Enrolled { entry: EntryId(9), enrolment: None, at: second(at) };
        people.agreeing(&[ann, bob].map(|identity| Known { identity, state: enrolled(2) })).expect("noted");
        assert_eq!(states(people, 4), [open(4), enrolled(2)], "who is open stays so");
        people.begin(&[bob]).expect("begun again");
        people.free(bob, second(5)).expect("noted");
        assert_eq!(states(people, 5)[1], enrolled(0));
    }

    #[test]
    fn whoever_may_not_have_been_removed_is_known_to_be_ours() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        let people = journal.people(project());
        let ann = people.identity(Some("A1"), "ann@x.example");
        people.begin(&[ann]).expect("begun");
        people.enrolled(ann, EntryId(7), Some(Uuid::nil()), second(1)).expect("noted");
        people.removing(&[(ann, EntryId(7))]).expect("noted");
        assert_eq!(states(people, 2)[0].enrolment(), Some(Uuid::nil()));
        people.not_removed(EntryId(7), true, second(2)).expect("noted");
        assert!(matches!(states(people, 2)[0], State::Enrolled { entry: EntryId(7), .. }), "certainly not removed");
        people.removing(&[(ann, EntryId(7))]).expect("noted");
        people.removed(EntryId(7), second(3)).expect("noted");
        assert_eq!(states(people, 3)[0].enrolment(), None);
    }

    #[test]
    fn a_person_is_their_reference_id_or_else_their_email() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        let people = journal.people(project());
        let [ann, same] = [" Ann@X.Example", "ann@x.example "].map(|email| people.identity(None, email));
        let named = people.identity(Some("A1"), "ANN@x.example");
        assert_eq!((ann, ann.reference()), (same, None));
        assert_eq!((named.email, named.reference()), (ann.email, Some(&named.key)));
        assert_ne!(people.identity(Some("a1"), "ann@x.example").key, named.key, "byte for byte");
        assert_ne!(people.identity(Some("ann@x.example"), "ann@x.example").key, ann.key);
    }
}
