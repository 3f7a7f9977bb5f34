//! What rosters said: for each source of a project, the people of its last roster, and since when the others are missing.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use rusqlite::{Row, params};

use super::database::{Hash, Journal, time};
use crate::model::people::EntryId;
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
    /// now.
    pub fn remember_roster(
        &self,
        project: ProjectId,
        source: &str,
        before: &Memory,
        after: &Memory,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let project = project.into_bytes();
        self.transact(|tables| {
            tables.execute(
                "INSERT INTO rosters VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET at = ?3",
                params![project, source, now.as_millisecond()],
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
        journal.remember_roster(project(), "main", &none, &first, second(10)).expect("remembered");
        journal.remember_roster(project(), "site=B", &none, &none, second(5)).expect("remembered");
        let then = Memory([(key(1), Some(second(20))), (key(3), None)].into());
        journal.remember_roster(project(), "main", &first, &then, second(20)).expect("remembered");
        let source = |name: &str, at| Source { name: name.to_owned(), at: second(at) };
        let expected = vec![(source("main", 20), then), (source("site=B", 5), none)];
        assert_eq!(journal.rosters(project()), Ok(expected), "also a roster without people");
    }
}
