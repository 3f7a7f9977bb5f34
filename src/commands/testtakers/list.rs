//! `testtakers list`.

use clap::Args;

use super::COLUMNS;
use crate::commands::list::ListArgs;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::people::TestTakerQuery;
use crate::model::verdict::Verdict;
use crate::output::Shape;

/// List the test takers of a project
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers list -p Demo\n  assessctl testtakers list --has-reference-id false --to people.csv"
)]
pub struct ListTestTakers {
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    query: TestTakerQuery,
    #[command(flatten)]
    list: ListArgs,
}

impl ListTestTakers {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.list.show, &COLUMNS, Shape::Many)?;
        self.query.filters.check()?;
        let project = self.project.find(session).await?;
        self.list.print(session, &session.client().await?.test_takers(project.id, &self.query), &output).await
    }
}
