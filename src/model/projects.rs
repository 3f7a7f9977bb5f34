//! Projects (specification, Resources, Project).

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::people::Order;
use super::text::{Filter, ProjectName, Response};

/// The id of a project, as paths have it.
pub type ProjectId = uuid::Uuid;

/// A project as the service describes it. Only its id is needed; whatever else is absent is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    pub id: ProjectId,
    pub name: Option<String>,
    pub date_created: Option<String>,
    pub state: Option<String>,
}

/// A project that a command works in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRef {
    pub id: ProjectId,
    /// Its name; the id where it was named by that.
    pub name: String,
}

/// The states of a project (specification, Project state).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "verbatim")]
pub enum ProjectState {
    Draft,
    Active,
    Inactive,
    Deleted,
    ActiveExpired,
}

/// What projects are sorted by (specification, Projects).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "verbatim")]
pub enum ProjectOrder {
    Name,
    #[default]
    DateCreated,
    LastModified,
    State,
}

/// Query of the list of projects: the options, and their names on the wire.
#[derive(Clone, Debug, Default, Args, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectQuery {
    /// Only projects whose name contains this text
    #[arg(long, value_name = "TEXT", alias = "search", allow_hyphen_values = true)]
    pub filter: Option<Filter>,
    /// Only Draft, Active, Inactive, ActiveExpired or Deleted projects
    #[arg(long, ignore_case = true, hide_possible_values = true)]
    pub state: Option<ProjectState>,
    /// Skip the service's cache
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bypass_cache: bool,
    /// Sort by Name, DateCreated, LastModified or State
    #[arg(long, ignore_case = true, value_name = "FIELD", value_enum, default_value_t, hide_possible_values = true)]
    #[arg(aliases = ["sort", "sort-by"])]
    pub order_by: ProjectOrder,
    /// Sort direction
    #[arg(long, ignore_case = true, value_name = "Asc|Desc", value_enum, default_value_t, hide_possible_values = true)]
    pub order: Order,
}

/// Body of POST /projects.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewProject {
    pub name: ProjectName,
    pub fit_for_duty_response: Option<Response>,
}
