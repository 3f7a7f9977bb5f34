//! `assessctl journal forget`: nothing is remembered of a project any more.

use clap::Args;

use crate::commands::shared::journal::{lock, rows};
use crate::commands::shared::prints::Prints;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::journal::consumers::forget_project;
use crate::journal::store::Store;
use crate::model::counted::counted;
use crate::model::verdict::{Failure, Verdict};

/// Forget what this machine sent to a project: rows, links, removals and what was told of changes; the people stay enrolled
#[derive(Debug, Args)]
#[command(add = Prints::Nothing)]
#[command(after_help = "\
Examples:
  assessctl journal forget -p Demo --yes")]
pub struct ForgetRows {
    #[command(flatten)]
    project: ProjectArg,
    /// Although rows are in doubt: a later import may then enrol somebody twice
    #[arg(long)]
    force: bool,
    /// Do not ask; needed where there is no terminal to ask on
    #[arg(short, long)]
    yes: bool,
}

impl ForgetRows {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        session.may_write()?;
        if !self.yes && !session.talk.can_ask() {
            return Err(Failure::usage("cannot ask for confirmation without a terminal")
                .hint("add --yes to the command")
                .into());
        }
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        let _lock = lock(session, project)?;
        let mut rows = rows(session, project)?;
        let doubtful = rows.all(true)?.len();
        if doubtful > 0 && !self.force {
            let doubtful = counted(doubtful, "row is", "rows are");
            let cause = format!("{doubtful} in doubt; forgotten, they could be enrolled twice");
            return Err(Failure::new(Verdict::Refused, cause)
                .hint("`assessctl journal show --in-doubt` lists them; --force forgets them all the same")
                .into());
        }
        let count = rows.all(false)?.len();
        let question = format!(
            "Forget {}? A later run can't tell any more who was enrolled by this machine, and whose link still works.",
            counted(count, "row", "rows")
        );
        if !self.yes && !session.talk.confirm(&question).unwrap_or(false) {
            session.talk.note("nothing was forgotten");
            return Ok(Verdict::Interrupted);
        }
        let mut store = Store::open(&session.settings.state_dir()?)?;
        let told = match forget_project(&mut store, &session.service_name()?, project)? {
            0 => "",
            _ => ", and what was told of changes of results",
        };
        session.talk.note(&format!("{} forgotten{told}", counted(rows.forget()?, "row", "rows")));
        Ok(Verdict::Done)
    }
}
