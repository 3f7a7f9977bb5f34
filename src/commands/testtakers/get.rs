//! `testtakers get`.

use clap::Args;

use super::COLUMNS;
use crate::commands::people::PeopleArgs;
use crate::commands::person::{absent, only, records};
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
        let people = self.people.named(session, self.show.to.as_deref())?;
        let project = self.project.find(session).await?;
        let read = records(session, project.id, &people).await?;
        let mut found = Vec::new();
        for person in &people {
            let fits: Vec<_> = read.iter().filter(|read| person.fits(&read.record)).cloned().collect();
            found.extend(only(&fits)?.cloned());
        }
        let verdict = absent(session, people.len() - found.len(), &people, &session.place(&project))?;
        output.print(&found)?;
        Ok(verdict)
    }
}
