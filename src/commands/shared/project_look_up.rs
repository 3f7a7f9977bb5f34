//! The projects of the service by their names: exact first, else ignoring case; deleted ones match by id only.

use anyhow::Context as _;

use crate::api::{Client, ProjectQuery, Read};
use crate::commands::shared::project_name_cache::ProjectNameCache;
use crate::commands::shared::session::Session;
use crate::model::did_you_mean::nearest;
use crate::model::projects::{Project, ProjectState};

/// All projects, to look one or several names up.
pub struct ProjectNames {
    existing: Vec<Read<Project>>,
    deleted: Vec<Read<Project>>,
}

/// Why a name means no project.
pub enum NoProject<'a> {
    /// None is called so.
    Unknown {
        /// A name that comes near.
        near: Option<&'a str>,
        /// A deleted project is called so.
        was_deleted: bool,
    },
    Several(Vec<&'a Project>),
}

impl ProjectNames {
    /// Reads the projects, past the service's cache.
    pub async fn read(session: &Session, client: &Client) -> anyhow::Result<Self> {
        let query = ProjectQuery { bypass_cache: true, ..ProjectQuery::default() };
        let all = client.projects(&query).all().await.context("cannot look the project up by its name")?;
        let mut known = ProjectNameCache::default();
        for read in &all {
            known.note(&read.record);
        }
        known.remember(&session.settings);
        let (deleted, existing) = all.into_iter().partition(|read| read.record.state == Some(ProjectState::Deleted));
        Ok(Self { existing, deleted })
    }

    pub fn find(&self, name: &str) -> Result<&Read<Project>, NoProject<'_>> {
        let (exact, lower) = (self.existing.iter().any(|known| title(known) == name), name.to_lowercase());
        let is_meant = |known: &&Read<Project>| {
            if exact { title(known) == name } else { title(known).to_lowercase() == lower }
        };
        let found: Vec<&Read<Project>> = self.existing.iter().filter(is_meant).collect();
        match found.as_slice() {
            [one] => Ok(one),
            [] => Err(NoProject::Unknown {
                near: nearest(name, self.existing.iter().map(title)),
                was_deleted: self.deleted.iter().any(|read| title(read) == name),
            }),
            several => Err(NoProject::Several(several.iter().map(|read| &read.record).collect())),
        }
    }
}

/// A project's name; empty where the service tells none.
pub fn title(read: &Read<Project>) -> &str {
    read.record.name.as_deref().unwrap_or_default()
}
