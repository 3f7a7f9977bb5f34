//! `--deadline`: nothing is begun that cannot end in time.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::client::Client;
use super::error::Error;
use super::request_limits::time_for;
use super::retries::Repeat;

impl Client {
    /// When the run has to be over.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// What is left until the deadline, and nothing once it has passed; `None` where there is none.
    fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Ends here where the deadline leaves no time for a pause and a request after it. `before` is how the last attempt
    /// ended.
    pub(super) fn check_time(&self, pause: Duration, before: &mut Option<Error>) -> Result<(), Error> {
        if self.time_left().is_none_or(|left| left > pause) {
            return Ok(());
        }
        // Only a pause that the service asked for says when it may be asked again.
        let asked =
            before.as_ref().is_some_and(|error| error.retry_after().is_some()) || !self.throttle.pause().is_zero();
        let again = Timestamp::now().checked_add(pause).ok().filter(|_| asked);
        Err(Error::OutOfTime { again, before: before.take().map(Box::new) })
    }

    /// The time for one attempt, which ends with the deadline. An enrolment and a test link that are under way may take
    /// theirs: cut off they would leave doubt.
    pub(super) fn attempt_time(&self, is_write: bool, repeat: Repeat) -> Duration {
        let own = time_for(self.timeout, is_write);
        match self.time_left() {
            Some(left) if repeat != Repeat::Once => own.min(left),
            _ => own,
        }
    }
}
