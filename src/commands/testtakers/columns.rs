//! The fields of a test taker as lists tell it.

use crate::model::flagged::is_flagged;
use crate::output::Columns;

/// Every property of the read record.
pub const COLUMNS: Columns<'static> = Columns::of(&[
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
])
.called("test taker", "test takers")
.in_table(&["id", "referenceId", "fullName", "email", "result", "dateCompleted"])
.no_truncate(&["id", "referenceId"])
.times(&["dateCompleted", "lastTestSentUtc"])
.highlight("result", is_flagged);
