//! What a list read to its end has to show, because the journal knows it, and does not.

use std::time::Duration;

use crate::bulk::compare::Comparison;
use crate::journal::clock::{Millis, millis};
use crate::journal::row_store::RowStore;
use crate::model::failure::Failure;
use crate::model::testtakers::EntryId;

use super::JournalView;

/// How many of the last people enrolled from here are looked for on the list.
const LOOKED_FOR: u32 = 100;
/// A few may have been removed in the portal after a trial; of so many a list shows at least one.
const TOO_MANY: usize = 5;

impl<'r, S: RowStore> JournalView<'r, S> {
    /// An entry of another roster, or of another process, that reads have not shown by now, nor anything that was enrolled
    /// later. What that means is judged when the settle time has gone by: until then they may only be late.
    pub fn lacking(
        &self,
        now: Duration,
        comparison: &Comparison<'r>,
        is_of_roster: impl Fn(EntryId) -> bool,
    ) -> Result<Option<EntryId>, Failure> {
        let entries = self.enrolled_until(self.beginning.moment(now).wall, LOOKED_FOR)?;
        let mut later = entries.into_iter().take_while(|entry| !comparison.was_there(*entry));
        Ok(later.find(|entry| !is_of_roster(*entry)))
    }

    /// Whether people were enrolled from here that the project's list has to show by the time that a doubt of this run is
    /// judged.
    pub fn has_enrolled(&self) -> Result<bool, Failure> {
        Ok(!self.enrolled_until(self.beginning.moment.wall, 1)?.is_empty())
    }

    /// Of how many people who were enrolled from here a list read to its end shows none, where that is too many to be
    /// chance: the list is blind, or all of them were removed. That counts with `--again` too, which would enrol all of them
    /// twice.
    pub fn lacks_all(&self, comparison: &Comparison<'r>) -> Result<Option<usize>, Failure> {
        let settled = self.beginning.moment.wall - millis(self.policy.settle);
        let entries = self.enrolled_until(settled, LOOKED_FOR)?;
        let shows_none = !entries.iter().any(|entry| comparison.was_there(*entry));
        Ok((entries.len() >= TOO_MANY && shows_none).then_some(entries.len()))
    }

    /// The last entries that were enrolled from here until then, and not removed from here.
    fn enrolled_until(&self, wall: Millis, most: u32) -> Result<Vec<EntryId>, Failure> {
        let mut entries = self.store().last_enrolled(wall, most)?;
        entries.retain(|entry| !self.removing.contains(entry));
        Ok(entries)
    }
}
