//! `links issue --file` and `--all`: links for many, valid ones left alone.

use std::collections::HashSet;

use anyhow::Context as _;
use clap::Args;

use crate::api::PeopleQuery;
use crate::bulk::keep_or_issue_link::{Issuing, LinkOptions, Recipient};
use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::Roster;
use crate::bulk::run_verdict::with_unseen;
use crate::commands::links::handout::{
    HandedOut, hand_out, keep_valid, open_link_file, or_expired, prepare, say_remarks, say_what_failed, written,
};
use crate::commands::shared::bulk_args::{BulkArgs, Sheet, rehearsed};
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::project_journal::FreshPeople;
use crate::commands::shared::run_account::summary;
use crate::commands::shared::run_failure::UNREAD;
use crate::commands::shared::session::Session;
use crate::files::is_stream;
use crate::journal::issued_links::Links;
use crate::model::cell::Cell;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::output_format::Format;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::output::{self, ContinuedForm, Options, terminal};

/// The people to issue links for, where none is named, and what about those who have a link.
#[derive(Debug, Args)]
pub struct BulkLinksArgs {
    #[command(flatten)]
    pub many: BulkArgs,
    /// Everybody in the project
    #[arg(long, help_heading = "Many at once")]
    pub all: bool,
    /// Issue for people with a valid link too, which voids it
    #[arg(long, requires = "many", help_heading = "Many at once")]
    pub rotate: bool,
}

/// Links for many.
pub struct BulkLinks<'a> {
    pub args: &'a BulkLinksArgs,
    /// The people of a file; `None` for everybody.
    pub sheet: Option<Sheet>,
    pub options: LinkOptions,
}

/// The people to issue links for, each with a row of the report.
struct Recipients {
    /// How many this machine enrolled a short time ago, and the list does not show yet.
    unseen: usize,
    roster: Roster,
    ends: Vec<Option<RowResult>>,
    people: Vec<Option<Recipient>>,
}

/// In which form links are handed out one by one.
pub fn form(session: &Session) -> anyhow::Result<ContinuedForm> {
    session.show.check_target()?;
    if session.show.fields.is_some() {
        let cause = "--fields does not go with a file of links, which has all its columns";
        return Err(Failure::usage(cause).hint("--with email puts further fields beside each link").into());
    }
    if session.show.jq.is_some() {
        return Err(Failure::usage("--jq does not go with a file of links, which is written one by one").into());
    }
    let excel = session.show.excel;
    let is_streamed = session.show.to.as_deref().is_none_or(is_stream);
    let what = match session.show.format {
        Format::Csv => return Ok(ContinuedForm { format: Format::Csv, excel }),
        Format::Table if is_streamed => return Ok(ContinuedForm { format: Format::Csv, excel }),
        Format::Ndjson if excel => return Err(output::Error::NotForSpreadsheets(Format::Ndjson).into()),
        Format::Ndjson => return Ok(ContinuedForm { format: Format::Ndjson, excel }),
        Format::Json => "JSON array",
        Format::Xlsx => "workbook",
        Format::Table => "table",
    };
    let cause = format!("links are written one by one, and a {what} cannot grow");
    Err(Failure::usage(cause).hint("add --to FILE.csv or FILE.ndjson, or take -o csv or -o ndjson").into())
}

impl BulkLinks<'_> {
    pub async fn run(mut self, context: &ProjectContext<'_>, form: ContinuedForm) -> anyhow::Result<Verdict> {
        if self.args.many.dry_run {
            return self.rehearse(context).await;
        }
        let session = context.session;
        let (_lock, links) = prepare(context)?;
        let Recipients { unseen, roster, mut ends, people } = self.recipients(context).await?;
        let to = session.show.to.as_deref();
        let (mut file, filed) = open_link_file(to, form, &self.options.extra)?;
        let rotate = self.options.rotate;
        let issuing = Issuing::new(
            (&context.client, context.project),
            (links, filed),
            |cells: &[Cell<'_>]| written(&mut file, cells),
            self.options,
        )?;
        keep_valid(&issuing, &mut ends, &people, false)?;
        if !rotate && ends.iter().any(Option::is_none) {
            session.console.aside("links that were issued elsewhere are not known here: a new one voids them");
        }
        // The links have standard output and `--to`.
        let outputs = self.args.many.outputs(session, None, &roster)?;
        let is_shown = to.is_none() && terminal::stdout_is_terminal();
        let bar = if is_shown { RunBar::hidden() } else { RunBar::new(session.console) };
        let HandedOut { finished, .. } = hand_out(context, &issuing, ends, &people, bar).await?;
        let finished = with_unseen(finished, unseen);
        let written = outputs.write(session, &finished, false);
        // Where no report was asked for, what needs attention is said by line.
        if self.args.many.report.is_none() {
            say_what_failed(session.console, &finished.ends, &roster, |row| row);
        }
        say_remarks(session, &issuing.remarks, finished.counts.of(Outcome::Kept));
        session.console.summary(&summary(session, &finished.counts, context.client.stats()));
        written?;
        let failure = or_expired(session, self.args.many.failure(&finished), &issuing.remarks);
        failure.map_or(Ok(Verdict::Done), |failure| Err(failure.into()))
    }

    /// Shows what would be done: prints its report, and touches no file of links.
    async fn rehearse(mut self, context: &ProjectContext<'_>) -> anyhow::Result<Verdict> {
        let (session, project) = (context.session, context.project);
        let service = session.service_name()?;
        let Recipients { unseen, roster, mut ends, people } = self.recipients(context).await?;
        let links = Links::open(session.journal()?.patient(), &service, project);
        let issuing = Issuing::new((&context.client, project), (links, None), |_: &[Cell<'_>]| Ok(()), self.options)?;
        keep_valid(&issuing, &mut ends, &people, true)?;
        let show = Options { to: None, ..session.show.clone() };
        let outputs = self.args.many.outputs(session, Some(show), &roster)?;
        let finished = if unseen > 0 { with_unseen(rehearsed(ends), unseen) } else { rehearsed(ends) };
        let written = outputs.write(session, &finished, true);
        self.args.many.end(context, &finished, written)
    }

    async fn recipients(&mut self, context: &ProjectContext<'_>) -> anyhow::Result<Recipients> {
        if let Some(sheet) = self.sheet.take() {
            let standing = sheet.find_undisputed(context).await?;
            let people = standing.people.into_iter().map(|person| person.map(|person| read(*person))).collect();
            return Ok(Recipients { unseen: 0, roster: sheet.roster, ends: standing.ends, people });
        }
        self.args.many.keep_apart(context.session)?;
        let listed = context.client.test_takers(context.project, &PeopleQuery::default()).verified(false).await;
        let listed = listed.context(UNREAD)?;
        let mut people: Vec<Option<Recipient>> = Vec::new();
        listed.each_record(|person| people.push(Some(read(person))))?;
        let roster = Roster::of_people(people.iter().flatten().map(|recipient| &recipient.person));
        let listed: HashSet<EntryId> = people.iter().flatten().map(|known| known.person.entry_id()).collect();
        let unseen = FreshPeople::read(context)?.entries().filter(|entry| !listed.contains(entry)).count();
        Ok(Recipients { unseen, roster, ends: vec![None; people.len()], people })
    }
}

/// A person whose record was read.
pub fn read(person: TestTaker) -> Recipient {
    Recipient { person, is_read: true }
}
