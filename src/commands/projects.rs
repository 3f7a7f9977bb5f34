//! `assessctl projects`: the groups that are tested together.

use anyhow::Context as _;
use clap::{Args, Subcommand};
use jiff::{SignedDuration, Timestamp};

use super::list::ListArgs;
use super::session::{ProjectArg, Session};
use crate::api::{Class, Client, Error, ProjectQuery, Read};
use crate::model::listing::Order;
use crate::model::projects::{NewProject, Project, ProjectOrderBy, ProjectState};
use crate::model::text::{Filter, FitForDutyResponse, ProjectName};
use crate::model::time::parse_service_time;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, Shape};

const COLUMNS: Columns<'static> =
    Columns::of(&["id", "name", "state", "dateCreated", "lastModified", "fitForDutyResponse"])
        .in_table(&["id", "name", "state", "dateCreated", "lastModified"])
        .uncut(&["id"]);

const LINK: Columns<'static> = Columns::of(&["link"]).uncut(&["link"]);

/// The commands on projects
#[derive(Debug, Subcommand)]
pub enum ProjectsCommand {
    /// List the workspace's projects, all of them
    #[command(after_help = "\
Examples:
  assessctl projects list
  assessctl projects list --state Active --order-by Name -o csv
  assessctl projects list --filter demo --fields id,name -o ndjson")]
    List(ListProjects),
    /// Show one project
    #[command(after_help = "\
Examples:
  assessctl projects get Demo
  assessctl projects get -p Demo -o json")]
    Get(ProjectOperand),
    /// Create a project
    #[command(after_help = "\
Examples:
  assessctl projects create 'Night shift'
  assessctl projects create 'Pit 4' \\
      --fit-for-duty-response 'Call the shift supervisor.' -o json")]
    Create(CreateProject),
    /// Print the link by which people enrol themselves in a project
    #[command(after_help = "\
Examples:
  assessctl projects link Demo
  assessctl projects link -p Demo -o json")]
    Link(ProjectOperand),
}

/// Arguments of `projects list`.
#[derive(Debug, Args)]
pub struct ListProjects {
    /// Only projects with this text in their name (at most 500 characters)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    filter: Option<Filter>,
    /// Only projects in this state
    #[arg(long, value_enum, ignore_case = true)]
    state: Option<ProjectState>,
    /// Sort by this field [default: DateCreated]
    #[arg(long, value_enum, ignore_case = true)]
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

/// A project as an argument or by `-p`.
#[derive(Debug, Args)]
pub struct ProjectOperand {
    /// Name or id of the project
    #[arg(value_name = "PROJECT", conflicts_with = "project")]
    operand: Option<String>,
    #[command(flatten)]
    project: ProjectArg,
}

/// Arguments of `projects create`.
#[derive(Debug, Args)]
pub struct CreateProject {
    /// Name of the project (at most 50 characters)
    name: ProjectName,
    /// What to do about a high-risk result: a sentence or an address (at most 1,000 characters)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    fit_for_duty_response: Option<FitForDutyResponse>,
}

impl ProjectsCommand {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(args) => args.run(session).await,
            Self::Get(args) => args.get(session).await,
            Self::Create(args) => args.run(session).await,
            Self::Link(args) => args.link(session).await,
        }
    }
}

impl ListProjects {
    async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let printer = session.printer(&COLUMNS, Shape::Many)?;
        let query = ProjectQuery {
            order_by: self.order_by.unwrap_or(ProjectOrderBy::DateCreated),
            order: self.order.unwrap_or(Order::Asc),
            filter: self.filter,
            state: self.state,
            bypass_cache: self.bypass_cache,
        };
        let (client, ordered) = (session.client()?, self.order_by.is_some());
        let listing = client.projects(&query);
        self.list.print(session, listing, printer, ordered, |_| true).await.context("cannot list the projects")
    }
}

impl ProjectOperand {
    fn given(&self) -> ProjectArg {
        ProjectArg { project: self.operand.clone().or_else(|| self.project.project.clone()) }
    }

    async fn get(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&COLUMNS, Shape::One)?;
        let client = session.client()?;
        let project = self.given().find(session, &client).await?;
        printer.push(project.read(&client).await?.sent.get())?;
        printer.finish()?;
        Ok(Verdict::Done)
    }

    async fn link(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&LINK, Shape::Strings)?;
        let client = session.client()?;
        let project = self.given().find(session, &client).await?;
        let link = client.project_link(project.id()).await.context("cannot read the project's link")?;
        printer.push(link.get())?;
        printer.finish()?;
        Ok(Verdict::Done)
    }
}

impl CreateProject {
    async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&COLUMNS, Shape::One)?;
        session.may_write()?;
        let client = session.client()?;
        let began = Timestamp::now();
        let new = NewProject { name: self.name, fit_for_duty_response: self.fit_for_duty_response };
        let created = match client.create_project(&new).await {
            Err(error) if error.outcome_unknown() && !error.is_redirect() => {
                look_for(&client, &new.name, began, &error).await?
            }
            other => other.context("cannot create the project")?,
        };
        printer.push(created.sent.get())?;
        printer.finish()?;
        Ok(Verdict::Done)
    }
}

/// After a lost answer: the project of this name that was created since we asked, by the service's own clock.
async fn look_for(
    client: &Client,
    name: &ProjectName,
    began: Timestamp,
    lost: &Error,
) -> anyhow::Result<Read<Project>> {
    let query = ProjectQuery {
        filter: name.as_str().parse().ok(),
        bypass_cache: true,
        order: Order::Desc,
        ..ProjectQuery::default()
    };
    let doubt = || {
        let what = if lost.class() == Class::Lost { "the answer was lost" } else { "the answer cannot be read" };
        Failure::new(Verdict::Unforeseen, format!("the project may have been created, but {what}: {lost}"))
            .hint("look before you repeat: assessctl projects list --bypass-cache --order-by DateCreated --order Desc")
    };
    let found = client.projects(&query).all().await.map_err(|_| doubt())?;
    // A `Date` header has whole seconds, so the service's clock is known to about two of them.
    let since = client.service_time(began).saturating_sub(SignedDuration::from_secs(2)).unwrap_or(began);
    let is_ours = |read: &Read<Project>| {
        let created = read.record.date_created.as_deref().and_then(parse_service_time);
        read.record.name.as_deref() == Some(name.as_str()) && created.is_some_and(|created| created >= since)
    };
    let mut ours = found.into_iter().filter(is_ours);
    match (ours.next(), ours.next()) {
        (Some(read), None) => Ok(read),
        _ => Err(doubt().into()),
    }
}
