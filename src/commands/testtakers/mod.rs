//! `assessctl testtakers`: the people enrolled in a project.

pub mod check;
pub mod enrol;
pub mod enrol_run;
pub mod import;
pub mod import_links;
pub mod remove;
pub mod update;

use anyhow::Context as _;
use clap::{Args, Subcommand};

use crate::api::PeopleQuery;
use crate::commands::shared::filters::PeopleArgs;
use crate::commands::shared::list_args::ListArgs;
use crate::commands::shared::person::Target;
use crate::commands::shared::session::{ProjectArg, Session};
use crate::commands::testtakers::check::CheckRoster;
use crate::commands::testtakers::enrol::EnrolTestTaker;
use crate::commands::testtakers::import::ImportTestTakers;
use crate::commands::testtakers::remove::RemoveTestTakers;
use crate::commands::testtakers::update::UpdateTestTaker;
use crate::model::listing::{Order, PeopleFilters, ReferenceLookup};
use crate::model::status::FLAGGED_WORDS;
use crate::model::testtakers::TestTakerOrderBy;
use crate::model::verdict::Verdict;
use crate::output::{Columns, Shape};

/// The fields of a test taker as lists tell it.
pub const COLUMNS: Columns<'static> = Columns::of(&[
    "id",
    "email",
    "referenceId",
    "firstName",
    "lastName",
    "fullName",
    "yearOfBirth",
    "result",
    "dateCompleted",
    "lastTestSentUtc",
    "topPerformer",
])
.in_table(&["id", "referenceId", "fullName", "email", "result", "dateCompleted"])
.uncut(&["id", "referenceId"])
.alarming("result", &FLAGGED_WORDS);

/// The commands on test takers
#[derive(Debug, Subcommand)]
pub enum TestTakersCommand {
    /// List the people enrolled in a project, all of them
    #[command(after_help = "\
Examples:
  assessctl testtakers list -p Demo
  assessctl testtakers list -p Demo --has-last-test-sent false -o csv
  assessctl testtakers list -p Demo --filter muel --limit 5")]
    List(ListTestTakers),
    /// Show one test taker
    #[command(after_help = "\
Examples:
  assessctl testtakers get -p Demo ref:EMP-00017
  assessctl testtakers get -p Demo email:zoe.mueller@example.com -o json")]
    Get(GetTestTaker),
    /// Enrol one person
    #[command(
        alias = "enroll",
        after_help = "\
Whoever is enrolled already is left as they are and reported as existing.

Examples:
  assessctl testtakers enrol -p Demo --email kim.ly@example.com \\
      --reference-id EMP-02001
  assessctl testtakers enrol -p Demo --email ana@example.com --first-name Ana \\
      -o json"
    )]
    Enrol(EnrolTestTaker),
    /// Enrol each person of a CSV exactly once, and account for every row
    #[command(after_help = "\
Files are taken as they arrive from spreadsheets and HR systems. Everything is checked before anything is sent; \
running the same command again continues where it stopped.

Examples:
  assessctl testtakers import -p Demo people.csv --dry-run
  assessctl testtakers import -p Demo people.csv --assign-reference-ids \\
      --with-links links.csv
  assessctl testtakers import -p Demo people.csv --report report.csv \\
      --failed-out fix.csv
  assessctl testtakers import -p Demo people.csv --skip-invalid --settle 1m \\
      -o ndjson")]
    Import(ImportTestTakers),
    /// Check a CSV of people and list its mistakes; nothing is sent
    #[command(after_help = "\
Examples:
  assessctl testtakers check people.csv
  assessctl testtakers check people.csv --delimiter , --encoding utf-8 -o json")]
    Check(CheckRoster),
    /// Change a test taker's name or reference id
    #[command(after_help = "\
Examples:
  assessctl testtakers update -p Demo --csv enrolled.csv --dry-run
  assessctl testtakers update -p Demo ref:EMP-00017 --last-name Schmidt
  assessctl testtakers update -p Demo email:anna@example.com \\
      --reference-id EMP-00099
  assessctl testtakers update -p Demo ref:EMP-00018 --first-name ''")]
    Update(UpdateTestTaker),
    /// Remove people from a project; their results so far are kept
    #[command(after_help = "\
Examples:
  assessctl testtakers remove -p Demo --csv enrolled.csv --max 50 --dry-run
  assessctl testtakers remove -p Demo ref:EMP-00017
  assessctl testtakers remove -p Demo ref:EMP-00018 email:anna@example.com --yes")]
    Remove(RemoveTestTakers),
}

/// Arguments of `testtakers list`.
#[derive(Debug, Args)]
pub struct ListTestTakers {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    people: PeopleArgs,
    /// Only people with exactly this reference id
    #[arg(long, value_name = "REFERENCE_ID", allow_hyphen_values = true)]
    reference_id: Option<ReferenceLookup>,
    /// Sort by this field [default: FullName]
    #[arg(long, value_enum, ignore_case = true)]
    order_by: Option<TestTakerOrderBy>,
    /// Sort direction [default: Asc]
    #[arg(long, value_enum, ignore_case = true)]
    order: Option<Order>,
    #[command(flatten)]
    list: ListArgs,
}

/// Arguments of `testtakers get`.
#[derive(Debug, Args)]
pub struct GetTestTaker {
    #[command(flatten)]
    project: ProjectArg,
    /// Whom: `ref:REFERENCE_ID`, `email:ADDRESS` or `id:ENTRY_ID`
    #[arg(value_name = "TEST_TAKER")]
    target: Target,
}

impl TestTakersCommand {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(args) => args.run(session).await,
            Self::Get(args) => args.run(session).await,
            Self::Enrol(args) => args.run(session).await,
            Self::Import(args) => args.run(session).await,
            Self::Check(args) => args.run(session),
            Self::Update(args) => args.run(session).await,
            Self::Remove(args) => args.run(session).await,
        }
    }
}

impl ListTestTakers {
    async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let printer = session.printer(&COLUMNS, Shape::Many)?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?;
        let ordered = self.order_by.is_some();
        let query = PeopleQuery {
            order_by: self.order_by.unwrap_or(TestTakerOrderBy::FullName),
            order: self.order.unwrap_or(Order::Asc),
            filters: PeopleFilters { reference_id: self.reference_id, ..self.people.filters() },
        };
        let listing = client.test_takers(project.id(), &query);
        self.list.print(session, listing, printer, ordered, |_| true).await.context("cannot list the test takers")
    }
}

impl GetTestTaker {
    async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&COLUMNS, Shape::One)?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?;
        let found = self.target.find(&client, project.id()).await?;
        printer.push(found.sent.get())?;
        printer.finish()?;
        Ok(Verdict::Done)
    }
}
