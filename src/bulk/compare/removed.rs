//! Entries that were removed from here a short time ago. A list that shows one lags behind, or the removal was not carried out:
//! it stands for no row, and a row that may be its person is not enrolled a second time beside it.

use std::collections::HashMap;

use super::Comparison;
use super::roster_index::TextHash;
use crate::journal::clock::Millis;
use crate::model::field_rules::{filled, fold_email};
use crate::model::testtakers::{EntryId, ListedPerson};

/// Entries that were removed a short time ago.
#[derive(Debug, Default)]
pub(super) struct RemovedEntries {
    /// When each was removed.
    times: HashMap<EntryId, Millis>,
    /// Those that were seen all the same, by e-mail and by reference id.
    shown: HashMap<TextHash, EntryId>,
}

impl Comparison<'_> {
    /// Passes entries over from now on, wherever they are shown: they were removed from here at these times.
    pub fn pass_over(&mut self, removed: &HashMap<EntryId, Millis>) {
        for (entry, time) in removed {
            self.baseline.add(i64::from(entry.0));
            self.removed.times.insert(*entry, *time);
        }
    }

    /// Remembers what people are called by whose entry was removed and is shown.
    pub(super) fn note_removed(&mut self, record: &ListedPerson<'_>) {
        let entry = record.entry_id();
        if !self.removed.times.contains_key(&entry) {
            return;
        }
        let email = filled(record.email()).map(|email| self.index.hash(&fold_email(email)));
        let reference = filled(record.reference_id()).map(|id| self.index.hash(id));
        self.removed.shown.extend(email.into_iter().chain(reference).map(|name| (name, entry)));
    }

    /// The entry that was removed and is shown with the e-mail or reference id of a row, and when it was removed.
    pub fn removed_and_shown(&self, row: usize) -> Option<(EntryId, Millis)> {
        if self.removed.shown.is_empty() {
            return None;
        }
        let [email, .., reference] = self.index.roster.values(row);
        let email = fold_email(email.unwrap_or_default());
        let entry =
            *reference.into_iter().chain([&*email]).find_map(|name| self.removed.shown.get(&self.index.hash(name)))?;
        self.removed.times.get(&entry).map(|time| (entry, *time))
    }
}
