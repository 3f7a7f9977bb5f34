//! `assessctl journal forget`: nothing is remembered of a project, or of anything, any more.

use clap::Args;
use jiff::Timestamp;

use crate::commands::shared::confirmation::YesArg;
use crate::commands::shared::project_args::{ProjectArg, ProjectContext};
use crate::commands::shared::project_journal::warn_unless_erased;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::journal::forget::{Extent, Forgotten, forget, places};
use crate::journal::lock::Lock;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::time::parse_time;

/// Forget what this machine sent: rows, links, removals and what was told of changes; the people stay enrolled
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Destroys, Prints::Nothing))]
#[command(after_help = "\
What was forgotten is overwritten in the journal's files. Then `journal undo` can't take those people back, an import \
calls none of them gone and enrols them anew if the list does not show them, links that still work count as unknown, \
and consumers of `results changes` start afresh. Rows in doubt and removals without an answer stay (but for --force).

Examples:
  assessctl journal forget -p Demo --yes
  assessctl journal forget --everything --older-than 52w --yes")]
pub struct ForgetRows {
    #[command(flatten)]
    project: ProjectArg,
    /// Of all services and projects; no service is asked
    #[arg(long, conflicts_with = "project")]
    everything: bool,
    /// Only what was written longer ago than this, such as 90d or 52w
    #[arg(long, value_name = "AGE", value_parser = |text: &str| parse_time(text, Timestamp::now()))]
    older_than: Option<Timestamp>,
    /// Although rows are in doubt: a later import may then enrol a person twice
    #[arg(long, conflicts_with_all = ["everything", "older_than"])]
    force: bool,
    #[command(flatten)]
    yes: YesArg,
}

impl ForgetRows {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        session.may_write()?;
        self.yes.check(session.console)?;
        let before = self.older_than.map(Timestamp::as_millisecond);
        if self.everything {
            return self.everything(session, Extent { of: None, before, unsettled: false });
        }
        let context = self.project.open(session).await?;
        let service = session.service_name()?;
        let _lock = context.lock()?;
        self.check_doubts(&context)?;
        let extent = Extent { of: Some((&service, context.project)), before, unsettled: self.force };
        self.forget(session, extent)
    }

    /// Forgets of all projects, each of which is locked meanwhile.
    fn everything(&self, session: &Session, extent: Extent<'_>) -> anyhow::Result<Verdict> {
        let state = session.settings.state_dir()?;
        let places = places(&session.journal()?)?;
        let locks = places.iter().map(|(service, project)| Lock::take(&state, service, *project));
        let _locks = locks.collect::<Result<Vec<_>, _>>()?;
        self.forget(session, extent)
    }

    /// Of one project everything is forgotten, or nothing while rows are in doubt.
    fn check_doubts(&self, context: &ProjectContext<'_>) -> anyhow::Result<()> {
        let doubtful = context.rows()?.all(true)?.len();
        if doubtful == 0 || self.force || self.older_than.is_some() {
            return Ok(());
        }
        let doubtful = counted(doubtful, "row is", "rows are");
        let cause = format!("{doubtful} in doubt; after forgetting, a later import could enrol them twice");
        Err(Failure::new(Verdict::Refused, cause)
            .hint("`assessctl journal show --in-doubt` lists them; --force forgets them all the same")
            .into())
    }

    fn forget(&self, session: &Session, extent: Extent<'_>) -> anyhow::Result<Verdict> {
        let what = match (extent.of, self.older_than) {
            (None, None) => "everything that this machine remembers".to_owned(),
            (None, Some(time)) => format!("everything from before {time:.0}"),
            (Some(_), None) => "what this machine remembers of the project".to_owned(),
            (Some(_), Some(time)) => format!("what this machine remembers of the project from before {time:.0}"),
        };
        let question = format!(
            "Forget {what}? A later run can't tell any more who was enrolled by this machine, and whose link still works."
        );
        if !self.yes.confirms(session.console, &question, "nothing was forgotten") {
            return Ok(Verdict::Interrupted);
        }
        let forgotten = forget(&mut session.journal()?, extent)?;
        session.console.note(&said(forgotten));
        warn_unless_erased(session.console, forgotten.erased);
        Ok(Verdict::Done)
    }
}

fn said(forgotten: Forgotten) -> String {
    let Forgotten { rows, others, in_doubt, removing, erased: _ } = forgotten;
    let also = match others {
        0 => String::new(),
        _ => format!(", and {} of links, removals, exports and changes", counted(others, "record", "records")),
    };
    let mut parts = vec![format!("{} forgotten{also}", counted(rows, "row", "rows"))];
    if in_doubt > 0 {
        parts.push(counted(in_doubt, "row in doubt stays", "rows in doubt stay"));
    }
    if removing > 0 {
        parts.push(counted(removing, "removal without an answer stays", "removals without an answer stay"));
    }
    parts.join("; ")
}
