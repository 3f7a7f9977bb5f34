//! What rosters said: for each source of a project, the people of its last roster, and since when the others are missing.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use jiff::Timestamp;
use rusqlite::{Row, params};

use super::database::{Hash, Journal, time};
use crate::model::people::{EntryId, TestTaker};
use crate::model::projects::ProjectId;
use crate::model::verdict::Failure;

/// The people of one source's rosters, by their entries or the keys of their rows: since when each of them is missing;
/// `None` for the people of the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory(pub HashMap<Hash, Option<Timestamp>>);

/// The key under which whoever has an entry is remembered: a reference id or an e-mail may be somebody else's later.
/// Somebody who has none yet is remembered by the key of their row.
pub fn entry_key(entry: EntryId) -> Hash {
    let mut key = Hash::default();
    key[12..].copy_from_slice(&entry.0.to_be_bytes());
    key
}

/// A source of rosters, with when its last one was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub at: Timestamp,
}

impl Memory {
    /// How many people the last roster had.
    pub fn count(&self) -> usize {
        self.0.values().filter(|missing| missing.is_none()).count()
    }

    /// The memory after a roster of which rows were left out: nobody is missing, because such a row may be theirs. `present`: all
    /// keys of every row.
    #[must_use]
    pub fn joined_by(&self, roster: impl IntoIterator<Item = Hash>, present: &HashSet<Hash>) -> Self {
        let others = self.0.iter().filter(|(key, _)| !present.contains(*key)).map(|(key, since)| (*key, *since));
        Self(others.chain(roster.into_iter().map(|key| (key, None))).collect())
    }

    /// The memory after a roster with these people, a key each. `present`: all keys of every row, so that a person who is
    /// remembered by another one does not look missing. `listed`: the keys of other people in the project; people who are
    /// missing there too are forgotten.
    #[must_use]
    pub fn followed_by(
        &self,
        roster: impl IntoIterator<Item = Hash>,
        present: &HashSet<Hash>,
        listed: &HashSet<Hash>,
        now: Timestamp,
    ) -> Self {
        let missing = self.0.iter().filter(|(key, _)| !present.contains(*key) && listed.contains(*key));
        let missing = missing.map(|(key, since)| (*key, Some(since.unwrap_or(now))));
        Self(missing.chain(roster.into_iter().map(|key| (key, None))).collect())
    }
}

impl Journal {
    /// What the rosters of a project said, by the names of their sources. A source is unknown before its first roster.
    pub fn rosters(&self, project: ProjectId) -> Result<Vec<(Source, Memory)>, Failure> {
        let project = project.into_bytes();
        self.read(|tables| {
            let mut sources = tables.prepare("SELECT source, at FROM rosters WHERE project = ?1 ORDER BY source")?;
            let mut people =
                tables.prepare("SELECT key, missing FROM roster_people WHERE project = ?1 AND source = ?2")?;
            let source = |row: &Row<'_>| {
                let source = Source { name: row.get(0)?, at: time(row.get(1)?) };
                let person = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?.map(time)));
                let people = people.query_map(params![project, source.name], person)?;
                Ok((source, Memory(people.collect::<rusqlite::Result<_>>()?)))
            };
            sources.query_map([project], source)?.collect()
        })
    }

    /// Remembers a roster of a source in one transaction, on disk when this returns. `before` is what was remembered until
    /// now. `nothing`: the digest, where it had nothing to do.
    pub fn remember_roster(
        &self,
        project: ProjectId,
        source: &str,
        before: &Memory,
        after: &Memory,
        nothing: Option<i64>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let project = project.into_bytes();
        self.transact(|tables| {
            tables.execute(
                "INSERT INTO rosters VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET at = ?3, digest = ?4",
                params![project, source, now.as_millisecond(), nothing],
            )?;
            let mut put = tables.prepare("INSERT OR REPLACE INTO roster_people VALUES (?1, ?2, ?3, ?4)")?;
            for (key, missing) in after.0.iter().filter(|(key, missing)| before.0.get(*key) != Some(missing)) {
                put.execute(params![project, source, key, missing.map(Timestamp::as_millisecond)])?;
            }
            let mut drop =
                tables.prepare("DELETE FROM roster_people WHERE project = ?1 AND source = ?2 AND key = ?3")?;
            for key in before.0.keys().filter(|key| !after.0.contains_key(*key)) {
                drop.execute(params![project, source, key])?;
            }
            Ok(())
        })
    }

    /// A digest of what a sync compares: of each record what it compares with a row, and the file.
    pub fn digest(&self, list: &[TestTaker], file: impl std::hash::Hash) -> i64 {
        let mut hasher = DefaultHasher::new();
        (self.hash("sync", env!("CARGO_PKG_VERSION")), file).hash(&mut hasher);
        for one in list {
            let names = (&one.email, &one.reference_id, &one.first_name, &one.last_name);
            (one.id, names, one.year_of_birth).hash(&mut hasher);
        }
        hasher.finish().cast_signed()
    }

    /// Follows the last roster of a source once more, at this time, if it had this digest and nothing to do, and nothing was written
    /// of the project's people since. Says whether it did.
    pub fn follow_again(&self, project: ProjectId, source: &str, digest: i64, now: Timestamp) -> Result<bool, Failure> {
        let sql = "UPDATE rosters SET at = ?4 WHERE project = ?1 AND source = ?2 AND digest = ?3";
        let values = params![project.into_bytes(), source, digest, now.as_millisecond()];
        self.read(|tables| tables.execute(sql, values).map(|rosters| rosters > 0))
    }

    /// How many rows this process has written: what did not grow was left as it is.
    pub fn writes(&self) -> Result<u64, Failure> {
        self.read(|tables| Ok(tables.total_changes()))
    }
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

    fn key(number: u8) -> Hash {
        [number; 16]
    }

    fn keys(numbers: &[u8]) -> HashSet<Hash> {
        numbers.iter().copied().map(key).collect()
    }

    #[test]
    fn who_is_missing_is_missing_since_the_first_roster_without_them() {
        let (first, all) = (Memory::default(), keys(&[1, 2, 3]));
        let first = first.followed_by(keys(&[1, 2, 3]), &all, &keys(&[]), second(10));
        let second_one = first.followed_by(keys(&[1]), &keys(&[1]), &keys(&[1, 2]), second(20));
        assert_eq!(second_one.0[&key(2)], Some(second(20)));
        assert_eq!(second_one.0.len(), 2, "3 is not in the project either, and forgotten");
        let third = second_one.followed_by(keys(&[1]), &keys(&[1]), &keys(&[1, 2]), second(30));
        assert_eq!(third.0[&key(2)], Some(second(20)));
        assert_eq!(third.0[&key(1)], None);
        let back = third.followed_by(keys(&[1, 2]), &keys(&[1, 2]), &keys(&[1, 2]), second(40));
        assert_eq!((back.0[&key(2)], back.count()), (None, 2));
    }

    #[test]
    fn whoever_is_remembered_by_another_key_is_one_person_and_not_missing() {
        let before = Memory::default().followed_by([key(1)], &keys(&[1]), &keys(&[1]), second(10));
        let after = before.followed_by([key(2)], &keys(&[1, 2]), &keys(&[1, 2]), second(20));
        assert_eq!(after, Memory([(key(2), None)].into()));
    }

    #[test]
    fn a_memory_is_read_as_it_was_written() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        assert_eq!(journal.rosters(project()), Ok(Vec::new()));
        let none = Memory::default();
        let first = Memory([(key(1), None), (key(2), None)].into());
        journal.remember_roster(project(), "main", &none, &first, None, second(10)).expect("remembered");
        journal.remember_roster(project(), "site=B", &none, &none, None, second(5)).expect("remembered");
        let then = Memory([(key(1), Some(second(20))), (key(3), None)].into());
        journal.remember_roster(project(), "main", &first, &then, None, second(20)).expect("remembered");
        let source = |name: &str, at| Source { name: name.to_owned(), at: second(at) };
        let expected = vec![(source("main", 20), then), (source("site=B", 5), none)];
        assert_eq!(journal.rosters(project()), Ok(expected), "also a roster without people");
    }

    #[test]
    fn what_had_nothing_to_do_is_compared_again_once_anything_is_written_of_the_project() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        let (none, one) = (Memory::default(), Memory([(key(1), None)].into()));
        let gone = Memory([(key(1), Some(second(1)))].into());
        let again = |source, digest, at| journal.follow_again(project(), source, digest, second(at));
        let follow = |source, before: &Memory, after: &Memory, nothing| {
            journal.remember_roster(project(), source, before, after, nothing, second(10)).expect("remembered");
        };
        follow("main", &none, &none, None);
        assert_eq!(again("main", 0, 11), Ok(false));
        follow("main", &none, &none, Some(7));
        assert_eq!(
            [("main", 8), ("other", 7)].map(|(source, digest)| again(source, digest, 12)),
            [Ok(false), Ok(false)]
        );
        let people = journal.people(project());
        let elsewhere = journal.people("3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b691".parse().expect("a project id"));
        let ann = people.identity(None, "ann@x.example");
        elsewhere.begin(&[ann]).expect("begun");
        people.settle(second(12)).expect("noted");
        assert_eq!(
            [20, 30].map(|at| again("main", 7, at)),
            [Ok(true), Ok(true)],
            "nothing was written of this project"
        );
        assert_eq!(journal.rosters(project()).expect("read")[0].0.at, second(30), "it was followed");
        let writes: [&dyn Fn(); 6] = [
            &|| people.begin(&[ann]).expect("put"),
            &|| people.settle(second(12)).expect("set"),
            &|| people.free(ann, second(12)).expect("dropped"),
            &|| follow("other", &none, &one, None),
            &|| follow("other", &one, &gone, None),
            &|| follow("other", &one, &none, None),
        ];
        for (at, write) in writes.iter().enumerate() {
            follow("main", &none, &none, Some(7));
            let before = journal.writes();
            write();
            assert_eq!((again("main", 7, 40), journal.writes() == before), (Ok(false), false), "{at}");
        }
    }

    #[test]
    fn a_digest_changes_with_all_that_is_compared_and_not_with_results() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        let text = |text: &str| Some(text.to_owned());
        let ann = TestTaker { id: Some(7), email: text("a@x.example"), ..TestTaker::default() };
        let digest = |one: &TestTaker| journal.digest(std::slice::from_ref(one), "file");
        let others = [
            TestTaker { id: Some(8), ..ann.clone() },
            TestTaker { email: text("b@x.example"), ..ann.clone() },
            TestTaker { reference_id: text("R1"), ..ann.clone() },
            TestTaker { first_name: text("R1"), ..ann.clone() },
            TestTaker { last_name: text("R1"), ..ann.clone() },
            TestTaker { year_of_birth: Some(1990), ..ann.clone() },
        ];
        let digests: HashSet<i64> = others.iter().chain([&ann]).map(digest).collect();
        assert_eq!(digests.len(), 7);
        assert_eq!(digest(&TestTaker { result: text("HighRisk"), ..ann.clone() }), digest(&ann));
        assert_ne!(journal.digest(std::slice::from_ref(&ann), "another"), digest(&ann));
    }
}
