//! The commands about results: which fields are shown. Results of several projects begin with their project.

mod changes;
mod compare;
mod export;
mod get;
mod list;
mod pick;
mod report;
mod summary;
mod tally;

use clap::Subcommand;

use super::session::Session;
use crate::api::Read;
use crate::model::people::{PeopleFilters, ResultQuery, TestTaker};
use crate::model::projects::{ProjectId, ProjectRef};
use crate::output::{AsRecord, Cell, Columns};

/// List, export and compare the latest results
#[derive(Subcommand)]
pub enum ResultVerb {
    #[command(alias = "ls")]
    List(list::ListResults),
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
