//! `results summary`: which figures it prints. How they are counted is in `tally.rs`.

use std::sync::LazyLock;

use clap::Args;

use super::all;
use super::tally::Tally;
use crate::commands::plain_columns;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::people::PeopleFilters;
use crate::model::projects::ProjectRef;
use crate::model::results::RESULTS;
use crate::model::verdict::Verdict;
use crate::output::{Cell, OutputArgs, Shape};

const FIGURES: &str = "project projectId enrolled completedAssessments completionRate flagged safe safetyRate withoutResult \
                       unlistedResult";

/// The figures, then how many have each result of the specification.
static FIELDS: LazyLock<String> = LazyLock::new(|| format!("{FIGURES} {}", RESULTS.join(" ")));

/// Count the results of a project, with completion and safety rates
#[derive(Args)]
#[command(after_help = "\
completionRate: of all people who are enrolled, the share that completed a test.
safetyRate: of all who completed a test, the share that is not flagged.

Examples:
  assessctl results summary -p Demo
  assessctl results summary -o json --jq .safetyRate")]
pub struct SummarizeResults {
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    show: OutputArgs,
}

impl SummarizeResults {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let columns = plain_columns(&FIELDS, &[("", "projectId")], ("project", "projects"));
        let output = session.output(&self.show, &columns, Shape::One)?;
        let project = self.project.named(session).await?;
        let list = all(session, project.id, PeopleFilters::default()).await?;
        let tally = Tally::of(list.iter().map(|read| &read.record));
        output.print(&[cells(&project, &tally)]).map(|_| Verdict::Done)
    }
}

fn cells<'p>(project: &'p ProjectRef, tally: &Tally) -> Vec<Cell<'p>> {
    let count = |count: u32| Cell::Json(count.into());
    let rate = |rate: Option<f64>| Cell::Json(rate.into());
    let mut cells = vec![
        project.name.as_str().into(),
        project.id.to_string().into(),
        count(tally.enrolled),
        count(tally.completed),
        rate(tally.completion_rate()),
        count(tally.flagged),
        count(tally.safe()),
        rate(tally.safety_rate()),
        count(tally.without),
        count(tally.unlisted),
    ];
    cells.extend(RESULTS.iter().map(|result| count(tally.having(result))));
    cells
}
