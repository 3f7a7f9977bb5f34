//! `projects list`.

use clap::Args;

use super::COLUMNS;
use crate::commands::list::ListArgs;
use crate::commands::session::Session;
use crate::model::projects::ProjectQuery;
use crate::model::verdict::Verdict;
use crate::output::{OutputArgs, Shape};

/// List projects
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl projects list\n  assessctl projects list --state Active -o json")]
pub struct ListProjects {
    #[command(flatten)]
    query: ProjectQuery,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    show: OutputArgs,
}

impl ListProjects {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, Shape::Many)?;
        let list = session.client().await?.projects(&self.query);
        output.print(&self.list.read(session, &list, |_| true).await?)?;
        Ok(Verdict::Done)
    }
}
