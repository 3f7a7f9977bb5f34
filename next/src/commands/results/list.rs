//! `results list`.

use clap::Args;

use super::COLUMNS;
use super::pick::{AlertArgs, PickArgs};
use crate::commands::list::ListArgs;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::people::ResultQuery;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{OutputArgs, Shape};

/// List the latest result of each test taker
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl results list -p Demo --flagged\n  assessctl results list --completed-since 24h --to day.csv\n  assessctl results list --fail-on flagged -q"
)]
pub struct ListResults {
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    pick: PickArgs,
    #[command(flatten)]
    alert: AlertArgs,
    #[command(flatten)]
    query: ResultQuery,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    show: OutputArgs,
}

impl ListResults {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, Shape::Many)?;
        self.query.people.check()?;
        if self.list.is_part() && !self.alert.fail_on.is_empty() {
            return Err(Failure::usage("--fail-on needs the whole list, and --limit or --page reads a part").into());
        }
        let project = self.project.find(session).await?;
        let list = session.client().await?.results(project.id, &self.query);
        let records = self.list.read(session, &list, |person| self.pick.keeps(person)).await?;
        output.print(&records)?;
        Ok(self.alert.verdict(session, records.iter().map(|read| &read.record)))
    }
}
