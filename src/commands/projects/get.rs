//! `projects get`.

use clap::Args;

use super::{COLUMNS, ProjectOperand};
use crate::commands::project::{by_id, by_name};
use crate::commands::session::Session;
use crate::model::verdict::Verdict;
use crate::output::{OutputArgs, Shape};

/// Show a project
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl projects get Demo\n  id=$(assessctl projects get Demo -q)")]
pub struct GetProject {
    #[command(flatten)]
    project: ProjectOperand,
    #[command(flatten)]
    show: OutputArgs,
}

impl GetProject {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, Shape::One)?;
        let name = self.project.args().name(session)?;
        let found = match name.parse() {
            Ok(id) => by_id(session, id).await?,
            // Here a project that is not there is what was asked, and no wrong call.
            Err(_) => by_name(session, &name, Verdict::NotFound).await?,
        };
        output.print(&[found])?;
        Ok(Verdict::Done)
    }
}
