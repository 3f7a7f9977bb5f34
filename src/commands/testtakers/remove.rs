//! `testtakers remove`.

use clap::Args;
use jiff::Timestamp;

use crate::bulk::each_row::Stopper;
use crate::bulk::find_people::{Others, PeopleIndex};
use crate::bulk::outcome::{Of, Outcome, RowEnd, Run};
use crate::bulk::remove::Removal;
use crate::bulk::service::Clock;
use crate::commands::account::Account;
use crate::commands::people::{ByArgs, PeopleArgs, people_in};
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::commands::signals::interruptible;
use crate::journal::database::Journal;
use crate::journal::lock::Lock;
use crate::model::people::TestTaker;
use crate::model::projects::ProjectRef;
use crate::model::verdict::{Failure, Verdict};
use crate::output::OutputArgs;
use crate::roster::Needs;

/// Remove people from a project
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers remove EMP-00017 -p Demo\n  assessctl testtakers remove --file leavers.csv --max 50 --yes"
)]
pub struct RemovePeople {
    #[command(flatten)]
    people: PeopleArgs,
    #[command(flatten)]
    by: ByArgs,
    #[command(flatten)]
    project: ProjectArgs,
    /// Remove nobody if more than N would go
    #[arg(long, value_name = "N")]
    max: Option<usize>,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Only show what would be done
    #[arg(long, alias = "dryrun")]
    dry_run: bool,
    #[command(flatten)]
    show: OutputArgs,
}

impl RemovePeople {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if !self.dry_run {
            session.may_write()?;
        }
        let account = Account::new(session, &self.show)?;
        let named = self.people.read(session, Needs::Person)?;
        let project = self.project.find(session).await?;
        let records = named.records(session, &project, &[]).await?;
        named.refuse_ambiguous(&records)?;
        let found = PeopleIndex::new(&records).find(&named.people(), self.by.by, Others::Names);
        named.refuse_several(&found)?;
        let mut ends: Vec<Option<RowEnd>> = found.iter().map(|found| found.as_ref().err().cloned()).collect();
        named.excuse_fresh(session, &project, &mut ends)?;
        let people: Vec<&TestTaker> = found.iter().filter_map(|found| found.as_ref().ok().copied()).collect();
        if let Some(max) = self.max.filter(|max| people.len() > *max) {
            let cause = format!("{} would be removed, and --max is {max}: nobody was removed", people.len());
            return Err(Failure::new(Verdict::Refused, cause).into());
        }
        let place = session.place(&project);
        let run = if self.dry_run || people.is_empty() {
            Run::new(vec![RowEnd::new(Outcome::Removed); people.len()], None)
        } else {
            let whom = people_in(people.len(), &place);
            session.confirm(&format!("Remove {whom}? Their results can't be read here afterwards."), self.yes)?;
            remove(session, &project, &people, "testtakers remove").await?
        };
        let mut removed = run.ends.into_iter();
        let ends = ends.into_iter().filter_map(|end| end.or_else(|| removed.next())).collect();
        let run = Run { is_rehearsed: self.dry_run, ..Run::new(ends, run.failure) };
        let of = if named.rows.len() == 1 && named.roster.is_none() { Of::One } else { Of::Removals };
        account.end(session, &named.rows, &run, of, &place)
    }
}

/// Removes people from a project, as `remove` and `undo` do: with the project's lock, signals and progress.
pub async fn remove(
    session: &Session,
    project: &ProjectRef,
    people: &[&TestTaker],
    command: &str,
) -> anyhow::Result<Run> {
    let state = &session.settings()?.state_dir;
    let (journal, _lock) = (Journal::open(state)?, Lock::take(state, project.id, command)?);
    let client = session.client().await?;
    let stop = Stopper::new(client);
    let progress = session.console.progress("removing", Some(people.len() as u64));
    let removal = Removal {
        client,
        project: project.id,
        journal: journal.people(project.id),
        clock: Clock::at(Timestamp::now()),
        most: usize::from(session.settings()?.concurrency),
        stop: &stop,
    };
    let work = removal.run(people, |count| progress.answered(count as u64));
    let ends = interruptible(session, &stop, work).await?;
    Ok(Run::new(ends, stop.why()))
}
