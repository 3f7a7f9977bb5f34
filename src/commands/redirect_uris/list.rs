//! `assessctl redirect-uris list`: what the workspace allows.

use anyhow::Context as _;
use clap::Args;

use crate::commands::shared::list_args::ListArgs;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::model::exit_ranks::Verdict;
use crate::model::list_query::Order;
use crate::output::{Columns, Shape};

/// The service answers bare strings; this names their column.
const COLUMNS: Columns<'static> = Columns::of(&["redirectUri"]);

/// List the redirect URIs that the workspace allows, all of them
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Records(&COLUMNS)).printing(JsonShape::Texts, JsonSource::Own))]
#[command(after_help = "\
Examples:
  assessctl redirect-uris list
  assessctl redirect-uris list --order Desc -o json")]
pub struct ListUris {
    /// Sort direction
    #[arg(long, value_enum, ignore_case = true, default_value = "Asc")]
    order: Order,
    #[command(flatten)]
    list: ListArgs,
}

impl ListUris {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let printer = session.printer(&COLUMNS, Shape::Strings)?;
        let client = session.client()?;
        let listing = client.redirect_uris(self.order);
        let listed = self.list.print(session, listing, (printer, None), |_| true).await;
        listed.context("cannot list the redirect URIs")
    }
}
