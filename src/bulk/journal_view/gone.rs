//! People who were enrolled from here and are not there any more: a row that was edited since is not new by that.

use std::collections::{HashMap, HashSet};

use crate::bulk::compare::Comparison;
use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::plan::RowState;
use crate::bulk::roster::Field;
use crate::journal::clock::millis;
use crate::journal::keyed_hash::Hash;
use crate::journal::row_store::{KeyState, KnownRow, RowStore};
use crate::model::failure::Failure;

use super::JournalView;

impl<'r, S: RowStore> JournalView<'r, S> {
    /// Finds the people that were enrolled from here longer ago than the settle time and are not there, but for rows of this
    /// roster as they stand, which are looked up by themselves. With `--again` they are enrolled anew anyway.
    pub fn find_vanished(&mut self, comparison: &Comparison<'r>) -> Result<(), Failure> {
        if self.is_empty || self.policy.again {
            return Ok(());
        }
        // Where only look-ups were made, most entries were not asked for: those of the roster's people are meant.
        let asked = (!comparison.is_list_complete()).then(|| self.hashes());
        let missing = self.store().enrolled(&|entry, email, reference| {
            let is_asked =
                |asked: &HashSet<Hash>| asked.contains(email) || reference.is_some_and(|id| asked.contains(id));
            !comparison.was_there(entry) && !self.removing.contains(&entry) && asked.as_ref().is_none_or(is_asked)
        })?;
        let now = &self.beginning.moment;
        let settled = missing.into_iter().filter(|known| known.since(now) <= now.wall - millis(self.policy.settle));
        let mut vanished: HashMap<Hash, KnownRow> = settled.map(|known| (known.key, known)).collect();
        if !vanished.is_empty() {
            self.keys.iter().for_each(|key| drop(vanished.remove(key)));
        }
        for known in vanished.into_values() {
            self.vanished.extend(known.reference.map(|hash| (hash, known.clone())));
            self.vanished.insert(known.email, known);
        }
        Ok(())
    }

    /// The hashes by which the people of the roster would be known.
    fn hashes(&self) -> HashSet<Hash> {
        let hashes = (0..self.roster.row_count()).map(|row| self.name_hashes(row));
        hashes.flat_map(|(reference, email)| reference.into_iter().chain([email])).collect()
    }

    /// Whether a row that the journal does not know is a person that was enrolled from here as another row, and is gone.
    pub(super) fn gone_as_another(&self, row: usize, comparison: &Comparison<'r>) -> Option<RowState> {
        if self.vanished.is_empty() {
            return None;
        }
        let (reference, email) = self.name_hashes(row);
        let by_reference = reference.and_then(|hash| self.vanished.get(&hash));
        let (other, field) = match by_reference.or_else(|| self.vanished.get(&email))? {
            other if other.reference.is_some() && other.reference == reference => (other, Field::ReferenceId),
            // An address may be that of a dispatcher: two reference ids are two people.
            other if other.reference.is_some() && reference.is_some() => return None,
            other => (other, Field::Email),
        };
        if field == Field::ReferenceId && other.email != email && comparison.allows_duplicates() {
            return None;
        }
        let KeyState::Enrolled { entry, .. } = other.state else { return None };
        let words =
            format!("entry {entry} was enrolled from here with this {field} and is gone (--again enrols it anew)");
        Some(RowState::Ended(RowResult::new(Outcome::Gone).with_entry(entry).with_message(words)))
    }
}
