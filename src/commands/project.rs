//! Which project a command works in: by option, environment or profile, by id or name, and what a wrong name means.

use clap::Args;

use super::session::Session;
use crate::api::{Error, Read};
use crate::model::projects::{Project, ProjectQuery, ProjectRef};
use crate::model::text::nearest;
use crate::model::verdict::{Failure, Verdict};

/// `--project`, for commands that work in one.
#[derive(Args, Clone, Debug, Default)]
pub struct ProjectArgs {
    /// Project: its name or id
    #[arg(short, long, value_name = "NAME|ID", value_parser = not_empty, alias = "project-id")]
    pub project: Option<String>,
}

/// An unset variable in a script must not select another project.
pub fn not_empty(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("is empty") } else { Ok(text.trim().to_owned()) }
}

impl ProjectArgs {
    /// The project named here or by `PROJECT`, else that of the settings. One named by id is not asked for.
    pub async fn find(&self, session: &Session) -> anyhow::Result<ProjectRef> {
        let name = self.name(session)?;
        match name.parse() {
            Ok(id) => Ok(ProjectRef { id, name }),
            Err(_) => self.named(session).await,
        }
    }

    /// The same project, asked for by its id too, so that its name is known.
    pub async fn named(&self, session: &Session) -> anyhow::Result<ProjectRef> {
        Ok(reference(self.read(session, Verdict::Usage).await?.record))
    }

    /// The project as the service has it. `missing` is the verdict where there is none.
    pub async fn read(&self, session: &Session, missing: Verdict) -> anyhow::Result<Read<Project>> {
        let name = self.name(session)?;
        let Ok(id) = name.parse() else { return by_name(session, &name, missing).await };
        match session.client().await?.project(id).await {
            Err(error) if missing == Verdict::Usage && error.status() == Some(404) && !error.is_not_the_service() => {
                Err(Error::UnknownProject.into())
            }
            read => Ok(read?),
        }
    }

    /// What names the project: this option, the environment, the profile.
    pub fn name(&self, session: &Session) -> Result<String, Failure> {
        let settings = session.settings()?;
        if let Some(name) = self.project.as_ref().or(settings.project.as_ref()) {
            return Ok(name.clone());
        }
        settings.base_url()?;
        Err(Failure::usage("no project was given").hint("add -p NAME"))
    }
}

/// `--project` and `--all-projects`, for commands that read one or all.
#[derive(Args, Clone, Debug, Default)]
pub struct ProjectsArgs {
    #[command(flatten)]
    pub one: ProjectArgs,
    /// All projects, except deleted ones
    #[arg(long, conflicts_with = "project")]
    pub all_projects: bool,
}

impl ProjectsArgs {
    /// The project, or all of them, sorted by name.
    pub async fn find(&self, session: &Session) -> anyhow::Result<Vec<ProjectRef>> {
        if self.all_projects { every_project(session).await } else { Ok(vec![self.one.find(session).await?]) }
    }

    /// What an error in this project means for the command. Of all projects, one that is gone since they were listed is no
    /// wrong call: the next run does not list it.
    pub fn failure(&self, project: &ProjectRef, error: &anyhow::Error) -> Failure {
        let mut failure = super::failure(error);
        if self.all_projects {
            failure.cause = format!("{}: {}", project.name, failure.cause);
            if error.is::<Error>() && matches!(failure.verdict, Verdict::Usage | Verdict::NotFound) {
                failure.verdict = Verdict::Unfinished;
            }
        }
        failure
    }
}

/// All projects but deleted ones, sorted by name.
pub async fn every_project(session: &Session) -> anyhow::Result<Vec<ProjectRef>> {
    let query = ProjectQuery { bypass_cache: true, ..ProjectQuery::default() };
    let mut list = session.client().await?.projects(&query).whole().await?;
    list.retain(|read| !is_deleted(&read.record));
    let mut found: Vec<ProjectRef> = list.into_iter().map(|read| reference(read.record)).collect();
    found.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
    Ok(found)
}

/// A project by its name; by its id where it has none.
pub fn reference(project: Project) -> ProjectRef {
    let name = project.name.filter(|name| !name.trim().is_empty());
    ProjectRef { id: project.id, name: name.unwrap_or_else(|| project.id.to_string()) }
}

/// Whether a project can be named by its id only.
pub fn is_deleted(project: &Project) -> bool {
    project.state.as_deref() == Some("Deleted")
}

/// The one project of this name, ignoring case: a name that is stored must not mean another project because somebody makes
/// one. Deleted projects have an id only. `missing` is the verdict where there is none.
async fn by_name(session: &Session, name: &str, missing: Verdict) -> anyhow::Result<Read<Project>> {
    let client = session.client().await?;
    let filter = name.parse().ok();
    let query = ProjectQuery { bypass_cache: true, filter, ..ProjectQuery::default() };
    if let Some(found) = one_of(client.projects(&query).matches().await?, name)? {
        return Ok(found);
    }
    // A service may filter by case, and a name that is nearly right needs all names.
    let all = client.projects(&ProjectQuery { filter: None, ..query }).whole().await?;
    let others = all.iter().filter(|read| !is_deleted(&read.record));
    let names: Vec<String> = others.filter_map(|read| read.record.name.clone()).collect();
    let unknown = || {
        let near = nearest(name, names.iter().map(String::as_str));
        let near = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
        let hint = "assessctl projects list";
        Failure::new(missing, format!("no project has this name{near}")).hint(hint).into()
    };
    one_of(all, name)?.ok_or_else(unknown)
}

fn one_of(mut projects: Vec<Read<Project>>, name: &str) -> Result<Option<Read<Project>>, Failure> {
    projects.retain(|read| is_named(&read.record, name) && !is_deleted(&read.record));
    if projects.len() > 1 {
        let list: Vec<String> = projects.iter().map(|read| described(&read.record)).collect();
        let cause = format!("{} projects have this name: {}", list.len(), list.join("; "));
        return Err(Failure::usage(cause).hint("give the id of one of them in place of the name"));
    }
    Ok(projects.pop())
}

/// Whether a project has this name, ignoring case.
pub fn is_named(project: &Project, name: &str) -> bool {
    project.name.as_deref().unwrap_or_default().trim().to_lowercase() == name.to_lowercase()
}

/// A project by id and creation date, where its name is not enough.
pub fn described(project: &Project) -> String {
    let created = project.date_created.as_deref().map(|date| format!(", created {date}")).unwrap_or_default();
    format!("{}{created}", project.id)
}
