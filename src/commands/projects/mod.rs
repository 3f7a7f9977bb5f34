//! The commands about projects: which fields are shown, and `list`, `get` and `link`.

mod create;

use clap::{Args, Subcommand};

use super::list::ListArgs;
use super::plain_columns;
use super::project::{ProjectArgs, not_empty};
use super::session::Session;
use crate::model::links::check_web_address;
use crate::model::projects::ProjectQuery;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, OutputArgs, Shape};

/// The fields of a project (specification, Project).
const COLUMNS: Columns = Columns {
    all: "id name state dateCreated lastModified fitForDutyResponse",
    table: "id name state",
    quiet: &[("", "id")],
    noun: ("project", "projects"),
};

const LINK: Columns = plain_columns("link", &[("", "link")], ("link", "links"));

/// List, show and create projects
#[derive(Subcommand)]
pub enum ProjectVerb {
    #[command(alias = "ls")]
    List(ListProjects),
    #[command(alias = "show")]
    Get(GetProject),
    #[command(aliases = ["add", "new"])]
    Create(create::CreateProject),
    Link(ProjectLink),
}

/// List projects
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl projects list\n  assessctl projects list --state Active -o json")]
pub struct ListProjects {
    #[command(flatten)]
    query: ProjectQuery,
    #[command(flatten)]
    list: ListArgs,
}

impl ListProjects {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.list.show, &COLUMNS, Shape::Many)?;
        self.list.print(session, &session.client().await?.projects(&self.query), &output).await
    }
}

/// Show a project
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl projects get Demo\n  id=$(assessctl projects get Demo -q)")]
pub struct GetProject {
    /// Project: its name or id [default: that of -p, the environment or the profile]
    #[arg(value_name = "PROJECT", conflicts_with = "project", value_parser = not_empty)]
    operand: Option<String>,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    show: OutputArgs,
}

impl GetProject {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, Shape::One)?;
        // Here the question is whether the project exists, so a missing one is no wrong call.
        let found =
            ProjectArgs { project: self.operand.or(self.project.project) }.read(session, Verdict::NotFound).await?;
        output.print(&[found]).map(|_| Verdict::Done)
    }
}

/// Show the link by which people enrol themselves in a project
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl projects link Demo")]
pub struct ProjectLink {
    /// Project: its name or id [default: that of -p, the environment or the profile]
    #[arg(value_name = "PROJECT", conflicts_with = "project", value_parser = not_empty)]
    operand: Option<String>,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    show: OutputArgs,
}

impl ProjectLink {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &LINK, Shape::Text)?;
        let project = ProjectArgs { project: self.operand.or(self.project.project) }.find(session).await?;
        let link = session.client().await?.project_link(project.id).await?;
        check_web_address(&link.record)
            .map_err(|why| Failure::new(Verdict::Unforeseen, format!("the service answered with a link that {why}")))?;
        output.print(&[link.record]).map(|_| Verdict::Done)
    }
}
