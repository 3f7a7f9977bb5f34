//! The fields of a test taker as lists tell it.

use crate::model::flagged::is_flagged;
use crate::output::Columns;

/// Every property of the read record.
pub const FIELDS: [&str; 11] = [
    "id",
    "email",
    "referenceId",
    "firstName",
    "lastName",
    "fullName",
    "yearOfBirth",
    "result",
    "dateCompleted",
    "lastTestSentUtc",
    "topPerformer",
];

/// [`FIELDS`] as a list shows them.
pub const COLUMNS: Columns<'static> = Columns::of(&FIELDS)
    .called("test taker", "test takers")
    .in_table(&["id", "referenceId", "fullName", "email", "result", "dateCompleted"])
    .times(&["dateCompleted", "lastTestSentUtc"])
    .highlight("result", is_flagged);
