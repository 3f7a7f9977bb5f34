//! `projects create`: when a project may be created, and how it is looked for where the answer was lost.

use std::time::Duration;

use clap::Args;
use tokio::time::{Instant, sleep};

use super::COLUMNS;
use crate::api::{Client, Effect, Read};
use crate::commands::project::{described, is_deleted, is_named};
use crate::commands::session::Session;
use crate::model::projects::{NewProject, Project, ProjectQuery};
use crate::model::text::{ProjectName, Response, TextError};
use crate::model::verdict::{Failure, Verdict};
use crate::output::{OutputArgs, Shape};

/// How long a project is looked for after a lost answer.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_secs(2);

/// Create a project
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl projects create \"Night shift\"\n  id=$(assessctl projects create Crane -q)"
)]
pub struct CreateProject {
    /// Name of the project, at most 50 characters
    #[arg(value_name = "NAME", value_parser = name)]
    name: ProjectName,
    /// What to do about a high-risk result: text or URL
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    fit_for_duty_response: Option<Response>,
    /// Create it even if a project has this name
    #[arg(long)]
    allow_duplicate: bool,
    #[command(flatten)]
    show: OutputArgs,
}

/// Blanks around a name are no part of it: two names that look the same would be two projects.
fn name(text: &str) -> Result<ProjectName, TextError> {
    text.trim().parse()
}

impl CreateProject {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        session.may_write()?;
        let output = session.output(&self.show, &COLUMNS, Shape::One)?;
        let client = session.client().await?;
        let before = of_name(client, &self.name).await?;
        if let Some(known) = before.first().filter(|_| !self.allow_duplicate) {
            let cause = format!("a project of this name exists: {}", described(&known.record));
            return Err(Failure::new(Verdict::Refused, cause).hint("add --allow-duplicate").into());
        }
        let project = NewProject { name: self.name, fit_for_duty_response: self.fit_for_duty_response };
        let created = match client.create_project(&project).await {
            // It may answer a request that an earlier hop repeated.
            Err(error) if error.status() == Some(409) => {
                find_new(client, &project.name, &before, Duration::ZERO).await.ok_or_else(|| Failure::from(&error))?
            }
            Err(error) if error.effect() != Effect::None => {
                session.console.say("the answer was lost: looking for the project for 30 s");
                find_new(client, &project.name, &before, PATIENCE).await.ok_or_else(|| {
                    let cause = format!("it is not known whether the project was created: {error}");
                    Failure::new(Verdict::Unfinished, cause).hint(
                        "it may still appear; before you try again, look in five minutes: assessctl projects list --bypass-cache",
                    )
                })?
            }
            created => created?,
        };
        session.console.note(&format!("created{}", session.service()));
        output.print(&[created]).map(|_| Verdict::Done)
    }
}

async fn of_name(client: &Client, name: &ProjectName) -> anyhow::Result<Vec<Read<Project>>> {
    let query = ProjectQuery { filter: name.parse().ok(), bypass_cache: true, ..ProjectQuery::default() };
    let mut found = client.projects(&query).whole().await?;
    found.retain(|read| is_named(&read.record, name) && !is_deleted(&read.record));
    Ok(found)
}

/// A project of this name that was not there before.
async fn find_new(
    client: &Client,
    name: &ProjectName,
    before: &[Read<Project>],
    patience: Duration,
) -> Option<Read<Project>> {
    let end = Instant::now() + patience;
    loop {
        // A read that fails finds nothing; the next may.
        let mut new = of_name(client, name).await.unwrap_or_default();
        new.retain(|read| !before.iter().any(|known| known.record.id == read.record.id));
        if !new.is_empty() || Instant::now() >= end {
            return new.pop();
        }
        sleep(PAUSE).await;
    }
}
