//! Entries besides a row's own: duplicates of the person, and other people with the same reference id.

use std::collections::{BTreeSet, HashMap};

use super::roster_index::TextHash;
use super::same_email::Note;
use super::{Comparison, list};
use crate::bulk::outcome::Outcome;
use crate::bulk::roster::Field;
use crate::model::testtakers::EntryId;

/// How many entries that were there before a row was sent are remembered with it. A further one may later be taken for what
/// came of the row.
pub(super) const REMEMBERED: usize = 1000;

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

    /// The entries that a look-up of a row would find, were there before it was sent, and are not the row's.
    pub fn foreign_matches(&self, row: usize) -> &[EntryId] {
        self.foreign_matches.get(&row).map_or(&[], Vec::as_slice)
    }

    /// For rows that may be sent: which entries are there already and would be found when the row is looked up.
    pub(super) fn remember_address(&mut self, rows: &[usize], notes: &[Note]) {
        let mut by_reference: HashMap<TextHash, Vec<EntryId>> = HashMap::new();
        for note in notes {
            if let Some(reference) = note.reference {
                by_reference.entry(reference).or_default().push(note.entry);
            }
        }
        for row in rows.iter().copied() {
            if self.known(row).is_some_and(|known| known.seen) {
                continue;
            }
            match self.index.roster.value(row, Field::ReferenceId).map(|id| self.index.hash(id)) {
                Some(reference) => {
                    for entry in by_reference.get(&reference).into_iter().flatten() {
                        remember(self.foreign_matches.entry(row).or_default(), *entry);
                    }
                }
                None => {
                    for note in notes.iter().take(REMEMBERED) {
                        remember(self.foreign_matches.entry(row).or_default(), note.entry);
                    }
                }
            }
        }
    }
}

pub(super) fn remember(known: &mut Vec<EntryId>, entry: EntryId) {
    if known.len() < REMEMBERED {
        known.push(entry);
    }
}
