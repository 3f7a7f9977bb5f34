//! `links issue --file` and `--all`: links for many, handed out one by one, valid ones left alone.

use std::cell::RefCell;

use anyhow::Context as _;
use clap::Args;

use crate::api::{Client, PeopleQuery};
use crate::bulk::links::{FIELDS, Issuing};
use crate::bulk::outcome::{Finished, Outcome, RowOutcome, RowResult};
use crate::bulk::roster::Roster;
use crate::commands::shared::bulk_args::{BulkArgs, Sheet, end, rehearsed, watched};
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::session::Session;
use crate::journal::links::Links;
use crate::journal::lock::Lock;
use crate::journal::store::Store;
use crate::model::cell::Cell;
use crate::model::format::Format;
use crate::model::projects::ProjectId;
use crate::model::testtakers::TestTaker;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{AppendFile, Options, talk, terminal};

/// For whom, where nobody is named, and what about those who have a link.
#[derive(Debug, Args)]
pub struct BulkLinksArgs {
    #[command(flatten)]
    pub many: BulkArgs,
    /// Everybody in the project
    #[arg(long, help_heading = "Many at once")]
    pub all: bool,
    /// Issue for people with a valid link too, which voids it
    #[arg(long, requires = "many", help_heading = "Many at once")]
    rotate: bool,
}

/// Links for many.
pub struct BulkLinks<'a> {
    pub args: &'a BulkLinksArgs,
    /// Whom the file names; `None` for everybody.
    pub sheet: Option<Sheet>,
    pub redirect_uri: Option<String>,
    pub own_reference_id: bool,
}

/// The people to issue links for, each with a row of the report.
struct Recipients {
    roster: Roster,
    ends: Vec<Option<RowResult>>,
    people: Vec<Option<Box<TestTaker>>>,
}

/// In which form links are handed out one by one.
pub fn form(session: &Session) -> Result<Format, Failure> {
    if session.show.fields.is_some() {
        return Err(Failure::usage("--fields does not go with links in bulk: a file of them has all its columns"));
    }
    if session.show.excel {
        return Err(Failure::usage("--excel does not go with links in bulk: a file of them is continued as it is"));
    }
    match session.show.format {
        Format::Csv | Format::Table => Ok(Format::Csv),
        Format::Ndjson => Ok(Format::Ndjson),
        Format::Json => Err(Failure::usage("links in bulk are written one by one, and a JSON array cannot grow")
            .hint("take -o ndjson or -o csv")),
    }
}

impl BulkLinks<'_> {
    pub async fn run(
        mut self,
        session: &Session,
        client: &Client,
        project: ProjectId,
        format: Format,
    ) -> anyhow::Result<Verdict> {
        let (state, service) = (session.settings.state_dir()?, session.service_name()?);
        let _lock = if self.args.many.dry_run { None } else { Some(Lock::take_for_links(&state, &service, project)?) };
        let links = Links::open(Store::open(&state)?, &service, project);
        let mut recipients = self.recipients(session, client, project).await?;
        let dry_run = self.args.many.dry_run;
        let to = session.show.to.as_deref().filter(|_| !dry_run);
        let mut growing = if dry_run { None } else { Some(AppendFile::open(to, format, FIELDS)?) };
        let issuing = Issuing {
            client,
            project,
            links: RefCell::new(links),
            write: RefCell::new(|cells: &[Cell<'_>]| match &mut growing {
                Some(growing) => growing.push(cells).map_err(|error| format!("{:#}", anyhow::Error::new(error))),
                None => Ok(()),
            }),
            redirect_uri: self.redirect_uri.clone(),
            own_reference_id: self.own_reference_id,
            rotate: self.args.rotate,
        };
        for (end, person) in recipients.ends.iter_mut().zip(&recipients.people) {
            if let (None, Some(person)) = (&end, person) {
                *end = issuing.standing(person, dry_run)?;
            }
        }
        if !self.args.rotate && recipients.ends.iter().any(Option::is_none) {
            session.talk.aside("links that were issued elsewhere are not known here: a new one voids them");
        }
        let Recipients { roster, ends, people } = recipients;
        // The links have standard output and `--to`; a rehearsal prints its report, and touches no file of links.
        let show = Options { to: None, ..session.show.clone() };
        let outputs = self.args.many.outputs(session, dry_run.then_some(&show), &roster)?;
        let is_shown = to.is_none() && terminal::stdout_is_terminal();
        let bar = if is_shown { RunBar::hidden() } else { RunBar::new(session.talk) };
        let finished =
            if dry_run { rehearsed(ends) } else { hand_out(session, client, &issuing, ends, &people, bar).await? };
        let written = outputs.write(session, &finished, dry_run);
        // Where nobody asked for a report, what needs attention is said by line.
        if !dry_run && !self.args.many.writes_report() {
            say_what_failed(&finished.ends, &roster, |row| row);
        }
        if !self.args.rotate && finished.counts.of(Outcome::Kept) > 0 {
            session.talk.aside("people with a valid link keep it; --rotate replaces it");
        }
        end(session, client, &finished, written, self.args.many.writes_failed())
    }

    async fn recipients(
        &mut self,
        session: &Session,
        client: &Client,
        project: ProjectId,
    ) -> anyhow::Result<Recipients> {
        if let Some(sheet) = self.sheet.take() {
            let standing = sheet.find(session, client, project).await?;
            return Ok(Recipients { roster: sheet.roster, ends: standing.ends, people: standing.people });
        }
        self.args.many.keep_apart(session)?;
        let listed = client.test_takers(project, &PeopleQuery::default()).verified(false).await;
        let listed = listed.context("cannot read who is enrolled; nothing was sent")?;
        let mut people: Vec<Option<Box<TestTaker>>> = Vec::new();
        listed.each_record(|person| people.push(Some(Box::new(person))))?;
        let roster = Roster::of_people(people.iter().flatten().map(AsRef::as_ref));
        Ok(Recipients { roster, ends: vec![None; people.len()], people })
    }
}

/// Issues a link for each of these people who has not ended.
pub async fn hand_out<W: FnMut(&[Cell<'_>]) -> Result<(), String>>(
    session: &Session,
    client: &Client,
    issuing: &Issuing<'_, W>,
    ends: Vec<Option<RowResult>>,
    people: &[Option<Box<TestTaker>>],
    bar: RunBar,
) -> anyhow::Result<Finished> {
    let act = |index: usize| {
        let person = people[index].as_deref();
        async move {
            match person {
                Some(person) => issuing.issue(person).await,
                None => RowOutcome::ended(RowResult::new(Outcome::NotAttempted)),
            }
        }
    };
    watched(session, client, ends, (bar, "issuing"), act).await
}

/// Says by line what needs attention, and why, but where that is in the service's words: they may name somebody. `row`
/// leads from an end to its row.
pub fn say_what_failed(ends: &[RowResult], roster: &Roster, row: impl Fn(usize) -> usize) {
    let open = |ended: &&RowResult| ended.outcome.is_to_fix() || ended.outcome == Outcome::InDoubt;
    for (index, ended) in ends.iter().enumerate().filter(|(_, ended)| open(ended)) {
        let entry = ended.entry.map_or_else(String::new, |entry| format!(", id:{entry}"));
        let is_ours = matches!(ended.outcome, Outcome::Invalid | Outcome::Conflict) || ended.entry.is_none();
        let why = ended.message.as_deref().filter(|_| is_ours).map(|why| format!(" ({why})")).unwrap_or_default();
        talk::show(&format!("{}:{}{entry}: {}{why}", roster.name, roster.line(row(index)), ended.outcome));
    }
}
