//! `links issue`: who gets a link, where links are written, and when the last run makes this one wait.

use std::path::Path;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use tokio::time::sleep;

use super::account::ended;
use super::people::{Named, PeopleArgs, PersonRow, fresh, not_listed};
use super::project::{ProjectArgs, reference};
use super::session::Session;
use super::work::Work;
use super::{Ended, plain_columns};
use crate::bulk::each_row::{Planned, Subject};
use crate::bulk::find_people::{Others, PeopleIndex};
use crate::bulk::link_file::{HEADER, LinkFile};
use crate::bulk::links::issue;
use crate::bulk::outcome::{Of, Outcome, RowEnd, Run};
use crate::files;
use crate::journal::lock::Marker;
use crate::model::links::{LinkRequest, TestLink, plain_address, web_address};
use crate::model::people::{Order, TestTaker};
use crate::model::person::PersonRef;
use crate::model::projects::ProjectId;
use crate::model::settle::LATE;
use crate::model::text::ReferenceId;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Cell, Columns, OutputArgs, Shape};
use crate::roster::Needs;

/// Issue one-time test links
#[derive(Subcommand)]
pub enum LinkVerb {
    #[command(aliases = ["create", "new", "add"])]
    Issue(IssueLinks),
}

/// The fields of a link, as the links file has them.
const COLUMNS: Columns = plain_columns(HEADER, &[("", "url")], ("link", "links"));

/// Issue test links; a new link ends the earlier one of that person
#[derive(Args)]
#[command(after_help = "\
Valid links in the --to file are kept, unless they expire within an hour.
With -q, only the links are printed.

Examples:
  link=$(assessctl links issue EMP-00017 -q)
  assessctl links issue --file shift.csv --to links.csv
  assessctl links issue --all --to links.csv")]
pub struct IssueLinks {
    #[command(flatten)]
    people: PeopleArgs,
    /// Everybody in the project
    #[arg(long, conflicts_with_all = ["people", "file", "skip_invalid", "sheet", "encoding", "map", "ignore"])]
    #[arg(conflicts_with_all = ["allowed", "shared_mailboxes"])]
    all: bool,
    #[command(flatten)]
    project: ProjectArgs,
    /// Where the browser goes after the test
    #[arg(long, value_name = "URI", value_parser = web_address)]
    redirect_uri: Option<String>,
    /// Put each person's reference id in the link
    #[arg(long, conflicts_with = "reference_id")]
    own_reference_id: bool,
    /// Put this ID in every link
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    reference_id: Option<ReferenceId>,
    /// Also replace valid links of the --to file
    #[arg(long)]
    rotate: bool,
    #[command(flatten)]
    show: OutputArgs,
}

/// Links, each with its person.
type Links<'l> = Vec<(Subject<'l>, TestLink)>;

impl IssueLinks {
    pub async fn run(self, session: &Session) -> Ended {
        session.may_write()?;
        // Links are appended to a file, and printed to whatever else.
        let path = self.show.to.as_deref().filter(|to| !files::is_stream(to));
        let shape = self.people.shape();
        let output = session.output(&self.show, &COLUMNS, shape)?;
        let plain = OutputArgs { output: self.show.output, to: self.show.to.clone(), ..OutputArgs::default() };
        let is_plain = self.show == OutputArgs::default() || (self.show == plain && output.is_csv());
        let hint =
            if is_plain { "add --to NEW_FILE.csv" } else { "use --to NEW_FILE.csv without other output options" };
        if path.is_some() && !is_plain {
            return Err(Failure::usage("a file of links must be CSV with all columns").hint(hint).into());
        }
        let named = if self.all { Named::default() } else { self.people.read(session, Needs::Person, path)? };
        if shape == Shape::Many && self.show.to.is_none() {
            return Err(Failure::usage("links of several people must be written to a file").hint(hint).into());
        }
        let project = self.project.read(session, Verdict::Usage).await?.record;
        if project.state.as_deref().is_some_and(|state| state != "Active") {
            session.console.warn("the project is not Active, so its links may not work");
        }
        let project = reference(project);
        let records = named.records(session, project.id, &[]).await?;
        if path.is_some() {
            session.check_clock(300).await?;
        }
        self.check_redirect(session).await?;
        let index = PeopleIndex::new(records.iter().map(|read| &read.record));
        let everybody = || records.iter().map(|read| Ok(&read.record)).collect();
        let mut rows =
            if self.all { everybody() } else { named.find(session, project.id, &index, None, Others::Names)? };
        if self.all {
            let fresh = fresh(session.journal_to_read()?.people(project.id))?;
            let fresh = fresh.iter().filter_map(|known| known.state.entry());
            let unlisted = fresh.filter(|entry| index.of(&PersonRef::Id(*entry)).is_empty());
            rows.extend(unlisted.map(|entry| Err(not_listed().entry(entry))));
        }
        let work = Work::begin(session, &project, "links issue", false).await?;
        let (run, mut links) = work.run(self.issue(session, &work, &rows, path)).await?;
        links.sort_by_key(|(subject, _)| subject.row);
        let mut printed = Ok(true);
        if path.is_none() && !links.is_empty() {
            printed = output.print(&links.iter().map(|link| cells(link, project.id)).collect::<Vec<_>>());
            session.console.note("earlier links of these people do not work any more");
        }
        report(session, &named, &run);
        session.console.say(&format!("in {}: {}", session.place(&project), run.counts().summary(&[], "")));
        printed?;
        ended(&run, if shape == Shape::One { Of::One } else { Of::Many })
    }

    fn request(&self, person: &TestTaker) -> LinkRequest {
        let own = || person.reference_id.as_deref().filter(|_| self.own_reference_id)?.parse().ok();
        LinkRequest { redirect_uri: self.redirect_uri.clone(), reference_id: self.reference_id.clone().or_else(own) }
    }

    /// A browser does not follow a redirect that is not in the list, and nothing says so.
    async fn check_redirect(&self, session: &Session) -> anyhow::Result<()> {
        let Some(uri) = &self.redirect_uri else { return Ok(()) };
        let known = match session.client().await?.redirect_uris(Order::Asc).whole().await {
            Ok(known) => known,
            Err(error) => {
                session.console.warn(&format!("the workspace's list of redirect URIs cannot be read: {error}"));
                return Ok(());
            }
        };
        if !known.iter().any(|known| plain_address(&known.record) == plain_address(uri) || known.record.contains('*')) {
            session.console.warn("the redirect URI is not in the workspace's list, so browsers will not go there");
        }
        Ok(())
    }

    async fn issue<'l>(
        &self,
        session: &Session,
        work: &Work<'_>,
        rows: &[Planned<'l>],
        path: Option<&Path>,
    ) -> anyhow::Result<(Run, Links<'l>)> {
        let people = rows.iter().flatten().filter_map(|person| Some((person.entry_id()?, *person))).collect();
        let open = |path| LinkFile::open(path, Timestamp::now(), work.project, &people, self.rotate);
        let file = path.map(open).transpose()?;
        let (marker, has_died) = Marker::set(&session.settings()?.state_dir, work.project)?;
        if has_died {
            session.console.say("waiting for 10 s: requests of the last run had no answer, and may still arrive");
            sleep(LATE).await;
        }
        let (site, mut links) = (work.site("issuing links", rows.len())?, Links::new());
        let take = |subject, link| links.push((subject, link));
        let run = work.ended(issue(&site, rows, |person| self.request(person), file, take).await);
        if run.counts().of(Outcome::InDoubt) == 0 {
            marker.clear();
        }
        Ok((run, links))
    }
}

fn cells<'l>((Subject { person, .. }, link): &'l (Subject<'_>, TestLink), project: ProjectId) -> Vec<Cell<'l>> {
    vec![
        person.id.map(i64::from).into(),
        person.reference_id.as_deref().into(),
        person.email.as_deref().into(),
        link.url.expose().into(),
        link.expires_at_utc.as_deref().into(),
        project.to_string().into(),
    ]
}

/// The rows that need attention, by line, number or entry.
fn report(session: &Session, named: &Named, run: &Run) {
    // What is invalid was told when the file was read.
    let is_told = |end: &RowEnd| end.needs_attention() && end.outcome != Outcome::Invalid;
    for (at, end) in run.ends.iter().enumerate().filter(|(_, end)| is_told(end)) {
        let place = match (named.rows.get(at), end.entry) {
            (Some(PersonRow { line: Some(line), .. }), _) => format!("line {line}"),
            (None, Some(entry)) => format!("id:{entry}"),
            _ => format!("person {}", at + 1),
        };
        // What to do about a conflict is for commands that have --by.
        let advice = end.message.rsplit_once(':').filter(|(_, advice)| advice.contains("--by"));
        let message = advice.map_or(&*end.message, |(why, _)| why);
        let why = if message.is_empty() { String::new() } else { format!(": {message}") };
        session.console.problem(&match end.outcome {
            Outcome::Absent => format!("{place} is not in the project"),
            other => format!("{place}: {}{why}", other.word(false)),
        });
    }
}
