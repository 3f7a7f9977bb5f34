//! What the commands share that write row by row what a CSV asks for: the file, its people, the account at the end.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{ArgGroup, Args, ValueEnum as _};

use crate::bulk::early_stop::Stop;
use crate::bulk::find_people::{LookupKey, Resolved, find};
use crate::bulk::outcome::{Counts, Finished, Outcome, RowOutcome, RowResult, Unsettled};
use crate::bulk::plan::Progress;
use crate::bulk::roster::{Purpose, Roster};
use crate::bulk::row_by_row::execute;
use crate::bulk::run_state_machine::invalid;
use crate::bulk::run_verdict::of_rows_to_fix;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::project_journal::FreshPeople;
use crate::commands::shared::roster_file::{ReadingArgs, accept, say_understanding};
use crate::commands::shared::run_account::{Outputs, keep_apart, summary};
use crate::commands::shared::run_failure::{AGAIN, InDoubt, UNREAD, failure};
use crate::commands::shared::session::Session;
use crate::commands::shared::signals::Interrupt;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::output::Options;

/// A CSV of people who are enrolled, and what is written about it.
#[derive(Debug, Args)]
// A group is required even where its option conflicts with one that is there; an option alone is not.
#[command(next_help_heading = "Many at once", group = ArgGroup::new("people_of_file").args(["file"]))]
pub struct BulkArgs {
    /// The people of this CSV or workbook, by entry id, reference id or e-mail; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Which column identifies the person of a row, whatever the others say [default: the first of these that the
    /// file has]
    #[arg(long, value_enum, ignore_case = true, value_name = "COLUMN", requires = "people_of_file")]
    by: Option<LookupKey>,
    /// Leave rows with mistakes out instead of refusing the file
    #[arg(long, requires = "people_of_file")]
    skip_invalid: bool,
    /// Show what would be done, and send nothing
    #[arg(long, requires = "many")]
    pub dry_run: bool,
    /// Write the report, every row with its outcome, to this CSV or workbook (.xlsx)
    #[arg(long, value_name = "FILE", requires = "many")]
    pub report: Option<PathBuf>,
    /// Write the rows that have to be fixed, with their original columns, to this CSV or workbook (.xlsx)
    #[arg(long, value_name = "FILE", requires = "people_of_file")]
    failed_out: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// A file that was read, and the column that identifies its people.
pub struct Sheet {
    pub roster: Roster,
    pub by: LookupKey,
    /// The user named the column.
    is_by_named: bool,
}

/// How each row stands before anything is sent, and its person.
pub struct SheetPeople {
    pub ends: Vec<Option<RowResult>>,
    pub people: Vec<Option<Box<TestTaker>>>,
}

impl BulkArgs {
    /// Reads the file of `--file`. `--to` must not take its place.
    pub fn read(&self, session: &Session) -> anyhow::Result<Sheet> {
        let file = self.file.as_ref().context("a file is named")?;
        self.keep_apart(session)?;
        let roster = self.reading.read(session, file, Purpose::Name)?;
        say_understanding(session, &roster);
        accept(session, &roster, self.skip_invalid)?;
        let by = self.by.or_else(|| LookupKey::of(&roster));
        match by.filter(|by| by.stands_in(&roster)) {
            Some(by) => Ok(Sheet { roster, by, is_by_named: self.by.is_some() }),
            None => Err(Failure::usage("the file has no column of the kind that --by names").into()),
        }
    }

    /// Options that are about the file have no meaning without one. `duplicates` tells that one person may be given what
    /// another one has.
    pub fn check(&self, duplicates: bool) -> Result<(), Failure> {
        let reads = self.reading.is_about_a_file() || (self.reading.allow_duplicates && !duplicates);
        if self.file.is_none() && reads {
            return Err(Failure::usage("options that say how to read a file need --file FILE"));
        }
        Ok(())
    }

    pub fn keep_apart(&self, session: &Session) -> Result<(), Failure> {
        if self.failed_out.is_some() {
            session.refuse_masked("a file to work with")?;
        }
        keep_apart([
            ("the file of --file", self.file.as_ref().filter(|file| file.as_os_str() != "-")),
            ("--report", self.report.as_ref()),
            ("--failed-out", self.failed_out.as_ref()),
            ("--to", session.show.to.as_ref()),
        ])
    }

    /// Opens what is written at the end. `show` says how the report is printed; `None` for not at all.
    pub fn outputs<'r>(
        &self,
        session: &Session,
        show: Option<Options>,
        roster: &'r Roster,
    ) -> anyhow::Result<Outputs<'r>> {
        Outputs::open(session, show, roster, [self.report.as_deref(), self.failed_out.as_deref()])
    }

    /// Says the account, which was `written`, and ends the command.
    pub fn end(
        &self,
        context: &ProjectContext<'_>,
        finished: &Finished,
        written: anyhow::Result<()>,
    ) -> anyhow::Result<Verdict> {
        let session = context.session;
        session.console.summary(&summary(session, &finished.counts, context.client.stats()));
        written?;
        self.failure(finished).map_or(Ok(Verdict::Done), |failure| Err(failure.into()))
    }

    /// How the run failed, if it did.
    pub fn failure(&self, finished: &Finished) -> Option<Failure> {
        failure(finished, self.failed_out.is_some(), InDoubt::Repeated)
    }
}

impl Sheet {
    /// What the row calls its person, in the column that identifies.
    pub fn name(&self, row: usize) -> String {
        self.by.of_row(&self.roster, row).unwrap_or_default()
    }

    /// Finds the people of the rows for what cannot be taken back, or is for one person alone: a row whose other columns name
    /// another person is a conflict, unless the user named the one that counts. Columns may have shifted.
    pub async fn find_undisputed(&self, context: &ProjectContext<'_>) -> anyhow::Result<SheetPeople> {
        let mut found = self.find(context).await?;
        for (row, (end, person)) in found.ends.iter_mut().zip(&mut found.people).enumerate() {
            if let Some(disputed) = person.as_ref().filter(|_| !self.is_by_named).and_then(|it| self.disputed(row, it))
            {
                (*end, *person) = (Some(disputed), None);
            }
        }
        Ok(found)
    }

    /// How a row ends whose person has another reference id or e-mail than the row says.
    fn disputed(&self, row: usize, person: &TestTaker) -> Option<RowResult> {
        let others = [LookupKey::ReferenceId, LookupKey::Email].into_iter().filter(|key| *key != self.by);
        let other = others.into_iter().find(|key| {
            let names = key.of_row(&self.roster, row).zip(key.of_record(person));
            names.is_some_and(|(said, stored)| said != stored)
        })?;
        let (entry, by, other) = (person.entry_id(), self.by, other.field());
        let by = by.to_possible_value().map(|by| by.get_name().to_owned()).unwrap_or_default();
        let words = format!("entry {entry} has another {other} than this row (--by {by} goes by that column alone)");
        Some(RowResult::new(Outcome::Conflict).with_entry(entry).with_message(words))
    }

    /// Finds the people of the rows; nothing is sent.
    pub async fn find(&self, context: &ProjectContext<'_>) -> anyhow::Result<SheetPeople> {
        let mut invalid = invalid(&self.roster);
        let mut ends: Vec<_> = (0..self.roster.row_count()).map(|row| invalid.remove(&row)).collect();
        let rows: Vec<usize> = (0..ends.len()).filter(|row| ends[*row].is_none()).collect();
        let bar = RunBar::new(context.session.console);
        let found = find(&context.client, context.project, &self.roster, self.by, &rows, |records| {
            bar.show(Progress::Reading(records));
        })
        .await;
        let mut people = vec![None; ends.len()];
        let mut fresh = None;
        for (row, whom) in rows.into_iter().zip(found.context(UNREAD)?) {
            ends[row] = match whom {
                Resolved::One(person) => {
                    people[row] = Some(person);
                    continue;
                }
                Resolved::Ended(ended) if ended.outcome == Outcome::Absent => {
                    let fresh = match &fresh {
                        Some(fresh) => fresh,
                        None => fresh.insert(FreshPeople::read(context)?),
                    };
                    Some(fresh.called((self.by, &self.name(row))).map_or(ended, unseen))
                }
                Resolved::Ended(ended) => Some(ended),
            };
        }
        Ok(SheetPeople { ends, people })
    }
}

/// A row whose person was enrolled from here and is not shown by the service yet: unseen is not absent.
fn unseen(entry: EntryId) -> RowResult {
    let words = "was enrolled from here a short time ago, and the service does not show it yet";
    RowResult::new(Outcome::NotAttempted).with_entry(entry).with_message(words)
}

/// Does `act` for each row that has not ended: a first signal lets what is under way finish, a later one leaves at
/// once.
pub async fn watched<'a, F: Future<Output = RowOutcome> + 'a>(
    context: &ProjectContext<'_>,
    ends: Vec<Option<RowResult>>,
    (bar, doing): (RunBar, &'static str),
    act: impl Fn(usize) -> F,
) -> anyhow::Result<Finished> {
    let interrupt = Interrupt::watch()?;
    let interrupted = async { interrupt.requested().await == Verdict::Terminated };
    let most = context.session.settings.concurrency.value.most() as usize;
    let act = |row: usize| {
        let doing = act(row);
        async move { unless_project_is_gone(context, doing.await).await }
    };
    let run = execute(&context.client, most, ends, act, interrupted, |rows, total| bar.count(doing, rows, total));
    interrupt.unless_pressed(run).await.map_err(|verdict| {
        let cause = "stopped at once; what came of the last requests is not known";
        Failure::new(verdict, cause).hint(AGAIN).into()
    })
}

/// Stops the run where a person is gone because their project is: the others are not asked for.
async fn unless_project_is_gone(context: &ProjectContext<'_>, did: RowOutcome) -> RowOutcome {
    if did.ended.outcome != Outcome::Gone {
        return did;
    }
    match context.client.project(context.project).await {
        Err(error) if error.is_not_found() => RowOutcome { stop: Some(Stop::Gone(error.redacted())), ..did },
        _ => did,
    }
}

/// The ends of a run that would do something with each row that has not ended.
pub fn rehearsed(ends: Vec<Option<RowResult>>) -> Finished {
    let ends: Vec<RowResult> =
        ends.into_iter().map(|end| end.unwrap_or(RowResult::new(Outcome::NotAttempted))).collect();
    let counts = Counts::of_rows(&ends);
    let verdict = of_rows_to_fix(&counts);
    Finished { ends, counts, verdict, stop: None, open: Unsettled::default() }
}
