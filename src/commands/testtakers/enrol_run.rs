//! What `enrol`, `import` and `sync` share: one run of enrolments in a project.

use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::update::{differing, rehearsed, send, updated};
use crate::bulk::each_row::Stopper;
use crate::bulk::enrol::{EnrolOptions, Event, Job, OnExisting, enrol};
use crate::bulk::outcome::Run;
use crate::bulk::service::{Clock, ProjectPeople, Service};
use crate::commands::session::Session;
use crate::commands::signals::interruptible;
use crate::journal::database::Journal;
use crate::journal::lock::Lock;
use crate::journal::people::People;
use crate::model::people::NewTestTaker;
use crate::model::projects::ProjectRef;
use crate::model::text::counted;
use crate::model::time::{duration, local_second};

/// How long rows in doubt are looked for.
#[derive(Args, Clone, Copy, Debug)]
pub struct SettleArgs {
    /// How late lost requests may act
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub settle: Duration,
    /// Do not wait for rows in doubt
    #[arg(long)]
    pub no_wait: bool,
}

/// What may be enrolled how.
#[derive(Clone, Copy, Debug)]
pub struct EnrolWish {
    pub again: bool,
    pub shared_mailboxes: bool,
    pub on_existing: OnExisting,
    pub is_dry_run: bool,
}

/// The journal, and the project's lock. A dry run writes nothing, so it takes no lock. `command` names this run to others that
/// find the project locked.
pub fn open(
    session: &Session,
    project: &ProjectRef,
    is_dry_run: bool,
    command: &str,
) -> anyhow::Result<(Journal, Option<Lock>)> {
    let state = &session.settings()?.state_dir;
    if is_dry_run {
        return Ok((Journal::open_to_read(state)?, None));
    }
    Ok((Journal::open(state)?, Some(Lock::take(state, project.id, command)?)))
}

/// Enrols people in a project, each exactly once.
pub async fn run(
    session: &Session,
    project: &ProjectRef,
    people: &[NewTestTaker],
    settle: SettleArgs,
    wish: EnrolWish,
    command: &str,
) -> anyhow::Result<Run> {
    let (journal, lock) = open(session, project, wish.is_dry_run, command)?;
    let client = session.client().await?;
    let stop = Stopper::new(client);
    let service = ProjectPeople { client, project: project.id };
    let work = run_at(session, &service, (journal.people(project.id), &stop), people, settle, wish);
    let run = interruptible(session, &stop, work).await??;
    if wish.on_existing != OnExisting::Update {
        return Ok(run);
    }
    // Updates take the lock for themselves.
    drop(lock);
    let updates = differing(session, project.id, people, &run).await?;
    if wish.is_dry_run || updates.iter().all(Option::is_none) {
        return Ok(updated(run, &updates, rehearsed(&updates)));
    }
    let sent = send(session, project, &updates, command).await?;
    Ok(Run { failure: sent.failure, ..updated(run, &updates, sent.ends) })
}

/// The same where the caller has opened the journal and listens to signals.
pub async fn run_at<S: Service>(
    session: &Session,
    service: &S,
    (journal, stop): (People<'_>, &Stopper<'_>),
    people: &[NewTestTaker],
    settle: SettleArgs,
    wish: EnrolWish,
) -> anyhow::Result<Run> {
    let progress = session.console.progress("enrolling", Some(people.len() as u64));
    let watch = |event| match event {
        Event::Ended(rows) => progress.answered(rows as u64),
        Event::Waiting { rows, until } => {
            let rows = counted(rows, "row is in doubt", "rows are in doubt");
            session.console.say(&format!("{rows}: looking until {} at most", local_second(until)));
        }
    };
    let job = Job {
        service,
        journal,
        people,
        options: EnrolOptions {
            most: usize::from(session.settings()?.concurrency),
            settle: settle.settle,
            waits: !settle.no_wait,
            again: wish.again,
            shared_mailboxes: wish.shared_mailboxes,
            on_existing: wish.on_existing,
        },
        is_dry_run: wish.is_dry_run,
        clock: Clock::at(Timestamp::now()),
        stop,
        watch: &watch,
    };
    Ok(enrol(job).await?)
}
