//! `sandbox seed`.

use clap::Args;

use super::project;
use crate::commands::Ended;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::text::counted;
use crate::model::verdict::Verdict;
use crate::sandbox::{PROJECT, seed};

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
    pub fn run(self, session: &Session) -> Ended {
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
