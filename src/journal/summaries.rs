//! What is remembered, counted project by project.

use super::clock::Millis;
use super::store::Store;
use crate::model::failure::Failure;

/// What is remembered of one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub service: String,
    /// The project's id.
    pub project: String,
    /// The first intent.
    pub first: Millis,
    /// The last intent.
    pub last: Millis,
    /// Rows, and of them those enrolled, refused, free, and in doubt.
    pub counts: [i64; 5],
    /// Which accounts of this machine wrote them, where that is known.
    pub accounts: Option<String>,
}

/// What is remembered, project by project, the latest first.
pub fn summaries(store: &Store) -> Result<Vec<Summary>, Failure> {
    let sql = "SELECT service, project, min(intended), max(intended), count(*), sum(state = 'enrolled'),
                  sum(state = 'refused'), sum(state = 'free'), sum(state = 'open'), group_concat(DISTINCT nullif(account, ''))
               FROM rows JOIN scopes USING (scope) GROUP BY scope ORDER BY max(intended) DESC";
    store.rows(sql, [], |row| {
        Ok(Summary {
            service: row.get(0)?,
            project: row.get(1)?,
            first: row.get(2)?,
            last: row.get(3)?,
            counts: [row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?],
            accounts: row.get(9)?,
        })
    })
}
