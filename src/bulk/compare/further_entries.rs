//! Entries besides a row's own: duplicates of the person, and other people with the same reference id.

use std::collections::BTreeSet;

use super::{Comparison, list};
use crate::bulk::outcome::Outcome;
use crate::model::testtakers::EntryId;

impl Comparison<'_> {
    /// The further entries of a row that has one: those that look like it, then those with its reference id and another
    /// e-mail. The latter are another person, or the same one whose e-mail the service spells otherwise.
    pub fn further_entries(&self, row: usize) -> impl Iterator<Item = EntryId> {
        let duplicates = self.duplicates.get(&row).into_iter().flatten();
        duplicates.chain(self.namesakes.get(&row).into_iter().flatten()).copied()
    }

    /// The rows that have such further entries.
    pub fn rows_with_further_entries(&self) -> impl Iterator<Item = usize> {
        let rows: BTreeSet<usize> = self.duplicates.keys().chain(self.namesakes.keys()).copied().collect();
        rows.into_iter()
    }

    /// How a row of an earlier run ends that has further entries now, and why. Those of `before` were there when it was
    /// sent.
    pub fn joined_by(&self, row: usize, before: &[EntryId]) -> Option<(Outcome, String)> {
        let of = |entries: Option<&Vec<EntryId>>| -> Option<String> {
            let later: Vec<EntryId> = entries?.iter().filter(|entry| !before.contains(entry)).copied().collect();
            (!later.is_empty()).then(|| list(&later))
        };
        let duplicate = of(self.duplicates.get(&row))
            .map(|entries| (Outcome::Duplicate, format!("enrolled more than once, also as entry {entries}")));
        duplicate.or_else(|| {
            let entries = of(self.namesakes.get(&row))?;
            Some((Outcome::Conflict, format!("entry {entries} has this reference id and another e-mail")))
        })
    }
}
