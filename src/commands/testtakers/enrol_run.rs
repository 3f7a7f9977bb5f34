//! What `import`, `enrol` and `sync` share: a run through the journal, its signals, and what to say at its end.

use std::time::Duration;

use clap::Args;

use crate::api::Error;
use crate::bulk::journal_policy::JournalPolicy;
use crate::bulk::on_existing::OnExisting;
use crate::bulk::outcome::Finished;
use crate::bulk::plan::{AtEnd, PlanSettings, Progress, SETTLE};
use crate::bulk::run_plan::{Enrolling, NotBegun, run};
use crate::bulk::run_state_machine::RunOptions;
use crate::bulk::run_verdict::with_late_reads;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::run_failure::{AGAIN, UNREAD};
use crate::commands::shared::signals::Interrupt;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::time::parse_duration;

/// What to do about rows whose answer was lost.
#[derive(Clone, Copy, Debug, Args)]
pub struct DoubtArgs {
    /// How long a lost request may still take effect, or a list lag behind: so long a row is looked up
    #[arg(long, value_name = "TIME", default_value = SETTLE, value_parser = parse_duration)]
    pub settle: Duration,
    /// Leave what is in doubt to a later run instead of waiting
    #[arg(long)]
    no_wait: bool,
    /// Send rows without a reference id again too, once they were looked up and not found
    #[arg(long)]
    resend_in_doubt: bool,
}

/// How a run goes about its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// It holds the project's lock.
    Locked,
    /// It goes beside others; its claims in the journal are enough for one person.
    Beside,
    /// It sends nothing.
    DryRun,
}

/// How a roster is to be enrolled.
#[derive(Clone, Copy, Debug)]
pub struct EnrolRun {
    /// Requests under way at a time.
    pub concurrency: usize,
    /// With the lock, beside others, or only to see.
    pub lock_mode: LockMode,
    /// What to do about people who are enrolled already.
    pub on_existing: OnExisting,
    /// Enrol anew who is gone.
    pub again: bool,
    /// Another e-mail with the same reference id is another person.
    pub allow_duplicates: bool,
}

impl EnrolRun {
    /// Runs until the end or the user's: a first signal lets what is under way finish, a second one leaves at once.
    pub async fn run(
        self,
        context: &ProjectContext<'_>,
        enrolling: Enrolling<'_>,
        doubt: DoubtArgs,
        tell: impl FnMut(Progress),
    ) -> anyhow::Result<Finished> {
        let (journal, written) = (context.rows()?, context.written_fields()?);
        let plan = PlanSettings {
            concurrency: self.concurrency,
            settle: doubt.settle,
            dry_run: self.lock_mode == LockMode::DryRun,
            on_existing: self.on_existing,
            resend_in_doubt: doubt.resend_in_doubt,
            wait_for_list: self.lock_mode != LockMode::Beside,
            at_end: if doubt.no_wait { AtEnd::Leave } else { AtEnd::Wait },
            seed: fastrand::u64(..),
        };
        let policy = JournalPolicy {
            again: self.again,
            on_existing: self.on_existing,
            settle: doubt.settle,
            patience: context.session.write_timeout(),
            locked: self.lock_mode == LockMode::Locked,
        };
        let options = RunOptions { plan, allow_duplicates: self.allow_duplicates, journal: policy };
        let interrupt = Interrupt::watch()?;
        let interrupted = async { interrupt.requested().await == Verdict::Terminated };
        let running = Box::pin(run(&context.client, enrolling, (journal, &written), options, interrupted, tell));
        match interrupt.unless_pressed(running).await {
            Ok(Ok(finished)) => Ok(with_late_reads(finished)),
            Ok(Err(NotBegun::Unreadable { error, in_doubt })) => Err(unreadable(error, in_doubt)),
            Ok(Err(NotBegun::Journal(failure))) => Err(failure.into()),
            Err(verdict) => {
                let cause = "stopped at once; the next run checks the last requests";
                Err(Failure::new(verdict, cause).hint(AGAIN).into())
            }
        }
    }
}

/// That the list cannot be read. Where rows are in doubt, that is no run which did nothing and may be forgotten.
fn unreadable(error: Error, in_doubt: usize) -> anyhow::Error {
    if in_doubt == 0 || error.verdict() != Verdict::NoAnswer {
        return anyhow::Error::new(error).context(UNREAD);
    }
    let rows = counted(in_doubt, "row is", "rows are");
    let cause = format!("{UNREAD}, and {rows} in doubt: {error}");
    Failure::new(Verdict::Unfinished, cause).hint(AGAIN).into()
}

/// Enrols and changes the rows of a sync, or rehearses it: names and missing reference ids are changed, another e-mail is
/// never another person. `again`: the old entries of these people have the same reference id and another e-mail; they go
/// once the new ones stand.
pub async fn enrol_for_sync(
    context: &ProjectContext<'_>,
    enrolling: Enrolling<'_>,
    doubt: DoubtArgs,
    lock_mode: LockMode,
    again: bool,
) -> anyhow::Result<Finished> {
    let session = context.session;
    if lock_mode == LockMode::Locked {
        session.may_write()?;
    }
    let enrol_run = EnrolRun {
        concurrency: session.settings.concurrency.value.most() as usize,
        lock_mode,
        on_existing: OnExisting::Update,
        again: false,
        allow_duplicates: again,
    };
    let bar = RunBar::new(session.console);
    enrol_run.run(context, enrolling, doubt, |progress| bar.show(progress)).await
}
