//! Running a plan: the clock, the network and the journal around the pure machine. What goes on is told through a
//! closure.

use std::cell::RefCell;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;

use crate::api::{Client, Error, PeopleQuery, VerifiedList, sleep_until};
use crate::journal::clock::Moment;
use crate::journal::rows::JournalRows;
use crate::journal::written_fields::WrittenFields;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;

use super::compare::Comparison;
use super::list_or_look_ups::longest_to_enrol;
use super::outcome::{Finished, RowResult};
use super::plan::{Action, Event, Progress};
use super::plan_requests::{Task, Work};
use super::roster::Roster;
use super::run_start::Beginning;
use super::run_state_machine::{Completion, Machine, RunOptions};

/// How long what is to be remembered is collected before it is written.
const WRITE_AFTER: Duration = Duration::from_millis(100);

/// Why a run could not begin: nothing was sent.
#[derive(Debug)]
pub enum NotBegun {
    /// The project's list cannot be read.
    Unreadable {
        /// Why.
        error: Error,
        /// Rows that an earlier run left in doubt.
        in_doubt: usize,
    },
    /// The journal cannot be used.
    Journal(Failure),
}

impl From<Failure> for NotBegun {
    fn from(failure: Failure) -> Self {
        Self::Journal(failure)
    }
}

/// What is to be enrolled where.
#[derive(Debug)]
pub struct Enrolling<'r> {
    pub project: ProjectId,
    /// The rows.
    pub roster: &'r Roster,
    /// The project's list, where it was read already.
    pub list: Option<&'r VerifiedList>,
    /// Rows that end so whatever the project holds; nothing is sent for them.
    pub settled: HashMap<usize, RowResult>,
}

impl<'r> Enrolling<'r> {
    /// All rows of a roster, into a project whose list was not read yet.
    pub fn all(project: ProjectId, roster: &'r Roster) -> Self {
        Self { project, roster, list: None, settled: HashMap::new() }
    }
}

/// Makes sure that each row of a roster is enrolled in a project. Rows with mistakes are left out as invalid.
/// `interrupted` ends with whether it was SIGTERM; nothing new is launched then.
pub async fn run(
    client: &Client,
    Enrolling { project, roster, list, settled }: Enrolling<'_>,
    (journal, written): (JournalRows, &RefCell<WrittenFields>),
    options: RunOptions,
    interrupted: impl Future<Output = bool>,
    mut tell: impl FnMut(Progress),
) -> Result<Finished, NotBegun> {
    let mut interrupted = std::pin::pin!(interrupted);
    let clock = Clock::begin();
    let hasher = journal.hasher();
    let mut machine = Machine::new((roster, settled), (journal, hasher), options, clock.beginning)?;
    // What became of a row in doubt is told by what else the list shows or lacks.
    let is_in_doubt = !machine.view.doubtful().is_empty();
    let most = if is_in_doubt { usize::MAX } else { longest_to_enrol(machine.open_rows()) };
    let whole = tokio::select! {
        whole = compare(client, project, (list, most), &mut machine.comparison, |read| tell(Progress::Reading(read))) => {
            whole.map_err(|error| NotBegun::Unreadable { error, in_doubt: machine.view.doubtful().len() })?
        }
        terminated = &mut interrupted => {
            machine.begin(clock.now(), false)?;
            machine.step(clock.now(), Event::Interrupted { terminated });
            return Ok(machine.finish());
        }
    };
    if let Some(lacking) = machine.view.lacks_all(&machine.comparison)?.filter(|_| whole) {
        return Err(blind_list(lacking).into());
    }
    machine.begin(clock.now(), whole)?;
    let work = Work::new(client, (project, roster), written, whole);
    Ok(Driver { work: &work, machine, clock }.drive(interrupted, tell).await)
}

/// Reads the project's list, verified, where that was not done before, and compares. Where that takes more requests than
/// to look up each row, `false` is the answer, and each row is asked about by reference id and by e-mail.
async fn compare(
    client: &Client,
    project: ProjectId,
    (list, most): (Option<&VerifiedList>, usize),
    comparison: &mut Comparison<'_>,
    tell: impl FnMut(usize),
) -> Result<bool, Error> {
    let read;
    let people = if let Some(people) = list {
        people
    } else {
        let list = client.test_takers(project, &PeopleQuery::default());
        let Some(people) = list.verified_within(most, true, tell).await? else { return Ok(false) };
        read = people;
        &read
    };
    people.each_person(|person| comparison.add_listed(&person))?;
    Ok(true)
}

/// A person that such a list lacks may be enrolled all the same: nothing is sent by it.
fn blind_list(lacking: usize) -> Failure {
    let cause =
        format!("the project's list shows none of the last {lacking} people enrolled from here; nothing was sent");
    Failure::new(Verdict::Unfinished, cause).hint(
        "look at the project in the portal; if they were removed there, `assessctl journal forget -p NAME_OR_ID` lets \
         it go, and else try again later; --again does not help, because it would enrol them twice",
    )
}

/// The time since 1970, as it was at the start and counted on by a clock that never goes back.
#[derive(Clone, Copy, Debug)]
struct Clock {
    start: Instant,
    beginning: Beginning,
}

impl Clock {
    fn begin() -> Self {
        let moment = Moment::now();
        let at = Duration::from_millis(u64::try_from(moment.wall).unwrap_or_default());
        Self { start: Instant::now(), beginning: Beginning { at, moment } }
    }

    fn now(&self) -> Duration {
        self.beginning.at + self.start.elapsed()
    }

    fn instant(&self, at: Duration) -> Instant {
        self.start + at.saturating_sub(self.beginning.at)
    }
}

/// A machine with what carries it out.
struct Driver<'w, 'r> {
    work: &'w Work<'r>,
    machine: Machine<'r, JournalRows>,
    clock: Clock,
}

impl<'w, 'r> Driver<'w, 'r> {
    async fn drive(
        mut self,
        mut interrupted: Pin<&mut impl Future<Output = bool>>,
        mut tell: impl FnMut(Progress),
    ) -> Finished {
        let mut under_way: FuturesUnordered<Task<'w, 'r>> = FuturesUnordered::new();
        let mut journaling = false;
        let mut written = self.clock.now();
        let mut listening = true;
        let mut deadline = self.work.client.deadline();
        let mut event = Event::Tick;
        loop {
            let now = self.clock.now();
            self.machine.plan.set_room(self.work.client.room());
            for action in self.machine.step(now, event) {
                journaling |= matches!(action, Action::Journal(_));
                under_way.extend(self.start(action, now));
            }
            tell(self.machine.plan.progress());
            if self.machine.plan.is_finished() {
                return self.machine.finish();
            }
            // While intents are being written, the journal is theirs.
            let pending = !journaling && self.machine.view.pending() > 0;
            if pending && (now >= written + WRITE_AFTER || self.machine.view.is_urgent) {
                written = now;
                if let Err(failure) = self.machine.view.flush() {
                    event = Event::JournalFailed(failure);
                    continue;
                }
            }
            let flush = (!journaling && self.machine.view.pending() > 0).then_some(written + WRITE_AFTER);
            let wake = self.machine.plan.wakes_at().into_iter().chain(flush).min().map(|at| self.clock.instant(at));
            event = tokio::select! {
                Some(completion) = under_way.next() => {
                    journaling &= !matches!(completion, Completion::Journaled(..));
                    self.machine.take(self.clock.now(), completion)
                }
                () = sleep_until(wake) => Event::Tick,
                () = sleep_until(deadline) => {
                    deadline = None;
                    Event::OutOfTime
                }
                terminated = &mut interrupted, if listening => {
                    listening = false;
                    // What only waits for its turn was never sent.
                    self.work.client.close();
                    Event::Interrupted { terminated }
                }
            };
        }
    }

    fn start(&mut self, action: Action, now: Duration) -> Option<Task<'w, 'r>> {
        let work = self.work;
        match action {
            Action::Journal(rows) => {
                let write = self.machine.view.commit(&rows, &self.machine.comparison, now);
                Some(Box::pin(async move { Completion::Journaled(rows, in_a_thread(write).await) }))
            }
            Action::Audit { whole } => {
                let list = whole || work.whole;
                let (audit, rows) = self.machine.audit(list);
                Some(Box::pin(work.audit(audit, rows, list)))
            }
            Action::Update(row) => {
                let entry = self.machine.comparison.differs(row);
                Some(Box::pin(async move { Completion::Updated(row, work.update(row, entry).await) }))
            }
            Action::Ask(row) => Some(work.ask(row)),
            Action::Send(row) => Some(Box::pin(async move { Completion::Answered(row, work.send(row).await) })),
            Action::Look { row, closely } => Some(work.look(row, closely)),
            Action::ReadBack(row) => Some(work.look(row, false)),
            // These concern memory alone, and the machine has done them.
            Action::Note(..) | Action::Release(_) | Action::Compare => None,
        }
    }
}

/// Writes to the disk without holding up what is under way.
async fn in_a_thread<T: Send + 'static>(
    write: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let written = tokio::task::spawn_blocking(write).await;
    written.unwrap_or_else(|error| Err(Failure::new(Verdict::Unforeseen, error.to_string())))
}
