//! One roster in one project: runs, kills and what happens between them, and the oracle.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::Connection;
use tokio::time::{Instant, sleep, timeout};

use super::operator::{Row, roster};
use super::service::{Entry, FakeService};
use super::{Off, Setup};
use crate::bulk::each_row::Stopper;
use crate::bulk::enrol::{EnrolOptions, Job, OnExisting, enrol};
use crate::bulk::outcome::{Outcome, RowEnd, Run};
use crate::bulk::rows::Rows;
use crate::bulk::service::Clock;
use crate::journal::Journal;
use crate::model::people::{EntryId, NewTestTaker};
use crate::model::projects::ProjectId;
use crate::model::verdict::{Failure, Verdict};

const SETTLE: Duration = Duration::from_mins(5);
/// After so many runs no more kills and edits come.
const WILD: usize = 4;
const MOST: usize = 40;

pub struct World<'w> {
    pub kills: usize,
    setup: Setup,
    rng: fastrand::Rng,
    folder: &'w Path,
    journal: Journal,
    project: ProjectId,
    service: FakeService,
    rows: Vec<Row>,
    /// People whom others removed at some time.
    removed_elsewhere: Vec<bool>,
    /// When people were last removed from here.
    removed_here: Vec<Option<Instant>>,
    shared_mailboxes: bool,
    begin: Instant,
}

impl<'w> World<'w> {
    pub fn new(setup: Setup, seed: u64, folder: &'w Path) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let people = 4 + rng.usize(..24);
        let shared_mailboxes = setup.off == Off::Identity || rng.u8(..10) < 3;
        let with_references = shared_mailboxes && setup.off != Off::Identity;
        let rows = roster(people, shared_mailboxes, with_references || rng.u8(..3) == 0, &mut rng);
        let service = FakeService::new(setup, people, rng.fork());
        // Some were enrolled in the portal.
        for row in rows.iter().filter(|_| rng.u8(..12) == 0) {
            service.enrol_at(
                Instant::now() - Duration::from_hours(1),
                row.person,
                row.reference.as_deref(),
                &row.email,
            );
        }
        Self {
            kills: 0,
            setup,
            folder,
            journal: Journal::open(folder).expect("a journal"),
            project: uuid::Uuid::from_u64_pair(seed, rng.u64(..)),
            rng,
            service,
            removed_elsewhere: vec![false; people],
            removed_here: vec![None; people],
            rows,
            shared_mailboxes,
            begin: Instant::now(),
        }
    }

    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Runs, kills and edits until a run has ended in peace; the first broken promise.
    pub async fn play(&mut self) -> Option<String> {
        for attempt in 0..MOST {
            let is_wild = attempt < WILD;
            self.before_a_run(is_wild).await;
            let run = self.run(is_wild).await;
            if let Err(violation) = self.check(run.as_ref()) {
                return Some(violation);
            }
            let pause = [Duration::ZERO, Duration::from_secs(30), Duration::from_secs(2_000)][self.rng.usize(..3)];
            sleep(pause.mul_f64(self.rng.f64())).await;
            let is_over = |run: &Run| !run.ends.iter().any(|end| is_open(end.outcome)) && run.failure.is_none();
            if !is_wild && run.as_ref().is_some_and(is_over) {
                return None;
            }
        }
        Some("no run came to its end".to_owned())
    }

    async fn before_a_run(&mut self, is_wild: bool) {
        self.switch_off();
        let edits = if is_wild { self.rng.usize(..4) } else { 0 };
        for _ in 0..edits {
            let row = self.rng.usize(..self.rows.len());
            self.rows[row].edit(self.shared_mailboxes, &mut self.rng);
        }
        if is_wild && self.rng.u8(..4) == 0 {
            self.remove().await;
        }
        if self.rng.u8(..8) == 0 {
            self.rehearse().await;
        }
    }

    /// Somebody is removed: from here, or elsewhere.
    async fn remove(&mut self) {
        let (now, person) = (Instant::now(), self.rng.usize(..self.rows.len()));
        let is_theirs = |entry: &Entry| entry.person == person && entry.is_there(now);
        let Some(id) = self.service.entries.borrow().iter().find(|entry| is_theirs(entry)).map(|entry| entry.id) else {
            return;
        };
        if self.rng.bool() {
            self.service.remove_at(now, id);
            self.removed_elsewhere[person] = true;
            return;
        }
        // Nobody is removed from here twice within the settle time: a list may show who they were.
        if self.removed_here[person].replace(now).is_some_and(|before| now - before < SETTLE) {
            return;
        }
        let (row, people) = (&self.rows[person], self.journal.people(self.project));
        let who = people.identity(row.reference.as_deref(), &row.email);
        people.removing(&[(who, EntryId(id))]).expect("noted");
        // A run that dies here has removed nobody; one that dies later does not know it.
        let died = self.rng.u8(..8);
        if died > 0 {
            self.service.remove_at(now + Duration::from_secs(1), id);
        }
        sleep(Duration::from_secs(2)).await;
        if died > 1 {
            people.removed(EntryId(id), self.clock().now()).expect("noted");
        }
    }

    /// A dry run sends nothing and leaves the journal as it was.
    async fn rehearse(&mut self) {
        let (requests, before) = (self.service.requests.get(), self.journal_as_text());
        let (people, stop) = (self.people(), Stopper::default());
        let journal = Journal::open_to_read(self.folder).expect("a journal");
        let job = Job { is_dry_run: true, ..self.job(&journal, &stop, true) };
        if let Ok(rows) = self.rows_of_run(&people, &journal) {
            let _ = enrol(job, rows, None).await;
        }
        drop(journal);
        assert_eq!((self.service.requests.get(), self.journal_as_text()), (requests, before), "a dry run");
    }

    /// One run; `None` where it was killed.
    async fn run(&mut self, is_wild: bool) -> Option<Run> {
        let is_killed = is_wild && self.rng.u8(..10) < 5;
        let waits = !(is_wild && self.rng.u8(..5) == 0);
        let most = if self.service.is_busy { 500.0 } else { [5.0, 40.0, 500.0][self.rng.usize(..3)] };
        let some = most * self.rng.f64();
        let end = if is_killed { Duration::from_secs_f64(some) } else { Duration::MAX };
        let interrupt = if is_wild && self.rng.u8(..8) == 0 { Duration::from_secs_f64(some) } else { Duration::MAX };
        let (people, stop) = (self.people(), Stopper::default());
        self.service.lists.set(0);
        let signal = async {
            sleep(interrupt).await;
            stop.set(Failure::new(Verdict::Interrupted, "interrupted"));
            std::future::pending::<()>().await;
        };
        let run = async {
            let rows = self.rows_of_run(&people, &self.journal)?;
            tokio::select! {
                run = enrol(self.job(&self.journal, &stop, waits), rows, None) => run,
                () = signal => unreachable!("a signal ends nothing by itself"),
            }
        };
        match timeout(end, run).await {
            Ok(Ok(run)) => Some(run),
            // Nothing was sent.
            Ok(Err(failure)) => Some(Run {
                ends: vec![RowEnd::new(Outcome::NotAttempted); people.len()],
                failure: Some(failure),
                ..Run::default()
            }),
            Err(_) => {
                self.kills += 1;
                None
            }
        }
    }

    fn job<'a>(&'a self, journal: &'a Journal, stop: &'a Stopper<'a>, waits: bool) -> Job<'a, FakeService> {
        let settle = if self.setup.off == Off::LookedFor { Duration::ZERO } else { SETTLE };
        Job {
            service: &self.service,
            journal: journal.people(self.project),
            options: EnrolOptions {
                most: 8,
                settle,
                waits,
                again: self.project.as_u128().is_multiple_of(2),
                on_existing: OnExisting::Skip,
                learns: false,
            },
            is_dry_run: false,
            clock: self.clock(),
            stop,
            ended: &|| {},
            waiting: &|_, _| {},
        }
    }

    fn rows_of_run<'p>(&self, people: &'p [NewTestTaker], journal: &Journal) -> Result<Rows<'p>, Failure> {
        Rows::new(journal.people(self.project), people, self.shared_mailboxes, self.clock().now())
    }

    fn people(&self) -> Vec<NewTestTaker> {
        self.rows.iter().map(Row::test_taker).collect()
    }

    /// The wall clock goes with the paused one.
    fn clock(&self) -> Clock {
        Clock::at(Timestamp::UNIX_EPOCH + Duration::from_hours(1_000) + self.begin.elapsed())
    }

    /// What the oracle asks after each run.
    fn check(&self, run: Option<&Run>) -> Result<(), String> {
        let (now, entries) = (Instant::now(), self.service.entries.borrow());
        for row in &self.rows {
            // Also those who will come late: each of them stays.
            let theirs: Vec<&Entry> =
                entries.iter().filter(|entry| entry.person == row.person && entry.stays()).collect();
            let end = run.map(|run| &run.ends[row.person]);
            let who = || format!("person {}, {row:?}, {theirs:?}, ended {end:?}", row.person);
            if theirs.len() > 1 {
                return Err(format!("twice: {}", who()));
            }
            let Some(end) = end else { continue };
            let is_there = theirs.iter().any(|entry| entry.is_there(now));
            // Lists may still show people whom others removed; that breaks no promise.
            let is_excused = self.removed_elsewhere[row.person];
            match end.outcome {
                Outcome::Enrolled | Outcome::Existing | Outcome::Conflict if !is_there && !is_excused => {
                    return Err(format!("lost: {}", who()));
                }
                Outcome::Conflict if !row.is_edited => return Err(format!("conflict without an edit: {}", who())),
                Outcome::Enrolled | Outcome::Existing
                    if !is_excused && end.entry.map(|entry| entry.0) != theirs.first().map(|entry| entry.id) =>
                {
                    return Err(format!("another entry: {}", who()));
                }
                Outcome::Gone if !is_excused || is_there => return Err(format!("wrongly gone: {}", who())),
                _ => {}
            }
        }
        Ok(())
    }

    fn journal_file(&self) -> Connection {
        Connection::open(self.folder.join("journal.db")).expect("the journal")
    }

    fn journal_as_text(&self) -> String {
        let sql = "SELECT coalesce(group_concat(hex(key) || hex(email) || state || coalesce(at, '') || coalesce(entry, ''), ';'), '')
            FROM (SELECT * FROM people WHERE project = ?1 ORDER BY key)";
        self.journal_file().query_row(sql, [self.project.into_bytes()], |row| row.get(0)).expect("text")
    }

    /// Switches a rule off by changing what it left in the journal.
    fn switch_off(&self) {
        let sql = match self.setup.off {
            Off::IntentFirst => "DELETE FROM people WHERE project = ?1 AND state = 'open'",
            Off::OneOpenAttempt => {
                "UPDATE people SET email = randomblob(16) WHERE project = ?1 AND state = 'open' AND key <> email"
            }
            Off::FinalAnswers => "DELETE FROM people WHERE project = ?1 AND state = 'enrolled'",
            Off::RemovedByUs => "DELETE FROM people WHERE project = ?1 AND state IN ('removing', 'removed')",
            Off::SinceFound => return self.count_from_the_intent(),
            _ => return,
        };
        self.journal_file().execute(sql, [self.project.into_bytes()]).expect("switched off");
    }

    fn count_from_the_intent(&self) {
        let people = self.journal.people(self.project);
        let epoch = self.clock().now() - self.begin.elapsed();
        for row in &self.rows {
            let begun = self.service.begun.borrow()[row.person];
            let Some(begun) = begun else { continue };
            let at = epoch + begun.duration_since(self.begin);
            let who = people.identity(row.reference.as_deref(), &row.email);
            let sql = "UPDATE people SET at = ?3 WHERE project = ?1 AND key = ?2 AND state = 'open' AND at IS NULL";
            let values = rusqlite::params![self.project.into_bytes(), who.key, at.as_millisecond()];
            self.journal_file().execute(sql, values).expect("switched off");
        }
    }
}

fn is_open(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::InDoubt | Outcome::NotAttempted)
}
