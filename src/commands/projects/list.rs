//! `assessctl projects list`: the workspace's projects, all of them.

use anyhow::Context as _;
use clap::Args;

use crate::api::ProjectQuery;
use crate::commands::projects::COLUMNS;
use crate::commands::shared::list_args::{ListArgs, NoneMatches};
use crate::commands::shared::people_filters::{none_found, project_text};
use crate::commands::shared::project_name_cache::ProjectNameCache;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::model::exit_ranks::Verdict;
use crate::model::field_rules::Filter;
use crate::model::list_query::Order;
use crate::model::projects::{Project, ProjectOrderBy, ProjectState};

/// List the workspace's projects, all of them
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Records(&COLUMNS)).printing(JsonShape::Many, JsonSource::Service))]
#[command(after_help = "\
Examples:
  assessctl projects list
  assessctl projects list --state Active --order-by Name -o csv
  assessctl projects list --filter demo --fields id,name -o ndjson")]
pub struct ListProjects {
    /// Only projects with this text in their name (at most 500 characters)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = project_text)]
    filter: Option<Filter>,
    /// Only projects in this state
    #[arg(long, value_enum, ignore_case = true)]
    state: Option<ProjectState>,
    /// Sort by this field [default: DateCreated]
    #[arg(long, value_enum, ignore_case = true, allow_hyphen_values = true)]
    order_by: Option<ProjectOrderBy>,
    /// Sort direction [default: Asc]
    #[arg(long, value_enum, ignore_case = true)]
    order: Option<Order>,
    /// Pass by the service's cache, to see the latest data
    #[arg(long)]
    bypass_cache: bool,
    #[command(flatten)]
    list: ListArgs,
}

impl ListProjects {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let printer = session.list_printer(&COLUMNS, "id")?;
        let query = ProjectQuery {
            order_by: self.order_by.unwrap_or(ProjectOrderBy::DateCreated),
            order: self.order.unwrap_or(Order::Asc),
            filter: self.filter,
            state: self.state,
            bypass_cache: self.bypass_cache,
        };
        let client = session.client()?;
        let whole = query.filter.is_none() && query.state.is_none() && self.list.is_whole();
        let mut names = ProjectNameCache::default();
        let none = match (&query.filter, &query.state) {
            (Some(_), _) => Some(none_found("no project", "the name", "; --state chooses by state")),
            (None, Some(_)) => Some(NoneMatches { said: "no project matches".to_owned(), is_explained: false }),
            (None, None) => None,
        };
        let listed = self.list.print(session, client.projects(&query), (printer, none), |project: &Project| {
            names.note(project);
            true
        });
        let verdict = listed.await.context("cannot list the projects")?;
        if whole {
            names.remember(&session.settings);
        }
        Ok(verdict)
    }
}
