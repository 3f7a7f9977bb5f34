//! The operations on projects (specification, Projects).

use clap::ValueEnum;
use reqwest::Method;

use super::client::Client;
use super::error::Error;
use super::list_record::{Read, SentJson};
use super::read_list::Listing;
use super::retries::Repeat;
use super::send::Request;
use super::url_path::Segment::{Project as Id, Word};
use crate::model::field_rules::Filter;
use crate::model::list_query::Order;
use crate::model::projects::{NewProject, Project, ProjectId, ProjectOrderBy, ProjectState};

/// Query of the project list. The order is always sent: what moves least while a walk runs, unless the user orders.
#[derive(Clone, Debug)]
pub struct ProjectQuery {
    /// Sort field.
    pub order_by: ProjectOrderBy,
    /// Sort direction.
    pub order: Order,
    /// Substring of the name.
    pub filter: Option<Filter>,
    /// Only projects in this state.
    pub state: Option<ProjectState>,
    /// Passes by the service's cache.
    pub bypass_cache: bool,
}

impl Default for ProjectQuery {
    fn default() -> Self {
        let (order_by, order) = (ProjectOrderBy::DateCreated, Order::Asc);
        Self { order_by, order, filter: None, state: None, bypass_cache: false }
    }
}

/// The wire's word for an enum value: the one that the command line takes, too.
pub fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

impl Client {
    /// GET /projects.
    pub fn projects(&self, query: &ProjectQuery) -> Listing<'_, Project> {
        let mut sent = vec![("order", word(&query.order)), ("orderBy", word(&query.order_by))];
        sent.extend(query.filter.as_ref().map(|filter| ("filter", filter.as_str().to_owned())));
        sent.extend(query.state.as_ref().map(|state| ("state", word(state))));
        sent.extend(query.bypass_cache.then(|| ("bypassCache", "true".to_owned())));
        Listing::new(self, vec![Word("projects")], sent)
    }

    /// POST /projects: repeated only where nothing can have been created.
    pub async fn create_project(&self, project: &NewProject) -> Result<Read<Project>, Error> {
        let path = [Word("projects")];
        let answer = self.send(&Request::new(Method::POST, &path, Repeat::UnlessLost).json(project)?).await?;
        Read::of(&answer)
    }

    /// GET /projects/{projectId}.
    pub async fn project(&self, id: ProjectId) -> Result<Read<Project>, Error> {
        let answer = self.send(&Request::get(&[Word("projects"), Id(id)])).await?;
        Read::of(&answer)
    }

    /// GET /projects/{projectId}/get-link: a JSON string, returned as it was sent.
    pub async fn project_link(&self, id: ProjectId) -> Result<SentJson, Error> {
        let answer = self.send(&Request::get(&[Word("projects"), Id(id), Word("get-link")])).await?;
        let link: Read<String> = Read::of(&answer)?;
        Ok(link.sent)
    }
}
