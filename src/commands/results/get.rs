//! `results get`: how the result of one person is found, and when a person counts as not found.

use clap::Args;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;

use super::pick::AlertArgs;
use super::{COLUMNS, all};
use crate::api::{Error, Read};
use crate::commands::people::PeopleArgs;
use crate::commands::person::{absent, only};
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::people::{PeopleFilters, TestTaker};
use crate::model::person::PersonRef;
use crate::model::projects::ProjectId;
use crate::model::time::instant;
use crate::model::verdict::Verdict;
use crate::output::OutputArgs;

/// Reads of single results under way at once.
const AHEAD: usize = 8;

/// Show the latest results of some people
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl results get EMP-00017\n  assessctl results get EMP-17 --fail-on flagged --completed-since 12h && ./open"
)]
pub struct GetResults {
    #[command(flatten)]
    people: PeopleArgs,
    /// No test finished since TIME: not found
    #[arg(long, value_name = "TIME", value_parser = instant, alias = "since")]
    completed_since: Option<Timestamp>,
    #[command(flatten)]
    alert: AlertArgs,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    show: OutputArgs,
}

impl GetResults {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.show, &COLUMNS, self.people.shape())?;
        let people = self.people.named(session, self.show.to.as_deref())?;
        let project = self.project.find(session).await?;
        let look_ups = stream::iter(&people).map(|person| result_of(session, project.id, person));
        let found: Vec<Option<Read<TestTaker>>> = look_ups.buffered(AHEAD).try_collect().await?;
        let records: Vec<Read<TestTaker>> =
            found.into_iter().flatten().filter(|read| self.alert.counts(self.completed_since, &read.record)).collect();
        let missing = people.len() - records.len();
        let who = if self.alert.is_gate(self.completed_since) { " with a finished result" } else { "" };
        let absent = absent(session, missing, &people, &format!("{who}{}", session.place(&project)))?;
        output.print(&records)?;
        Ok(absent.max(self.alert.verdict(session, records.iter().map(|read| &read.record))))
    }
}

/// The result of one person; `None` where there is no such person.
async fn result_of(
    session: &Session,
    project: ProjectId,
    person: &PersonRef,
) -> anyhow::Result<Option<Read<TestTaker>>> {
    let client = session.client().await?;
    let filter = match person {
        PersonRef::Id(_) => None,
        PersonRef::Email(email) => email.chars().take(500).collect::<String>().parse().ok(),
        PersonRef::Reference(id) => match client.result(project, id).await {
            // A path segment cannot be dots only.
            Err(Error::Setup(_)) => id.parse().ok(),
            Err(error) if error.status() == Some(404) && !error.is_not_the_service() => return Ok(None),
            read => return Ok(Some(read?)),
        },
    };
    let mut found = all(session, project, PeopleFilters::search(filter)).await?;
    found.retain(|read| person.fits(&read.record));
    let Some(found) = only(&found)? else { return Ok(None) };
    let Some(id) = &found.record.reference_id else { return Ok(Some(found.clone())) };
    match client.result(project, id).await {
        // Somebody else has the same reference id: the single read could be theirs.
        Err(Error::SharedReferenceId(_) | Error::OtherRecord | Error::Setup(_)) => Ok(Some(found.clone())),
        read => Ok(Some(read?)),
    }
}
