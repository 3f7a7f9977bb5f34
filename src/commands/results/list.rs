//! `results list`: which results of which projects, and why a part of a list raises no alert.

use clap::Args;

use super::pick::{AlertArgs, PickArgs};
use super::{COLUMNS, COLUMNS_OF_ALL, ResultRow};
use crate::commands::list::ListArgs;
use crate::commands::project::ProjectsArgs;
use crate::commands::session::Session;
use crate::model::people::ResultQuery;
use crate::model::verdict::{Failure, Verdict};
use crate::output::Shape;

/// List the latest result of each test taker
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl results list -p Demo --flagged\n  assessctl results list --completed-since 24h --to day.csv\n  assessctl results list --all-projects --fail-on flagged -q"
)]
pub struct ListResults {
    #[command(flatten)]
    projects: ProjectsArgs,
    #[command(flatten)]
    pick: PickArgs,
    #[command(flatten)]
    alert: AlertArgs,
    #[command(flatten)]
    query: ResultQuery,
    #[command(flatten)]
    list: ListArgs,
}

impl ListResults {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let is_all = self.projects.all_projects;
        let output = session.output(&self.list.show, if is_all { &COLUMNS_OF_ALL } else { &COLUMNS }, Shape::Many)?;
        self.query.filters.check()?;
        if self.list.is_part() && (is_all || !self.alert.fail_on.is_empty()) {
            let whole = if is_all { "--all-projects" } else { "--fail-on" };
            let cause = format!("{whole} needs the whole list, and --limit or --page reads a part");
            return Err(Failure::usage(cause).into());
        }
        let projects = self.projects.find(session).await?;
        let mut rows = Vec::new();
        for project in &projects {
            let list = session.client().await?.results(project.id, &self.query);
            let read = self.list.read(session, &list, |person| self.pick.keeps(person)).await;
            let read = read.map_err(|error| self.projects.failure(project, &error))?;
            rows.extend(read.into_iter().map(|read| ResultRow { project: is_all.then_some(project), read }));
        }
        output.print(&rows)?;
        Ok(self.alert.verdict(session, rows.iter().map(|row| &row.read.record)))
    }
}
