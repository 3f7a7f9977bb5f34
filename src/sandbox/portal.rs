//! What the portal and people do: results, invitations, flags and states, written straight into the state.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::Error;
use super::people_list::{is_complete, severity};
use super::state::{fold, now, open, word};
use crate::model::field_rules::fold_email;
use crate::model::projects::ProjectState;
use crate::model::test_status::{IdentityStatus, TestStatus};

/// The person that a change is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// By project-entry id.
    Id(i32),
    /// By reference id, byte for byte.
    Reference(String),
    /// By e-mail address, ignoring case.
    Email(String),
}

/// What the portal or a person changes about a test taker; `None` leaves it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The latest result. Without `completed`, one that ends an assessment completes it now, and any other one listed
    /// in the specification takes the completion time away.
    pub result: Option<TestStatus>,
    /// Completion time of the latest assessment.
    pub completed: Option<Timestamp>,
    /// When the latest invitation was sent.
    pub sent: Option<Timestamp>,
    /// The derived flag.
    pub top_performer: Option<bool>,
    /// Status of the latest identity verification; `identityVerified` follows it.
    pub identity_status: Option<IdentityStatus>,
}

/// Changes what the service knows about a test taker. `project` is a name or an id.
pub fn set_test_taker(state: &Path, project: &str, who: &Who, changes: &Changes) -> Result<(), Error> {
    let mut connection = open(state)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let project = find_project(&transaction, project)?;
    let entry = find_entry(&transaction, project, who)?;
    apply(&transaction, project, entry, changes)?;
    Ok(transaction.commit()?)
}

/// Puts a project into a state. `project` is a name or an id.
pub fn set_project_state(state: &Path, project: &str, to: &ProjectState) -> Result<(), Error> {
    let mut connection = open(state)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let seq = find_project(&transaction, project)?;
    let update = "UPDATE projects SET state = ?2, modified = ?3 WHERE seq = ?1";
    transaction.execute(update, params![seq, word(to), now()])?;
    Ok(transaction.commit()?)
}

/// Writes changes for one entry.
pub(super) fn apply(connection: &Connection, project: i64, entry: i32, changes: &Changes) -> rusqlite::Result<()> {
    if let Some(result) = &changes.result {
        let mut update = connection
            .prepare_cached("UPDATE test_takers SET result = ?3, severity = ?4 WHERE project = ?1 AND entry = ?2")?;
        update.execute(params![project, entry, word(result), severity(Some(result))])?;
        if !matches!(result, TestStatus::Unlisted(_)) {
            let completed = is_complete(result).then(now);
            let mut update =
                connection.prepare_cached("UPDATE test_takers SET completed = ?3 WHERE project = ?1 AND entry = ?2")?;
            update.execute(params![project, entry, completed])?;
        }
    }
    let mut update = connection.prepare_cached(
        "UPDATE test_takers SET completed = coalesce(?3, completed), sent = coalesce(?4, sent),
            top_performer = coalesce(?5, top_performer), identity_status = coalesce(?6, identity_status)
         WHERE project = ?1 AND entry = ?2",
    )?;
    let identity = changes.identity_status.as_ref().map(word);
    let [completed, sent] = [changes.completed, changes.sent].map(|time| time.map(Timestamp::as_microsecond));
    let values = params![project, entry, completed, sent, changes.top_performer, identity];
    update.execute(values).map(|_| ())
}

fn find_project(connection: &Connection, name_or_id: &str) -> Result<i64, Error> {
    if let Ok(id) = name_or_id.parse::<crate::model::projects::ProjectId>() {
        let found = connection.query_row("SELECT seq FROM projects WHERE id = ?1", [id.to_string()], |row| row.get(0));
        return found.optional()?.ok_or(Error::NoProject);
    }
    for (column, text) in [("name", name_or_id.to_owned()), ("name_folded", fold(name_or_id))] {
        let found = numbers(connection, &format!("SELECT seq FROM projects WHERE {column} = ?1"), &[&text])?;
        match found[..] {
            [] => {}
            [seq] => return Ok(seq),
            _ => return Err(Error::SeveralProjects),
        }
    }
    Err(Error::NoProject)
}

fn find_entry(connection: &Connection, project: i64, who: &Who) -> Result<i32, Error> {
    let (condition, value): (_, rusqlite::types::Value) = match who {
        Who::Id(entry) => ("entry", (*entry).into()),
        Who::Reference(id) => ("reference_id", id.clone().into()),
        Who::Email(email) => ("email_folded", fold_email(email).into_owned().into()),
    };
    let sql = format!("SELECT entry FROM test_takers WHERE project = ?1 AND {condition} = ?2 AND removed = 0");
    match numbers(connection, &sql, &[&project, &value])?[..] {
        [] => Err(Error::NoTestTaker),
        [entry] => i32::try_from(entry).map_err(|_| Error::NoTestTaker),
        ref several => Err(Error::SeveralTestTakers { ids: several.to_vec() }),
    }
}

fn numbers(connection: &Connection, sql: &str, values: &[&dyn rusqlite::ToSql]) -> rusqlite::Result<Vec<i64>> {
    connection.prepare(sql)?.query_map(values, |row| row.get(0))?.collect()
}
