//! `assessctl results list`: the latest result of each test taker.

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use crate::api::{Listed, Listing, PeopleQuery};
use crate::commands::results::columns::{columns, of_flagged};
use crate::commands::results::fail_on::AlertArgs;
use crate::commands::results::local_filters::PickArgs;
use crate::commands::shared::list_args::ListArgs;
use crate::commands::shared::people_filters::PeopleArgs;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::list_query::Order;
use crate::model::results::{Finding, LegacyOrderBy, ResultsApi};
use crate::model::testtakers::TestTakerOrderBy;
use crate::output::Printer;

/// List the latest result of each test taker, all of them
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Results(|shape| columns(shape).names().to_vec())).with_people().printing(JsonShape::Many, JsonSource::Service))]
#[command(after_help = "\
Examples:
  assessctl results list -p Demo
  assessctl results list -p Demo --completed-only -o csv --to results.csv
  assessctl results list -p Demo --flagged --completed-since 24h
  assessctl results list -p Demo --fields referenceId,result,dateCompleted \\
      -o ndjson")]
pub struct ListResults {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    people: PeopleArgs,
    /// Sort by this field; the older results shape has Risk, Performance and FullName [default: FullName]
    #[arg(long, value_name = "FIELD", ignore_case = true, allow_hyphen_values = true,
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
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let (given, order) = (self.order_by.as_deref(), self.order.unwrap_or(Order::Asc));
        let filters = self.people.filters()?;
        let shape = session.settings.results_api.value;
        // A table of flagged people shows the fields that identify them.
        let columns = if self.picks.is_about_flagged() { of_flagged(shape) } else { columns(shape) };
        let printer = session.list_printer(&columns, "id")?;
        match shape {
            ResultsApi::Current => {
                let query = PeopleQuery { order_by: order_by(given, TestTakerOrderBy::FullName)?, order, filters };
                let context = self.project.open(session).await?;
                self.print(session, context.client.results(context.project, &query), printer).await
            }
            ResultsApi::Legacy => {
                let query = PeopleQuery { order_by: order_by(given, LegacyOrderBy::FullName)?, order, filters };
                let context = self.project.open(session).await?;
                self.print(session, context.client.legacy_results(context.project, &query), printer).await
            }
        }
    }

    /// Prints the results that are picked; one that is shown may be one to alert about.
    async fn print<T: Listed + Finding>(
        &self,
        session: &Session,
        listing: Listing<'_, T>,
        printer: Printer,
    ) -> anyhow::Result<Verdict> {
        let mut alert = self.alert.watch();
        let more = "; --flagged and --result choose by result";
        let none = self.people.none_matches(session, self.picks.is_given(), more);
        let listed = self.list.print(session, listing, (printer, none), |result| {
            let is_wanted = self.picks.wants(result);
            if is_wanted {
                alert.see(result.status());
            }
            is_wanted
        });
        let verdict = listed.await.context("cannot list the results")?;
        Ok(verdict.max(alert.end(session)))
    }
}
