//! `results summary`.

use clap::Args;

use super::tally::Tally;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::people::{RESULTS, ResultQuery};
use crate::model::projects::ProjectRef;
use crate::model::verdict::Verdict;
use crate::output::{Cell, Columns, OutputArgs, Shape};

const FIGURES: [&str; 10] = [
    "project",
    "projectId",
    "enrolled",
    "completedAssessments",
    "completionRate",
    "flagged",
    "safe",
    "safetyRate",
    "withoutResult",
    "unlistedResult",
];

const COLUMNS: Columns = Columns {
    all: &FIGURES_AND_RESULTS,
    table: &FIGURES_AND_RESULTS,
    ids: &["projectId"],
    times: &[],
    quiet: &[("", "projectId")],
    noun: ("project", "projects"),
    red: None,
};

/// The figures, then how many have each result of the specification.
const FIGURES_AND_RESULTS: [&str; 26] = {
    let mut names = [""; 26];
    let mut at = 0;
    while at < names.len() {
        names[at] = if at < FIGURES.len() { FIGURES[at] } else { RESULTS[at - FIGURES.len()] };
        at += 1;
    }
    names
};

/// Count the results of a project, with completion and safety rates
#[derive(Args)]
#[command(after_help = "\
The completion rate is completed of enrolled; the safety rate is completed and not flagged, of completed.

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
        let output = session.output(&self.show, &COLUMNS, Shape::One)?;
        let project = self.project.find(session).await?;
        let progress = session.count_answers("reading, answers");
        let list = session.client().await?.results(project.id, &ResultQuery::default()).whole().await?;
        drop(progress);
        output.print(&[cells(&project, &Tally::of(list.iter().map(|read| &read.record)))])?;
        Ok(Verdict::Done)
    }
}

fn cells<'p>(project: &'p ProjectRef, tally: &Tally) -> Vec<Cell<'p>> {
    let count = |count: u32| Cell::Int(count.into());
    let rate = |rate: Option<f64>| rate.map_or(Cell::Null, Cell::Float);
    let mut cells = vec![
        project.name.as_str().into(),
        project.id.to_string().into(),
        count(tally.enrolled),
        count(tally.completed),
        rate(tally.completion_rate()),
        count(tally.flagged),
        count(tally.safe),
        rate(tally.safety_rate()),
        count(tally.without),
        count(tally.unlisted),
    ];
    cells.extend(RESULTS.iter().map(|result| count(tally.having(result))));
    cells
}
