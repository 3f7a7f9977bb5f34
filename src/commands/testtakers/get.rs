//! `testtakers get`.

use clap::Args;

use super::COLUMNS;
use crate::commands::people::PeopleArgs;
use crate::commands::person::{absent, find, only};
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::verdict::Verdict;
use crate::output::OutputArgs;

/// Show test takers
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers get EMP-00017\n  assessctl testtakers get email:ann@example.com -o json\n  assessctl testtakers get --file people.csv"
)]
pub struct GetTestTakers {
    #[command(flatten)]
    people: PeopleArgs,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    show: OutputArgs,
}

impl GetTestTakers {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, self.people.shape())?;
        let people = self.people.named(session)?;
        let project = self.project.find(session).await?;
        let found = find(session, project.id, &people).await?;
        let records = found.iter().map(|found| only(found)).collect::<Result<Vec<_>, _>>()?;
        let missing = records.iter().filter(|found| found.is_none()).count();
        let verdict = absent(session, missing, records.len(), &session.place(&project))?;
        output.print(&records.into_iter().flatten().cloned().collect::<Vec<_>>())?;
        Ok(verdict)
    }
}
