//! Running a plan: the clock and the network around the pure machine. What goes on is told through a closure.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

use crate::api::{Client, Error, PeopleQuery, Read};
use crate::model::listing::{PAGE_SIZE_MAX, ReferenceLookup};
use crate::model::projects::ProjectId;
use crate::model::testtakers::{NewTestTaker, TestTaker};
use crate::model::verdict::Verdict;

use super::answer::{Answer, Stop, judge, stop};
use super::compare::{Comparison, may_be};
use super::outcome::{Counts, Ended, Outcome};
use super::plan::{Action, Event, Plan, Progress, Settings};
use super::roster::Roster;

/// What a run is to do.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How the plan decides.
    pub plan: Settings,
    /// Another e-mail with the same reference id is another person.
    pub allow_doubles: bool,
}

/// How a run ended.
#[derive(Debug)]
pub struct Finished {
    /// The end of each row, in the order of the roster.
    pub ends: Vec<Ended>,
    /// How many ended how.
    pub counts: Counts,
    /// How the run ended.
    pub verdict: Verdict,
    /// Why it stopped before its end.
    pub stop: Option<Stop>,
}

/// Makes sure that each row of a roster is enrolled in a project. Rows with mistakes are left out as invalid.
/// `interrupted` ends with whether it was SIGTERM; nothing new is launched then. Fails where the project's list cannot
/// be read: nothing was sent.
pub async fn run(
    client: &Client,
    project: ProjectId,
    roster: &Roster,
    options: Options,
    interrupted: impl Future<Output = bool>,
    mut tell: impl FnMut(Progress),
) -> Result<Finished, Error> {
    let mut interrupted = std::pin::pin!(interrupted);
    let mut ends = invalid(roster);
    let open = || (0..roster.row_count()).filter(|row| ends[*row].is_none());
    let mut comparison = Comparison::new(roster, open(), options.allow_doubles);
    let whole = tokio::select! {
        whole = read_people(client, project, open().count(), &mut comparison, &mut tell) => whole?,
        terminated = &mut interrupted => return Ok(interrupted_early(ends, options.plan, terminated)),
    };
    for (row, end) in ends.iter_mut().enumerate().filter(|(_, end)| end.is_none()) {
        *end = comparison.standing(row);
    }
    let twins = comparison.twins();
    let plan = Plan::new(options.plan, ends, twins);
    let work = Work { client, project, roster, comparison: RefCell::new(comparison), whole };
    Ok(work.drive(plan, interrupted, tell).await)
}

/// The rows that have a mistake, each with what is wrong.
fn invalid(roster: &Roster) -> Vec<Option<Ended>> {
    let mut messages: HashMap<usize, String> = HashMap::new();
    for mistake in &roster.mistakes {
        let Some(row) = mistake.row else { continue };
        let message = messages.entry(row).or_default();
        let between = if message.is_empty() { "" } else { "; " };
        *message = format!("{message}{between}{}: {}", mistake.about, mistake.message);
    }
    let end = |row| messages.remove(&row).map(|message| Ended::new(Outcome::Invalid).saying(message));
    (0..roster.row_count()).map(end).collect()
}

/// Nothing was sent: each open row was not attempted.
fn interrupted_early(ends: Vec<Option<Ended>>, settings: Settings, terminated: bool) -> Finished {
    let mut plan = Plan::new(settings, ends, HashSet::new());
    plan.step(Duration::ZERO, Event::Interrupted { terminated });
    finished(plan)
}

fn finished(plan: Plan) -> Finished {
    let stop = plan.stopped().cloned();
    let (ends, counts, verdict) = plan.end();
    Finished { ends, counts, verdict, stop }
}

/// Reads the project's list and compares. Where that takes more requests than to look up each row, it stops: then
/// `false` is the answer, and each row is looked up by reference id and by e-mail.
async fn read_people(
    client: &Client,
    project: ProjectId,
    rows: usize,
    comparison: &mut Comparison<'_>,
    tell: &mut impl FnMut(Progress),
) -> Result<bool, Error> {
    let list = client.test_takers(project, &PeopleQuery::default());
    let mut pages = list.walk();
    let mut records = 0;
    while let Some(page) = pages.next().await? {
        records += page.len();
        tell(Progress::Reading(records));
        for read in &page {
            comparison.see(&read.record);
        }
        if records >= rows.saturating_mul(PAGE_SIZE_MAX as usize) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What came of an action.
enum Came {
    Asked(usize, Result<Vec<TestTaker>, Error>),
    Answered(usize, Answer),
    Looked(usize, Result<Vec<TestTaker>, Error>),
}

type Doing<'a> = Pin<Box<dyn Future<Output = Came> + 'a>>;

/// The network side of a run.
struct Work<'a> {
    client: &'a Client,
    project: ProjectId,
    roster: &'a Roster,
    comparison: RefCell<Comparison<'a>>,
    /// The project's list was read to its end.
    whole: bool,
}

impl Work<'_> {
    async fn drive(
        &self,
        mut plan: Plan,
        mut interrupted: Pin<&mut impl Future<Output = bool>>,
        mut tell: impl FnMut(Progress),
    ) -> Finished {
        let start = Instant::now();
        let mut under_way: Vec<Doing<'_>> = Vec::new();
        let mut listening = true;
        let mut deadline = self.client.deadline();
        let mut event = Event::Tick;
        loop {
            let actions = plan.step(start.elapsed(), event);
            under_way.extend(actions.into_iter().map(|action| self.start(action)));
            tell(plan.progress());
            if plan.is_finished() {
                return finished(plan);
            }
            let wake = plan.wakes_at().map(|at| start + at);
            event = tokio::select! {
                came = next(&mut under_way) => self.event(came),
                () = sleep_until(wake) => Event::Tick,
                () = sleep_until(deadline) => {
                    deadline = None;
                    Event::OutOfTime
                }
                terminated = &mut interrupted, if listening => {
                    listening = false;
                    Event::Interrupted { terminated }
                }
            };
        }
    }

    fn start(&self, action: Action) -> Doing<'_> {
        match action {
            Action::Ask(row) => Box::pin(async move { Came::Asked(row, self.ask(row).await) }),
            Action::Send(row) => Box::pin(async move { Came::Answered(row, self.send(row).await) }),
            Action::Look(row) | Action::ReadBack(row) => {
                Box::pin(async move { Came::Looked(row, self.look(row).await) })
            }
        }
    }

    fn event(&self, came: Came) -> Event {
        match came {
            Came::Answered(row, answer) => Event::Answered(row, answer),
            Came::Asked(row, Ok(records)) => {
                let mut comparison = self.comparison.borrow_mut();
                for record in &records {
                    comparison.see(record);
                }
                Event::Asked(row, comparison.standing(row))
            }
            Came::Looked(row, Ok(records)) => {
                let comparison = self.comparison.borrow();
                let person = self.roster.person(row);
                let ours = |record: &&TestTaker| person.as_ref().is_some_and(|person| may_be(person, record));
                let found = records.iter().filter(ours).map(TestTaker::entry_id);
                Event::Looked(row, found.filter(|entry| !comparison.was_there(*entry)).collect())
            }
            Came::Asked(row, Err(error)) | Came::Looked(row, Err(error)) => {
                Event::ReadFailed(row, stop(&error), error.to_string())
            }
        }
    }

    /// Asks for a row that the walk did not show. Where the list was not read whole, the e-mail is asked for as well.
    async fn ask(&self, row: usize) -> Result<Vec<TestTaker>, Error> {
        let Some(person) = self.roster.person(row) else { return Ok(Vec::new()) };
        let mut found = self.look_up(&person).await?;
        if !self.whole && person.reference_id.is_some() {
            found.extend(records(self.client.with_email(self.project, person.email.as_str()).await?));
        }
        Ok(found)
    }

    async fn look(&self, row: usize) -> Result<Vec<TestTaker>, Error> {
        match self.roster.person(row) {
            Some(person) => self.look_up(&person).await,
            None => Ok(Vec::new()),
        }
    }

    /// By reference id, exactly; by e-mail where there is none.
    async fn look_up(&self, person: &NewTestTaker) -> Result<Vec<TestTaker>, Error> {
        let found = match &person.reference_id {
            Some(id) => self.client.with_reference_id(self.project, &ReferenceLookup::from(id)).await?,
            None => self.client.with_email(self.project, person.email.as_str()).await?,
        };
        Ok(records(found))
    }

    async fn send(&self, row: usize) -> Answer {
        match self.roster.person(row) {
            Some(person) => judge(&person, self.client.enrol(self.project, &person).await),
            None => Answer::Refused("the row has a mistake".to_owned()),
        }
    }
}

fn records(found: Vec<Read<TestTaker>>) -> Vec<TestTaker> {
    found.into_iter().map(|read| read.record).collect()
}

/// The next thing under way that ends; for ever where there is none.
async fn next(under_way: &mut Vec<Doing<'_>>) -> Came {
    poll_fn(|context| {
        for index in 0..under_way.len() {
            if let Poll::Ready(came) = under_way[index].as_mut().poll(context) {
                drop(under_way.swap_remove(index));
                return Poll::Ready(came);
            }
        }
        Poll::Pending
    })
    .await
}

/// Sleeps until then; for ever where there is no time to wake at.
async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}
