//! A run that changes people of a project: its lock, its journal, signals and progress, from the first request to the last.

use std::cell::OnceCell;

use jiff::Timestamp;

use super::session::Session;
use super::signals::{listen_no_more, second_wish};
use crate::bulk::each_row::{Planned, Site, Stopper};
use crate::bulk::enrol::{EnrolOptions, Job, ListRead, enrol};
use crate::bulk::outcome::{RowEnd, Run};
use crate::bulk::remove::remove;
use crate::bulk::rows::Rows;
use crate::bulk::service::{Clock, ProjectPeople, Service as _};
use crate::bulk::update::{Wanted, update};
use crate::journal::Journal;
use crate::journal::lock::Lock;
use crate::journal::people::People;
use crate::model::people::{NewTestTaker, TestTaker};
use crate::model::projects::{ProjectId, ProjectRef};
use crate::model::text::counted;
use crate::model::time::local_second;
use crate::model::verdict::Failure;

/// A run in one project, and the only one that changes it. A dry run sends and writes nothing, so it needs no lock.
pub struct Work<'s> {
    session: &'s Session,
    service: ProjectPeople<'s>,
    pub project: ProjectId,
    is_dry_run: bool,
    pub stop: Stopper<'s>,
    journal: OnceCell<Result<Journal, Failure>>,
    _lock: Option<Lock>,
}

impl<'s> Work<'s> {
    /// Begins a run. `command` names it to others that find the project locked.
    pub async fn begin(
        session: &'s Session,
        project: &ProjectRef,
        command: &str,
        is_dry_run: bool,
    ) -> anyhow::Result<Self> {
        let state = &session.settings()?.state_dir;
        let lock = if is_dry_run { None } else { Some(Lock::take(state, project.id, command)?) };
        let (client, project) = (session.client().await?, project.id);
        let (service, stop, journal) = (ProjectPeople { client, project }, Stopper::new(client), OnceCell::new());
        Ok(Self { session, service, project, is_dry_run, stop, journal, _lock: lock })
    }

    /// Does what the run is for, unless a signal ends it.
    pub fn run<T>(&self, work: impl Future<Output = anyhow::Result<T>>) -> impl Future<Output = anyhow::Result<T>> {
        // Nearly all that a command does is in this future.
        let work = Box::pin(work);
        async move {
            let done = tokio::select! {
                biased;
                failure = second_wish(self.session, &self.stop) => Err(failure.into()),
                done = work => done,
            };
            // Who sends one wish may send two signals.
            if self.stop.why().is_none() {
                listen_no_more();
            }
            done
        }
    }

    /// The run with these ends of its rows.
    pub fn ended(&self, ends: Vec<RowEnd>) -> Run {
        Run { ends, is_rehearsed: self.is_dry_run, failure: self.stop.why(), ..Run::default() }
    }

    /// What this machine remembers; opened when it is asked for, since a run that needs none must not fail by it.
    pub fn journal(&self) -> Result<&Journal, Failure> {
        let open = || if self.is_dry_run { self.session.journal_to_read() } else { self.session.journal() };
        self.journal.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    /// What it remembers of the project's people.
    pub fn people(&self) -> Result<People<'_>, Failure> {
        Ok(self.journal()?.people(self.project))
    }

    /// People to enrol, beside what it remembers of them.
    pub fn rows<'p>(&self, people: &'p [NewTestTaker], shared_mailboxes: bool) -> Result<Rows<'p>, Failure> {
        Rows::new(self.people()?, people, shared_mailboxes, Timestamp::now())
    }

    /// The whole list of the project.
    pub async fn list(&self) -> anyhow::Result<Vec<TestTaker>> {
        let _progress = self.session.count_answers();
        Ok(self.stop.unless_stopped(self.service.list()).await?)
    }

    /// How people are changed here, with a line of progress.
    pub fn site(&self, doing: &'static str, rows: usize) -> Result<Site<'_>, Failure> {
        let progress = self.session.progress(doing, Some(rows as u64));
        Ok(Site {
            client: self.service.client,
            project: self.project,
            most: usize::from(self.session.settings()?.concurrency),
            stop: &self.stop,
            is_dry_run: self.is_dry_run,
            ended: Box::new(move || progress.count()),
        })
    }

    /// Removes people, and gives each row an end.
    pub async fn remove(&self, rows: &[Planned<'_>]) -> anyhow::Result<Vec<RowEnd>> {
        Ok(remove(&self.site("removing", rows.len())?, self.people()?, rows).await)
    }

    /// Updates people to what is wanted of their row, and gives each row an end.
    pub async fn update(&self, rows: &[Planned<'_>], wanted: &[Wanted]) -> anyhow::Result<Vec<RowEnd>> {
        Ok(update(&self.site("updating", rows.len())?, rows, wanted).await)
    }

    /// Enrols people, each exactly once, then updates those who are in the project with other names, if that is wanted.
    pub async fn enrol(
        &self,
        rows: Rows<'_>,
        options: EnrolOptions,
        list: Option<ListRead<'_>>,
    ) -> anyhow::Result<Run> {
        let people = rows.people;
        let site = self.site("enrolling", rows.people.len())?;
        let waiting = |rows, until| {
            let rows = counted(rows, "row is in doubt", "rows are in doubt");
            self.session.console.say(&format!("{rows}: looking for them until {}", local_second(until)));
        };
        let job = Job {
            service: &self.service,
            journal: self.people()?,
            options,
            is_dry_run: self.is_dry_run,
            clock: Clock::at(Timestamp::now()),
            stop: &self.stop,
            ended: &*site.ended,
            waiting: &waiting,
        };
        let run = enrol(job, rows, list).await?;
        drop(site);
        if run.differing.is_empty() { Ok(run) } else { self.updated(people, run).await }
    }

    async fn updated(&self, people: &[NewTestTaker], mut run: Run) -> anyhow::Result<Run> {
        let differing = std::mem::take(&mut run.differing);
        let rows: Vec<Planned<'_>> = differing.iter().map(|(_, record)| Ok(record)).collect();
        let wanted: Vec<Wanted> = differing.iter().map(|(row, record)| Wanted::of(&people[*row], record)).collect();
        for ((row, _), end) in differing.iter().zip(self.update(&rows, &wanted).await?) {
            run.ends[*row] = RowEnd { enrolment: run.ends[*row].enrolment, ..end };
        }
        Ok(Run { failure: self.stop.why(), ..run })
    }
}
