//! Which project a command works on, or which of several, and how a name is looked up.

use std::rc::Rc;

use anyhow::Context as _;
use clap::Args;

use crate::api::{Client, ProjectQuery, Read};
use crate::commands::shared::project_name_cache::ProjectNameCache;
use crate::commands::shared::run_failure::{NAME_THE_OTHERS, unless_absent};
use crate::commands::shared::session::Session;
use crate::model::did_you_mean::nearest;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::{Project, ProjectId, ProjectState};

/// Which project a command works on.
#[derive(Debug, Default, Args)]
pub struct ProjectArg {
    /// Name or id of the project [default: the profile's]
    #[arg(short, long, value_name = "NAME_OR_ID", value_parser = name_or_id)]
    pub project: Option<String>,
}

/// Refuses an empty name, which an unset variable of a script leaves: it would be looked up, and be "not found".
fn name_or_id(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("is empty; is a variable of the script unset?") } else { Ok(text.to_owned()) }
}

/// A project that was named: an id is taken as it is, a name was looked up.
pub enum Found {
    /// Named by its id, and not asked for yet.
    Id(ProjectId),
    /// Found by its name.
    Named(Box<Read<Project>>),
}

impl Found {
    /// The project's id.
    pub fn id(&self) -> ProjectId {
        match self {
            Self::Id(id) => *id,
            Self::Named(read) => read.record.id,
        }
    }

    /// The name that it was found by, or its id.
    pub fn name(&self) -> String {
        match self {
            Self::Id(id) => id.to_string(),
            Self::Named(read) => title(read).to_owned(),
        }
    }

    /// Asks whether it is there, where that is not known yet.
    pub async fn check(&self, client: &Client) -> anyhow::Result<()> {
        match self {
            Self::Id(id) => client.project(*id).await.map(|_| ()).context("cannot read the project"),
            Self::Named(_) => Ok(()),
        }
    }

    /// The project's record.
    pub async fn read(self, client: &Client) -> anyhow::Result<Read<Project>> {
        match self {
            Self::Id(id) => client.project(id).await.context("cannot read the project"),
            Self::Named(read) => Ok(*read),
        }
    }
}

/// A project that a command works on, and how to reach it.
#[derive(Clone)]
pub struct ProjectContext<'a> {
    pub session: &'a Session,
    pub client: Rc<Client>,
    pub project: ProjectId,
}

impl ProjectArg {
    /// Connects, and finds the project.
    pub async fn open<'a>(&self, session: &'a Session) -> anyhow::Result<ProjectContext<'a>> {
        let client = session.client()?;
        let project = self.find(session, &client).await?.id();
        Ok(ProjectContext { session, client, project })
    }

    /// The project as the user names it: by the flag, the environment or the profile.
    pub fn named<'a>(&'a self, session: &'a Session) -> Option<&'a str> {
        let settled = session.settings.project.as_ref().map(|project| project.value.as_str());
        self.project.as_deref().or(settled)
    }

    /// Finds the project: flag, environment, profile, or `Demo` in the sandbox; none at all is a usage error.
    pub async fn find(&self, session: &Session, client: &Client) -> anyhow::Result<Found> {
        let name = self.named(session).ok_or_else(|| {
            Failure::usage("no project is named")
                .hint("add -p NAME_OR_ID, or keep one: `assessctl config set project NAME_OR_ID`")
        })?;
        let found = match name.parse() {
            Ok(id) => Found::Id(id),
            Err(_) => Found::Named(Box::new(by_name(session, client, name).await?)),
        };
        session.works_on(match &found {
            Found::Id(_) => name,
            Found::Named(read) => title(read),
        });
        Ok(found)
    }
}

/// Looks a name up past the service's cache.
async fn by_name(session: &Session, client: &Client, name: &str) -> anyhow::Result<Read<Project>> {
    let names = ProjectNames::read(session, client).await?;
    names.find(name).cloned().map_err(|none| no_such_project(name, &none).into())
}

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
fn title(read: &Read<Project>) -> &str {
    read.record.name.as_deref().unwrap_or_default()
}

/// A project's id with what tells it from others of its name: the day on which it was created.
pub fn described(project: &Project) -> String {
    match project.date_created.as_deref().and_then(|time| time.get(..10)) {
        Some(day) => format!("{} (created {day})", project.id),
        None => project.id.to_string(),
    }
}

/// Why a name means no project, and what to type.
fn no_such_project(name: &str, none: &NoProject<'_>) -> Failure {
    match none {
        NoProject::Several(found) => {
            let known: Vec<String> = found.iter().map(|project| described(project)).collect();
            let cause = format!("{} projects are named {name:?}: {}", known.len(), known.join(", "));
            Failure::usage(cause).hint(format!("name one by its id: -p {}", found[0].id))
        }
        NoProject::Unknown { near, was_deleted } => {
            let failure = Failure::new(Verdict::NotFound, format!("there is no project named {name:?}"));
            match near {
                _ if *was_deleted => failure.hint("a deleted project has this name; name it by its id"),
                Some(near) => failure.hint(format!("did you mean {near:?}?")),
                None => failure.hint("`assessctl projects list` shows the projects"),
            }
        }
    }
}

/// One project, several, or all.
#[derive(Debug, Args)]
pub struct ProjectsArg {
    /// Name or id of a project, may be repeated [default: the profile's]
    #[arg(short, long, value_name = "NAME_OR_ID", value_parser = name_or_id)]
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
    pub id: ProjectId,
}

impl From<Project> for Member {
    fn from(project: Project) -> Self {
        Self { name: project.name.unwrap_or_default(), id: project.id }
    }
}

impl Member {
    /// The project as a message names it.
    pub fn in_words(&self) -> String {
        if self.name.is_empty() { self.id.to_string() } else { format!("{:?} ({})", self.name, self.id) }
    }
}

impl ProjectsArg {
    /// Whether it may be several, so that each record has to say whose it is.
    pub fn is_several(&self) -> bool {
        self.all_projects || self.project.len() > 1
    }

    /// Whether it is all of them.
    pub fn is_all(&self) -> bool {
        self.all_projects
    }

    /// Finds the projects: sorted by name, each once, whatever it is called at the moment: who asks twice may be told two
    /// names of one. The names of those that are named by their ids are asked for where they are `shown`.
    pub async fn find(&self, session: &Session, client: &Client, shown: bool) -> anyhow::Result<Vec<Member>> {
        let mut members =
            if self.all_projects { all(client).await? } else { self.named(session, client, shown).await? };
        members.sort_by_key(|member| member.id);
        members.dedup_by_key(|member| member.id);
        members.sort();
        Ok(members)
    }

    async fn named(&self, session: &Session, client: &Client, shown: bool) -> anyhow::Result<Vec<Member>> {
        let given: Vec<Option<String>> = match self.project.as_slice() {
            [] => vec![None],
            names => names.iter().cloned().map(Some).collect(),
        };
        let mut members = Vec::new();
        for project in given {
            let member = member(session, client, project, shown).await;
            let is_one = self.project.len() < 2;
            members.push(member.map_err(|error| if is_one { error } else { of_several(error) })?);
        }
        Ok(members)
    }
}

/// Why a project of several that are named is not read. "Not found" would say so of all of them: a name that no project has
/// is a mistake of the line, a project that is gone by now a part that is missing.
fn of_several(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Failure>() {
        Ok(failure) if failure.verdict == Verdict::NotFound => Failure { verdict: Verdict::Usage, ..failure }.into(),
        Ok(failure) => failure.into(),
        Err(error) => unless_absent(error, NAME_THE_OTHERS),
    }
}

async fn member(session: &Session, client: &Client, project: Option<String>, shown: bool) -> anyhow::Result<Member> {
    let found = ProjectArg { project }.find(session, client).await?;
    Ok(match found {
        Found::Id(id) if !shown => Member { name: String::new(), id },
        Found::Id(id) => {
            client.project(id).await.with_context(|| format!("cannot read the project {id}"))?.record.into()
        }
        Found::Named(read) => read.record.into(),
    })
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
