//! `links issue`.

use std::path::Path;

use clap::Args;
use jiff::Timestamp;
use tokio::time::sleep;

use crate::bulk::each_row::Stopper;
use crate::bulk::find_people::{Others, PeopleIndex};
use crate::bulk::link_file::LinkFile;
use crate::bulk::links::{Issue, LATE, Marker};
use crate::bulk::outcome::{Of, RowEnd, Run};
use crate::commands::account::{AccountRow, ended};
use crate::commands::people::{Named, PeopleArgs};
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::commands::signals::interruptible;
use crate::files;
use crate::journal::lock::Lock;
use crate::model::links::{LinkRequest, TestLink, check_web_address};
use crate::model::people::{Order, TestTaker};
use crate::model::projects::ProjectRef;
use crate::model::text::ReferenceId;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Cell, Columns, Output, OutputArgs, Shape};
use crate::roster::Needs;

/// The fields of a link, as the links file has them.
const COLUMNS: Columns = Columns {
    all: &crate::bulk::link_file::HEADER,
    table: &crate::bulk::link_file::HEADER,
    ids: &["projectEntryId", "referenceId", "url"],
    times: &["expiresAtUtc"],
    quiet: &[("", "url")],
    noun: ("link", "links"),
    red: None,
};

/// Issue test links; each new link of a person voids the one before
#[derive(Args)]
#[command(after_help = "\
People with a link in the file that is valid for another hour keep it.

Examples:
  assessctl links issue EMP-00017 -q
  assessctl links issue --file shift.csv --to links.csv
  assessctl links issue --all --to links.csv")]
pub struct IssueLinks {
    #[command(flatten)]
    people: PeopleArgs,
    /// Everybody in the project
    #[arg(long, conflicts_with_all = ["people", "file"])]
    all: bool,
    #[command(flatten)]
    project: ProjectArgs,
    /// Where the browser goes after the test
    #[arg(long, value_name = "URI", value_parser = web_address)]
    redirect_uri: Option<String>,
    /// Put each person's reference id in the link
    #[arg(long, conflicts_with = "reference_id")]
    own_reference_id: bool,
    /// Put this reference id in the link
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    reference_id: Option<ReferenceId>,
    /// Replace links in the file that are valid
    #[arg(long)]
    rotate: bool,
    #[command(flatten)]
    show: OutputArgs,
}

fn web_address(text: &str) -> Result<String, &'static str> {
    check_web_address(text.trim()).map(|()| text.trim().to_owned())
}

impl IssueLinks {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        session.may_write()?;
        let path = self.show.to.clone().filter(|to| to.as_os_str() != "-" && !files::is_stream(to));
        let shape = if self.is_one() { Shape::One } else { Shape::Many };
        // Links on disk are appended by `LinkFile`, and printed nowhere else.
        let shown = if path.is_some() { OutputArgs { to: None, ..self.show.clone() } } else { self.show.clone() };
        let output = session.output(&shown, &COLUMNS, shape)?;
        if !self.is_one() && self.show.to.is_none() {
            return Err(Failure::usage("several links need a file").hint("add --to links.csv").into());
        }
        let project = self.project.find(session).await?;
        let (named, records) = self.read(session, &project).await?;
        named.refuse_ambiguous(&records)?;
        self.check_redirect(session).await?;
        let found: Vec<_> = if self.all {
            records.iter().map(Ok).collect()
        } else {
            PeopleIndex::new(&records).find(&named.people(), None, Others::Names)
        };
        named.refuse_several(&found)?;
        let mut ends: Vec<Option<RowEnd>> = found.iter().map(|found| found.as_ref().err().cloned()).collect();
        named.excuse_fresh(session, &project, &mut ends)?;
        let people: Vec<(&TestTaker, LinkRequest)> = found
            .iter()
            .filter_map(|found| found.as_ref().ok())
            .map(|person| (*person, self.request(person)))
            .collect();
        let (links, run) = self.issue(session, &project, &people, path.as_deref()).await?;
        print(&output, &people, &links, path.as_deref())?;
        let mut issued = run.ends.into_iter();
        let ends: Vec<RowEnd> = ends.into_iter().filter_map(|end| end.or_else(|| issued.next())).collect();
        let run = Run::new(ends, run.failure);
        report(session, &named.rows, &run);
        session.console.say(&format!("{}{}", run.counts(), session.place(&project)));
        ended(&run, if self.is_one() { Of::One } else { Of::Many })
    }

    fn is_one(&self) -> bool {
        !self.all && self.people.people.len() == 1
    }

    async fn read(&self, session: &Session, project: &ProjectRef) -> anyhow::Result<(Named, Vec<TestTaker>)> {
        if !self.all {
            let named = self.people.read(session, Needs::Person)?;
            let records = named.records(session, project, &[]).await?;
            return Ok((named, records));
        }
        let everybody = Named::everybody(session, project.id).await?;
        Ok((Named::default(), everybody))
    }

    fn request(&self, person: &TestTaker) -> LinkRequest {
        let own = || person.reference_id.as_deref().filter(|_| self.own_reference_id)?.parse().ok();
        LinkRequest { redirect_uri: self.redirect_uri.clone(), reference_id: self.reference_id.clone().or_else(own) }
    }

    /// A redirect that is not in the list silently does not happen.
    async fn check_redirect(&self, session: &Session) -> anyhow::Result<()> {
        let Some(uri) = &self.redirect_uri else { return Ok(()) };
        let known = session.client().await?.redirect_uris(Order::Asc).whole().await?;
        if !known.iter().any(|known| known.record.eq_ignore_ascii_case(uri) || known.record.contains('*')) {
            session.console.warn("the redirect URI is not in the workspace's list: browsers will not go there");
        }
        Ok(())
    }

    async fn issue(
        &self,
        session: &Session,
        project: &ProjectRef,
        people: &[(&TestTaker, LinkRequest)],
        path: Option<&Path>,
    ) -> anyhow::Result<(Vec<Option<TestLink>>, Run)> {
        let settings = session.settings()?;
        let _lock = Lock::take(&settings.state_dir, project.id, "links issue")?;
        let (marker, has_died) = Marker::set(&settings.state_dir, project.id)?;
        if has_died {
            session.console.say("waiting for 10 s: the last run died, and its requests may still come");
            sleep(LATE).await;
        }
        let is_named = |entry| self.rotate && people.iter().any(|(person, _)| person.entry_id() == Some(entry));
        let mut file = path.map(|path| LinkFile::open(path, Timestamp::now(), is_named)).transpose()?;
        let client = session.client().await?;
        let stop = Stopper::new(client);
        let progress = session.console.progress("issuing links", Some(people.len() as u64));
        let mut links = vec![None; people.len()];
        let issue = Issue { client, project: project.id, most: usize::from(settings.concurrency), stop: &stop };
        let take = |row: usize, link| links[row] = Some(link);
        let work = issue.run(people, file.as_mut(), take, |count| progress.answered(count as u64));
        let ends = interruptible(session, &stop, work).await?;
        if !ends.iter().any(|end| end.outcome == crate::bulk::outcome::Outcome::InDoubt) {
            marker.clear();
        }
        Ok((links, Run::new(ends, stop.why())))
    }
}

fn print(
    output: &Output,
    people: &[(&TestTaker, LinkRequest)],
    links: &[Option<TestLink>],
    path: Option<&Path>,
) -> anyhow::Result<()> {
    let issued = people.iter().zip(links).filter_map(|((person, _), link)| Some((person, link.as_ref()?)));
    let records: Vec<Vec<Cell<'_>>> = issued
        .map(|(person, link)| {
            vec![
                person.id.map(i64::from).into(),
                person.reference_id.as_deref().into(),
                person.email.as_deref().into(),
                link.url.expose().into(),
                link.expires_at_utc.as_deref().into(),
            ]
        })
        .collect();
    if path.is_none() && !records.is_empty() {
        output.print(&records)?;
    }
    Ok(())
}

/// The rows that need somebody, by line or number.
fn report(session: &Session, rows: &[AccountRow], run: &Run) {
    for (at, (row, end)) in rows.iter().zip(&run.ends).enumerate().filter(|(_, (_, end))| end.needs_attention()) {
        let place = row.line.map_or_else(|| format!("person {}", at + 1), |line| format!("line {line}"));
        let outcome = end.outcome.word(false);
        // The service's words may name somebody; the outcome does not.
        session.console.problem(&format!("{place}: {outcome}"));
    }
}
