//! `results get`: how the result of one person is found, and when a person counts as not found.

use std::pin::pin;

use clap::Args;
use futures_util::stream::{self, StreamExt as _};
use jiff::Timestamp;
use tokio::sync::OnceCell;

use super::pick::AlertArgs;
use super::{COLUMNS, all, ended};
use crate::api::{Error, Read};
use crate::bulk::rules::stops;
use crate::commands;
use crate::commands::people::{PeopleArgs, PersonRow};
use crate::commands::person::only;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::people::{PeopleFilters, TestTaker};
use crate::model::person::PersonRef;
use crate::model::projects::ProjectId;
use crate::model::time::instant;
use crate::model::verdict::{Failure, Verdict};
use crate::output::OutputArgs;
use crate::roster::Needs;

/// Reads of single results under way at once.
const AHEAD: usize = 8;

/// Show the latest results of some people
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl results get EMP-00017\n  assessctl results get ref:17 --fail-on flagged --completed-since 12h && ./open"
)]
pub struct GetResults {
    #[command(flatten)]
    people: PeopleArgs,
    /// Treat results older than TIME as not found
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
        let named = self.people.read(session, Needs::Person, self.show.to.as_deref())?;
        let is_gate = self.alert.is_gate(self.completed_since);
        if is_gate && named.references().next().is_none() {
            // What names nobody proves nothing.
            return Err(Failure::new(Verdict::NotFound.max(named.verdict()), "the list of people is empty").into());
        }
        let project = self.project.find(session).await?;
        let everybody = OnceCell::new();
        let look_up = async |(row, person)| (result_of(session, project.id, &person, &everybody).await, row);
        let mut found = pin!(stream::iter(named.references()).map(look_up).buffered(AHEAD));
        let (mut records, mut failures, mut missing) = (Vec::new(), Vec::new(), 0);
        while let Some((found, row)) = found.next().await {
            // A row whose columns name two people is nobody's result.
            let counts = |one: &TestTaker| row.person.fits(one) && self.alert.counts(self.completed_since, one);
            match found {
                Err(error) => {
                    let (failure, is_of_all) = failure(&error, row);
                    failures.push(failure);
                    if is_of_all {
                        break;
                    }
                }
                Ok(Some(read)) if counts(&read.record) => records.push(read),
                Ok(_) => missing += 1,
            }
        }
        if self.completed_since.is_some() {
            session.check_clock(300).await?;
        }
        let absent = named.absent(session, missing, is_gate, &session.place(&project))?;
        // A part of the list is no list, but an alert is one.
        records.retain(|read| failures.is_empty() || self.alert.matches(&read.record));
        if failures.is_empty() || (!records.is_empty() && self.show.to.is_none()) {
            output.print(&records)?;
        }
        let alert = self.alert.verdict(session, records.iter().map(|read| &read.record));
        ended(session, failures, absent.max(alert))
    }
}

/// Why the result of a row's person is not known, and whether the next read would fail too. An ambiguous person of a file is
/// for somebody to correct.
fn failure(error: &anyhow::Error, row: &PersonRow) -> (Failure, bool) {
    let is_of_one = match error.downcast_ref::<Error>() {
        Some(Error::NeverSent { .. } | Error::Lost { .. } | Error::UnknownProject | Error::Unproven) => false,
        known => known.is_none_or(|error| stops(error).is_none()),
    };
    let failure = commands::failure(error);
    let Some(line) = row.line.filter(|_| is_of_one) else { return (failure, !is_of_one) };
    let verdict = if failure.verdict == Verdict::Usage { Verdict::RowsToFix } else { failure.verdict };
    (Failure { cause: format!("line {line}: {}", failure.cause), verdict, ..failure }, false)
}

/// The result of one person; `None` where there is no such person.
async fn result_of(
    session: &Session,
    project: ProjectId,
    person: &PersonRef,
    everybody: &OnceCell<Vec<Read<TestTaker>>>,
) -> anyhow::Result<Option<Read<TestTaker>>> {
    let client = session.client().await?;
    let mut found = match person {
        PersonRef::Id(_) => Vec::new(),
        PersonRef::Email(email) => all(session, project, PeopleFilters::search(email)).await?,
        PersonRef::Reference(id) => match client.result(project, id).await {
            // A path segment cannot be dots only.
            Err(Error::Setup(_)) => Vec::new(),
            read => return Ok(read?),
        },
    };
    found.retain(|read| person.fits(&read.record));
    // A text filter that finds nobody proves nothing.
    if found.is_empty() {
        let all = everybody.get_or_try_init(|| all(session, project, PeopleFilters::default())).await?;
        found.extend(all.iter().filter(|read| person.fits(&read.record)).cloned());
    }
    // The one that was found, as the service has it now.
    let Some(found) = only(found)? else { return Ok(None) };
    let Some(id) = &found.record.reference_id else { return Ok(Some(found)) };
    match client.result(project, id).await {
        // Somebody else has the same reference id: the single read could be theirs.
        Err(Error::SharedReferenceId(_) | Error::OtherRecord | Error::Setup(_)) => Ok(Some(found)),
        Ok(read) if !found.record.agrees(read.as_ref().map(|read| &read.record)) => Err(Error::TwoResults.into()),
        read => Ok(read?),
    }
}
