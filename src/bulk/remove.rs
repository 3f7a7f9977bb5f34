//! Removals: written down before the DELETE, which repeats as 204.

use jiff::Timestamp;

use super::each_row::{Planned, Site, Subject};
use super::outcome::{Outcome, RowEnd};
use crate::journal::people::People;

/// Removes people, and gives each row an end. They are written down in groups, each just before its first DELETE: the caller
/// holds the project's lock.
pub async fn remove<'l>(site: &Site<'_>, journal: People<'_>, rows: &[Planned<'l>]) -> Vec<RowEnd> {
    let removing = |group: &[Subject<'_>]| {
        let people = group.iter().map(|one| (journal.of_record(one.person), one.entry));
        journal.removing(&people.collect::<Vec<_>>())
    };
    let send = |one: Subject<'l>| site.client.remove(site.project, one.entry, one.person);
    let removed = |one: Subject<'_>, ()| {
        site.stop.note(journal.removed(one.entry, Timestamp::now()));
        RowEnd::new(Outcome::Removed)
    };
    let ends = site.each(rows, Outcome::Removed, removing, send, removed).await;
    for end in &ends {
        // The request was refused, or never sent.
        let is_kept = matches!(end.outcome, Outcome::Refused | Outcome::NotAttempted);
        let is_open = matches!(end.outcome, Outcome::InDoubt | Outcome::Gone);
        if let Some(entry) = end.entry.filter(|_| is_kept || is_open) {
            site.stop.note(journal.not_removed(entry, is_kept, Timestamp::now()));
        }
    }
    ends
}
