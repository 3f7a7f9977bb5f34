//! What this machine remembers of a project, as commands of several nouns open it.

use std::cell::RefCell;

use crate::bulk::compare::Comparison;
use crate::bulk::find_people::LookupKey;
use crate::bulk::plan::SETTLE;
use crate::bulk::roster::Roster;
use crate::bulk::row_key::{key_of, ordinals};
use crate::commands::shared::project_args::ProjectContext;
use crate::journal::clock::{Millis, Moment};
use crate::journal::lock::Lock;
use crate::journal::removals::Removals;
use crate::journal::row_store::{KeyState, KnownRow, RowHasher, RowStore as _};
use crate::journal::rows::JournalRows;
use crate::journal::written_fields::WrittenFields;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;
use crate::model::time::parse_duration;
use crate::output::Console;

impl ProjectContext<'_> {
    /// What is remembered of the rows that were sent.
    pub fn rows(&self) -> anyhow::Result<JournalRows> {
        let store = self.session.journal()?.patient();
        Ok(JournalRows::open(store, &self.session.service_name()?, self.project)?)
    }

    /// What is remembered of removals.
    pub fn removals(&self) -> anyhow::Result<RefCell<Removals>> {
        let service = self.session.service_name()?;
        Ok(RefCell::new(Removals::open(self.session.journal()?.patient(), &service, self.project)))
    }

    /// What was written into the project's records.
    pub fn written_fields(&self) -> anyhow::Result<RefCell<WrittenFields>> {
        let service = self.session.service_name()?;
        Ok(RefCell::new(WrittenFields::open(self.session.journal()?.patient(), &service, self.project)))
    }

    /// One run at a time changes a project: an import, an update or a removal of many, or its rows in the journal.
    pub fn lock(&self) -> anyhow::Result<Lock> {
        Ok(Lock::take(&self.session.settings.state_dir()?, &self.session.service_name()?, self.project)?)
    }
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

/// The people this machine enrolled so short a time ago that the service's reads may not show them yet, without those it
/// began to remove.
pub struct FreshPeople {
    hasher: RowHasher,
    rows: Vec<(EntryId, KnownRow)>,
}

impl FreshPeople {
    /// Reads who they are.
    pub fn read(context: &ProjectContext<'_>) -> anyhow::Result<Self> {
        let (rows, now) = (context.rows()?, Moment::now());
        let settle =
            Millis::try_from(parse_duration(SETTLE).map_err(anyhow::Error::msg)?.as_millis()).unwrap_or(Millis::MAX);
        let removing = rows.removing()?;
        let mut fresh = Vec::new();
        for row in rows.unsettled(&now, settle)? {
            match row.state {
                KeyState::Enrolled { entry, .. }
                    if row.since(&now) > now.wall.saturating_sub(settle) && !removing.contains(&entry) =>
                {
                    fresh.push((entry, row));
                }
                _ => {}
            }
        }
        Ok(Self { hasher: rows.hasher(), rows: fresh })
    }

    /// Their entries.
    pub fn entries(&self) -> impl Iterator<Item = EntryId> {
        self.rows.iter().map(|(entry, _)| *entry)
    }

    /// The entry of the one that is called so.
    pub fn called(&self, (by, name): (LookupKey, &str)) -> Option<EntryId> {
        let hash = match by {
            LookupKey::Id => return self.entries().find(|entry| entry.to_string() == name),
            LookupKey::ReferenceId => self.hasher.reference(name),
            LookupKey::Email => self.hasher.email(name),
        };
        let mut rows = self.rows.iter();
        rows.find(|(_, row)| match by {
            LookupKey::Email => row.email == hash,
            _ => row.reference == Some(hash),
        })
        .map(|(entry, _)| *entry)
    }
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
