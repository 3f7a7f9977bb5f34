//! Results as they are printed; those of several projects begin with their project.

use crate::api::Read;
use crate::model::people::{TestTaker, is_flagged};
use crate::model::projects::ProjectRef;
use crate::output::{AsRecord, Cell, Columns};

/// The project, then the fields of a result in either documented shape, and of the single read (specification, Result).
const ALL: &[&str] = &[
    "project",
    "projectId",
    "id",
    "referenceId",
    "email",
    "firstName",
    "lastName",
    "fullName",
    "yearOfBirth",
    "result",
    "dateCompleted",
    "lastTestSentUtc",
    "topPerformer",
    "identityVerified",
    "identityStatus",
    "status",
];

/// Results of one project.
pub const COLUMNS: Columns = Columns {
    all: ALL.split_at(2).1,
    table: &["id", "referenceId", "fullName", "result", "dateCompleted"],
    ids: &["id", "referenceId"],
    times: &["dateCompleted", "lastTestSentUtc"],
    quiet: Columns::PERSON,
    noun: ("result", "results"),
    red: Some(("result", is_flagged)),
};

/// Results of all projects.
pub const COLUMNS_OF_ALL: Columns = Columns {
    all: ALL,
    table: &["project", "id", "referenceId", "fullName", "result", "dateCompleted"],
    ids: &["projectId", "id", "referenceId"],
    ..COLUMNS
};

/// A result, and its project where there are several.
pub struct ResultRow<'p> {
    pub project: Option<&'p ProjectRef>,
    pub read: Read<TestTaker>,
}

impl AsRecord for ResultRow<'_> {
    fn own(&self) -> Vec<Cell<'_>> {
        self.project.map_or_else(Vec::new, |project| vec![project.name.as_str().into(), project.id.to_string().into()])
    }

    fn sent(&self) -> Option<&serde_json::value::RawValue> {
        Some(&self.read.sent)
    }
}
