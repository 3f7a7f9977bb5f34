//! One engine for the writes that a file asks for row by row: so many at a time, until the end or a stop.

use std::future::Future;
use std::pin::Pin;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;

use crate::api::{Client, sleep_until};

use super::early_stop::{GRACE, IN_A_ROW, INTERRUPTED, Stop};
use super::outcome::{Finished, Outcome, RowOutcome, RowResult};
use super::run_verdict::stopped;

/// Does `act` for each row that has not ended yet, in their order, `most` at a time; the client's throttle holds fewer
/// under way while the service takes no more. `interrupted` ends with whether it was SIGTERM: then nothing new is
/// launched, and what is under way has 30 s. `tell` hears how many rows have ended.
pub async fn execute<'a, F: Future<Output = RowOutcome> + 'a>(
    client: &Client,
    most: usize,
    ends: Vec<Option<RowResult>>,
    act: impl Fn(usize) -> F,
    interrupted: impl Future<Output = bool>,
    mut tell: impl FnMut(usize, usize),
) -> Finished {
    let mut interrupted: Pin<&mut _> = std::pin::pin!(interrupted);
    let mut state = State { ends, stop: None, grace_ends: None, next: 0, unanswered: 0, done: 0 };
    state.done = state.ends.iter().flatten().count();
    let mut under_way = FuturesUnordered::new();
    loop {
        while under_way.len() < most.min(client.room()) {
            let Some(row) = state.launch() else { break };
            let doing = act(row);
            under_way.push(async move { (row, doing.await) });
        }
        tell(state.done, state.ends.len());
        if under_way.is_empty() {
            return state.finish();
        }
        let listening = state.grace_ends.is_none();
        tokio::select! {
            Some((row, did)) = under_way.next() => state.take(row, did),
            terminated = &mut interrupted, if listening => {
                state.grace_ends = Some(Instant::now() + GRACE);
                state.stop(Stop::Interrupted { terminated });
            }
            () = sleep_until(state.grace_ends) => return state.finish_at_once(),
        }
        if state.stop.is_some() {
            client.close();
        }
    }
}

struct State {
    ends: Vec<Option<RowResult>>,
    stop: Option<Stop>,
    grace_ends: Option<Instant>,
    /// The first row that was not looked at yet; the rows before it have ended or are under way.
    next: usize,
    unanswered: u32,
    done: usize,
}

impl State {
    fn launch(&mut self) -> Option<usize> {
        if self.stop.is_some() {
            return None;
        }
        let row = self.next + self.ends[self.next..].iter().position(Option::is_none)?;
        self.next = row + 1;
        Some(row)
    }

    fn take(&mut self, row: usize, did: RowOutcome) {
        self.done += 1;
        self.unanswered = match did.ended.outcome {
            Outcome::NotAttempted => self.unanswered + 1,
            _ => 0,
        };
        self.ends[row] = Some(did.ended);
        if let Some(stop) = did.stop {
            self.stop(stop);
        } else if self.unanswered >= IN_A_ROW {
            self.stop(Stop::NoAnswer(did.why));
        }
    }

    fn stop(&mut self, stop: Stop) {
        if self.stop.as_ref().is_none_or(|before| stop.outranks(before)) {
            self.stop = Some(stop);
        }
    }

    /// What is under way is not waited for.
    fn finish_at_once(mut self) -> Finished {
        for end in &mut self.ends[..self.next] {
            end.get_or_insert_with(|| RowResult::new(Outcome::InDoubt).with_message(INTERRUPTED));
        }
        self.finish()
    }

    fn finish(self) -> Finished {
        let ends = self.ends.into_iter().map(|end| end.unwrap_or_else(|| RowResult::new(Outcome::NotAttempted)));
        stopped(ends.collect(), self.stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(ends: &[Option<Outcome>]) -> State {
        let ends = ends.iter().map(|end| end.map(RowResult::new)).collect();
        State { ends, stop: None, grace_ends: None, next: 0, unanswered: 0, done: 0 }
    }

    fn unanswered(why: &str) -> RowOutcome {
        RowOutcome { why: why.to_owned(), ..RowOutcome::ended(RowResult::new(Outcome::NotAttempted)) }
    }

    fn updated() -> RowOutcome {
        RowOutcome::ended(RowResult::new(Outcome::Updated))
    }

    #[test]
    fn each_row_that_has_not_ended_is_launched_once_in_order_until_the_run_stops() {
        let mut rows = state(&[None, Some(Outcome::Invalid), None, None]);
        assert_eq!([rows.launch(), rows.launch()], [Some(0), Some(2)]);
        assert_eq!([rows.launch(), rows.launch()], [Some(3), None]);
        let mut rows = state(&[None]);
        rows.stop(Stop::Key(String::new()));
        assert_eq!(rows.launch(), None);
    }

    #[test]
    fn three_rows_in_a_row_without_an_answer_stop_the_run_with_what_the_last_one_said() {
        let mut rows = state(&[None; 6]);
        for did in [unanswered("1"), unanswered("2"), updated(), unanswered("4"), unanswered("5")] {
            let row = rows.launch().expect("a row");
            rows.take(row, did);
        }
        assert_eq!((rows.done, &rows.stop), (5, &None));
        rows.take(5, unanswered("6"));
        assert_eq!((rows.done, rows.stop), (6, Some(Stop::NoAnswer("6".to_owned()))));
    }

    #[test]
    fn what_one_row_meets_stops_the_run_and_the_key_outranks_a_project_that_is_gone() {
        let mut rows = state(&[None; 2]);
        rows.take(0, RowOutcome { stop: Some(Stop::Gone(String::new())), ..unanswered("") });
        rows.take(1, RowOutcome { stop: Some(Stop::Key(String::new())), ..unanswered("") });
        rows.stop(Stop::Gone(String::new()));
        assert_eq!(rows.stop, Some(Stop::Key(String::new())));
    }

    #[test]
    fn what_is_under_way_when_the_grace_is_over_is_in_doubt_and_the_rest_was_not_attempted() {
        let mut rows = state(&[None; 3]);
        rows.launch();
        rows.launch();
        rows.take(0, updated());
        let ends: Vec<Outcome> = rows.finish_at_once().ends.iter().map(|end| end.outcome).collect();
        assert_eq!(ends, [Outcome::Updated, Outcome::InDoubt, Outcome::NotAttempted]);
    }
}
