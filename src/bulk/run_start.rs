//! When a run began, by its own clock and by those of the machine.

use std::time::Duration;

use crate::journal::clock::Moment;

/// When a run began: by its own clock, which never goes back, and by those of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Beginning {
    /// The time since 1970 from which the run counts on.
    pub at: Duration,
    /// The same moment by both clocks.
    pub moment: Moment,
}

impl Beginning {
    /// A moment of the run by the machine's clocks.
    pub(super) fn moment(&self, now: Duration) -> Moment {
        self.moment.after(now.saturating_sub(self.at))
    }
}
