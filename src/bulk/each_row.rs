//! The engine for work that is done row by row: a number of rows at a time, until the end or a stop.

use std::pin::pin;
use std::time::Duration;

use futures_util::stream::{self, Stream, StreamExt as _};
use tokio::sync::watch;
use tokio::time::sleep;

use super::outcome::{Outcome, RowEnd};
use super::rules::stops;
use crate::api::{Client, Effect, Error};
use crate::model::people::{EntryId, TestTaker};
use crate::model::projects::ProjectId;
use crate::model::verdict::{Failure, Verdict};

/// How long requests under way may take to finish after a stop.
const GRACE: Duration = Duration::from_secs(30);

/// Whether a run goes on, and why not.
pub struct Stopper<'c> {
    why: watch::Sender<Option<Failure>>,
    client: Option<&'c Client>,
}

impl<'c> Stopper<'c> {
    /// Stops the client's writes too: what only waits for its turn is not sent.
    pub fn new(client: &'c Client) -> Self {
        Self { client: Some(client), ..Self::without_client() }
    }

    fn without_client() -> Self {
        Self { why: watch::Sender::new(None), client: None }
    }

    /// Nothing new begins from now on. The gravest of several reasons counts.
    pub fn set(&self, why: Failure) {
        self.why.send_if_modified(|known| {
            let is_graver = known.as_ref().is_none_or(|known| why.verdict > known.verdict);
            if is_graver {
                *known = Some(why);
            }
            is_graver
        });
        self.client.iter().for_each(|client| client.stop());
    }

    pub fn is_set(&self) -> bool {
        self.why.borrow().is_some()
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
    pub async fn unless_stopped<T, E: Into<Failure>>(
        &self,
        read: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            () = self.stopped() => Err(self.why().unwrap_or_else(|| Failure::new(Verdict::Interrupted, "interrupted"))),
            done = read => done.map_err(Into::into),
        }
    }

    /// Sleeps; `false`, at once, where the run stops.
    pub async fn sleep(&self, time: Duration) -> bool {
        tokio::select! {
            biased;
            () = self.stopped() => false,
            () = sleep(time) => true,
        }
    }
}

/// For tests: there is no client to stop.
impl Default for Stopper<'_> {
    fn default() -> Self {
        Self::without_client()
    }
}

/// Does `act` for each row, at most `most` at a time, and gives each result as it comes. Once the run stops no new row is
/// begun, and rows under way have 30 s: after that their answer is `None`.
pub fn each_row<'a, T: 'a, F: Future<Output = T> + 'a>(
    rows: impl Stream<Item = usize> + 'a,
    most: usize,
    stop: &'a Stopper<'_>,
    act: impl Fn(usize) -> F + 'a,
) -> impl Stream<Item = (usize, Option<T>)> + 'a {
    let begun = rows.take_until(stop.stopped()).map(move |row| {
        let doing = act(row);
        async move {
            tokio::select! {
                biased;
                done = doing => (row, Some(done)),
                () = grace(stop) => (row, None),
            }
        }
    });
    begun.buffer_unordered(most.max(1))
}

/// Rows in groups of a size, each group prepared just before its first row. A group that cannot be prepared stops the run.
pub fn in_groups<'a>(
    rows: &'a [usize],
    size: usize,
    stop: &'a Stopper<'_>,
    mut prepare: impl FnMut(&[usize]) -> Result<(), Failure> + 'a,
) -> impl Stream<Item = usize> + 'a {
    stream::iter(rows.chunks(size.max(1))).flat_map(move |group| {
        if !stop.is_set()
            && let Err(failure) = prepare(group)
        {
            stop.set(failure);
        }
        stream::iter(if stop.is_set() { Vec::new() } else { group.to_vec() })
    })
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
    /// Gets the number of rows that have ended.
    pub ended: Box<dyn Fn(usize) + 'a>,
}

impl Site<'_> {
    /// Does `act` for each person who is planned, and gives each row an end: what `keep` makes of the answer. `prepare` gets
    /// people in groups, each just before its first request. In a dry run each of them ends as `done`.
    pub async fn each<'l, T, F: Future<Output = Result<T, Error>>>(
        &self,
        rows: &[Planned<'l>],
        done: Outcome,
        mut prepare: impl FnMut(&[Subject<'l>]) -> Result<(), Failure>,
        act: impl Fn(Subject<'l>) -> F,
        mut keep: impl FnMut(Subject<'l>, T) -> RowEnd,
    ) -> Vec<RowEnd> {
        let first = RowEnd::new(if self.is_dry_run { done } else { Outcome::NotAttempted });
        let end = |row: &Planned<'_>| match row {
            Ok(person) => first.clone().maybe_entry(person.entry_id()),
            Err(end) => end.clone(),
        };
        let mut ends: Vec<RowEnd> = rows.iter().map(end).collect();
        let subject = |(row, planned): (usize, &Planned<'l>)| {
            let person = *planned.as_ref().ok()?;
            Some(Subject { row, person, entry: person.entry_id()? })
        };
        let subjects: Vec<Subject<'l>> = rows.iter().enumerate().filter_map(subject).collect();
        let all: Vec<usize> = (0..if self.is_dry_run { 0 } else { subjects.len() }).collect();
        let launched = in_groups(&all, self.most, self.stop, |group| {
            prepare(&group.iter().map(|at| subjects[*at]).collect::<Vec<_>>())
        });
        let mut answers = pin!(each_row(launched, self.most, self.stop, |at| act(subjects[at])));
        let mut count = 0;
        while let Some((at, answer)) = answers.next().await {
            let end = match answer {
                Some(Ok(answer)) => keep(subjects[at], answer),
                // Links have no report: their rows are told on a terminal.
                Some(Err(error)) if done == Outcome::Issued => failed(&error, self.stop).message(error.to_string()),
                Some(Err(error)) => failed(&error, self.stop),
                None => RowEnd::new(Outcome::InDoubt).message("no answer had come when the run was stopped"),
            };
            ends[subjects[at].row] = end.entry(subjects[at].entry);
            count += 1;
            (self.ended)(count);
        }
        ends
    }
}

/// How a row ends whose write failed. A PATCH and a DELETE may be repeated, so a lost answer is safe to try again.
fn failed(error: &Error, stop: &Stopper<'_>) -> RowEnd {
    // A 404 of the service is about the person.
    if (error.status() != Some(404) || error.is_not_the_service())
        && let Some(why) = stops(error)
    {
        stop.set(why);
    }
    let outcome = match error {
        _ if error.effect() != Effect::None && error.status() != Some(409) => Outcome::InDoubt,
        _ if error.is_not_the_service() => Outcome::NotAttempted,
        Error::Status { status: 404, .. } => Outcome::Gone,
        Error::Status { status: 401 | 403 | 429, .. } => Outcome::NotAttempted,
        Error::Status { .. } => Outcome::Refused,
        _ => Outcome::NotAttempted,
    };
    RowEnd::new(outcome).message(error.whole())
}

async fn grace(stop: &Stopper<'_>) {
    stop.stopped().await;
    sleep(GRACE).await;
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
