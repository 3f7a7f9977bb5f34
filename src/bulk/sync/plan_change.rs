//! One change of a plan: what a person was, what they become, and in which project.

use serde::{Deserialize, Serialize};

use crate::bulk::roster::{Field, Roster};
use crate::journal::row_store::RowHasher;
use crate::model::field_rules::filled;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};

use super::person_keys::PersonKeys;

/// A person as the list or the roster has them; absent values are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanPerson {
    /// E-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub birth_year: Option<i32>,
    /// The caller's own identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_id: Option<String>,
}

/// One change: what was, what it becomes, in which project. `was` is the precondition that `apply` reads again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum PlannedChange {
    /// A person joins a project. Precondition: no entry has the person's reference id or e-mail.
    Enrol {
        /// The project that is joined.
        project: ProjectId,
        /// Who joins.
        becomes: PlanPerson,
    },
    /// Names change, or a reference id is set.
    Update {
        /// The person's project.
        project: ProjectId,
        /// The person's entry.
        entry: EntryId,
        /// As the list had it.
        was: PlanPerson,
        /// As the roster has it.
        becomes: PlanPerson,
    },
    /// A person joins a project, and once they stand there leaves another one. Preconditions: those of both.
    Move {
        /// The project that is left.
        project: ProjectId,
        /// The entry that is removed there.
        entry: EntryId,
        /// As that project's list had it.
        was: PlanPerson,
        /// The project that is joined.
        to: ProjectId,
        /// Who joins.
        becomes: PlanPerson,
    },
    /// A person with another e-mail is enrolled anew, and once they stand there the old entry goes.
    Replace {
        /// The person's project.
        project: ProjectId,
        /// The entry that is removed.
        entry: EntryId,
        /// As the list had it.
        was: PlanPerson,
        /// Who is enrolled.
        becomes: PlanPerson,
    },
    /// A person leaves a project.
    Remove {
        /// The project that is left.
        project: ProjectId,
        /// The entry that is removed.
        entry: EntryId,
        /// As the list had it.
        was: PlanPerson,
    },
}

impl PlanPerson {
    /// As a list has them.
    pub fn of_record(record: &TestTaker) -> Self {
        Self {
            email: filled(record.email.as_deref()).map(str::to_owned),
            first_name: filled(record.first_name.as_deref()).map(str::to_owned),
            last_name: filled(record.last_name.as_deref()).map(str::to_owned),
            birth_year: record.year_of_birth,
            reference_id: filled(record.reference_id.as_deref()).map(str::to_owned),
        }
    }

    /// By what rosters know them.
    pub fn keys(&self, hasher: &RowHasher) -> PersonKeys {
        PersonKeys::of(hasher, self.reference_id.as_deref(), self.email.as_deref())
    }

    /// As a row of a file has them.
    pub fn of_row(roster: &Roster, row: usize) -> Self {
        let [email, first_name, last_name, year, reference_id] =
            Field::ALL.map(|field| roster.value(row, field).map(str::to_owned));
        Self { email, first_name, last_name, birth_year: year.and_then(|year| year.parse().ok()), reference_id }
    }
}

impl PlannedChange {
    /// Who is enrolled or changed, and in which project.
    pub fn joins(&self) -> Option<(ProjectId, &PlanPerson)> {
        match self {
            Self::Enrol { project, becomes }
            | Self::Update { project, becomes, .. }
            | Self::Replace { project, becomes, .. }
            | Self::Move { to: project, becomes, .. } => Some((*project, becomes)),
            Self::Remove { .. } => None,
        }
    }

    /// The entry that is removed, from which project, and as the list had it.
    pub fn leaves(&self) -> Option<(ProjectId, EntryId, &PlanPerson)> {
        match self {
            Self::Enrol { .. } | Self::Update { .. } => None,
            Self::Move { project, entry, was, .. }
            | Self::Replace { project, entry, was, .. }
            | Self::Remove { project, entry, was } => Some((*project, *entry, was)),
        }
    }

    /// The entry that is changed.
    pub fn updated(&self) -> Option<EntryId> {
        match self {
            Self::Update { entry, .. } => Some(*entry),
            _ => None,
        }
    }
}
