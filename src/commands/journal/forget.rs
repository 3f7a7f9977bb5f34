//! `journal forget`: what this machine is to forget, after a question; never people in doubt.

use clap::Args;
use jiff::Timestamp;

use crate::commands::project::{ProjectArgs, not_empty};
use crate::commands::session::Session;
use crate::journal::forget::Extent;
use crate::journal::lock::Lock;
use crate::model::text::counted;
use crate::model::time::instant;
use crate::model::verdict::{Failure, Verdict};

/// Delete what this machine remembers; people stay in the service
#[derive(Args)]
#[command(
    after_help = "This machine remembers whom it enrolled, who was in the files of `testtakers\nsync`, and what `results changes` has shown. Enrolments that still wait for an\nanswer are kept.\n\nExamples:\n  assessctl journal forget -p Demo\n  assessctl journal forget --all --older-than 365d --yes"
)]
pub struct ForgetJournal {
    #[command(flatten)]
    project: ProjectArgs,
    /// All projects
    #[arg(long, conflicts_with = "project")]
    all: bool,
    /// Only what is older than AGE, such as 90d
    #[arg(long, value_name = "AGE", value_parser = instant)]
    older_than: Option<Timestamp>,
    /// Only what `testtakers sync --source NAME` remembers
    #[arg(long, value_name = "NAME", value_parser = not_empty)]
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
        let of = project.as_ref().map_or("all projects", |project| &project.name).to_owned();
        let what = if self.source.is_some() { "the files of this source" } else { "what this machine remembers" };
        session.confirm(&format!("Forget {what} about {of}? People stay in the service."), self.yes)?;
        let known = session.journal_to_read()?.projects()?;
        let known = known.iter().map(|known| known.project).filter(|_| self.all);
        let locks = project.iter().map(|project| project.id).chain(known);
        let _locks: Vec<Lock> = locks.map(|id| Lock::take(state, id, "journal forget")).collect::<Result<_, _>>()?;
        let extent =
            Extent { project: project.map(|project| project.id), before: self.older_than, source: self.source };
        let forgotten = session.journal()?.forget(&extent)?;
        let what = [
            (forgotten.people, "person", "people"),
            (forgotten.sources, "source", "sources"),
            (forgotten.names, "--as name", "--as names"),
        ];
        let what = what.into_iter().filter(|(count, ..)| *count > 0);
        let what: Vec<String> = what.map(|(count, one, many)| counted(count, one, many)).collect();
        let what = if what.is_empty() { "nobody".to_owned() } else { what.join(" and ") };
        session.console.say(&format!("deleted on this machine only: the journal's records of {what} in {of}"));
        if forgotten.kept > 0 {
            let kept = counted(forgotten.kept, "person", "people");
            session
                .console
                .say(&format!("did not forget {kept} whose enrolment has no answer yet: import them again first"));
        }
        Ok(Verdict::Done)
    }
}
