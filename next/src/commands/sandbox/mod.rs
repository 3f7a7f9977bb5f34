//! The commands of the sandbox: serve, seed, set, reset. They mean the sandbox of this machine, whatever the profile.

mod reset;
mod seed;
mod serve;
mod set;

use clap::Subcommand;

use super::Ended;
use super::project::ProjectArgs;
use super::session::Session;
use crate::model::verdict::Failure;
use crate::sandbox::PROJECT;

/// Try everything without an account: a service on this machine
#[derive(Subcommand)]
pub enum SandboxVerb {
    Serve(serve::ServeSandbox),
    Seed(seed::SeedSandbox),
    Set(set::SetInSandbox),
    Reset(reset::ResetSandbox),
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
