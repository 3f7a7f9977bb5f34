//! The commands of the sandbox: serve, seed, set, reset. They mean the sandbox of this machine, whatever the profile.

mod serve;
mod set;

use clap::{Args, Subcommand};

use super::Ended;
use super::project::ProjectArgs;
use super::session::Session;
use crate::model::text::counted;
use crate::model::verdict::{Failure, Verdict};
use crate::sandbox::{PROJECT, reset, seed};

/// Try everything without an account: a service on this machine
#[derive(Subcommand)]
pub enum SandboxVerb {
    Serve(serve::ServeSandbox),
    Seed(SeedSandbox),
    Set(set::SetInSandbox),
    Reset(ResetSandbox),
}

impl SandboxVerb {
    pub async fn run(self, session: &Session) -> Ended {
        match self {
            Self::Serve(command) => command.run(session).await,
            Self::Seed(command) => command.run(session),
            Self::Set(command) => command.run(session),
            Self::Reset(command) => command.run(session),
        }
    }
}

/// The project that is meant. That of the environment or of a profile counts only if the profile is the sandbox.
fn project(args: &ProjectArgs, session: &Session) -> Result<String, Failure> {
    if args.project.is_some() || session.settings()?.is_sandbox() { args.name(session) } else { Ok(PROJECT.to_owned()) }
}

/// Enrol made-up people with results
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl sandbox seed\n  assessctl --profile sandbox results list")]
pub struct SeedSandbox {
    /// How many people
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    people: u32,
    #[command(flatten)]
    project: ProjectArgs,
}

impl SeedSandbox {
    fn run(self, session: &Session) -> Ended {
        let project = project(&self.project, session)?;
        seed(&session.sandbox_folder()?, &project, self.people)?;
        let people = counted(self.people as usize, "person", "people");
        session.console.note(&format!("{people} seeded in {project} (sandbox)"));
        if project == PROJECT {
            session.console.note("next: assessctl --profile sandbox results list");
        }
        Ok(Verdict::Done)
    }
}

/// Remove everything and begin again with one empty project
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl sandbox reset")]
pub struct ResetSandbox {
    /// Don't ask
    #[arg(short, long)]
    yes: bool,
}

impl ResetSandbox {
    fn run(self, session: &Session) -> Ended {
        let folder = session.sandbox_folder()?;
        session.confirm("Remove all projects, people, links and redirect URIs from the sandbox?", self.yes)?;
        reset(&folder)?;
        session.console.note(&format!("the sandbox has one empty project: {PROJECT}"));
        Ok(Verdict::Done)
    }
}
