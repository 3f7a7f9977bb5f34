//! Which projects a file of several holds, so that a later export can say which one it would lose: never a row of them.

use jiff::Timestamp;
use rusqlite::params;

use super::store::Store;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;

/// What the hash of an exported file's name is for.
const TARGET: &str = "exported file";

/// A project that was exported into a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    pub project: ProjectId,
    pub had_results: bool,
}

/// The projects of the last export from this service into a file, by its whole name.
pub fn recall(store: &Store, service: &str, target: &str) -> Result<Vec<Exported>, Failure> {
    let hash = store.keyed_hash(TARGET, &[target]);
    let sql = "SELECT project, had_results FROM exported WHERE service = ?1 AND target = ?2 ORDER BY project";
    let known = store.rows(sql, params![service, hash], |row| {
        let (project, had_results) = (row.get::<_, String>(0)?, row.get(1)?);
        Ok(project.parse().ok().map(|project| Exported { project, had_results }))
    })?;
    // What is no id was not written by us.
    Ok(known.into_iter().flatten().collect())
}

/// Remembers the projects of an export in place of those of the last one into this file.
pub fn remember(store: &mut Store, service: &str, target: &str, projects: &[Exported]) -> Result<(), Failure> {
    let (hash, now) = (store.keyed_hash(TARGET, &[target]), Timestamp::now().as_millisecond());
    store.transact(|tables| {
        tables.execute("DELETE FROM exported WHERE service = ?1 AND target = ?2", params![service, hash])?;
        let mut insert = tables.prepare("INSERT OR IGNORE INTO exported VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for Exported { project, had_results } in projects {
            insert.execute(params![service, hash, project.to_string(), had_results, now])?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_service_is_remembered_by_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(folder.path()).expect("a journal");
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("an id");
        for had_results in [true, false] {
            let one = [Exported { project, had_results }];
            remember(&mut store, "https://a.example", "/all.csv", &one).expect("remembered");
            assert_eq!(recall(&store, "https://a.example", "/all.csv"), Ok(one.to_vec()));
        }
        assert_eq!(recall(&store, "https://b.example", "/all.csv"), Ok(Vec::new()));
        assert_eq!(recall(&store, "https://a.example", "/other.csv"), Ok(Vec::new()));
    }
}
