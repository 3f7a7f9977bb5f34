//! What this machine remembers of a project, as commands of several nouns open it.

use crate::bulk::compare::Comparison;
use crate::bulk::roster::Roster;
use crate::bulk::row_key::{key_of, ordinals};
use crate::commands::shared::session::Session;
use crate::journal::lock::Lock;
use crate::journal::row_store::{KeyState, KnownRow, RowStore as _};
use crate::journal::rows::JournalRows;
use crate::journal::store::Store;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::output::Console;

/// What is remembered of a project.
pub fn rows(session: &Session, project: ProjectId) -> anyhow::Result<JournalRows> {
    let store = Store::open(&session.settings.state_dir()?)?;
    Ok(JournalRows::open(store, &session.service_name()?, project)?)
}

/// One run at a time changes a project: an import, an update or a removal of many, or its rows in the journal.
pub fn lock(session: &Session, project: ProjectId) -> anyhow::Result<Lock> {
    Ok(Lock::take(&session.settings.state_dir()?, &session.service_name()?, project)?)
}

/// Says where something that was forgotten may still stand in the journal's files.
pub fn warn_unless_erased(console: Console, erased: bool) {
    if !erased {
        console.warn("another run has the journal open: what was forgotten leaves its files with the next command");
    }
}

/// What the journal knows of each row of a roster, as it is or with a reference id that was assigned to it.
pub fn known_rows(roster: &Roster, project: ProjectId, rows: &JournalRows) -> Result<Vec<Option<KnownRow>>, Failure> {
    let mut assigned = roster.clone();
    assigned.assign_reference_ids();
    assigned.assign(project);
    let both = known_as(roster, rows)?.into_iter().zip(known_as(&assigned, rows)?);
    let rows = both.map(|(plain, assigned)| match assigned {
        Some(assigned) if !plain.as_ref().is_some_and(may_be_enrolled) => Some(assigned),
        _ => plain,
    });
    Ok(rows.collect())
}

/// Whether the journal knows of an enrolment, or cannot rule one out.
fn may_be_enrolled(known: &KnownRow) -> bool {
    matches!(known.state, KeyState::Enrolled { .. } | KeyState::Open { .. })
}

fn known_as(roster: &Roster, rows: &JournalRows) -> Result<Vec<Option<KnownRow>>, Failure> {
    let groups = Comparison::new(roster, 0..roster.row_count(), true).groups();
    let ordinals = ordinals(roster, &groups);
    let hasher = rows.hasher();
    let key = |row| key_of(&hasher, roster, row, ordinals.get(&row).copied().unwrap_or_default());
    (0..roster.row_count()).map(|row| rows.known(&key(row))).collect()
}
