//! The fields of a project as the service tells it.

use crate::output::Columns;

/// Every property of a project's record.
pub const COLUMNS: Columns<'static> =
    Columns::of(&["id", "name", "state", "dateCreated", "lastModified", "fitForDutyResponse"])
        .called("project", "projects")
        .in_table(&["id", "name", "state", "lastModified"])
        .no_truncate(&["id"])
        .times(&["dateCreated", "lastModified"]);
