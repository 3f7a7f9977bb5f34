//! `assessctl projects get`: one project.

use clap::Args;

use crate::commands::projects::{COLUMNS, ProjectOperand};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::model::exit_ranks::Verdict;
use crate::output::{Record, Shape};

/// Show one project
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Records(&COLUMNS)).printing(JsonShape::One, JsonSource::Service))]
#[command(after_help = "\
Examples:
  assessctl projects get Demo
  assessctl projects get -p Demo -o json")]
pub struct GetProject {
    #[command(flatten)]
    project: ProjectOperand,
}

impl GetProject {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.quiet_printer(&COLUMNS, Shape::One, "id")?;
        let client = session.client()?;
        let project = self.project.given().find(session, &client).await?;
        printer.push(Record::Sent(project.read(&client).await?.sent.get()))?;
        printer.finish()?;
        Ok(Verdict::Done)
    }
}
