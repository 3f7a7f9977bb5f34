//! `testtakers import --with-links`: links for everybody whom an import has enrolled, in a file that grows.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use clap::Args;

use crate::api::{Client, Error, PeopleQuery};
use crate::bulk::answer::{Stop, stop};
use crate::bulk::links::{FIELDS, Issuing};
use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::Roster;
use crate::commands::links::bulk::{hand_out, say_what_failed};
use crate::commands::shared::account::summary;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::redirects::warn_of_redirect;
use crate::commands::shared::run_failure::{AGAIN, failure};
use crate::commands::shared::session::Session;
use crate::journal::links::Links;
use crate::journal::lock::Lock;
use crate::journal::store::Store;
use crate::model::cell::Cell;
use crate::model::format::Format;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::model::verdict::{BASE_URL, Failure, Verdict};
use crate::output::AppendFile;

/// Links beside an import.
#[derive(Debug, Args)]
#[command(next_help_heading = "Links")]
pub struct ImportLinksArgs {
    /// Issue test links too, one by one into this CSV (or .ndjson); people with a valid link keep it
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub with_links: Option<PathBuf>,
    /// Where the browser goes after the assessment, if the workspace's allowlist has it
    #[arg(long, value_name = "URI", requires = "with_links")]
    redirect_uri: Option<String>,
    /// Put each person's own reference id into the link
    #[arg(long, requires = "with_links")]
    own_reference_id: bool,
}

/// The file that links go to, and the right to issue them.
pub struct Handout<'a> {
    args: &'a ImportLinksArgs,
    growing: AppendFile,
    held: Option<(Lock, Links)>,
}

impl ImportLinksArgs {
    /// Opens the file before the first request: nothing is enrolled where links could not be written.
    pub fn open(&self) -> anyhow::Result<Option<Handout<'_>>> {
        let Some(to) = &self.with_links else { return Ok(None) };
        let lines = to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ndjson"));
        let format = if lines { Format::Ndjson } else { Format::Csv };
        Ok(Some(Handout { args: self, growing: AppendFile::open(Some(to), format, FIELDS)?, held: None }))
    }
}

impl Handout<'_> {
    /// Makes sure that nobody else issues links for the project meanwhile.
    pub async fn prepare(&mut self, session: &Session, client: &Client, project: ProjectId) -> anyhow::Result<()> {
        let (state, service) = (session.settings.state_dir()?, session.service_name()?);
        let lock = Lock::take_for_links(&state, &service, project)?;
        self.held = Some((lock, Links::open(Store::open(&state)?, &service, project)));
        warn_of_redirect(session, client, self.args.redirect_uri.as_deref()).await
    }

    /// Issues a link for each row that is enrolled and has none that lives, and says how that went. The answer is why it
    /// went otherwise than it should.
    pub async fn run(
        self,
        session: &Session,
        client: &Client,
        project: ProjectId,
        roster: &Roster,
        ends: &[RowResult],
    ) -> anyhow::Result<Option<Failure>> {
        let Some((_lock, links)) = self.held else { return Ok(None) };
        let mut growing = self.growing;
        let issuing = Issuing {
            client,
            project,
            links: RefCell::new(links),
            write: RefCell::new(|cells: &[Cell<'_>]| {
                growing.push(cells).map_err(|error| format!("{:#}", anyhow::Error::new(error)))
            }),
            redirect_uri: self.args.redirect_uri.clone(),
            own_reference_id: self.args.own_reference_id,
            rotate: false,
        };
        let rows: Vec<usize> = (0..ends.len()).filter(|row| is_enrolled(&ends[*row])).collect();
        let wanted = rows.iter().filter_map(|row| ends[*row].entry).collect();
        let mut known = match people(client, project, wanted).await {
            Ok(known) => known,
            Err(error) => {
                let cause = format!("cannot read who is enrolled; no links were issued: {error}");
                let (verdict, hint) = match stop(&error) {
                    Some(Stop::Key(_)) => (Verdict::Key, "check the API key, then run the same command again"),
                    Some(Stop::Redirect(_)) => (Verdict::Usage, BASE_URL),
                    Some(Stop::Gone(_)) => (Verdict::NotFound, "`assessctl projects list` shows the projects"),
                    _ => (Verdict::Unfinished, AGAIN),
                };
                return Ok(Some(Failure::new(verdict, cause).hint(hint)));
            }
        };
        let found = |row: &usize| ends[*row].entry.and_then(|entry| known.remove(&entry));
        let people: Vec<Option<Box<TestTaker>>> = rows.iter().map(found).collect();
        let absent = || RowResult::new(Outcome::NotAttempted).with_message("is not in the project's list");
        let standing = |person: &Option<Box<TestTaker>>| match person {
            Some(person) => issuing.standing(person, false),
            None => Ok(Some(absent())),
        };
        let starts = people.iter().map(standing).collect::<Result<Vec<_>, _>>()?;
        let finished = hand_out(session, client, &issuing, starts, &people, RunBar::new(session.talk)).await?;
        say_what_failed(&finished.ends, roster, |index| rows[index]);
        session.talk.note(&format!("links: {}", summary(&finished.counts, client.stats())));
        Ok(failure(&finished, true, AGAIN))
    }
}

fn is_enrolled(ended: &RowResult) -> bool {
    let outcomes = [Outcome::Enrolled, Outcome::Existing, Outcome::Updated, Outcome::Duplicate];
    ended.entry.is_some() && outcomes.contains(&ended.outcome)
}

/// The records of these entries, from a verified list.
async fn people(
    client: &Client,
    project: ProjectId,
    wanted: HashSet<EntryId>,
) -> Result<HashMap<EntryId, Box<TestTaker>>, Error> {
    let mut known = HashMap::new();
    if wanted.is_empty() {
        return Ok(known);
    }
    let listed = client.test_takers(project, &PeopleQuery::default()).verified(false).await?;
    listed.each_record(|person: Box<TestTaker>| {
        if wanted.contains(&person.entry_id()) {
            known.insert(person.entry_id(), person);
        }
    })?;
    Ok(known)
}
