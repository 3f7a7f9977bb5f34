//! `assessctl testtakers list`: the people enrolled in a project.

use anyhow::Context as _;
use clap::Args;

use crate::api::PeopleQuery;
use crate::commands::shared::list_args::ListArgs;
use crate::commands::shared::people_filters::PeopleArgs;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::commands::testtakers::columns::COLUMNS;
use crate::model::exit_ranks::Verdict;
use crate::model::list_query::{Order, PeopleFilters, ReferenceLookup};
use crate::model::testtakers::TestTakerOrderBy;

/// List the people enrolled in a project, all of them
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Records(&COLUMNS)).with_people().printing(JsonShape::Many, JsonSource::Service))]
#[command(after_help = "\
Examples:
  assessctl testtakers list -p Demo
  assessctl testtakers list -p Demo --has-last-test-sent false -o csv
  assessctl testtakers list -p Demo --filter muel --limit 5")]
pub struct ListTestTakers {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    people: PeopleArgs,
    /// Only people with exactly this reference id
    #[arg(long, value_name = "REFERENCE_ID", allow_hyphen_values = true)]
    reference_id: Option<ReferenceLookup>,
    /// Sort by this field [default: FullName]
    #[arg(long, value_enum, ignore_case = true, allow_hyphen_values = true)]
    order_by: Option<TestTakerOrderBy>,
    /// Sort direction [default: Asc]
    #[arg(long, value_enum, ignore_case = true)]
    order: Option<Order>,
    #[command(flatten)]
    list: ListArgs,
}

impl ListTestTakers {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let printer = session.list_printer(&COLUMNS, "id")?;
        let context = self.project.open(session).await?;
        let query = PeopleQuery {
            order_by: self.order_by.unwrap_or(TestTakerOrderBy::FullName),
            order: self.order.unwrap_or(Order::Asc),
            filters: PeopleFilters { reference_id: self.reference_id, ..self.people.filters()? },
        };
        let is_chosen = query.filters.reference_id.is_some();
        let none = self.people.none_matches(session, is_chosen, "; `assessctl results list` chooses by result");
        let listing = context.client.test_takers(context.project, &query);
        self.list.print(session, listing, (printer, none), |_| true).await.context("cannot list the test takers")
    }
}
