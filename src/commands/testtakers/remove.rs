//! `testtakers remove`: whom it finds, how many may go, and the question before people are removed (also by `journal undo`).

use clap::Args;
use jiff::Timestamp;

use crate::bulk::each_row::Planned;
use crate::bulk::find_people::{Others, PeopleIndex};
use crate::bulk::outcome::{Of, Run};
use crate::commands::account::BulkArgs;
use crate::commands::people::{ByArgs, PeopleArgs};
use crate::commands::session::Session;
use crate::commands::work::Work;
use crate::model::projects::ProjectRef;
use crate::model::text::counted;
use crate::model::verdict::{Failure, Verdict};
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
    /// Fail if more than N people would be removed
    #[arg(long, value_name = "N")]
    max: Option<usize>,
    #[command(flatten)]
    removal: RemovalArgs,
}

/// Options of commands that remove people.
#[derive(Args)]
pub struct RemovalArgs {
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    pub bulk: BulkArgs,
}

impl RemovePeople {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let account = self.removal.bulk.begin(session)?;
        let named = self.people.read(session, Needs::Person, self.removal.bulk.show.to.as_deref())?;
        let project = self.removal.bulk.project.find(session).await?;
        let records = named.records(session, project.id, &[]).await?;
        let index = PeopleIndex::new(records.iter().map(|read| &read.record));
        let rows = named.find(session, project.id, &index, self.by.by, Others::Names)?;
        let count = rows.iter().flatten().count();
        if let Some(max) = self.max.filter(|max| count > *max) {
            let cause = format!("{count} would be removed, and --max is {max}: nobody was removed");
            return Err(Failure::new(Verdict::Refused, cause).into());
        }
        let run = self.removal.remove(session, &project, &rows, "testtakers remove").await?;
        account.end(&named, &run, Of::Removals, &project)
    }
}

impl RemovalArgs {
    /// Removes people after the question was answered with yes, and gives each row an end. `command` names the command in
    /// the lock.
    pub async fn remove(
        &self,
        session: &Session,
        project: &ProjectRef,
        rows: &[Planned<'_>],
        command: &str,
    ) -> anyhow::Result<Run> {
        let count = rows.iter().flatten().count();
        if count > 0 && !self.bulk.dry_run {
            let whom = format!("{} in {}", counted(count, "person", "people"), session.place(project));
            session.confirm(&format!("Remove {whom}? Then assessctl can no longer show their results."), self.yes)?;
        }
        let work = Work::begin(session, project, command, self.bulk.dry_run).await?;
        // What a run left open when it died settles from now on.
        work.people()?.settle(Timestamp::now())?;
        Ok(work.ended(work.run(work.remove(rows)).await?))
    }
}
