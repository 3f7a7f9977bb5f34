//! Which projects a command works on, where it can be several.

use anyhow::Context as _;
use clap::Args;

use crate::api::{Client, ProjectQuery};
use crate::commands::shared::session::{Found, ProjectArg, Session};
use crate::model::projects::{Project, ProjectId, ProjectState};

/// One project, several, or all.
#[derive(Debug, Args)]
pub struct ProjectsArg {
    /// Name or id of a project, may be repeated [default: the profile's]
    #[arg(short, long, value_name = "NAME_OR_ID")]
    project: Vec<String>,
    /// All projects but deleted ones
    #[arg(long, conflicts_with = "project")]
    all_projects: bool,
}

/// A project of several.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// Its name, empty where the service tells none.
    pub name: String,
    /// Its id.
    pub id: ProjectId,
}

impl From<Project> for Member {
    fn from(project: Project) -> Self {
        Self { name: project.name.unwrap_or_default(), id: project.id }
    }
}

impl ProjectsArg {
    /// Whether it may be several, so that each record has to say whose it is.
    pub fn is_several(&self) -> bool {
        self.all_projects || self.project.len() > 1
    }

    /// Finds the projects: sorted by name, each once. The names of those that are named by their ids are asked for
    /// where they are `shown`.
    pub async fn find(&self, session: &Session, client: &Client, shown: bool) -> anyhow::Result<Vec<Member>> {
        let mut members =
            if self.all_projects { all(client).await? } else { self.named(session, client, shown).await? };
        members.sort();
        members.dedup();
        Ok(members)
    }

    async fn named(&self, session: &Session, client: &Client, shown: bool) -> anyhow::Result<Vec<Member>> {
        let given: Vec<Option<String>> = match self.project.as_slice() {
            [] => vec![None],
            names => names.iter().cloned().map(Some).collect(),
        };
        let mut members = Vec::new();
        for project in given {
            let found = ProjectArg { project }.find(session, client).await?;
            members.push(match found {
                Found::Id(id) if !shown => Member { name: String::new(), id },
                found => found.read(client).await?.record.into(),
            });
        }
        Ok(members)
    }
}

/// All projects but deleted ones, verified and past the service's cache.
async fn all(client: &Client) -> anyhow::Result<Vec<Member>> {
    let query = ProjectQuery { bypass_cache: true, ..ProjectQuery::default() };
    let listed = client.projects(&query).verified(false).await.context("cannot list the projects")?;
    let mut members = Vec::new();
    listed.each_record(|project: Project| {
        if project.state != Some(ProjectState::Deleted) {
            members.push(project.into());
        }
    })?;
    Ok(members)
}
