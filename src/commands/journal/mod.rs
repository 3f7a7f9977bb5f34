//! `assessctl journal`: what this machine remembers of enrolments, and settling by hand what nobody knows.

pub mod undo;

use std::path::Path;

use clap::{ArgGroup, Args, Subcommand};
use jiff::Timestamp;
use serde::Serialize;

use crate::bulk::compare::Comparison;
use crate::bulk::journal_view::{key_of, ordinals};
use crate::bulk::roster::Roster;
use crate::commands::journal::undo::Undo;
use crate::commands::shared::roster_file::RosterArgs;
use crate::commands::shared::session::{ProjectArg, Session};
use crate::journal::lock::Lock;
use crate::journal::rows::{Fact, JournalRows, KeyState, KnownRow, Millis, summaries};
use crate::journal::store::Store;
use crate::model::counted::counted;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, Shape, talk};

const LIST: Columns<'static> =
    Columns::of(&["service", "project", "first", "last", "rows", "enrolled", "refused", "notAttempted", "inDoubt"])
        .uncut(&["project"]);
const SHOW: Columns<'static> =
    Columns::of(&["row", "line", "outcome", "projectEntryId", "enrolmentId", "attempts", "sent", "known"])
        .uncut(&["row", "projectEntryId"]);

/// The commands on the journal
#[derive(Debug, Subcommand)]
pub enum JournalCommand {
    /// List what is remembered: services and projects, with how many rows ended how
    #[command(after_help = "\
Examples:
  assessctl journal list
  assessctl journal list -o json")]
    List,
    /// Show the rows of a project: no names, only numbers, lines, entry ids and times
    #[command(after_help = "\
Examples:
  assessctl journal show -p Demo
  assessctl journal show -p Demo --in-doubt")]
    Show(ShowRows),
    /// Say what became of a row in doubt, after looking yourself
    #[command(after_help = "\
Examples:
  assessctl journal resolve 17 --enrolled 4711 -p Demo
  assessctl journal resolve people.csv:12 --absent -p Demo")]
    Resolve(ResolveRow),
    /// Remove the people whom this machine enrolled for the rows of a file, and nobody else
    #[command(after_help = "\
Examples:
  assessctl journal undo people.csv -p Demo
  assessctl journal undo people.csv -p Demo --yes")]
    Undo(Undo),
    /// Forget what this machine sent to a project: rows, links and removals; the people stay enrolled
    #[command(after_help = "\
Examples:
  assessctl journal forget -p Demo --yes")]
    Forget(Forget),
}

/// Arguments of `journal show`.
#[derive(Debug, Args)]
pub struct ShowRows {
    #[command(flatten)]
    project: ProjectArg,
    /// Only rows of which nobody knows whether they are enrolled
    #[arg(long)]
    in_doubt: bool,
}

/// Arguments of `journal resolve`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what is known").required(true).args(["enrolled", "absent"]))]
pub struct ResolveRow {
    #[command(flatten)]
    project: ProjectArg,
    /// Number of the row as `journal show` prints it, or FILE.csv:LINE
    #[arg(value_name = "ROW")]
    row: String,
    /// They are enrolled, as this entry
    #[arg(long, value_name = "ENTRY_ID")]
    enrolled: Option<EntryId>,
    /// They are not enrolled: the next import sends the row again
    #[arg(long)]
    absent: bool,
}

/// Arguments of `journal forget`.
#[derive(Debug, Args)]
pub struct Forget {
    #[command(flatten)]
    project: ProjectArg,
    /// Although rows are in doubt: a later import may then enrol somebody twice
    #[arg(long)]
    force: bool,
    /// Do not ask; needed where there is no terminal to ask on
    #[arg(short, long)]
    yes: bool,
}

/// A row as `journal show` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    row: i64,
    line: u32,
    outcome: &'static str,
    project_entry_id: Option<EntryId>,
    enrolment_id: Option<uuid::Uuid>,
    attempts: u32,
    sent: String,
    known: Option<String>,
}

impl From<KnownRow> for Shown {
    fn from(known: KnownRow) -> Self {
        let (outcome, entry, enrolment, when) = match known.state {
            KeyState::Open { .. } => ("in-doubt", None, None, None),
            KeyState::Free => ("not-attempted", None, None, None),
            KeyState::Refused => ("refused", None, None, None),
            KeyState::Enrolled { entry, enrolment, known } => ("enrolled", Some(entry), enrolment, Some(known)),
        };
        Self {
            row: known.number,
            line: known.line,
            outcome,
            project_entry_id: entry,
            enrolment_id: enrolment,
            attempts: known.attempts,
            sent: utc(known.intended),
            known: when.map(utc),
        }
    }
}

/// A time of the journal as we print times.
fn utc(millis: Millis) -> String {
    Timestamp::from_millisecond(millis).map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default()
}

/// What is remembered of a project.
pub fn rows(session: &Session, project: ProjectId) -> anyhow::Result<JournalRows> {
    let store = Store::open(&session.settings.state_dir()?)?;
    Ok(JournalRows::open(store, &session.service_name()?, project)?)
}

/// One run at a time changes a project: an import, an update or a removal of many, or its rows in the journal.
pub fn lock(session: &Session, project: ProjectId) -> anyhow::Result<Lock> {
    Ok(Lock::take(&session.settings.state_dir()?, &session.service_name()?, project)?)
}

/// What the journal knows of each row of a roster, as it is or with a reference id that was assigned to it.
pub fn known_rows(roster: &Roster, project: ProjectId, rows: &JournalRows) -> Result<Vec<Option<KnownRow>>, Failure> {
    let mut assigned = roster.clone();
    assigned.assign_reference_ids();
    assigned.assign(project);
    let (plain, assigned) = (known_as(roster, rows)?, known_as(&assigned, rows)?);
    let telling = |known: &KnownRow| matches!(known.state, KeyState::Enrolled { .. } | KeyState::Open { .. });
    let either = |(plain, assigned): (Option<KnownRow>, Option<KnownRow>)| match assigned {
        Some(assigned) if !plain.as_ref().is_some_and(telling) => Some(assigned),
        _ => plain,
    };
    Ok(plain.into_iter().zip(assigned).map(either).collect())
}

fn known_as(roster: &Roster, rows: &JournalRows) -> Result<Vec<Option<KnownRow>>, Failure> {
    let groups = Comparison::new(roster, 0..roster.row_count(), true).groups();
    let ordinals = ordinals(roster, &groups);
    let known = |row| rows.known(&key_of(rows, roster, row, ordinals.get(&row).copied().unwrap_or_default()));
    (0..roster.row_count()).map(known).collect()
}

impl JournalCommand {
    /// Whether the command has nothing to print but what it says on standard error.
    pub fn prints_nothing(&self) -> bool {
        matches!(self, Self::Resolve(_) | Self::Undo(_) | Self::Forget(_))
    }

    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List => list(session),
            Self::Show(args) => args.run(session).await,
            Self::Resolve(args) => args.run(session).await,
            Self::Undo(args) => args.run(session).await,
            Self::Forget(args) => args.run(session).await,
        }
    }
}

fn list(session: &Session) -> anyhow::Result<Verdict> {
    let mut printer = session.printer(&LIST, Shape::Many)?;
    for summary in summaries(&Store::open(&session.settings.state_dir()?)?)? {
        let [rows, enrolled, refused, free, open] = summary.counts;
        printer.push(&serde_json::to_string(&serde_json::json!({
            "service": summary.service,
            "project": summary.project,
            "first": utc(summary.first),
            "last": utc(summary.last),
            "rows": rows,
            "enrolled": enrolled,
            "refused": refused,
            "notAttempted": free,
            "inDoubt": open,
        }))?)?;
    }
    printer.finish()?;
    Ok(Verdict::Done)
}

impl ShowRows {
    async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&SHOW, Shape::Many)?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        for known in rows(session, project)?.all(self.in_doubt)? {
            printer.push(&serde_json::to_string(&Shown::from(known))?)?;
        }
        printer.finish()?;
        Ok(Verdict::Done)
    }
}

impl ResolveRow {
    async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        let _lock = lock(session, project)?;
        let mut rows = rows(session, project)?;
        let number = self.number(session, project, &rows)?;
        let fact = match self.enrolled {
            Some(entry) if rows.is_claimed(entry, &[0; 32])? => {
                let cause = format!("entry {entry} is another row's already");
                return Err(Failure::usage(cause).hint("`assessctl journal show` tells whose").into());
            }
            Some(entry) => Fact::Enrolled(entry, None),
            None => Fact::Free,
        };
        if rows.resolve(number, fact, Timestamp::now().as_millisecond())? {
            session.talk.note(&format!("row {number} is {}", if self.absent { "absent" } else { "enrolled" }));
            return Ok(Verdict::Done);
        }
        Err(Failure::new(Verdict::NotFound, format!("row {number} is not in doubt"))
            .hint("`assessctl journal show --in-doubt` lists the rows that are")
            .into())
    }

    /// The row's number: as given, or that of what stands on a line of a file.
    fn number(&self, session: &Session, project: ProjectId, rows: &JournalRows) -> anyhow::Result<i64> {
        if let Ok(number) = self.row.parse() {
            return Ok(number);
        }
        let place = self.row.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
        let Some((file, line)) = place else {
            return Err(Failure::usage("ROW is neither a number nor FILE.csv:LINE")
                .hint("`assessctl journal show --in-doubt` lists the rows with their numbers")
                .into());
        };
        let roster = RosterArgs::of_file(Path::new(file)).read(session)?;
        let row = (0..roster.row_count()).find(|row| roster.line(*row) == line);
        let known = match row {
            Some(row) => known_rows(&roster, project, rows)?.into_iter().nth(row).flatten(),
            None => None,
        };
        let Some(known) = known else {
            return Err(Failure::new(
                Verdict::NotFound,
                format!("the journal does not know what stands on line {line}"),
            )
            .hint("rows are identified by content, not line: `assessctl journal show --in-doubt` lists the numbers")
            .into());
        };
        Ok(known.number)
    }
}

impl Forget {
    async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if !self.yes && !talk::can_ask() {
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
        if !self.yes && !talk::confirm(&question).unwrap_or(false) {
            session.talk.note("nothing was forgotten");
            return Ok(Verdict::Interrupted);
        }
        session.talk.note(&format!("{} forgotten", counted(rows.forget()?, "row", "rows")));
        Ok(Verdict::Done)
    }
}
