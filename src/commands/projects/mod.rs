//! `assessctl projects`: the groups that are tested together.

mod create;
mod get;
mod link;
mod list;

use clap::{Args, Subcommand};

use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::model::exit_ranks::Verdict;
use crate::output::Columns;

/// Every property of a project's record.
const COLUMNS: Columns<'static> =
    Columns::of(&["id", "name", "state", "dateCreated", "lastModified", "fitForDutyResponse"])
        .called("project", "projects")
        .in_table(&["id", "name", "state", "lastModified"])
        .times(&["dateCreated", "lastModified"]);

/// The commands on projects
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  assessctl projects list
  assessctl projects get Demo -o json
  assessctl projects create 'Night shift'")]
pub enum ProjectsCommand {
    List(list::ListProjects),
    Get(get::GetProject),
    Create(create::CreateProject),
    Link(link::LinkProject),
}

impl ProjectsCommand {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(args) => args.run(session).await,
            Self::Get(args) => args.run(session).await,
            Self::Create(args) => args.run(session).await,
            Self::Link(args) => args.run(session).await,
        }
    }
}

/// A project as an argument of its own, or by `-p` as with every other command.
#[derive(Debug, Args)]
struct ProjectOperand {
    /// Name or id of the project
    #[arg(value_name = "PROJECT", conflicts_with = "project")]
    operand: Option<String>,
    #[command(flatten)]
    project: ProjectArg,
}

impl ProjectOperand {
    /// The project that either of them names.
    fn given(&self) -> ProjectArg {
        ProjectArg { project: self.operand.clone().or_else(|| self.project.project.clone()) }
    }
}
