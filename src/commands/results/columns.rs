//! The fields of a result, in either documented shape.

use crate::commands::testtakers::columns::{self as testtakers, FIELDS};
use crate::model::flagged::is_flagged;
use crate::model::results::ResultsApi;
use crate::output::Columns;

/// The fields of the list, and what is known of the identity.
const SINGLE_FIELDS: [&str; FIELDS.len() + 2] = {
    let mut fields = ["identityVerified"; FIELDS.len() + 2];
    let (listed, identity) = fields.split_at_mut(FIELDS.len());
    listed.copy_from_slice(&FIELDS);
    identity[1] = "identityStatus";
    fields
};

/// The fields of the single read.
pub const SINGLE: Columns<'static> = Columns::of(&SINGLE_FIELDS)
    .called("result", "results")
    .times(&["dateCompleted", "lastTestSentUtc"])
    .highlight("result", is_flagged);

/// The fields of a result in the older shape.
pub const LEGACY: Columns<'static> =
    Columns::of(&["referenceId", "email", "firstName", "lastName", "fullName", "status", "dateCompleted"])
        .called("result", "results")
        .in_table(&["referenceId", "fullName", "email", "status", "dateCompleted"])
        .times(&["dateCompleted"])
        .highlight("status", is_flagged);

/// The fields of the results list.
pub fn columns(shape: ResultsApi) -> Columns<'static> {
    match shape {
        ResultsApi::Current => testtakers::COLUMNS.called("result", "results"),
        ResultsApi::Legacy => LEGACY,
    }
}

/// The fields of the results list as a table of flagged people shows them: who, what, and since when, in 80 columns.
pub fn of_flagged(shape: ResultsApi) -> Columns<'static> {
    columns(shape).in_table(match shape {
        ResultsApi::Current => &["fullName", "referenceId", "result", "dateCompleted"],
        ResultsApi::Legacy => &["fullName", "referenceId", "status", "dateCompleted"],
    })
}
