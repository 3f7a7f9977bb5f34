//! Projects: list, get, create, link.

mod create;
mod get;
mod link;
mod list;

use clap::{Args, Subcommand};

use super::project::ProjectArgs;
use super::session::Session;
use crate::model::verdict::Verdict;
use crate::output::Columns;

/// List, show and create projects
#[derive(Subcommand)]
pub enum ProjectVerb {
    #[command(alias = "ls")]
    List(list::ListProjects),
    #[command(alias = "show")]
    Get(get::GetProject),
    #[command(aliases = ["add", "new"])]
    Create(create::CreateProject),
    Link(link::ProjectLink),
}

impl ProjectVerb {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(command) => command.run(session).await,
            Self::Get(command) => command.run(session).await,
            Self::Create(command) => command.run(session).await,
            Self::Link(command) => command.run(session).await,
        }
    }
}

/// A project named as an argument, or as everywhere else.
#[derive(Args)]
struct ProjectOperand {
    /// Project: its name or id [default: that of -p, the environment or the profile]
    #[arg(value_name = "PROJECT", conflicts_with = "project")]
    operand: Option<String>,
    #[command(flatten)]
    project: ProjectArgs,
}

impl ProjectOperand {
    fn args(&self) -> ProjectArgs {
        ProjectArgs { project: self.operand.clone().or_else(|| self.project.project.clone()) }
    }
}

/// The fields of a project (specification, Project).
const COLUMNS: Columns = Columns {
    all: &["id", "name", "state", "dateCreated", "lastModified", "fitForDutyResponse"],
    table: &["id", "name", "state", "dateCreated"],
    ids: &["id"],
    times: &["dateCreated", "lastModified"],
    quiet: &[("", "id")],
    noun: ("project", "projects"),
    red: None,
};
