//! Looking for rows whose answers were lost, until each is found or proved to be absent.

use std::iter::repeat;
use std::time::Duration;

use jiff::Timestamp;

use super::Enrolling;
use crate::bulk::service::Service;
use crate::journal::people::State;
use crate::model::verdict::Verdict;

/// Seconds between looks; the last one repeats.
const PAUSES: [u64; 8] = [0, 1, 2, 4, 8, 15, 30, 60];
/// Records of a list that cost as many requests as one look-up: pages of 100, each read twice.
const RECORDS_A_LOOK_UP: usize = 50;

impl<S: Service> Enrolling<'_, S> {
    /// Looks for what is in doubt, soon and then rarely, until each row is found or its settle time is over.
    pub(super) async fn look(&mut self) {
        for pause in PAUSES.into_iter().chain(repeat(PAUSES[7])).map(Duration::from_secs) {
            if self.doubts.is_empty() || !self.pause(pause).await {
                break;
            }
            let rows: Vec<usize> = self.doubts.keys().copied().collect();
            let is_last = self.until_settled().is_zero();
            let is_whole = is_last || rows.len() * RECORDS_A_LOOK_UP >= self.list_length;
            match self.read(&rows, is_whole).await {
                Ok(()) => {}
                Err(failure) if !is_last && failure.verdict <= Verdict::Unfinished => {}
                Err(failure) => self.job.stop.set(failure),
            }
            if is_last || !self.job.options.waits {
                break;
            }
        }
    }

    async fn pause(&mut self, pause: Duration) -> bool {
        let left = self.until_settled();
        // Said once for the same rows.
        if pause.min(left) > Duration::from_secs(3) && self.told_doubts != self.doubts.len() {
            self.told_doubts = self.doubts.len();
            let until = self.job.clock.now().saturating_add(left).unwrap_or(Timestamp::MAX);
            (self.job.waiting)(self.doubts.len(), until);
        }
        self.job.stop.sleep(pause.min(left)).await
    }

    /// How long until a person who is not shown counts as absent.
    fn until_settled(&self) -> Duration {
        let known = self.doubts.keys().flat_map(|row| self.rows.related(*row));
        let since = known.filter_map(|known| match known.state {
            State::Open { since, .. } => Some(since),
            _ => None,
        });
        let last = since.max().and_then(|since| since.saturating_add(self.job.options.settle).ok());
        let left = last.map(|last| last.duration_since(self.job.clock.now()));
        left.and_then(|left| Duration::try_from(left).ok()).unwrap_or_default()
    }

    /// People who were sent more than once are looked up once more: a request that took effect later than we assume shows
    /// here.
    pub(super) async fn tell_duplicates(&mut self) {
        if self.job.is_dry_run {
            return;
        }
        let (rows, reading): (Vec<usize>, _) = (self.again.keys().copied().collect(), self.reading(false));
        let Ok(records) = self.job.stop.unless_stopped(self.looked_up(&rows)).await else { return };
        for (row, found) in rows.iter().zip(self.rows.compare(&rows, &records, &reading)) {
            if let Some(end) = found.double() {
                self.end(*row, end);
            }
        }
    }
}
