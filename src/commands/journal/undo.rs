//! `journal undo`.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use crate::bulk::known::KnownPeople;
use crate::bulk::outcome::{Of, Outcome, RowEnd, Run};
use crate::commands::account::{Account, rows};
use crate::commands::people::{Named, people_in};
use crate::commands::project::ProjectArgs;
use crate::commands::roster_args::{RosterArgs, check};
use crate::commands::session::Session;
use crate::commands::testtakers::remove::remove;
use crate::journal::database::Journal;
use crate::journal::people::Identity;
use crate::model::people::TestTaker;
use crate::model::verdict::Verdict;
use crate::output::OutputArgs;
use crate::roster::{Needs, Roster};

/// Remove the people of a file whom this machine enrolled
#[derive(Args)]
#[command(after_help = "\
People who were in the project before, or whose answer was lost, are left alone.

Examples:
  assessctl journal undo people.csv --dry-run
  assessctl journal undo people.csv --yes")]
pub struct UndoImport {
    /// CSV or Excel file of people; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    roster: RosterArgs,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Only show what would be done
    #[arg(long, alias = "dryrun")]
    dry_run: bool,
    #[command(flatten)]
    show: OutputArgs,
}

impl UndoImport {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if !self.dry_run {
            session.may_write()?;
        }
        let account = Account::new(session, &self.show)?;
        let roster = self.roster.read(session, &self.file, Needs::Enrolment, None)?;
        check(session, &roster, true)?;
        let project = self.project.find(session).await?;
        let records = Named::everybody(session, project.id).await?;
        let journal = Journal::open_to_read(&session.settings()?.state_dir)?;
        let people = journal.people(project.id);
        let known = KnownPeople::new(people.load(Timestamp::now())?);
        let identity =
            |reference: Option<&str>, email: Option<&str>| people.identity(reference, email.unwrap_or_default());
        let (ends, found) = plan(&roster, &records, &known, identity);
        let place = session.place(&project);
        let run = if self.dry_run || found.is_empty() {
            Run::new(vec![RowEnd::new(Outcome::Removed); found.len()], None)
        } else {
            let whom = people_in(found.len(), &place);
            session.confirm(&format!("Remove {whom}? Their results can't be read here afterwards."), self.yes)?;
            remove(session, &project, &found, "journal undo").await?
        };
        let mut removed = run.ends.into_iter();
        let ends = ends.into_iter().filter_map(|end| end.or_else(|| removed.next())).collect();
        let run = Run { is_rehearsed: self.dry_run, ..Run::new(ends, run.failure) };
        account.end(session, &rows(&roster), &run, Of::Removals, &place)
    }
}

/// The records to remove, and the ends of the rows that name none of them.
fn plan<'l>(
    roster: &Roster,
    records: &'l [TestTaker],
    known: &KnownPeople,
    identity: impl Fn(Option<&str>, Option<&str>) -> Identity,
) -> (Vec<Option<RowEnd>>, Vec<&'l TestTaker>) {
    let mut found = Vec::new();
    let ends = roster.rows.iter().map(|row| {
        let Some(person) = roster.who(row) else { return Some(RowEnd::new(Outcome::Invalid)) };
        let own = identity(person.reference_id.as_deref(), person.email.as_deref());
        let answered = known.of(own).and_then(|known| known.state.entry().zip(known.state.enrolment()));
        let Some((entry, _)) = answered else {
            return Some(RowEnd::new(Outcome::Kept).message("was not enrolled from here, as far as is known"));
        };
        match records.iter().find(|record| record.entry_id() == Some(entry)) {
            None => Some(RowEnd::new(Outcome::Absent).entry(entry)),
            Some(record) if identity(record.reference_id.as_deref(), record.email.as_deref()) != own => {
                Some(RowEnd::new(Outcome::Conflict).entry(entry).message("the entry is another person now"))
            }
            Some(record) => {
                found.push(record);
                None
            }
        }
    });
    (ends.collect(), found)
}
