//! What the journal holds, project by project, and forgetting it.

use jiff::Timestamp;
use rusqlite::params;
use uuid::Uuid;

use super::database::{Journal, time};
use crate::model::projects::ProjectId;
use crate::model::verdict::Failure;

/// What is remembered of the people of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    pub project: ProjectId,
    pub enrolled: usize,
    pub in_doubt: usize,
    pub removed: usize,
    /// When the latest of it was written; `None` where all of them are in doubt and nobody looked since.
    pub latest: Option<Timestamp>,
}

/// What is to be forgotten.
#[derive(Clone, Debug, Default)]
pub struct Extent {
    /// Of this project, else of all.
    pub project: Option<ProjectId>,
    /// What was written before this time, else whenever.
    pub before: Option<Timestamp>,
    /// The rosters of this source and nothing else.
    pub source: Option<String>,
}

/// What was forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    pub people: usize,
    /// People in doubt. They are kept: otherwise they could be enrolled twice.
    pub kept: usize,
    /// Sources of rosters.
    pub sources: usize,
    /// Names for which results were reported.
    pub names: usize,
}

impl Journal {
    /// The projects of which something is remembered.
    pub fn projects(&self) -> Result<Vec<Remembered>, Failure> {
        self.read(|tables| {
            let mut select = tables.prepare(
                "SELECT project, count(DISTINCT iif(state = 'enrolled', entry, NULL)), coalesce(sum(state = 'open'), 0),
                    count(DISTINCT iif(state IN ('removing', 'removed'), entry, NULL)), max(at)
                 FROM (SELECT project, state, entry, at FROM people
                    UNION ALL SELECT project, NULL, NULL, at FROM rosters UNION ALL SELECT project, NULL, NULL, at FROM told)
                 GROUP BY project ORDER BY project",
            )?;
            let projects = select.query_map([], |row| {
                Ok(Remembered {
                    project: Uuid::from_bytes(row.get(0)?),
                    enrolled: row.get::<_, u32>(1)? as usize,
                    in_doubt: row.get::<_, u32>(2)? as usize,
                    removed: row.get::<_, u32>(3)? as usize,
                    latest: row.get::<_, Option<i64>>(4)?.map(time),
                })
            })?;
            projects.collect()
        })
    }

    /// Forgets, but never people in doubt. No byte of what was forgotten is left in the files once no other run reads them.
    pub fn forget(&self, extent: &Extent) -> Result<Forgotten, Failure> {
        let before = extent.before.map(Timestamp::as_millisecond);
        let of = params![extent.project.map(ProjectId::into_bytes), before, extent.source];
        let forgotten = self.transact(|tables| {
            let in_extent = "(?1 IS NULL OR project = ?1) AND (?2 IS NULL OR at < ?2)";
            let delete = |table: &str, which: &str| {
                tables.execute(&format!("DELETE FROM {table} WHERE {in_extent} AND {which}"), of)
            };
            let count = |sql: &str| tables.query_row(sql, of, |row| row.get::<_, u32>(0)).map(|count| count as usize);
            let known = "?3 IS NULL AND state <> 'open'";
            // Somebody may be known by several rows.
            let people = format!("SELECT DISTINCT project, entry FROM people WHERE {in_extent} AND {known}");
            let people = count(&format!("SELECT count(*) FROM ({people})"))?;
            delete("people", known)?;
            let kept =
                "SELECT count(*) FROM people WHERE (?1 IS NULL OR project = ?1) AND ?3 IS NULL AND state = 'open'";
            Ok(Forgotten {
                people,
                kept: count(kept)?,
                sources: delete("rosters", "(?3 IS NULL OR source = ?3)")?,
                names: delete("told", "?3 IS NULL")?,
            })
        })?;
        // Puts the log into the database and empties it, so that nothing of what was deleted is left. Where another run is
        // reading, the last one to close the journal does that.
        self.read(|tables| tables.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())))?;
        Ok(forgotten)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::rosters::Memory;
    use crate::journal::told::{Told, ToldPeople};
    use crate::model::people::EntryId;

    fn project(last: char) -> ProjectId {
        format!("3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b69{last}").parse().expect("a project id")
    }

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    /// Two projects with one person enrolled, one removed, one in doubt, two sources and a name each, all at second 10 but
    /// for one source.
    fn full(journal: &Journal) {
        for project in [project('0'), project('1')] {
            let people = journal.people(project);
            let [ann, bob, cy] = ["A1", "B2", "C3"].map(|id| people.identity(Some(id), "team@x.example"));
            people.begin(&[ann, bob]).expect("begun");
            people.enrolled(ann, EntryId(7), None, second(10)).expect("noted");
            people.removing(&[(cy, EntryId(8))]).expect("noted");
            people.removed(EntryId(8), second(10)).expect("noted");
            let roster = Memory([([1; 16], None)].into());
            for (source, at) in [("main", 10), ("site=B", 30)] {
                journal
                    .remember_roster(project, source, &Memory::default(), &roster, None, second(at))
                    .expect("remembered");
            }
            let told: ToldPeople = [(EntryId(7), Told { result: "NearMiss-17".into(), ..Told::default() })].into();
            journal.tell(project, "shift", &ToldPeople::new(), &told, second(10)).expect("told");
        }
    }

    #[test]
    fn projects_are_listed_with_what_is_known_of_their_people() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        assert_eq!(journal.projects(), Ok(Vec::new()));
        full(&journal);
        journal
            .remember_roster(project('2'), "main", &Memory::default(), &Memory::default(), None, second(5))
            .expect("known");
        let of = |last, counts: [usize; 3], latest| {
            let [enrolled, in_doubt, removed] = counts;
            Remembered { project: project(last), enrolled, in_doubt, removed, latest: Some(second(latest)) }
        };
        assert_eq!(journal.projects(), Ok(vec![of('0', [1; 3], 30), of('1', [1; 3], 30), of('2', [0; 3], 5)]));
    }

    #[test]
    fn everything_is_forgotten_but_people_in_doubt() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        full(&journal);
        let young = Extent { project: Some(project('0')), before: Some(second(10)), source: None };
        let nothing = Forgotten { kept: 1, ..Forgotten::default() };
        assert_eq!(journal.forget(&young), Ok(nothing), "what is as old is kept");
        let old = Extent { before: Some(second(11)), ..young.clone() };
        assert_eq!(journal.forget(&old), Ok(Forgotten { people: 2, kept: 1, sources: 1, names: 1 }));
        let rosters = journal.rosters(project('0')).expect("read");
        assert_eq!(rosters.iter().map(|(source, _)| &*source.name).collect::<Vec<_>>(), ["site=B"]);
        let source = Extent { source: Some("site=B".into()), ..Extent::default() };
        assert_eq!(journal.forget(&source), Ok(Forgotten { sources: 2, ..Forgotten::default() }));
        let all = Forgotten { people: 2, kept: 2, sources: 1, names: 1 };
        assert_eq!(journal.forget(&Extent::default()), Ok(all), "of the other project");
        assert!(journal.projects().expect("read").iter().all(|known| (known.enrolled, known.in_doubt) == (0, 1)));
    }

    #[test]
    fn no_byte_of_what_was_forgotten_is_left() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        full(&journal);
        let holds = |text: &[u8]| {
            let files = std::fs::read_dir(state.path()).expect("listed").map(|file| file.expect("a file").path());
            let mut contents = files.map(|path| crate::files::read(&path, 1 << 20).expect("read"));
            contents.any(|bytes| bytes.windows(text.len()).any(|window| window == text))
        };
        assert!(holds(b"NearMiss-17"));
        journal.forget(&Extent::default()).expect("forgotten");
        assert!(!holds(b"NearMiss-17"));
    }
}
