//! The engine for work that is done row by row: a number of rows at a time, until the end or a stop.

use std::pin::pin;
use std::time::Duration;

use futures_util::stream::{self, Stream, StreamExt as _};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::outcome::{Outcome, RowEnd};
use super::rules::stops;
use crate::api::{Client, Effect, Error};
use crate::model::people::{EntryId, TestTaker};
use crate::model::projects::ProjectId;
use crate::model::verdict::{Failure, Verdict};

/// How long requests under way may take to finish after a stop.
const GRACE: Duration = Duration::from_secs(30);

/// Whether a run goes on, and why not. Without a client, for tests, by default.
#[derive(Default)]
pub struct Stopper<'c> {
    why: watch::Sender<Option<Failure>>,
    client: Option<&'c Client>,
}

impl<'c> Stopper<'c> {
    /// Stops the client's writes too: what only waits for its turn is not sent.
    pub fn new(client: &'c Client) -> Self {
        Self { client: Some(client), ..Self::default() }
    }

    /// Nothing new begins from now on. The gravest of several reasons counts.
    pub fn set(&self, why: Failure) {
        self.why.send_modify(|known| *known = known.take().filter(|known| known.verdict >= why.verdict).or(Some(why)));
        self.client.iter().for_each(|client| client.stop());
    }

    /// What cannot be written down stops the run: nothing more is sent.
    pub fn note(&self, written: Result<(), Failure>) {
        written.unwrap_or_else(|failure| self.set(failure));
    }

    pub fn why(&self) -> Option<Failure> {
        self.why.borrow().clone()
    }

    /// Ends when the run is stopped.
    pub async fn stopped(&self) {
        // An error would mean that the sender is gone, which is ours.
        let _ = self.why.subscribe().wait_for(Option::is_some).await;
    }

    /// Does what only reads, unless the run is stopped.
    pub async fn unless_stopped<T>(&self, read: impl Future<Output = Result<T, Error>>) -> Result<T, Failure> {
        tokio::select! {
            biased;
            () = self.stopped() => Err(self.why().unwrap_or_else(|| Failure::new(Verdict::Interrupted, "interrupted"))),
            done = read => done.map_err(|error| Failure::from(&error)),
        }
    }

    /// Sleeps; `false`, at once, where the run stops.
    pub async fn sleep(&self, time: Duration) -> bool {
        timeout(time, self.stopped()).await.is_err()
    }
}

/// Does `act` for each row, at most `most` at a time, and gives each result as it comes. Once the run stops no new row is
/// begun, and rows under way have 30 s: after that their answer is `None`.
pub fn each_row<'a, R: Copy + 'a, T: 'a, F: Future<Output = T> + 'a>(
    rows: impl Stream<Item = R> + 'a,
    most: usize,
    stop: &'a Stopper<'_>,
    act: impl Fn(R) -> F + 'a,
) -> impl Stream<Item = (R, Option<T>)> + 'a {
    let begun = rows.take_until(stop.stopped()).map(move |row| {
        let doing = act(row);
        async move {
            tokio::select! {
                biased;
                done = doing => (row, Some(done)),
                () = async { stop.stopped().await; sleep(GRACE).await } => (row, None),
            }
        }
    });
    begun.buffer_unordered(most.max(1))
}

/// Rows in groups of a size, each group prepared just before its first row. A group that cannot be prepared stops the run.
pub fn in_groups<'a, R: Copy>(
    rows: &'a [R],
    size: usize,
    stop: &'a Stopper<'_>,
    mut prepare: impl FnMut(&[R]) -> Result<(), Failure> + 'a,
) -> impl Stream<Item = R> + 'a {
    let prepared = move |group: &'a [R]| prepare(group).map_err(|failure| stop.set(failure)).map(|()| group).ok();
    stream::iter(rows.chunks(size.max(1)).map_while(prepared).flatten().copied())
}

/// What is planned for a row: its person, or how it has ended already.
pub type Planned<'l> = Result<&'l TestTaker, RowEnd>;

/// A person whom the command changes.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'l> {
    pub row: usize,
    pub person: &'l TestTaker,
    pub entry: EntryId,
}

/// Where enrolled people are changed, and how.
pub struct Site<'a> {
    pub client: &'a Client,
    pub project: ProjectId,
    /// Requests under way at once.
    pub most: usize,
    pub stop: &'a Stopper<'a>,
    /// Nothing is sent.
    pub is_dry_run: bool,
    /// Hears that a row has ended.
    pub ended: Box<dyn Fn() + 'a>,
}

impl Site<'_> {
    /// Does `act` for each person who is planned, and gives each row an end: what `keep` makes of the answer. `prepare` gets
    /// people in groups, each just before its first request. In a dry run each of them ends as `done`.
    pub async fn each<'l, T, F: Future<Output = Result<T, Error>>>(
        &self,
        rows: &[Planned<'l>],
        done: Outcome,
        prepare: impl FnMut(&[Subject<'l>]) -> Result<(), Failure>,
        act: impl Fn(Subject<'l>) -> F,
        mut keep: impl FnMut(Subject<'l>, T) -> RowEnd,
    ) -> Vec<RowEnd> {
        let first = RowEnd::new(if self.is_dry_run { done } else { Outcome::NotAttempted });
        let unsent = |person: &&TestTaker| first.clone().entry(person.entry_id());
        let mut ends: Vec<RowEnd> = rows.iter().map(|row| row.as_ref().map_or_else(RowEnd::clone, unsent)).collect();
        let subject = |(row, planned): (usize, &Planned<'l>)| {
            let person = *planned.as_ref().ok().filter(|_| !self.is_dry_run)?;
            Some(Subject { row, person, entry: person.entry_id()? })
        };
        let subjects: Vec<Subject<'l>> = rows.iter().enumerate().filter_map(subject).collect();
        let launched = in_groups(&subjects, self.most, self.stop, prepare);
        let mut answers = pin!(each_row(launched, self.most, self.stop, act));
        while let Some((subject, answer)) = answers.next().await {
            let end = match answer {
                Some(Ok(answer)) => keep(subject, answer),
                // Links have no report: their rows are told on a terminal.
                Some(Err(error)) if done == Outcome::Issued => failed(&error, error.to_string(), self.stop),
                Some(Err(error)) => failed(&error, error.whole(), self.stop),
                None => RowEnd::new(Outcome::InDoubt).message("no answer had come when the run was stopped"),
            };
            ends[subject.row] = end.entry(subject.entry);
            (self.ended)();
        }
        ends
    }
}

/// How a row ends whose write failed. A PATCH and a DELETE may be repeated, so a lost answer is safe to try again.
fn failed(error: &Error, message: String, stop: &Stopper<'_>) -> RowEnd {
    let status = error.status().filter(|_| !error.is_not_the_service());
    let outcome = match status {
        _ if error.effect() != Effect::None && error.status() != Some(409) => Outcome::InDoubt,
        Some(404) => Outcome::Gone,
        // This passes.
        _ if error.is_not_provisioned() => Outcome::NotAttempted,
        None | Some(401 | 403 | 429) => Outcome::NotAttempted,
        Some(_) => Outcome::Refused,
    };
    // A 404 of the service is about the person.
    let why = stops(error).filter(|_| status != Some(404));
    // Why the run stopped is said once.
    let is_said = why.is_some() && outcome == Outcome::NotAttempted;
    if let Some(why) = why {
        stop.set(why);
    }
    RowEnd::new(outcome).message(if is_said { String::new() } else { message })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::model::verdict::Verdict;

    #[tokio::test(start_paused = true)]
    async fn so_many_rows_are_under_way_at_a_time() {
        let (stop, under_way, most) = (Stopper::default(), Cell::new(0), Cell::new(0));
        let act = |row: usize| {
            let (under_way, most) = (&under_way, &most);
            async move {
                under_way.set(under_way.get() + 1);
                most.set(under_way.get().max(most.get()));
                sleep(Duration::from_millis(row as u64 % 7)).await;
                under_way.set(under_way.get() - 1);
            }
        };
        let ended: Vec<_> = each_row(stream::iter(0..50), 4, &stop, act).collect().await;
        assert_eq!((ended.len(), most.get()), (50, 4));
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_stop_nothing_begins_and_what_is_under_way_has_half_a_minute() {
        let stop = Stopper::default();
        let act = |row: usize| {
            let stop = &stop;
            async move {
                if row == 0 {
                    stop.set(Failure::new(Verdict::Key, "no key"));
                }
                sleep(Duration::from_secs([0, 29, 31, 1][row])).await;
            }
        };
        let ended: Vec<_> = each_row(stream::iter(0..9), 3, &stop, act).collect().await;
        assert_eq!(ended, [(0, Some(())), (1, Some(())), (2, None)]);
        assert!(!stop.sleep(Duration::from_secs(1)).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_is_prepared_just_before_its_first_row_and_none_after_a_failure() {
        let (stop, prepared) = (Stopper::default(), Cell::new(0));
        let prepare = |group: &[usize]| {
            prepared.set(prepared.get() + group.len());
            if group.contains(&5) { Err(Failure::new(Verdict::Unforeseen, "full")) } else { Ok(()) }
        };
        let rows: Vec<usize> = (0..9).collect();
        let act = |row: usize| {
            let prepared = prepared.get();
            async move { (row, prepared) }
        };
        let launched = in_groups(&rows, 2, &stop, prepare);
        let ended: Vec<_> = each_row(launched, 1, &stop, act).map(|(_, done)| done).collect().await;
        assert_eq!(ended, [(0, 2), (1, 2), (2, 4), (3, 4)].map(Some));
        assert_eq!((prepared.get(), stop.why().is_some()), (6, true));
    }

    #[test]
    fn the_gravest_reason_to_stop_counts() {
        let stop = Stopper::default();
        for verdict in [Verdict::NothingDone, Verdict::Interrupted, Verdict::Key] {
            stop.set(Failure::new(verdict, ""));
        }
        assert_eq!(stop.why().map(|why| why.verdict), Some(Verdict::Interrupted));
    }
}
