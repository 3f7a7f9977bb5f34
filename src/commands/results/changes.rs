//! `results changes`: what is new to one reader, each alert at least once. The order of the last steps ensures that: first
//! the output is complete and on disk, then it is remembered, then the exit code is given. A run that is killed before that
//! reports the same again.

use std::collections::BTreeMap;

use clap::Args;
use jiff::Timestamp;

use super::all;
use super::pick::AlertArgs;
use crate::api::Read;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::files;
use crate::journal::news::{Kind, News, compare};
use crate::model::people::{EntryId, PeopleFilters, TestTaker};
use crate::model::projects::ProjectId;
use crate::model::results::is_flagged;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{AsRecord, Cell, Columns, OutputArgs, Shape};

const COLUMNS: Columns = Columns {
    all: "change id referenceId email fullName result dateCompleted oldResult",
    table: "change id referenceId fullName oldResult result dateCompleted",
    quiet: Columns::PERSON,
    noun: ("change", "changes"),
};

/// Show what is new since the last run
#[derive(Args)]
#[command(after_help = "\
The first run shows only results that are flagged or match --fail-on.
Later runs show all new results.

Examples:
  assessctl results changes --as shift-lead --fail-on flagged -o ndjson
  assessctl results changes -p Demo --as shift-lead --dry-run")]
pub struct TellChanges {
    /// Show what is new since the last run with this NAME
    #[arg(long = "as", value_name = "NAME", value_parser = name)]
    name: String,
    /// Show what is new, and remember nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    alert: AlertArgs,
    #[command(flatten)]
    show: OutputArgs,
}

/// The name is a part of a file's name.
fn name(text: &str) -> Result<String, &'static str> {
    let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    match text.len() {
        1..=64 if text.chars().all(is_good) => Ok(text.to_owned()),
        _ => Err("may only have letters, digits, `-`, `_` and `.`, 64 at most"),
    }
}

impl TellChanges {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, Shape::Many)?;
        let project = self.project.find(session).await?.id;
        let journal = if self.dry_run { session.journal_to_read() } else { session.journal() }?;
        let _lock = if self.dry_run { None } else { Some(self.lock(session, project)?) };
        let before = journal.told(project, &self.name)?;
        // Without any filter: people whom a filter leaves out would look removed.
        let list = all(session, project, PeopleFilters::default()).await?;
        let is_watched = |person: &TestTaker| person.outcome().is_some_and(is_flagged) || self.alert.matches(person);
        let (news, after) = compare(before.as_ref(), &by_entry(&list)?, is_watched);
        if before.is_none() {
            let which = "so it shows only results that need action; later runs show all new results";
            session.console.say(&format!("this is the first run with --as {}, {which}", self.name));
        }
        // Whoever reads the file later finds in it what they have not read yet.
        let unread = if news.is_empty() { output.full_file()? } else { None };
        if let Some(file) = unread {
            session.console.note(&format!("no changes, so {} stays as it was", file.display()));
        }
        let is_whole = unread.is_some() || output.print(&news)?;
        output.sync()?;
        let alerts = news.iter().filter(|news| news.kind == Kind::Alert).filter_map(|news| news.person);
        let verdict = self.alert.verdict(session, alerts);
        if is_whole && !self.dry_run {
            journal.tell(project, &self.name, &before.unwrap_or_default(), &after, Timestamp::now())?;
        }
        Ok(verdict)
    }

    /// One run at a time for a name, or both would report the same.
    fn lock(&self, session: &Session, project: ProjectId) -> Result<std::fs::File, Failure> {
        let path = session.settings()?.state_dir.join(format!("{project}.{}.lock", self.name));
        let failed = |error| Failure::new(Verdict::Unforeseen, format!("cannot lock {}: {error}", path.display()));
        files::lock(&path).map_err(failed)?.ok_or_else(|| {
            let cause = format!("another run with --as {} is at work on this project", self.name);
            Failure::new(Verdict::NothingDone, cause).hint("run the same command again when it has ended")
        })
    }
}

fn by_entry(list: &[Read<TestTaker>]) -> Result<BTreeMap<EntryId, &TestTaker>, Failure> {
    let people = list.iter().map(|read| Some((read.record.entry_id()?, &read.record)));
    people.collect::<Option<_>>().ok_or_else(|| {
        let cause = "the results of this service have no ids, so people with the same name can't be told apart";
        Failure::usage(cause).hint("to compare files yourself: assessctl results export --to NEW_FILE.csv")
    })
}

impl AsRecord for News<'_> {
    fn own(&self) -> Vec<Cell<'_>> {
        let of = |field: fn(&TestTaker) -> Option<&str>| self.person.and_then(field).into();
        vec![
            format!("{:?}", self.kind).to_lowercase().into(),
            i64::from(self.entry.0).into(),
            of(|person| person.reference_id.as_deref()),
            of(|person| person.email.as_deref()),
            of(|person| person.full_name.as_deref()),
            of(TestTaker::outcome),
            of(|person| person.date_completed.as_deref()),
            self.before.map(|told| told.result.as_str()).filter(|result| !result.is_empty()).into(),
        ]
    }
}
