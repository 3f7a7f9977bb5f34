//! `assessctl links issue`: one-time test links for people who are named; for many it hands over.

use std::cell::RefCell;
use std::collections::HashSet;

use clap::{ArgGroup, Args};

use crate::bulk::early_stop::Stop;
use crate::bulk::keep_or_issue_link::{Issuing, LinkOptions, LinkRemarks, NotIssued, Recipient, bare, fields};
use crate::bulk::outcome::{Finished, Outcome};
use crate::bulk::roster::Purpose;
use crate::commands::links::handout::{
    HandedOut, LinkArgs, LinkFile, hand_out, open_link_file, or_expired, prepare, say_remarks, written,
};
use crate::commands::links::issue_many::{BulkLinks, BulkLinksArgs, form, read};
use crate::commands::shared::named_people::{PersonArg, all_named};
use crate::commands::shared::person_argument::{Target, find_all};
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::{ProjectArg, ProjectContext};
use crate::commands::shared::redirect_allowlist::warn_of_redirect;
use crate::commands::shared::run_failure::{AGAIN_ALONE, InDoubt, failed_write, failure};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::model::cell::Cell;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::{FORBIDDEN_KEY, Failure};
use crate::model::field_rules::ReferenceId;
use crate::model::output_format::Format;
use crate::model::testtakers::EntryId;
use crate::output::{Columns, Printer, Record, terminal};

/// What is printed for each link.
const COLUMNS: Columns<'static> = Columns::of(&["projectEntryId", "referenceId", "url", "expiresAtUtc"])
    .called("link", "links")
    .times(&["expiresAtUtc"]);

/// Issue one-time test links; a new link voids the person's earlier ones at once
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Write, Prints::Records(&COLUMNS)).with_people().with_secrets().printing(JsonShape::Many, JsonSource::OwnAndNamed).or(Prints::Rows))]
#[command(after_help = "\
Whoever has a link can take the test as that person. It works for 24 hours, or until the assessment starts.

A file of --to is continued, never replaced: of several rows of one person the last link counts. People who are named \
get a new link in any case. With --file and --all, links go to --to FILE or into a pipe one by one, as CSV or with -o \
ndjson, and people whose valid link was issued from this machine keep it, so that running the same command again issues \
what is missing and nothing else.

Examples:
  assessctl links issue -p Demo ref:EMP-00017
  assessctl links issue -p Demo ref:EMP-00017 ref:EMP-00018 -o csv \\
      --to links.csv
  assessctl links issue -p Demo ref:EMP-00017 --own-reference-id \\
      --redirect-uri https://hr.example.com/done
  printf 'ref:EMP-00017\\nref:EMP-00018\\n' | assessctl links issue -p Demo -
  assessctl links issue -p Demo --file enrolled.csv --to tonight.csv \\
      --with email,firstName
  assessctl links issue -p Demo --all --to all.csv --report report.csv")]
#[command(group = ArgGroup::new("whom").args(["targets", "file", "all"]).required(true))]
#[command(group = ArgGroup::new("many").args(["file", "all"]))]
pub struct IssueLinks {
    #[command(flatten)]
    project: ProjectArg,
    /// For whom: `ref:REFERENCE_ID`, `email:ADDRESS` or `id:ENTRY_ID`, one or several; `-` reads them from standard input
    #[arg(value_name = "TEST_TAKER")]
    targets: Vec<PersonArg<Target>>,
    #[command(flatten)]
    link: LinkArgs,
    /// A reference id to put into the link and beside its result (for one person alone)
    #[arg(long, value_name = "REFERENCE_ID", allow_hyphen_values = true, conflicts_with_all = ["own_reference_id", "many"])]
    reference_id: Option<ReferenceId>,
    /// Show several links on a terminal
    #[arg(long)]
    show: bool,
    #[command(flatten)]
    bulk: BulkLinksArgs,
}

/// Where the links of people who are named go.
enum Sink {
    /// To a file that is continued.
    File(LinkFile),
    /// To standard output, once all are there.
    Printed(Box<Printer>),
}

impl IssueLinks {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        session.refuse_masked("a list of links")?;
        let targets = all_named(session, &self.targets, Purpose::Name)?;
        self.check(session, targets.len())?;
        match (self.targets.is_empty(), targets.is_empty()) {
            (true, _) => return self.in_bulk(session).await,
            (false, true) => return Ok(Verdict::Done),
            _ => {}
        }
        let sink = self.sink(session)?;
        match targets.len() {
            1 => session.may_write()?,
            several => session.may_write_many("issue links for", Some(several), &self.project)?,
        }
        let context = self.project.open(session).await?;
        let recipients = self.recipients(&context, &targets).await?;
        warn_of_redirect(session, &context.client, self.link.redirect_uri.as_deref()).await?;
        self.issue(&context, recipients, sink).await
    }

    async fn in_bulk(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = form(session)?;
        if !self.bulk.many.dry_run {
            session.may_write()?;
        }
        let sheet = if self.bulk.all { None } else { Some(self.bulk.many.read(session)?) };
        if !self.bulk.many.dry_run {
            let count = sheet.as_ref().map(|sheet| sheet.roster.row_count());
            session.may_write_many("issue links for", count, &self.project)?;
        }
        let bulk = BulkLinks { args: &self.bulk, sheet, options: self.link.options(self.bulk.rotate) };
        let context = self.project.open(session).await?;
        warn_of_redirect(session, &context.client, self.link.redirect_uri.as_deref()).await?;
        bulk.run(&context, output).await
    }

    fn check(&self, session: &Session, named: usize) -> Result<(), Failure> {
        self.bulk.many.check(false)?;
        self.link.check()?;
        if named > 1 && self.reference_id.is_some() {
            return Err(Failure::usage("--reference-id is for one person, and several are named")
                .hint("--own-reference-id puts each person's own reference id into the link"));
        }
        let shown = session.show.to.is_none() && terminal::stdout_is_terminal();
        if named != 1 && shown && !self.show && !self.bulk.many.dry_run {
            return Err(Failure::usage("several links are not shown on a terminal: each is as good as a password")
                .hint("add --to FILE, pipe the output, or add --show"));
        }
        Ok(())
    }

    fn sink(&self, session: &Session) -> anyhow::Result<Sink> {
        let extra = self.link.extra();
        if let Some(to) = &session.show.to {
            return Ok(Sink::File(open_link_file(Some(to), form(session)?, &extra)?));
        }
        let names = fields(&extra);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let columns = Columns::of(&names).called("link", "links").times(&["expiresAtUtc"]);
        Ok(Sink::Printed(Box::new(session.list_printer(&columns, "url")?)))
    }

    /// Finds everyone before a link is issued. Entry ids are taken as they are, unless more of a record is needed.
    async fn recipients(&self, context: &ProjectContext<'_>, targets: &[Target]) -> anyhow::Result<Vec<Recipient>> {
        let entries: Option<Vec<EntryId>> = targets.iter().map(Target::entry).collect();
        let mut recipients: Vec<Recipient> = match entries {
            Some(entries) if !self.link.own_reference_id && self.link.with.is_empty() => {
                entries.into_iter().map(bare).collect()
            }
            _ => find_all(context, targets).await?.into_iter().map(|found| read(found.record)).collect(),
        };
        let mut known = HashSet::new();
        recipients.retain(|recipient| known.insert(recipient.person.entry_id()));
        Ok(recipients)
    }

    /// Issues the links. What was issued is printed however the run ends: each link voided an earlier one.
    async fn issue(
        self,
        context: &ProjectContext<'_>,
        recipients: Vec<Recipient>,
        sink: Sink,
    ) -> anyhow::Result<Verdict> {
        let session = context.session;
        let (_lock, links) = prepare(context)?;
        let (mut file, filed, printer) = match sink {
            Sink::File((file, filed)) => (Some(file), filed, None),
            Sink::Printed(printer) => (None, None, Some(printer)),
        };
        let order: Vec<EntryId> = recipients.iter().map(|recipient| recipient.person.entry_id()).collect();
        let collected: RefCell<Vec<Vec<Cell<'static>>>> = RefCell::default();
        let options = LinkOptions { reference_id: self.reference_id.clone(), ..self.link.options(true) };
        let issuing = Issuing::new(
            (&context.client, context.project),
            (links, filed),
            |cells: &[Cell<'_>]| {
                if let Some(file) = &mut file {
                    return written(file, cells);
                }
                collected.borrow_mut().push(cells.iter().map(Cell::to_owned_cell).collect());
                Ok(())
            },
            options,
        )?;
        let issuing = if printer.is_some() { issuing.showing_at_the_end() } else { issuing };
        let people: Vec<Option<Recipient>> = recipients.into_iter().map(Some).collect();
        let ends = vec![None; people.len()];
        let handed_out = hand_out(context, &issuing, ends, &people, RunBar::hidden()).await;
        if let Some(printer) = printer {
            show(session, *printer, &order, collected.take())?;
            issuing
                .all_were_shown()
                .map_err(|failure| Failure { verdict: failure.verdict.beside_changes(), ..failure })?;
        }
        let others = for_the_others(&order, &issuing.issued.borrow());
        let HandedOut { finished, reasons } = handed_out.map_err(|error| match error.downcast::<Failure>() {
            Ok(failure) => others.iter().cloned().fold(failure, Failure::hint).into(),
            Err(error) => error,
        })?;
        say_remarks(session, &issuing.remarks, 0);
        ended(session, &order, (&finished, reasons), &issuing.remarks, others)
    }
}

/// Prints the links, in the order in which their people were named.
fn show(
    session: &Session,
    mut printer: Printer,
    order: &[EntryId],
    mut links: Vec<Vec<Cell<'static>>>,
) -> anyhow::Result<()> {
    links.sort_by_key(|cells| order.iter().position(|entry| cells.first() == Some(&Cell::from(*entry))));
    for cells in &links {
        printer.push(Record::Cells(cells))?;
    }
    // A table without links would be a lone header.
    if !links.is_empty() || session.show.format != Format::Table {
        printer.finish()?;
    }
    Ok(())
}

/// What to type after some of those who were named got a link, and some did not: naming all again would void those links.
fn for_the_others(order: &[EntryId], issued: &HashSet<EntryId>) -> Option<String> {
    const SHOWN: usize = 10;
    let others = order.iter().filter(|entry| !issued.contains(entry));
    let mut others: Vec<String> = others.map(|entry| format!("id:{entry}")).collect();
    if others.is_empty() || issued.is_empty() {
        return None;
    }
    if others.len() > SHOWN {
        others.truncate(SHOWN);
        others.push("…".to_owned());
    }
    let others = others.join(" ");
    Some(format!("run it again for those alone who got no link ({others}): a new link voids the one before"))
}

/// Says what came of the links of these entries, and ends the command: one person's error is the command's own, of
/// several each is named.
fn ended(
    session: &Session,
    order: &[EntryId],
    (finished, mut reasons): (&Finished, Vec<(usize, NotIssued)>),
    remarks: &LinkRemarks,
    others: Option<String>,
) -> anyhow::Result<Verdict> {
    let issued = finished.counts.of(Outcome::Issued);
    if issued > 0 {
        let added = session.show.to.as_ref().map_or_else(String::new, |to| format!(", added to {}", to.display()));
        session.console.aside(&format!("{} issued{}{added}", counted(issued, "link", "links"), session.place()));
    }
    if order.len() == 1
        && let Some((_, NotIssued::Unanswered(error))) =
            reasons.pop_if(|(_, why)| matches!(why, NotIssued::Unanswered(_)))
    {
        return Err(failed_write(error, "cannot issue the link", AGAIN_ALONE));
    }
    for (row, entry) in order.iter().enumerate().filter(|(row, _)| finished.ends[*row].outcome != Outcome::Issued) {
        let why = reasons.iter().find(|(index, _)| *index == row);
        let why = why.map_or_else(|| finished.ends[row].outcome.name().to_owned(), |(_, why)| why.to_string());
        session.console.warn(&format!("no link for id:{entry}: {why}"));
    }
    let failure = or_expired(session, failure(finished, true, InDoubt::Repeated), remarks);
    let Some(failure) = failure else { return Ok(Verdict::Done) };
    Err(match (others, failure.verdict) {
        (Some(others), Verdict::Key) => {
            let is_forbidden = matches!(finished.stop, Some(Stop::Forbidden(_)));
            let key = if is_forbidden { FORBIDDEN_KEY } else { "check the API key" };
            failure.hint(format!("{key}, then {others}"))
        }
        (Some(others), verdict) if verdict != Verdict::RowsToFix => failure.hint(others),
        _ => failure,
    }
    .into())
}
