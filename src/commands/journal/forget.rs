//! `journal forget`.

use clap::Args;
use jiff::Timestamp;

use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::journal::database::Journal;
use crate::journal::forget::Extent;
use crate::journal::lock::Lock;
use crate::model::text::counted;
use crate::model::time::instant;
use crate::model::verdict::{Failure, Verdict};

/// Forget people, rosters and told results, but never people in doubt
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl journal forget -p Demo\n  assessctl journal forget --all --older-than 365d --yes"
)]
pub struct ForgetJournal {
    #[command(flatten)]
    project: ProjectArgs,
    /// All projects
    #[arg(long, conflicts_with = "project")]
    all: bool,
    /// Only what is older, such as 90d
    #[arg(long, value_name = "AGE", value_parser = instant)]
    older_than: Option<Timestamp>,
    /// Only the rosters of this source of `testtakers sync`
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

impl ForgetJournal {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if !self.all && self.project.project.is_none() {
            return Err(Failure::usage("`journal forget` needs -p NAME or --all").hint("add -p NAME").into());
        }
        let state = &session.settings()?.state_dir;
        let project = if self.all { None } else { Some(self.project.find(session).await?) };
        let of = project.as_ref().map_or(" of all projects".to_owned(), |project| format!(" of {}", project.name));
        let what = if self.source.is_some() { "the rosters of this source" } else { "what this machine remembers" };
        session.confirm(&format!("Forget {what}{of}? The service keeps its people."), self.yes)?;
        let _lock = project.as_ref().map(|project| Lock::take(state, project.id, "journal forget")).transpose()?;
        let extent =
            Extent { project: project.map(|project| project.id), before: self.older_than, source: self.source };
        let forgotten = Journal::open(state)?.forget(&extent)?;
        let parts = [
            counted(forgotten.people, "person", "people"),
            counted(forgotten.sources, "source of rosters", "sources of rosters"),
            counted(forgotten.names, "name of told results", "names of told results"),
        ];
        session.console.say(&format!("forgot {}{of}", parts.join(", ")));
        if forgotten.kept > 0 {
            session.console.say(&format!("{} in doubt: kept", counted(forgotten.kept, "person is", "people are")));
        }
        Ok(Verdict::Done)
    }
}
