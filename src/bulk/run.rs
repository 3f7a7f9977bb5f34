//! Running a plan: the clock, the network and the journal around the pure machine. What goes on is told through a
//! closure.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use crate::api::{Client, Error, PeopleQuery};
use crate::journal::rows::JournalRows;
use crate::model::projects::ProjectId;
use crate::model::testtakers::TestTaker;
use crate::model::verdict::{Failure, Verdict};

use super::answer::Stop;
use super::compare::Comparison;
use super::journal_view::{JournalPolicy, JournalView};
use super::outcome::{Finished, Outcome, RowResult};
use super::plan::{Action, Event, Plan, Progress, RowState, Settings};
use super::roster::{Field, Roster};
use super::timer::sleep_until;
use super::work::{Completion, Task, Work, next};

/// A list costs about four requests for a page of a hundred, a row two that is asked about.
const RECORDS_A_ROW: usize = 25;
/// What is to be remembered is written together, but no later than this.
const WRITE_AFTER: Duration = Duration::from_millis(100);

/// What a run is to do.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How the plan decides.
    pub plan: Settings,
    /// Another e-mail with the same reference id is another person.
    pub allow_doubles: bool,
    /// What the journal's knowledge means.
    pub journal: JournalPolicy,
}

/// Why a run could not begin: nothing was sent.
#[derive(Debug)]
pub enum NotBegun {
    /// The project's list cannot be read.
    Unreadable(Error),
    /// The journal cannot be used.
    Journal(Failure),
}

impl From<Error> for NotBegun {
    fn from(error: Error) -> Self {
        Self::Unreadable(error)
    }
}

impl From<Failure> for NotBegun {
    fn from(failure: Failure) -> Self {
        Self::Journal(failure)
    }
}

/// Makes sure that each row of a roster is enrolled in a project. Rows with mistakes are left out as invalid.
/// `interrupted` ends with whether it was SIGTERM; nothing new is launched then.
pub async fn run(
    client: &Client,
    project: ProjectId,
    roster: &Roster,
    journal: JournalRows,
    options: Options,
    interrupted: impl Future<Output = bool>,
    mut tell: impl FnMut(Progress),
) -> Result<Finished, NotBegun> {
    let mut interrupted = std::pin::pin!(interrupted);
    let clock = Clock::begin();
    let mut invalid = invalid(roster);
    let open = || (0..roster.row_count()).filter(|row| !invalid.contains_key(row));
    let mut comparison = Comparison::new(roster, open(), options.allow_doubles);
    let groups = comparison.groups();
    let mut memory = JournalView::new(roster, journal, options.journal, &groups)?;
    memory.recall(&mut comparison, open())?;
    let most = open().count().saturating_mul(RECORDS_A_ROW);
    let whole = tokio::select! {
        whole = read_people(client, project, most, &mut comparison, |read| tell(Progress::Reading(read))) => whole?,
        terminated = &mut interrupted => {
            return Ok(interrupted_early(invalid, roster.row_count(), options.plan, terminated));
        }
    };
    let exact = (0..roster.row_count()).map(|row| roster.value(row, Field::ReferenceId).is_some()).collect();
    let mut plan = Plan::new(options.plan, exact, groups);
    for row in 0..roster.row_count() {
        let start = match invalid.remove(&row) {
            Some(ended) => RowState::Ended(ended),
            None if !whole => RowState::Unasked,
            None => memory.start(row, &comparison, whole, clock.now())?,
        };
        plan.start(clock.now(), row, start);
    }
    let work = Work::new(client, project, roster, comparison, whole);
    Ok(Driver { work: &work, memory, clock, plan }.drive(interrupted, tell).await)
}

/// The rows that have a mistake, each with what is wrong.
pub fn invalid(roster: &Roster) -> HashMap<usize, RowResult> {
    let mut messages: HashMap<usize, String> = HashMap::new();
    for mistake in &roster.mistakes {
        let Some(row) = mistake.row else { continue };
        let message = messages.entry(row).or_default();
        let between = if message.is_empty() { "" } else { "; " };
        *message = format!("{message}{between}{}: {}", mistake.about, mistake.message);
    }
    let end = |(row, message): (usize, String)| (row, RowResult::new(Outcome::Invalid).with_message(message));
    messages.into_iter().map(end).collect()
}

/// Nothing was sent: each open row was not attempted.
fn interrupted_early(
    invalid: HashMap<usize, RowResult>,
    count: usize,
    settings: Settings,
    terminated: bool,
) -> Finished {
    let mut plan = Plan::new(settings, vec![false; count], HashMap::new());
    for (row, ended) in invalid {
        plan.start(Duration::ZERO, row, RowState::Ended(ended));
    }
    plan.step(Duration::ZERO, Event::Interrupted { terminated });
    finished(plan)
}

fn finished(plan: Plan) -> Finished {
    let stop = plan.stopped().cloned();
    let (ends, mut counts, verdict) = plan.end();
    counts.earlier = ends.iter().filter(|end| end.earlier && end.outcome == Outcome::Enrolled).count();
    Finished { ends, counts, verdict, stop }
}

/// Reads the project's list, verified, and compares. Where that takes more requests than to look up each row, `false`
/// is the answer, and each row is asked about by reference id and by e-mail.
async fn read_people(
    client: &Client,
    project: ProjectId,
    most: usize,
    comparison: &mut Comparison<'_>,
    tell: impl FnMut(usize),
) -> Result<bool, Error> {
    let list = client.test_takers(project, &PeopleQuery::default());
    let Some(people) = list.verified_within(most, false, tell).await? else { return Ok(false) };
    people.each_record(|record: TestTaker| comparison.see(&record))?;
    Ok(true)
}

/// The time since 1970, as it was at the start and counted on by a clock that never goes back.
#[derive(Clone, Copy, Debug)]
struct Clock {
    start: Instant,
    began: Duration,
}

impl Clock {
    fn begin() -> Self {
        let began = Timestamp::now().as_millisecond();
        Self { start: Instant::now(), began: Duration::from_millis(u64::try_from(began).unwrap_or_default()) }
    }

    fn now(&self) -> Duration {
        self.began + self.start.elapsed()
    }

    fn instant(&self, at: Duration) -> Instant {
        self.start + at.saturating_sub(self.began)
    }
}

/// A plan with what carries it out.
struct Driver<'w, 'r> {
    work: &'w Work<'r>,
    memory: JournalView<'r>,
    clock: Clock,
    plan: Plan,
}

impl<'w, 'r> Driver<'w, 'r> {
    async fn drive(
        mut self,
        mut interrupted: Pin<&mut impl Future<Output = bool>>,
        mut tell: impl FnMut(Progress),
    ) -> Finished {
        let mut under_way: Vec<Task<'w, 'r>> = Vec::new();
        let mut journaling = false;
        let mut written = self.clock.now();
        let mut listening = true;
        let mut deadline = self.work.deadline();
        let mut event = Event::Tick;
        loop {
            let now = self.clock.now();
            self.plan.set_room(self.work.room());
            for action in self.plan.step(now, event) {
                journaling |= matches!(action, Action::Journal(_));
                under_way.extend(self.start(action, now));
            }
            tell(self.plan.progress());
            if self.plan.is_finished() {
                return self.finish();
            }
            // While intents are being written, the journal is theirs.
            if !journaling && self.memory.pending() > 0 && now >= written + WRITE_AFTER {
                written = now;
                if let Err(failure) = self.memory.flush() {
                    event = Event::JournalFailed(failure.cause);
                    continue;
                }
            }
            let flush = (!journaling && self.memory.pending() > 0).then_some(written + WRITE_AFTER);
            let wake = self.plan.wakes_at().into_iter().chain(flush).min().map(|at| self.clock.instant(at));
            event = tokio::select! {
                came = next(&mut under_way) => {
                    journaling &= !matches!(came, Completion::Journaled(..));
                    self.event(came)
                }
                () = sleep_until(wake) => Event::Tick,
                () = sleep_until(deadline) => {
                    deadline = None;
                    Event::OutOfTime
                }
                terminated = &mut interrupted, if listening => {
                    listening = false;
                    // What only waits for its turn was never sent.
                    self.work.close();
                    Event::Interrupted { terminated }
                }
            };
        }
    }

    /// Writes what is left. What can't be written is looked up by the next run.
    fn finish(mut self) -> Finished {
        let written = self.memory.flush();
        let mut finished = finished(self.plan);
        if let Err(failure) = written {
            finished.verdict = finished.verdict.max(Verdict::Unforeseen);
            finished.stop.get_or_insert(Stop::Journal(failure.cause));
        }
        finished
    }

    fn start(&mut self, action: Action, now: Duration) -> Option<Task<'w, 'r>> {
        let work = self.work;
        match action {
            Action::Note(row, note) => {
                self.memory.note(row, note, now);
                None
            }
            Action::Release(row) => {
                self.memory.release(row, now);
                None
            }
            Action::Journal(rows) => {
                let write = self.memory.commit(&rows, &work.comparison.borrow(), now);
                Some(Box::pin(async move {
                    let written = tokio::task::spawn_blocking(write).await;
                    Completion::Journaled(rows, written.map_err(|error| error.to_string()))
                }))
            }
            Action::Audit => {
                let enrolled = |(row, ended): (usize, &RowResult)| match ended.outcome {
                    Outcome::Enrolled | Outcome::Duplicate => ended.entry.map(|entry| (row, entry)),
                    _ => None,
                };
                let rows = 0..work.row_count();
                let ours = rows.filter_map(|row| Some((row, self.plan.ended(row)?))).filter_map(enrolled).collect();
                Some(Box::pin(work.audit(ours)))
            }
            Action::Look(row) if self.memory.is_held(row) => Some(work.ask_about(row)),
            action => work.start(&action),
        }
    }

    fn event(&mut self, came: Completion<'r>) -> Event {
        let now = self.clock.now();
        let event = match came {
            Completion::Answered(row, answer) => Ok(Event::Answered(row, answer)),
            Completion::Updated(row, did) => Ok(Event::Updated(row, did)),
            Completion::Asked(row, Ok(records)) => self.asked(row, &records, now),
            Completion::Looked(row, Ok(records)) => self.looked(row, &records),
            Completion::Asked(row, Err(error)) | Completion::Looked(row, Err(error)) => {
                Ok(Event::ReadFailed(row, super::answer::stop(&error), error.to_string()))
            }
            Completion::Journaled(rows, Ok(Ok(claimed))) => {
                Ok(Event::Journaled(self.memory.contested(&rows, claimed, now)))
            }
            Completion::Journaled(_, Ok(Err(failure))) => Err(failure),
            Completion::Journaled(_, Err(words)) => Ok(Event::JournalFailed(words)),
            Completion::Audited(Ok(audit)) => self.audited(&audit),
            Completion::Audited(Err(error)) => Ok(Event::AuditFailed(error.to_string())),
        };
        event.unwrap_or_else(|failure| Event::JournalFailed(failure.cause))
    }

    fn asked(&mut self, row: usize, records: &[TestTaker], now: Duration) -> Result<Event, Failure> {
        let mut comparison = self.work.comparison.borrow_mut();
        for record in records {
            comparison.see(record);
        }
        if !self.memory.is_held(row) {
            return Ok(Event::Asked(row, self.memory.start(row, &comparison, false, now)?));
        }
        // The row waits for another one, which may be what was found now.
        let Some(ended) = comparison.standing(row) else { return Ok(Event::Looked(row, Vec::new())) };
        if let Some(entry) = ended.entry {
            self.memory.other_found(row, entry, now);
        }
        Ok(Event::Asked(row, RowState::Ended(ended)))
    }

    fn looked(&self, row: usize, records: &[TestTaker]) -> Result<Event, Failure> {
        let comparison = self.work.comparison.borrow();
        // A row that has ended is read back for its own entry.
        let own = self.plan.ended(row).and_then(|ended| ended.entry);
        let mut found = Vec::new();
        for entry in self.work.like(row, records) {
            if own == Some(entry) || !self.memory.is_anothers(row, entry, &comparison)? {
                found.push(entry);
            }
        }
        Ok(Event::Looked(row, found))
    }

    fn audited(&self, audit: &Comparison<'_>) -> Result<Event, Failure> {
        let comparison = self.work.comparison.borrow();
        let mut twice: HashMap<usize, HashSet<crate::model::testtakers::EntryId>> = HashMap::new();
        for (row, entry) in audit.duplicates() {
            if !self.memory.is_anothers(*row, *entry, &comparison)? {
                twice.entry(*row).or_default().insert(*entry);
            }
        }
        let sorted = |(row, entries): (usize, HashSet<_>)| {
            let mut entries: Vec<_> = entries.into_iter().collect();
            entries.sort_unstable();
            (row, entries)
        };
        Ok(Event::Audited { missing: audit.missing(), twice: twice.into_iter().map(sorted).collect() })
    }
}
