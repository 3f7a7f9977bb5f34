//! `testtakers get`.

use clap::Args;

use super::COLUMNS;
use crate::commands::person::{absent, find, only};
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::person::PersonRef;
use crate::model::verdict::Verdict;
use crate::output::{OutputArgs, Shape};

/// Show test takers
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers get EMP-00017\n  assessctl testtakers get email:ann@example.com -o json"
)]
pub struct GetTestTakers {
    /// People: id:ENTRY_ID, ref:REFERENCE_ID or email:ADDRESS
    #[arg(required = true, value_name = "PERSON")]
    people: Vec<PersonRef>,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    show: OutputArgs,
}

impl GetTestTakers {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let shape = if self.people.len() == 1 { Shape::One } else { Shape::Many };
        let output = session.output(&self.show, &COLUMNS, shape)?;
        let project = self.project.find(session).await?;
        let found = find(session, project.id, &self.people).await?;
        let records = found.iter().map(|found| only(found)).collect::<Result<Vec<_>, _>>()?;
        let missing = records.iter().filter(|found| found.is_none()).count();
        let verdict = absent(session, missing, records.len(), &session.place(&project))?;
        output.print(&records.into_iter().flatten().cloned().collect::<Vec<_>>())?;
        Ok(verdict)
    }
}
