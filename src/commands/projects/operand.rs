//! A project as an argument of its own, or by `-p` as with every other command.

use clap::Args;

use crate::commands::shared::project_args::ProjectArg;

/// A project as an argument or by `-p`.
#[derive(Debug, Args)]
pub struct ProjectOperand {
    /// Name or id of the project
    #[arg(value_name = "PROJECT", conflicts_with = "project")]
    operand: Option<String>,
    #[command(flatten)]
    project: ProjectArg,
}

impl ProjectOperand {
    /// The project that either of them names.
    pub fn given(&self) -> ProjectArg {
        ProjectArg { project: self.operand.clone().or_else(|| self.project.project.clone()) }
    }
}
