//! Each person of a run is enrolled exactly once: compare, then send and look, three times at most. What becomes of people who
//! are there already (`--on-existing`) is decided here too.

mod look;
mod send;
#[cfg(test)]
mod tests;

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;

use super::compare::{FIXED, Found};
use super::each_row::Stopper;
use super::outcome::{Outcome, RowEnd, Run};
use super::rows::Rows;
use super::rules::{Next, Reading, Related, judge};
use super::service::{Clock, Service};
use crate::api::Error;
use crate::journal::people::{Known, People, State};
use crate::model::people::{EntryId, TestTaker};
use crate::model::text::{counted, grouped};
use crate::model::verdict::{Failure, Verdict};

/// How often a person is sent at most. Each time, the attempt before was proved to have had no effect.
const ROUNDS: usize = 3;

/// How people are enrolled.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnrolOptions {
    /// Creations under way at once.
    pub most: usize,
    /// This long after an answer was given up, the request has had its effect and every read shows it (our assumption).
    pub settle: Duration,
    /// Whether rows in doubt are looked for until the settle time is over; else once.
    pub waits: bool,
    /// Enrol people again who were removed elsewhere.
    pub again: bool,
    pub on_existing: OnExisting,
    /// Whoever is found is known from now on, so that people who are removed elsewhere later are `gone` (sync, rule 2).
    pub learns: bool,
}

/// What becomes of people who are in the project already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum OnExisting {
    /// They are left as they are.
    #[default]
    Skip,
    /// They are left to a run of updates after this one.
    Update,
    /// Where this machine did not enrol one of them, nothing is sent.
    Fail,
}

/// The whole list of a project, which is believed, and what it shows of each row.
pub struct ListRead<'a> {
    pub records: &'a [TestTaker],
    pub reading: Reading,
    pub found: Vec<Found>,
}

/// Where and how people are enrolled.
pub struct Job<'a, S> {
    pub service: &'a S,
    pub journal: People<'a>,
    pub options: EnrolOptions,
    /// Nothing is sent, and nothing is written.
    pub is_dry_run: bool,
    pub clock: Clock,
    pub stop: &'a Stopper<'a>,
    /// Hears that a row has ended.
    pub ended: &'a dyn Fn(),
    /// Hears how many rows are in doubt, and until when they are looked for at most.
    pub waiting: &'a dyn Fn(usize, Timestamp),
}

/// A run under way. Each row has an end, is to be sent, or is in doubt.
struct Enrolling<'a, S> {
    job: Job<'a, S>,
    rows: Rows<'a>,
    /// `not-attempted` until a row has ended.
    ends: Vec<RowEnd>,
    to_send: Vec<usize>,
    /// Rows whose answers were lost, with how each of them ends if the person is not found.
    doubts: BTreeMap<usize, RowEnd>,
    /// How many of them were told when a wait began.
    told_doubts: usize,
    /// Rows that are sent although an earlier attempt may have had no answer, with what the service said last in this run.
    again: BTreeMap<usize, String>,
    /// Rows of people who were removed from here.
    returning: HashSet<usize>,
    differing: Vec<(usize, TestTaker)>,
    fixed: usize,
    left_as_they_were: usize,
    /// Entries of people in the project whom this machine did not enrol.
    foreign: Vec<EntryId>,
    list_length: usize,
    has_checked_ids: bool,
}

/// Makes sure that each person is enrolled once, and gives each an end. An error where nothing was sent. `list`: what the rows
/// are judged by first; `None`: it is read.
pub async fn enrol<S: Service>(job: Job<'_, S>, people: Rows<'_>, list: Option<ListRead<'_>>) -> Result<Run, Failure> {
    let (on_existing, is_dry_run, stop) = (job.options.on_existing, job.is_dry_run, job.stop);
    let rows: Vec<usize> = (0..people.people.len()).collect();
    let mut run = Enrolling::new(job, people);
    match list {
        Some(ListRead { records, reading, found }) => run.take(&rows, found, records, &reading),
        None => run.read(&rows, true).await?,
    }
    if on_existing == OnExisting::Fail && !run.foreign.is_empty() {
        let who = counted(run.foreign.len(), "person is", "people are");
        let mut names: Vec<String> = run.foreign.iter().take(20).map(|entry| format!("entry id {entry}")).collect();
        names.extend((run.foreign.len() > 20).then(|| "…".to_owned()));
        let cause = format!("{who} in the project already ({}): nothing was sent", names.join(", "));
        return Err(Failure::new(Verdict::Refused, cause));
    }
    for _ in 0..if is_dry_run { 0 } else { ROUNDS } {
        let rows = std::mem::take(&mut run.to_send);
        run.send(&rows).await;
        run.look().await;
        if run.to_send.is_empty() || stop.why().is_some() {
            break;
        }
    }
    run.tell_duplicates().await;
    Ok(run.finish())
}

impl<'a, S: Service> Enrolling<'a, S> {
    fn new(job: Job<'a, S>, rows: Rows<'a>) -> Self {
        Self {
            ends: vec![RowEnd::new(Outcome::NotAttempted); rows.people.len()],
            rows,
            to_send: Vec::new(),
            doubts: BTreeMap::new(),
            told_doubts: 0,
            again: BTreeMap::new(),
            returning: HashSet::new(),
            differing: Vec::new(),
            fixed: 0,
            left_as_they_were: 0,
            foreign: Vec::new(),
            list_length: 0,
            has_checked_ids: false,
            job,
        }
    }

    fn reading(&self, is_whole: bool) -> Reading {
        let EnrolOptions { settle, again, .. } = self.job.options;
        Reading { began: self.job.clock.now(), is_whole, settle, again }
    }

    /// Reads the whole list, or looks these rows up, and judges them by that.
    async fn read(&mut self, rows: &[usize], is_whole: bool) -> Result<(), Failure> {
        let reading = self.reading(is_whole);
        let records = async { if is_whole { self.job.service.list().await } else { self.looked_up(rows).await } };
        let records = self.job.stop.unless_stopped(records).await?;
        self.rows.known.believe(&records, &reading)?;
        self.take(rows, self.rows.compare(rows, &records, &reading), &records, &reading);
        Ok(())
    }

    async fn looked_up(&self, rows: &[usize]) -> Result<Vec<TestTaker>, Error> {
        let look_up = |row: &usize| self.job.service.look_up(&self.rows.people[*row]);
        let found = stream::iter(rows).map(look_up).buffer_unordered(self.job.options.most);
        Ok(found.try_collect::<Vec<_>>().await?.concat())
    }

    /// Judges rows by what a reading shows of each of them, then settles everybody who is open.
    fn take(&mut self, rows: &[usize], found: Vec<Found>, records: &[TestTaker], reading: &Reading) {
        if reading.is_whole {
            self.list_length = records.len();
        }
        // Nearly all are spelled as in their rows.
        let of_entry: LazyCell<HashMap<EntryId, &TestTaker>, _> =
            LazyCell::new(|| records.iter().filter_map(|record| Some((record.entry_id()?, record))).collect());
        let (mut differing, mut agreeing) = (HashMap::new(), Vec::new());
        for (row, found) in rows.iter().zip(found) {
            let mut known = self.rows.related(*row);
            known.retain(|known| found.passed_on.is_none() || known.state.entry() != found.passed_on);
            let refused = self.doubts.get(row).filter(|end| end.outcome == Outcome::Refused).cloned();
            match (judge(&found, &known, reading), refused) {
                // A 409 is looked for once.
                (Next::Look | Next::Send, Some(end)) => self.end(*row, end),
                (Next::Look, None) => {
                    let unanswered = RowEnd::new(Outcome::InDoubt).message("an earlier attempt was not answered");
                    self.doubts.entry(*row).or_insert(unanswered);
                }
                (Next::Send, None) => self.will_send(*row, &known),
                (Next::End(end), _) => {
                    if let (Outcome::Existing, Some(best), Some(entry)) = (end.outcome, &found.best, end.entry)
                        && best.entries == [entry]
                    {
                        let other = || of_entry.get(&entry).map(|record| self.job.journal.of_record(record));
                        let alike = Some(self.rows.identities[*row]).filter(|_| best.is_spelled_alike);
                        let face = alike.or_else(other).unwrap_or(self.rows.identities[*row]);
                        agreeing.extend(self.rows.agreeing(*row, entry, face, reading, self.job.options.learns));
                    }
                    if end.outcome == Outcome::Existing && self.exists(&found, &known) {
                        differing.extend(end.entry.map(|entry| (entry, *row)));
                    }
                    self.end(*row, end);
                }
            }
        }
        let differs = |record: &TestTaker| Some((differing.remove(&record.entry_id()?)?, record.clone()));
        self.differing.extend(records.iter().filter_map(differs));
        if !self.job.is_dry_run {
            let Job { journal, stop, .. } = self.job;
            if !agreeing.is_empty() {
                stop.note(journal.agreeing(&agreeing));
            }
            for known in agreeing {
                self.rows.known.put(known);
            }
            self.settle(records, reading);
        }
    }

    fn will_send(&mut self, row: usize, known: &[Related]) {
        if known.iter().any(|known| matches!(known.state, State::Removed { .. })) {
            self.returning.insert(row);
        }
        let doubt = self.doubts.remove(&row);
        if doubt.is_some() || known.iter().any(|known| matches!(known.state, State::Open { .. })) {
            self.again.insert(row, doubt.map(|end| end.message).unwrap_or_default());
        }
        self.to_send.push(row);
    }

    /// Takes note of a person who is in the project already; and whether they are to be updated.
    fn exists(&mut self, found: &Found, known: &[Related]) -> bool {
        let is_ours = known.iter().any(|known| !matches!(known.state, State::Removed { .. }));
        let Some(best) = &found.best else { return false };
        self.foreign.extend(best.entries.first().filter(|_| !is_ours));
        self.fixed += usize::from(best.differences.contains(&FIXED));
        let is_update = self.job.options.on_existing == OnExisting::Update;
        self.left_as_they_were += usize::from(best.is_changeable() && !is_update);
        best.is_changeable() && is_update
    }

    fn end(&mut self, row: usize, end: RowEnd) {
        self.doubts.remove(&row);
        self.ends[row] = end;
        (self.job.ended)();
    }

    /// Settles all open people of the project, also those of other files: shown, they are enrolled; absent, they are free.
    fn settle(&mut self, records: &[TestTaker], reading: &Reading) {
        let Job { journal, stop, .. } = self.job;
        for (person, shown) in self.rows.known.settled(records, reading, |record| journal.of_record(record)) {
            if let Some(entry) = shown {
                stop.note(journal.enrolled(person, entry, None, reading.began));
                let state = State::Enrolled { entry, enrolment: None, at: reading.began };
                self.rows.known.put(Known { identity: person, state });
            } else {
                stop.note(journal.free(person, reading.began));
                self.rows.known.free(person, reading.began);
            }
        }
    }

    fn finish(mut self) -> Run {
        self.differing.sort_by_key(|(row, _)| *row);
        let is_dry_run = self.job.is_dry_run;
        for row in std::mem::take(&mut self.to_send) {
            let words = self.again.remove(&row).unwrap_or_default();
            let end = if is_dry_run { RowEnd::new(Outcome::Enrolled) } else { RowEnd::new(Outcome::NotAttempted) };
            self.end(row, end.message(words));
        }
        for (row, end) in std::mem::take(&mut self.doubts) {
            self.end(row, RowEnd { outcome: Outcome::InDoubt, ..end });
        }
        let failure = self.job.stop.why();
        if failure.is_some() {
            // Their updates are not sent.
            for (row, _) in std::mem::take(&mut self.differing) {
                self.ends[row].outcome = Outcome::NotAttempted;
            }
        }
        let returned = self.returning.iter().filter(|row| self.ends[**row].outcome == Outcome::Enrolled).count();
        let notes = [
            (returned, "who had been removed before"),
            (self.left_as_they_were, "with a different name or reference id (not updated)"),
            (self.fixed, "with a different birth year (it cannot be changed)"),
        ];
        let notes = notes.into_iter().filter(|(rows, _)| *rows > 0);
        let including =
            |rows| if self.ends.len() == 1 { String::new() } else { format!("including {} ", grouped(rows)) };
        let notes = notes.map(|(rows, what)| including(rows) + what).collect();
        Run { ends: self.ends, is_rehearsed: is_dry_run, differing: self.differing, notes, failure }
    }
}
