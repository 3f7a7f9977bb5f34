//! `assessctl testtakers get`: one test taker.

use clap::Args;

use crate::commands::shared::person::Target;
use crate::commands::shared::prints::Prints;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::commands::testtakers::columns::COLUMNS;
use crate::model::verdict::Verdict;
use crate::output::{Record, Shape};

/// Show one test taker
#[derive(Debug, Args)]
#[command(add = Prints::Records(&COLUMNS))]
#[command(after_help = "\
Examples:
  assessctl testtakers get -p Demo ref:EMP-00017
  assessctl testtakers get -p Demo email:zoe.mueller@example.com -o json")]
pub struct GetTestTaker {
    #[command(flatten)]
    project: ProjectArg,
    /// Whom: `ref:REFERENCE_ID`, `email:ADDRESS` or `id:ENTRY_ID`
    #[arg(value_name = "TEST_TAKER")]
    target: Target,
}

impl GetTestTaker {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&COLUMNS, Shape::One)?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?;
        let found = self.target.find(&client, project.id()).await?;
        printer.push(Record::Sent(found.sent.get()))?;
        printer.finish()?;
        Ok(Verdict::Done)
    }
}
