//! What the user decided about people that the journal knows.

use std::time::Duration;

use crate::bulk::on_existing::OnExisting;

/// What the user decided about people who were enrolled before.
#[derive(Clone, Copy, Debug)]
pub struct JournalPolicy {
    /// Enrol people anew who were enrolled by this machine and removed since.
    pub again: bool,
    /// Whether those who are enrolled with other values are changed.
    pub on_existing: OnExisting,
    /// How long reads may lag behind.
    pub settle: Duration,
    /// How long a request lasts at most.
    pub patience: Duration,
    /// Whether this run holds the project's lock.
    pub locked: bool,
}
