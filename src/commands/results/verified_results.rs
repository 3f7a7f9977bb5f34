//! The results of a whole project: verified, sorted by id, in either documented shape.

use anyhow::Context as _;

use crate::api::{PeopleQuery, VerifiedList};
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::session::Session;
use crate::model::list_query::{Order, PeopleFilters};
use crate::model::results::{Finding, LegacyOrderBy, LegacyResult, ResultsApi};
use crate::model::testtakers::{TestTaker, TestTakerOrderBy};

/// A verified list of results.
pub struct Whole {
    collected: VerifiedList,
    shape: ResultsApi,
}

/// Reads the results of a project until its walks and its count agree; in a single walk where `once`.
pub async fn read(context: &ProjectContext<'_>, filters: PeopleFilters, once: bool) -> anyhow::Result<Whole> {
    let (shape, order) = (context.session.settings.results_api.value, Order::Asc);
    let (client, project) = (&context.client, context.project);
    let collected = match shape {
        ResultsApi::Current => {
            let query = PeopleQuery { order_by: TestTakerOrderBy::FullName, order, filters };
            client.results(project, &query).single_walk(once).verified(false).await
        }
        ResultsApi::Legacy => {
            let query = PeopleQuery { order_by: LegacyOrderBy::FullName, order, filters };
            client.legacy_results(project, &query).single_walk(once).verified(false).await
        }
    };
    Ok(Whole { collected: collected.context("cannot read the results")?, shape })
}

impl Whole {
    /// Gives each result, and its JSON text as the service sent it.
    pub fn each(&self, mut take: impl FnMut(&dyn Finding, &str) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let again = "a record that was read can be read again";
        self.collected.each(|json| match self.shape {
            ResultsApi::Current => take(&serde_json::from_str::<TestTaker>(json).context(again)?, json),
            ResultsApi::Legacy => take(&serde_json::from_str::<LegacyResult>(json).context(again)?, json),
        })
    }
}

/// Says, once a command, what the older shape cannot promise.
pub fn say_how_people_are_told_apart(session: &Session) {
    if session.settings.results_api.value == ResultsApi::Legacy {
        session.console.note(
            "the older results shape has no ids: people are told apart by reference id, e-mail and name; of two who share \
             all three it is known that they are two, and not which of them is which",
        );
    }
}
