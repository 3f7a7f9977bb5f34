//! `assessctl journal undo`: removes whom this machine enrolled for the rows of a file, and nobody else.

use clap::Args;
use futures_util::future::join_all;

use super::interrupt::Interrupt;
use super::journal::{known_rows, lock, rows};
use super::roster::RosterArgs;
use super::session::{ProjectArg, Session};
use crate::api::{Client, Error};
use crate::journal::rows::{Rows, State};
use crate::model::counted::counted;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;
use crate::model::verdict::{Failure, Verdict};
use crate::output::talk;

/// Removals under way at a time.
const AT_A_TIME: usize = 8;

/// Arguments of `journal undo`.
#[derive(Debug, Args)]
pub struct Undo {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    roster: RosterArgs,
    /// Do not ask; needed where there is no terminal to ask on
    #[arg(long)]
    yes: bool,
}

impl Undo {
    /// Runs the command.
    pub(super) async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if !self.yes && !talk::can_ask() {
            return Err(Failure::usage("removing people needs a yes, and there is no terminal to ask on")
                .hint("add --yes to the command")
                .into());
        }
        session.may_write()?;
        let roster = self.roster.read(session)?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        let _lock = lock(session, project)?;
        let mut rows = rows(session, project)?;
        let (mut entries, mut doubtful) = (Vec::new(), 0);
        for known in known_rows(&roster, project, &rows)?.into_iter().flatten() {
            match known.state {
                State::Enrolled { entry, .. } => entries.push(entry),
                State::Open { .. } => doubtful += 1,
                State::Free | State::Refused => {}
            }
        }
        let total = entries.len();
        if total == 0 {
            let cause = "the journal knows of nobody whom this machine enrolled for a row of this file";
            return Err(Failure::new(Verdict::NotFound, cause)
                .hint("`assessctl journal show` lists what it knows")
                .into());
        }
        session.may_write_many("remove", Some(total), &self.project)?;
        session.talk.note("invitations that were sent and results that were collected stay");
        let question =
            format!("Remove {} whom this machine enrolled for rows of this file?", counted(total, "person", "people"));
        if !self.yes && !talk::confirm(&question).unwrap_or(false) {
            session.talk.note("nobody was removed");
            return Ok(Verdict::Interrupted);
        }
        let (removed, stopped) = remove_all(&client, project, &entries, &mut rows).await?;
        session.talk.note(&format!("{removed} of {} removed", counted(total, "person", "people")));
        match stopped {
            Some(Stopped::Asked(verdict)) => {
                Err(Failure::new(verdict, "interrupted").hint("run the same command again").into())
            }
            Some(Stopped::Failed(error)) => Err(anyhow::Error::new(error).context("cannot remove everybody")),
            None if doubtful > 0 => {
                let cause = format!(
                    "{} in doubt, and may be enrolled",
                    counted(doubtful, "row of this file is", "rows of this file are")
                );
                Err(Failure::new(Verdict::Unfinished, cause)
                    .hint("`assessctl journal show --in-doubt` lists them")
                    .into())
            }
            None => Ok(Verdict::Done),
        }
    }
}

/// Why not everybody was removed.
enum Stopped {
    Asked(Verdict),
    Failed(Error),
}

/// Removes entries, a few at a time; a removal that is repeated does no harm. Whoever is removed is forgotten.
async fn remove_all(
    client: &Client,
    project: ProjectId,
    entries: &[EntryId],
    rows: &mut Rows,
) -> anyhow::Result<(usize, Option<Stopped>)> {
    let interrupt = Interrupt::watch()?;
    let mut removed = 0;
    for some in entries.chunks(AT_A_TIME) {
        if let Some(verdict) = interrupt.verdict() {
            return Ok((removed, Some(Stopped::Asked(verdict))));
        }
        let answers = join_all(some.iter().map(|entry| client.remove(project, *entry))).await;
        let mut failed = None;
        for (entry, answer) in some.iter().zip(answers) {
            match answer {
                Ok(()) => {
                    removed += 1;
                    rows.forget_entry(*entry)?;
                }
                Err(error) => failed = Some(error),
            }
        }
        if let Some(error) = failed {
            return Ok((removed, Some(Stopped::Failed(error))));
        }
    }
    Ok((removed, None))
}
