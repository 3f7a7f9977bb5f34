//! `assessctl projects`: the groups that are tested together.

use anyhow::Context as _;
use clap::{Args, Subcommand};
use jiff::{SignedDuration, Timestamp};

use crate::api::{Class, Client, Error, ProjectQuery, Read};
use crate::commands::shared::list_args::ListArgs;
use crate::commands::shared::project_name_cache::Names;
use crate::commands::shared::session::{ProjectArg, Session};
use crate::model::listing::Order;
use crate::model::projects::{NewProject, Project, ProjectOrderBy, ProjectState};
use crate::model::text::{Filter, FitForDutyResponse, ProjectName};
use crate::model::time::parse_service_time;
use crate::model::verdict::{Failure, Verdict};
use crate::output::qr::Qr;
use crate::output::{Columns, Shape, print_now, terminal, write_whole};

pub const COLUMNS: Columns<'static> =
    Columns::of(&["id", "name", "state", "dateCreated", "lastModified", "fitForDutyResponse"])
        .in_table(&["id", "name", "state", "dateCreated", "lastModified"])
        .uncut(&["id"]);

pub const LINK: Columns<'static> = Columns::of(&["link"]).uncut(&["link"]);

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
  assessctl projects link -p Demo -o json
  assessctl projects link Demo --qr --to poster.svg")]
    Link(LinkArgs),
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

/// Arguments of `projects link`.
#[derive(Debug, Args)]
pub struct LinkArgs {
    #[command(flatten)]
    project: ProjectOperand,
    /// Draw it as a QR code: in the terminal, or with --to as an SVG file
    #[arg(long)]
    qr: bool,
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
        let whole = query.filter.is_none() && query.state.is_none() && self.list.is_whole();
        let mut names = Names::default();
        let keep = |project: &Project| {
            names.note(project);
            true
        };
        let listed = self.list.print(session, client.projects(&query), printer, ordered, keep).await;
        let verdict = listed.context("cannot list the projects")?;
        if whole {
            names.remember(&session.settings);
        }
        Ok(verdict)
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
}

impl LinkArgs {
    async fn link(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&LINK, Shape::Strings)?;
        let client = session.client()?;
        let project = self.project.given().find(session, &client).await?;
        let link = client.project_link(project.id()).await.context("cannot read the project's link")?;
        if self.qr {
            draw(session, &serde_json::from_str::<String>(link.get()).context("the project's link is no text")?)?;
        } else {
            printer.push(link.get())?;
            printer.finish()?;
        }
        Ok(Verdict::Done)
    }
}

/// Draws a link as a QR code where output goes.
fn draw(session: &Session, link: &str) -> anyhow::Result<()> {
    let qr = Qr::of(link).ok_or_else(|| Failure::new(Verdict::Unforeseen, "the link is too long for a QR code"))?;
    if let Some(file) = &session.show.to {
        return Ok(write_whole(file, &qr.svg("QR code of the project link"))?);
    }
    match terminal::terminal_width() {
        Some(width) if width < qr.width() => {
            let cause = format!("the QR code is {} columns wide, the terminal {width}", qr.width());
            Err(Failure::usage(cause).hint("add --to FILE.svg for a picture").into())
        }
        _ => Ok(print_now(&qr.blocks(session.show.color))?),
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
        Failure::new(Verdict::Unforeseen, format!("the project may have been created, but {what}: {lost}")).hint(
            "look before you repeat: `assessctl projects list --bypass-cache --order-by DateCreated --order Desc`",
        )
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
