//! What a list read to its end has to show, because the journal knows it, and does not.

use crate::bulk::compare::Comparison;
use crate::journal::clock::millis;
use crate::journal::row_store::RowStore;
use crate::model::testtakers::EntryId;
use crate::model::verdict::Failure;

use super::JournalView;

/// So many of the people who were enrolled from here last are looked for on the list as a whole.
const LOOKED_FOR: u32 = 100;
/// A few may have been removed in the portal after a trial; of so many a list shows somebody.
const TOO_MANY: usize = 5;

impl<'r, S: RowStore> JournalView<'r, S> {
    /// An entry that a list read to its end has to show and does not. It may be of another roster.
    pub fn lacking(&self, comparison: &Comparison<'r>) -> Result<Option<EntryId>, Failure> {
        Ok(self.settled_entries(1)?.into_iter().find(|entry| !comparison.was_there(*entry)))
    }

    /// Of how many people who were enrolled from here a list read to its end shows none, where that is too many to be
    /// chance: it is blind, or somebody removed them all.
    pub fn lacks_all(&self, comparison: &Comparison<'r>) -> Result<Option<usize>, Failure> {
        if self.policy.again {
            return Ok(None);
        }
        let entries = self.settled_entries(LOOKED_FOR)?;
        let shows_none = !entries.iter().any(|entry| comparison.was_there(*entry));
        Ok((entries.len() >= TOO_MANY && shows_none).then_some(entries.len()))
    }

    /// The last entries that were enrolled from here longer ago than the settle time, and not removed from here.
    fn settled_entries(&self, most: u32) -> Result<Vec<EntryId>, Failure> {
        if self.is_empty {
            return Ok(Vec::new());
        }
        let settled = self.beginning.moment.wall - millis(self.policy.settle);
        let mut entries = self.store().last_enrolled(settled, most)?;
        entries.retain(|entry| !self.removing.contains(entry));
        Ok(entries)
    }
}
