//! `assessctl results`: who is fit for duty.

pub mod baseline;
pub mod changes;
pub mod export;
pub mod get;
pub mod local_filters;
pub mod report;
pub mod report_charts;
pub mod statistics;
pub mod summary;
pub mod summary_chart;
pub mod verified;

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};

use crate::api::{LegacyQuery, PeopleQuery};
use crate::commands::results::changes::ResultChanges;
use crate::commands::results::export::ExportResults;
use crate::commands::results::get::GetResult;
use crate::commands::results::local_filters::{Alert, AlertArgs, PickArgs};
use crate::commands::results::report::ReportResults;
use crate::commands::results::summary::SummarizeResults;
use crate::commands::shared::filters::PeopleArgs;
use crate::commands::shared::list_args::ListArgs;
use crate::commands::shared::session::{ProjectArg, Session};
use crate::commands::testtakers;
use crate::model::listing::Order;
use crate::model::results::{Finding, LegacyOrderBy, ResultsApi};
use crate::model::status::FLAGGED_WORDS;
use crate::model::testtakers::TestTakerOrderBy;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, Shape};

/// The fields of the single read.
pub const SINGLE: Columns<'static> = Columns::of(&[
    "id",
    "email",
    "referenceId",
    "firstName",
    "lastName",
    "fullName",
    "yearOfBirth",
    "result",
    "dateCompleted",
    "lastTestSentUtc",
    "topPerformer",
    "identityVerified",
    "identityStatus",
])
.uncut(&["id", "referenceId"])
.alarming("result", &FLAGGED_WORDS);

/// The fields of a result in the older shape.
pub const LEGACY: Columns<'static> =
    Columns::of(&["referenceId", "email", "firstName", "lastName", "fullName", "status", "dateCompleted"])
        .in_table(&["referenceId", "fullName", "email", "status", "dateCompleted"])
        .uncut(&["referenceId"])
        .alarming("status", &FLAGGED_WORDS);

/// The commands on results
#[derive(Debug, Subcommand)]
pub enum ResultsCommand {
    /// List the latest result of each test taker, all of them
    #[command(after_help = "\
Examples:
  assessctl results list -p Demo
  assessctl results list -p Demo --completed-only -o csv --to results.csv
  assessctl results list -p Demo --completed-since 24h --verify
  assessctl results list -p Demo --fields referenceId,result,dateCompleted \\
      -o ndjson")]
    List(ListResults),
    /// Write the results of whole projects into files, for cron
    #[command(after_help = "\
The list is read again until nothing is found that was missed before, sorted by id, and put in the file's place as a \
whole; on any failure the previous file stays. Nothing changed: the same bytes.

Examples:
  assessctl results export -p Demo --to results.csv
  assessctl results export --all-projects --to everybody.ndjson --deadline 10m
  assessctl results export -p Demo --to-dir . -o json --wait-lock 30s
  assessctl results export -p Demo --to flagged.csv \\
      --result HighRisk,Emergency --completed-since 24h")]
    Export(ExportResults),
    /// Show what changed since last time: who is new, whose result is another one, who is gone
    #[command(after_help = "\
What was seen last is remembered for each project: ids and results as they are, everything else as keyed hashes. It \
moves on once the output is written whole.

Examples:
  assessctl results changes -p Demo
  assessctl results changes -p Demo --fail-on HighRisk,Emergency -o ndjson
  assessctl results export -p Demo --to before.csv
  assessctl results changes -p Demo --since before.csv")]
    Changes(ResultChanges),
    /// Show how projects stand: counts, completion rate, safety rate
    #[command(after_help = "\
The completion rate is who completed, of everybody enrolled; the safety rate is who completed and is not flagged, of \
who completed.

Examples:
  assessctl results summary -p Demo
  assessctl results summary -p Demo --flagged HighRisk,Confirming -o json
  assessctl results summary --all-projects -o csv")]
    Summary(SummarizeResults),
    /// Write how a project stands as one page that needs nothing else, for people who read mail
    #[command(after_help = "\
The page has the distribution of results, completions over time and the rates, in light and dark. It names nobody \
without --names.

Examples:
  assessctl results report -p Demo --to report.html
  assessctl results report -p Demo --names --to flagged.html")]
    Report(ReportResults),
    /// Show the latest result of one person, or of each of a file, with what is known of the identity
    #[command(after_help = "\
Examples:
  assessctl results get -p Demo EMP-00017
  assessctl results get -p Demo EMP-00017 --fields result,dateCompleted -o json
  assessctl results get -p Demo --ids-from enrolled.csv -o csv")]
    Get(GetResult),
}

/// Arguments of `results list`.
#[derive(Debug, Args)]
pub struct ListResults {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    people: PeopleArgs,
    /// Sort by this field; the older results shape has Risk, Performance and FullName [default: FullName]
    #[arg(long, value_name = "FIELD", ignore_case = true,
        value_parser = ["Priority", "Performance", "FullName", "LastTestSent", "Risk"])]
    order_by: Option<String>,
    /// Sort direction [default: Asc]
    #[arg(long, value_enum, ignore_case = true)]
    order: Option<Order>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    alert: AlertArgs,
    #[command(flatten)]
    picks: PickArgs,
}

impl ResultsCommand {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(args) => args.run(session).await,
            Self::Changes(args) => args.run(session).await,
            Self::Export(args) => args.run(session).await,
            Self::Summary(args) => args.run(session).await,
            Self::Report(args) => args.run(session).await,
            Self::Get(args) => args.run(session).await,
        }
    }
}

/// The sort field among those of one shape.
fn order_by<T: ValueEnum>(given: Option<&str>, default: T) -> Result<T, Failure> {
    let Some(given) = given else { return Ok(default) };
    T::from_str(given, true).map_err(|_| {
        Failure::usage(format!("this shape of the results endpoints has no order {given}")).hint(
            "the current shape orders by Priority, Performance, FullName or LastTestSent, the older one by \
                   Risk, Performance or FullName; --results-api says which it is",
        )
    })
}

impl ListResults {
    async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let (given, order) = (self.order_by.as_deref(), self.order.unwrap_or(Order::Asc));
        let filters = self.people.filters();
        let mut alert = self.alert.watch();
        let listed = match session.settings.results_api.value {
            ResultsApi::Current => {
                let printer = session.printer(&testtakers::COLUMNS, Shape::Many)?;
                let query = PeopleQuery { order_by: order_by(given, TestTakerOrderBy::FullName)?, order, filters };
                let client = session.client()?;
                let project = self.project.find(session, &client).await?.id();
                let listing = client.results(project, &query);
                self.list
                    .print(session, listing, printer, given.is_some(), |result| self.keep(result, &mut alert))
                    .await
            }
            ResultsApi::Legacy => {
                let printer = session.printer(&LEGACY, Shape::Many)?;
                let query = LegacyQuery { order_by: order_by(given, LegacyOrderBy::FullName)?, order, filters };
                let client = session.client()?;
                let project = self.project.find(session, &client).await?.id();
                if self.list.is_verified() {
                    verified::say_how_people_are_told_apart(session);
                }
                let listing = client.legacy_results(project, &query);
                self.list
                    .print(session, listing, printer, given.is_some(), |result| self.keep(result, &mut alert))
                    .await
            }
        };
        Ok(listed.context("cannot list the results")?.max(alert.end(session)))
    }

    /// Whether to show a result; one that is shown may be one to alert about.
    fn keep(&self, result: &dyn Finding, alert: &mut Alert<'_>) -> bool {
        let wanted = self.picks.wants(result);
        if wanted {
            alert.see(result.status());
        }
        wanted
    }
}
