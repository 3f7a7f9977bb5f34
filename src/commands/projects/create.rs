//! `assessctl projects create`: a project whose name is free, looked for where the answer was lost.

use anyhow::Context as _;
use clap::Args;
use jiff::{SignedDuration, Timestamp};

use crate::api::{Class, Client, Error, ProjectQuery, Read};
use crate::commands::projects::COLUMNS;
use crate::commands::shared::project_args::described;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::field_rules::{FitForDutyResponse, ProjectName, plain_name, trimmed};
use crate::model::list_query::Order;
use crate::model::projects::{NewProject, Project, ProjectState};
use crate::model::time::parse_service_time;
use crate::output::{Record, Shape};

/// Create a project
///
/// A name that another project has, in any case, is refused (exit code 5): `-p NAME` could not tell the two apart, and
/// projects cannot be removed here. Deleted projects do not count.
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Write, Prints::Records(&COLUMNS)).printing(JsonShape::One, JsonSource::Service))]
#[command(after_help = "\
Examples:
  assessctl projects create 'Night shift'
  assessctl projects create 'Pit 4' \\
      --fit-for-duty-response 'Call the shift supervisor.' -o json")]
pub struct CreateProject {
    /// Name of the project (at most 50 characters)
    #[arg(value_parser = trimmed::<ProjectName>)]
    name: ProjectName,
    /// What to do about a high-risk result: a sentence or an address (at most 1,000 characters)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    fit_for_duty_response: Option<FitForDutyResponse>,
    /// Create it although another project has this name
    #[arg(long)]
    allow_duplicates: bool,
}

impl CreateProject {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.quiet_printer(&COLUMNS, Shape::One, "id")?;
        session.may_write()?;
        let client = session.client()?;
        if !self.allow_duplicates {
            name_is_free(&client, &self.name).await?;
        }
        let began = Timestamp::now();
        let new = NewProject { name: self.name, fit_for_duty_response: self.fit_for_duty_response };
        let created = match client.create_project(&new).await {
            // With a 2xx it was created, whatever stands in the body.
            Err(error) if error.can_be_looked_up() || error.class() == Class::DoneUnreadable => {
                look_for(&client, &new.name, began, &error).await?
            }
            Ok(read) if is_another(&new.name, &read.record) => {
                return Err(doubt(&Error::OtherRecord("its name differs")).into());
            }
            other => other.context("cannot create the project")?,
        };
        printer.push(Record::Sent(created.sent.get()))?;
        printer.finish()?;
        session.console.aside(&format!("1 project created{}", session.place()));
        Ok(Verdict::Done)
    }
}

/// The project list past the service's cache, as far as it has this name.
fn named(name: &ProjectName) -> ProjectQuery {
    ProjectQuery { filter: name.as_str().parse().ok(), bypass_cache: true, ..ProjectQuery::default() }
}

/// Whether this is the record of another project than the one that was sent, and not of one whose name is written otherwise.
fn is_another(sent: &ProjectName, answered: &Project) -> bool {
    let sent = plain_name(sent.as_str()).to_lowercase();
    answered.name.as_deref().is_some_and(|answered| plain_name(answered).to_lowercase() != sent)
}

/// Refuses a name that a project has: two of one name can only be told apart by their ids.
async fn name_is_free(client: &Client, name: &ProjectName) -> anyhow::Result<()> {
    let found = client.projects(&named(name)).look_up().await;
    let found = found.context("cannot look whether the name is free; nothing was sent")?;
    let wanted = name.as_str().to_lowercase();
    let taken = found.into_iter().map(|read| read.record).find(|project| {
        let same = project.name.as_deref().is_some_and(|name| name.to_lowercase() == wanted);
        same && project.state != Some(ProjectState::Deleted)
    });
    let Some(project) = taken else { return Ok(()) };
    let cause = format!("a project of this name exists: {}", described(&project));
    let hint = "use it with -p NAME; --allow-duplicates creates a second one";
    Err(Failure::new(Verdict::Refused, cause).hint(hint).into())
}

/// After a lost answer: the project of this name that was created since we asked, by the service's own clock.
async fn look_for(
    client: &Client,
    name: &ProjectName,
    began: Timestamp,
    lost: &Error,
) -> anyhow::Result<Read<Project>> {
    let query = ProjectQuery { order: Order::Desc, ..named(name) };
    let found = client.projects(&query).all().await.map_err(|_| doubt(lost))?;
    // A `Date` header has whole seconds, so the service's clock is known to about two of them.
    let since = client.service_time(began).saturating_sub(SignedDuration::from_secs(2)).unwrap_or(began);
    let mut ours = found.into_iter().filter(|read| {
        let created = read.record.date_created.as_deref().and_then(parse_service_time);
        read.record.name.as_deref() == Some(name.as_str()) && created.is_some_and(|created| created >= since)
    });
    match (ours.next(), ours.next()) {
        (Some(read), None) => Ok(read),
        _ => Err(doubt(lost).into()),
    }
}

/// It may be there or not, and cannot be told from others.
fn doubt(lost: &Error) -> Failure {
    let what = if lost.class() == Class::Lost { "the answer was lost" } else { "the answer cannot be read" };
    Failure::new(Verdict::Unforeseen, format!("the project may have been created, but {what}: {lost}"))
        .hint("look before you repeat: `assessctl projects list --bypass-cache --order-by DateCreated --order Desc`")
}
