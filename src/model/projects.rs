//! Projects: the groups that are tested together (specification, Project).

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::field_rules::{FitForDutyResponse, ProjectName};

/// The project that the sandbox holds at first.
pub const SANDBOX_PROJECT: &str = "Demo";

/// Identifier of a project: a uuid, written in lower case with hyphens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProjectId(pub uuid::Uuid);

impl fmt::Display for ProjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for ProjectId {
    type Err = uuid::Error;
    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        uuid::Uuid::parse_str(text).map(Self)
    }
}

/// A project as the service answers it. Fields other than `id` may be absent in what we read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Identifier.
    pub id: ProjectId,
    /// Name; not unique as far as the specification shows.
    pub name: Option<String>,
    /// Creation time, as the service wrote it.
    pub date_created: Option<String>,
    /// Time of the last modification, as the service wrote it.
    pub last_modified: Option<String>,
    /// State; transitions between states are not shown.
    pub state: Option<ProjectState>,
    /// What to do about a high-risk result; an empty string where none was given.
    pub fit_for_duty_response: Option<String>,
}

/// State of a project.
#[derive(Clone, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "verbatim")]
pub enum ProjectState {
    /// Not shown beyond its name.
    Draft,
    /// Tests can be taken (our reading).
    Active,
    /// Links do not work (our reading).
    Inactive,
    /// Not shown beyond its name; we find such a project by id only.
    Deleted,
    /// Not shown beyond its name.
    ActiveExpired,
    /// A value that the specification does not list.
    #[value(skip)]
    #[serde(untagged)]
    Unlisted(String),
}

/// Body of POST /projects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewProject {
    /// Required, 1 to 50 characters.
    pub name: ProjectName,
    /// Omitted where the user gave none; stored as an empty string then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit_for_duty_response: Option<FitForDutyResponse>,
}

/// Sort field of the project list; the service's default is `Name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "verbatim")]
pub enum ProjectOrderBy {
    /// By name.
    Name,
    /// By creation time.
    DateCreated,
    /// By the time of the last modification.
    LastModified,
    /// By state.
    State,
}
