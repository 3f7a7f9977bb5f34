//! What `results changes --as NAME` reported last: the result of each entry, so that the next run reports what is new.

use std::collections::HashMap;

use jiff::Timestamp;
use rusqlite::params;

use super::database::Journal;
use crate::model::people::EntryId;
use crate::model::projects::ProjectId;
use crate::model::verdict::Failure;

/// What was reported about one person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The result's word; empty for none.
    pub result: String,
    /// When the assessment was completed, as the service wrote it; empty where it was not.
    pub completed: String,
    /// Whether this result was reported as an alert.
    pub alerted: bool,
}

/// What was reported about everybody.
pub type ToldPeople = HashMap<EntryId, Told>;

impl Journal {
    /// What was reported last to a name about a project; `None` before the first time.
    pub fn told(&self, project: ProjectId, name: &str) -> Result<Option<ToldPeople>, Failure> {
        let project = project.into_bytes();
        self.read(|tables| {
            let is_known = "SELECT EXISTS (SELECT 1 FROM told WHERE project = ?1 AND name = ?2)";
            if !tables.query_row(is_known, params![project, name], |row| row.get(0))? {
                return Ok(None);
            }
            let sql = "SELECT entry, result, completed, alerted FROM told_results WHERE project = ?1 AND name = ?2";
            let mut select = tables.prepare(sql)?;
            let people = select.query_map(params![project, name], |row| {
                let told = Told { result: row.get(1)?, completed: row.get(2)?, alerted: row.get(3)? };
                Ok((EntryId(row.get(0)?), told))
            })?;
            people.collect::<rusqlite::Result<_>>().map(Some)
        })
    }

    /// Remembers what was reported to a name, in one transaction that is on disk when this returns. Called last: a run that
    /// is killed before that reports the same again.
    pub fn tell(
        &self,
        project: ProjectId,
        name: &str,
        before: &ToldPeople,
        after: &ToldPeople,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let project = project.into_bytes();
        self.transact(|tables| {
            tables.execute(
                "INSERT INTO told VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET at = ?3",
                params![project, name, now.as_millisecond()],
            )?;
            let mut put = tables.prepare("INSERT OR REPLACE INTO told_results VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for (entry, told) in after.iter().filter(|(entry, told)| before.get(*entry) != Some(*told)) {
                put.execute(params![project, name, entry.0, told.result, told.completed, told.alerted])?;
            }
            let mut drop =
                tables.prepare("DELETE FROM told_results WHERE project = ?1 AND name = ?2 AND entry = ?3")?;
            for entry in before.keys().filter(|entry| !after.contains_key(*entry)) {
                drop.execute(params![project, name, entry.0])?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_remembered_by_name() {
        let state = crate::journal::scratch();
        let journal = Journal::open(state.path()).expect("a journal");
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
        assert_eq!(journal.told(project, "shift"), Ok(None));
        let told = |result: &str, alerted| Told { result: result.into(), completed: "2026-03-01".into(), alerted };
        let none = ToldPeople::new();
        let first: ToldPeople = [(EntryId(1), told("HighRisk", true)), (EntryId(2), told("", false))].into();
        journal.tell(project, "shift", &none, &first, Timestamp::UNIX_EPOCH).expect("told");
        let then: ToldPeople = [(EntryId(1), told("Completed", false)), (EntryId(3), told("", false))].into();
        journal.tell(project, "shift", &first, &then, Timestamp::UNIX_EPOCH).expect("told");
        journal.tell(project, "other", &none, &none, Timestamp::UNIX_EPOCH).expect("told");
        assert_eq!(journal.told(project, "shift"), Ok(Some(then)));
        assert_eq!(journal.told(project, "other"), Ok(Some(none)), "nobody is known, and that was told");
    }
}
