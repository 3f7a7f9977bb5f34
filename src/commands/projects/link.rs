//! `projects link`.

use anyhow::Context as _;
use clap::Args;

use super::ProjectOperand;
use crate::commands::session::Session;
use crate::model::links::check_web_address;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, OutputArgs, Shape};

const COLUMNS: Columns = Columns {
    all: &["link"],
    table: &["link"],
    ids: &["link"],
    times: &[],
    quiet: &[("", "link")],
    noun: ("link", "links"),
    red: None,
};

/// Show the link by which people enrol themselves in a project
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl projects link Demo")]
pub struct ProjectLink {
    #[command(flatten)]
    project: ProjectOperand,
    #[command(flatten)]
    show: OutputArgs,
}

impl ProjectLink {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, Shape::Text)?;
        let project = self.project.args().find(session).await?;
        let link = session.client().await?.project_link(project.id).await?;
        check_web_address(&link.record)
            .map_err(|why| Failure::new(Verdict::Unforeseen, format!("the service answered with a link that {why}")))?;
        output.print(&[link.record]).context("cannot print the link")?;
        Ok(Verdict::Done)
    }
}
