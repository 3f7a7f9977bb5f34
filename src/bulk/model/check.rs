//! What must hold at the end of a roster: the rows' ends against what the service really holds.

use std::collections::HashSet;

use super::Off;
use super::service::{Entry, Spelling};
use super::world::{BEGINNING, World};
use crate::bulk::outcome::{Finished, Outcome};
use crate::journal::row_store::KeyState;
use crate::model::testtakers::EntryId;

impl World {
    /// What a row's end and the service say of each other.
    pub(super) fn violation(&mut self, finished: &Finished) -> Option<String> {
        let (ends, stopped) = (&finished.ends, finished.stop.is_some());
        let mut claimed = HashSet::new();
        for (row, ended) in ends.iter().enumerate() {
            let person = self.lines[row].person;
            let entries = self.service.finally(person);
            let rows = self.lines.iter().filter(|line| line.person == person).count();
            // What a proxy sends twice, and what another machine did meanwhile, is no doing of ours.
            let excused = self.replayed.contains(&person) || self.by_others.contains(&person);
            let known = excused || self.beside.contains(&person);
            let words = |what: &str| Some(format!("row {row} ended {} and {what}: {:?}", ended.outcome, ended.message));
            if entries.len() > rows && !excused {
                return words(&format!("is enrolled {} times ({:?})", entries.len(), self.spelling));
            }
            let there = ended.entry.is_some_and(|id| entries.iter().any(|entry| entry.record.entry_id() == id));
            match ended.outcome {
                // A list that lags behind still shows a person who was removed just before the first run.
                Outcome::Existing if self.was_removed_before(ended.entry) => {}
                Outcome::Enrolled | Outcome::Existing | Outcome::Duplicate => {
                    if !there {
                        return words("is not there");
                    }
                    if !ended.entry.is_some_and(|entry| claimed.insert(entry)) {
                        return words("has another row's entry");
                    }
                }
                // Where reads lag beyond the settle time, that is all there is to see.
                Outcome::Gone if self.reads_lag_far() => {}
                Outcome::Gone if there => return words("is there"),
                Outcome::Gone => return words("was never removed"),
                // It was not asked about in this run; the journal knows it.
                Outcome::NotAttempted
                    if stopped || ended.message.as_deref().is_some_and(|m| m.starts_with("could not")) => {}
                Outcome::Refused | Outcome::NotAttempted
                    if rows == 1 && !entries.is_empty() && !known && !self.edited.contains(&row) =>
                {
                    return words("is there");
                }
                Outcome::Conflict if !self.edited.contains(&row) && self.spelling == Spelling::Plain && !known => {
                    return words("nothing contradicts it");
                }
                Outcome::InDoubt if self.blames_an_old_entry(ended.message.as_deref()) => {
                    return words("stood there before the row was sent");
                }
                Outcome::InDoubt | Outcome::NotAttempted | Outcome::Refused | Outcome::Conflict => {}
                _ => return words("that is no end of an import"),
            }
        }
        self.undone()
    }

    fn was_removed_before(&self, entry: Option<EntryId>) -> bool {
        let removed = |known: &&Entry| known.removed.is_some() && Some(known.record.entry_id()) == entry;
        self.service.entries.iter().any(|known| removed(&known))
    }

    /// Whether a row is said to be perhaps an entry that is older than this world: it would be in doubt for ever.
    fn blames_an_old_entry(&self, message: Option<&str>) -> bool {
        let blamed = |entry: &&Entry| {
            let words = format!("entry {} may be this person", entry.record.entry_id());
            entry.created < BEGINNING && message.is_some_and(|message| message.ends_with(&words))
        };
        self.service.entries.iter().any(|entry| blamed(&entry))
    }

    /// What undo would remove without being asked for more.
    fn undone(&self) -> Option<String> {
        for row in self.store.all() {
            let KeyState::Enrolled { entry, enrolment, .. } = row.state else { continue };
            if enrolment.is_none() && self.off != Off::FoundIsNotOurs {
                continue;
            }
            let EntryId(id) = entry;
            let foreign = self.service.entries.iter().any(|entry| entry.record.id == id && entry.foreign);
            if foreign {
                return Some(format!("undo would remove entry {id}, which another machine enrolled"));
            }
        }
        None
    }
}
