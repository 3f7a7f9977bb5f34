//! `assessctl links issue`: one-time test links for people who are named; for many it hands over.

use std::collections::HashSet;

use anyhow::Context as _;
use clap::{ArgGroup, Args};
use jiff::Timestamp;

use crate::api::{Class, Client, Error, Kind};
use crate::bulk::issue;
use crate::bulk::links::until;
use crate::commands::links::bulk::{BulkLinks, BulkLinksArgs, form};
use crate::commands::shared::person::Target;
use crate::commands::shared::prints::Prints;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::redirects::warn_of_redirect;
use crate::commands::shared::run_failure::failed_write;
use crate::commands::shared::session::Session;
use crate::commands::shared::signals::Interrupt;
use crate::journal::links::{Links, TestProgress};
use crate::journal::store::Store;
use crate::model::cell::Cell;
use crate::model::links::{LinkRequest, TestLink};
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;
use crate::model::text::ReferenceId;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, Printer, Record, Shape, terminal};

/// What is printed for each link.
const COLUMNS: Columns<'static> = Columns::of(&["projectEntryId", "referenceId", "url", "expiresAtUtc"])
    .no_truncate(&["projectEntryId", "referenceId", "url", "expiresAtUtc"]);

/// Issue one-time test links; a new link voids the person's earlier ones at once
#[derive(Debug, Args)]
#[command(add = Prints::Records(&COLUMNS))]
#[command(after_help = "\
Whoever has a link can take the test as that person. It works for 24 hours, or until the assessment starts.

With --file and --all, links go to --to FILE or into a pipe one by one, as CSV or with -o ndjson. Whoever has a link \
that this machine issued and that still works keeps it, so that running the same command again issues what is missing \
and nothing else.

Examples:
  assessctl links issue -p Demo ref:EMP-00017
  assessctl links issue -p Demo ref:EMP-00017 ref:EMP-00018 -o csv \\
      --to links.csv
  assessctl links issue -p Demo ref:EMP-00017 --own-reference-id \\
      --redirect-uri https://hr.example.com/done
  assessctl links issue -p Demo --file enrolled.csv --to tonight.csv
  assessctl links issue -p Demo --all --to all.csv --report report.csv")]
#[command(group = ArgGroup::new("whom").args(["targets", "file", "all"]).required(true))]
#[command(group = ArgGroup::new("many").args(["file", "all"]))]
pub struct IssueLinks {
    #[command(flatten)]
    project: ProjectArg,
    /// For whom: `ref:REFERENCE_ID`, `email:ADDRESS` or `id:ENTRY_ID`, one or several
    #[arg(value_name = "TEST_TAKER")]
    targets: Vec<Target>,
    /// Where the browser goes after the assessment, if the workspace's allowlist has it
    #[arg(long, value_name = "URI")]
    redirect_uri: Option<String>,
    /// A reference id to put into the link and beside its result (for one person alone)
    #[arg(long, value_name = "REFERENCE_ID", allow_hyphen_values = true, conflicts_with_all = ["own_reference_id", "many"])]
    reference_id: Option<ReferenceId>,
    /// Put each person's own reference id into the link
    #[arg(long)]
    own_reference_id: bool,
    /// Show several links on a terminal
    #[arg(long)]
    show: bool,
    #[command(flatten)]
    bulk: BulkLinksArgs,
}

/// One person to issue a link for.
#[derive(Debug)]
struct Recipient {
    entry: EntryId,
    reference_id: Option<String>,
    /// How the person stood; `None` where nobody looked.
    stand: Option<TestProgress>,
}

impl IssueLinks {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        self.check(session)?;
        if self.targets.is_empty() {
            return self.in_bulk(session).await;
        }
        let printer = session.printer(&COLUMNS, Shape::Many)?;
        match self.targets.len() {
            1 => session.may_write()?,
            several => session.may_write_many("issue links for", Some(several), &self.project)?,
        }
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        let recipients = self.recipients(&client, project).await?;
        warn_of_redirect(session, &client, self.redirect_uri.as_deref()).await?;
        let interrupt = Interrupt::watch()?;
        self.issue(session, &client, project, &recipients, &interrupt, printer).await
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
        let (redirect_uri, own_reference_id) = (self.redirect_uri.clone(), self.own_reference_id);
        let bulk = BulkLinks { args: &self.bulk, sheet, redirect_uri, own_reference_id };
        let client = session.client()?;
        let project = self.project.find(session, &client).await?.id();
        warn_of_redirect(session, &client, self.redirect_uri.as_deref()).await?;
        bulk.run(session, &client, project, output).await
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        self.bulk.many.check()?;
        if self.targets.len() > 1 && self.reference_id.is_some() {
            return Err(Failure::usage("--reference-id is for one person, and several are named")
                .hint("--own-reference-id puts each person's own reference id into the link"));
        }
        let shown = session.show.to.is_none() && terminal::stdout_is_terminal();
        if self.targets.len() != 1 && shown && !self.show && !self.bulk.many.dry_run {
            return Err(Failure::usage("several links are not shown on a terminal: each is as good as a password")
                .hint("add --to FILE, pipe the output, or add --show"));
        }
        Ok(())
    }

    /// Finds everybody before a link is issued. An entry id is taken as it is, unless its reference id is needed.
    async fn recipients(&self, client: &Client, project: ProjectId) -> anyhow::Result<Vec<Recipient>> {
        let mut known = HashSet::new();
        let mut recipients = Vec::new();
        for target in &self.targets {
            let recipient = match target {
                Target::Id(entry) if !self.own_reference_id => {
                    Recipient { entry: *entry, reference_id: None, stand: None }
                }
                _ => {
                    let found = target.find(client, project).await?.record;
                    let stand = Some(TestProgress::of(&found));
                    Recipient { entry: found.entry_id(), reference_id: found.reference_id, stand }
                }
            };
            if known.insert(recipient.entry) {
                recipients.push(recipient);
            }
        }
        Ok(recipients)
    }

    fn request(&self, recipient: &Recipient) -> anyhow::Result<LinkRequest> {
        let own = match &recipient.reference_id {
            Some(id) if self.own_reference_id => {
                let refused = format!("the reference id of id:{} cannot be put into a link", recipient.entry);
                Some(id.parse().context(refused)?)
            }
            _ => None,
        };
        Ok(LinkRequest { redirect_uri: self.redirect_uri.clone(), reference_id: self.reference_id.clone().or(own) })
    }

    /// Issues one link after the other. What was issued is printed however the run ends: each link voided an earlier
    /// one.
    async fn issue(
        &self,
        session: &Session,
        client: &Client,
        project: ProjectId,
        recipients: &[Recipient],
        interrupt: &Interrupt,
        mut printer: Printer,
    ) -> anyhow::Result<Verdict> {
        let requests = recipients.iter().map(|recipient| self.request(recipient)).collect::<Result<Vec<_>, _>>()?;
        let mut memory = JournalView::open(session, project);
        let (mut failed, mut issued, mut worst) = (Vec::new(), Vec::new(), Verdict::Done);
        for (recipient, request) in recipients.iter().zip(&requests) {
            if let Some(verdict) = interrupt.verdict() {
                worst = verdict;
                break;
            }
            memory.forget(recipient.entry);
            let asked = client.service_time(Timestamp::now());
            match interrupt.unless_pressed(issue::link(client, project, recipient.entry, request)).await {
                Ok(Ok(link)) => {
                    printer.push(Record::Cells(&cells(recipient, request, &link)))?;
                    issued.push((recipient, asked, until(&link, asked)));
                }
                Ok(Err(error)) => {
                    failed.push((recipient.entry, error));
                    if failed.last().is_some_and(|(_, error)| ends_the_run(error)) {
                        break;
                    }
                }
                Err(verdict) => {
                    worst = verdict;
                    break;
                }
            }
        }
        if recipients.len() == 1
            && let Some((_, error)) = failed.pop()
        {
            return Err(failed_write(error, "cannot issue the link"));
        }
        printer.finish()?;
        for (recipient, asked, until) in issued {
            memory.note(recipient, asked, until);
        }
        memory.say(session);
        for (entry, error) in &failed {
            session.talk.warn(&format!("no link for id:{entry}: {error}"));
            worst = worst.max(verdict_of(error));
        }
        Ok(worst)
    }
}

/// What the journal keeps of links for people who were named. They are issued in any case, so a journal that cannot be
/// written is a warning: links in bulk would void these, not knowing of them.
struct JournalView(Result<Links, Failure>);

impl JournalView {
    fn open(session: &Session, project: ProjectId) -> Self {
        let open = || -> anyhow::Result<Links> {
            let store = Store::open(&session.settings.state_dir()?)?;
            Ok(Links::open(store, &session.service_name()?, project))
        };
        Self(open().map_err(|error| Failure::new(Verdict::Unforeseen, format!("{error:#}"))))
    }

    fn write(&mut self, work: impl FnOnce(&mut Links) -> Result<(), Failure>) {
        if let Ok(links) = &mut self.0
            && let Err(failure) = work(links)
        {
            self.0 = Err(failure);
        }
    }

    fn forget(&mut self, entry: EntryId) {
        self.write(|links| links.about_to_issue(entry));
    }

    fn note(&mut self, recipient: &Recipient, asked: Timestamp, until: Timestamp) {
        self.write(|links| links.issued(recipient.entry, asked, until, recipient.stand.as_ref()));
    }

    fn say(&self, session: &Session) {
        if let Err(failure) = &self.0 {
            session.talk.warn(&format!("links in bulk will not know of this: {failure}"));
        }
    }
}

/// The cells of a link, in the order of the columns.
fn cells<'a>(recipient: &'a Recipient, request: &'a LinkRequest, link: &'a TestLink) -> [Cell<'a>; 4] {
    let sent = request.reference_id.as_ref().map(ReferenceId::as_str);
    let reference_id = recipient.reference_id.as_deref().or(sent);
    [recipient.entry.into(), reference_id.into(), link.url.expose().into(), link.expires_at_utc.as_deref().into()]
}

/// Whether no further link can be had: the key is refused, or the base URL is wrong.
fn ends_the_run(error: &Error) -> bool {
    matches!(error.kind(), Kind::UnknownKey | Kind::Forbidden | Kind::NotTheService)
}

/// How a run of several links ends after one that failed.
fn verdict_of(error: &Error) -> Verdict {
    match (error.status(), error.class()) {
        (Some(401 | 403), _) => Verdict::Key,
        (_, Class::Refused) => Verdict::RowsToFix,
        _ => Verdict::Unfinished,
    }
}
