//! The commands about results: which fields are shown, and `list`. Results of several projects begin with their project.

mod changes;
mod export;
mod get;
mod pick;
mod report;
mod summary;
mod tally;

use clap::{Args, Subcommand};

use self::pick::PickArgs;
use super::list::ListArgs;
use super::session::Session;
use crate::api::Read;
use crate::model::people::{PeopleFilters, ResultQuery, TestTaker};
use crate::model::projects::{ProjectId, ProjectRef};
use crate::model::verdict::{Failure, Verdict};
use crate::output::{AsRecord, Cell, Columns, Shape};

/// List, export and compare results
#[derive(Subcommand)]
pub enum ResultVerb {
    #[command(alias = "ls")]
    List(ListResults),
    #[command(alias = "show")]
    Get(get::GetResults),
    Export(export::ExportResults),
    Changes(changes::TellChanges),
    #[command(aliases = ["stats", "count"])]
    Summary(summary::SummarizeResults),
    Report(report::ReportResults),
}

/// All results of a project that the service picks out by these filters.
async fn all(session: &Session, project: ProjectId, filters: PeopleFilters) -> anyhow::Result<Vec<Read<TestTaker>>> {
    let _progress = session.count_answers();
    let query = ResultQuery { filters, ..ResultQuery::default() };
    Ok(session.client().await?.results(project, &query).whole().await?)
}

/// The project, then the fields of a result in either documented shape, and of the single read (specification, Result).
const ALL: &str = "project projectId id referenceId email firstName lastName fullName yearOfBirth result dateCompleted \
                   lastTestSentUtc topPerformer identityVerified identityStatus status";

/// Results of one project.
const COLUMNS: Columns = Columns {
    all: ALL.split_at("project projectId ".len()).1,
    table: "id referenceId fullName result dateCompleted",
    quiet: Columns::PERSON,
    noun: ("result", "results"),
};

/// Results of all projects.
const COLUMNS_OF_ALL: Columns =
    Columns { all: ALL, table: "project id referenceId fullName result dateCompleted", ..COLUMNS };

/// A result, and its project where there are several.
struct ResultRow<'p> {
    project: Option<&'p ProjectRef>,
    read: Read<TestTaker>,
}

impl AsRecord for ResultRow<'_> {
    fn own(&self) -> Vec<Cell<'_>> {
        self.project.map_or_else(Vec::new, |project| vec![project.name.as_str().into(), project.id.to_string().into()])
    }

    fn sent(&self) -> Option<&serde_json::value::RawValue> {
        Some(&self.read.sent)
    }
}

/// The end of a command about several projects: the gravest failure is the error, and the others are told. An alert outranks
/// failures that a later run can repair.
fn ended(session: &Session, mut failures: Vec<Failure>, alert: Verdict) -> anyhow::Result<Verdict> {
    failures.sort_by_key(|failure| failure.verdict);
    let Some(gravest) = failures.pop() else { return Ok(alert) };
    for failure in &failures {
        session.console.problem(&failure.cause);
    }
    Err(Failure { verdict: gravest.verdict.max(alert), ..gravest }.into())
}

/// List the latest result of each test taker
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl results list -p Demo --flagged\n  assessctl results list --completed-since 24h --to day.csv\n  assessctl results list --all-projects --fail-on flagged -q"
)]
pub struct ListResults {
    #[command(flatten)]
    pick: PickArgs,
    #[command(flatten)]
    query: ResultQuery,
    #[command(flatten)]
    list: ListArgs,
}

impl ListResults {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let is_all = self.pick.projects.all_projects;
        let output = session.output(&self.list.show, if is_all { &COLUMNS_OF_ALL } else { &COLUMNS }, Shape::Many)?;
        self.query.filters.check()?;
        if self.list.limit.or(self.list.page).is_some() && (is_all || !self.pick.alert.fail_on.is_empty()) {
            let whole = if is_all { "--all-projects" } else { "--fail-on" };
            let cause = format!("{whole} reads all results: leave out --limit and --page");
            return Err(Failure::usage(cause).into());
        }
        let projects = self.pick.projects.find(session).await?;
        let (mut rows, mut failures) = (Vec::new(), Vec::new());
        for project in &projects {
            let list = session.client().await?.results(project.id, &self.query);
            let read = self.list.read(session, &list, |person| self.pick.keeps(person)).await;
            failures.extend(read.as_ref().err().map(|error| self.pick.projects.failure(project, error)));
            let row = |read| ResultRow { project: is_all.then_some(project), read };
            rows.extend(read.into_iter().flatten().map(row));
        }
        self.pick.check_clock(session).await?;
        if failures.is_empty() {
            output.print(&rows)?;
        }
        ended(session, failures, self.pick.alert.verdict(session, rows.iter().map(|row| &row.read.record)))
    }
}
