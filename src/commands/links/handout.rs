//! Handing links out, for one person, several, all, or beside an import: one way, and one file that only grows.

use std::cell::RefCell;
use std::path::Path;

use clap::Args;

use crate::bulk::keep_or_issue_link::{Issuing, LinkOptions, LinkRemarks, NotIssued, Recipient, fields};
use crate::bulk::link_attempts::LATE;
use crate::bulk::links_file::FiledLinks;
use crate::bulk::outcome::{Finished, Outcome, RowOutcome, RowResult};
use crate::bulk::roster::Roster;
use crate::commands::shared::bulk_args::watched;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::redirect_allowlist::RedirectSchemes;
use crate::commands::shared::session::Session;
use crate::journal::issued_links::Links;
use crate::journal::lock::Lock;
use crate::model::cell::Cell;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::test_links::LinkField;
use crate::output::{Console, ContinuedFile, ContinuedForm};

/// What every way of issuing links takes.
#[derive(Debug, Args)]
pub struct LinkArgs {
    /// Where the browser goes after the assessment, if the workspace's allowlist has it
    #[arg(long, value_name = "URI")]
    pub redirect_uri: Option<String>,
    #[command(flatten)]
    schemes: RedirectSchemes,
    /// Put each person's own reference id into the link
    #[arg(long)]
    pub own_reference_id: bool,
    /// Put these fields of each person beside the link: email, firstName, lastName, fullName
    #[arg(long, value_enum, ignore_case = true, value_name = "FIELD,…", value_delimiter = ',')]
    pub with: Vec<LinkField>,
}

impl LinkArgs {
    /// The fields of `--with`, each once.
    pub fn extra(&self) -> Vec<LinkField> {
        let mut extra: Vec<LinkField> = Vec::new();
        for field in &self.with {
            if !extra.contains(field) {
                extra.push(*field);
            }
        }
        extra
    }

    /// Refuses a redirect that leads to no web page, before anything is sent.
    pub fn check(&self) -> Result<(), Failure> {
        self.redirect_uri.iter().try_for_each(|uri| self.schemes.check(uri))
    }

    /// What is asked of every link.
    pub fn options(&self, rotate: bool) -> LinkOptions {
        LinkOptions {
            redirect_uri: self.redirect_uri.clone(),
            own_reference_id: self.own_reference_id,
            reference_id: None,
            rotate,
            extra: self.extra(),
            late: LATE,
        }
    }
}

/// A stream or file that takes links one by one, and the links that the file has already.
pub type LinkFile = (ContinuedFile, Option<FiledLinks>);

/// Opens a file, to be continued, or standard output.
pub fn open_link_file(to: Option<&Path>, form: ContinuedForm, extra: &[LinkField]) -> anyhow::Result<LinkFile> {
    let mut filed = FiledLinks::with(extra);
    let file = ContinuedFile::open(to, form, fields(extra), |texts| filed.see(texts))?;
    Ok((file, to.is_some().then_some(filed)))
}

/// Writes the cells of a link to a file or stream.
pub fn written(file: &mut ContinuedFile, cells: &[Cell<'_>]) -> Result<(), String> {
    file.push(cells).map_err(|error| format!("{:#}", anyhow::Error::new(error)))
}

/// The right to issue links for a project, beside no other run that does, and what the journal knows of them.
pub fn prepare(context: &ProjectContext<'_>) -> anyhow::Result<(Lock, Links)> {
    let (state, service) = (context.session.settings.state_dir()?, context.session.service_name()?);
    let lock = Lock::take_for_links(&state, &service, context.project)?;
    Ok((lock, Links::open(context.session.journal()?.patient(), &service, context.project)))
}

/// A run over people.
pub struct HandedOut {
    /// How each row ended.
    pub finished: Finished,
    /// Why rows got no link.
    pub reasons: Vec<(usize, NotIssued)>,
}

/// Issues a link for each person whose row has not ended.
pub async fn hand_out<W: FnMut(&[Cell<'_>]) -> Result<(), String>>(
    context: &ProjectContext<'_>,
    issuing: &Issuing<'_, W>,
    ends: Vec<Option<RowResult>>,
    people: &[Option<Recipient>],
    bar: RunBar,
) -> anyhow::Result<HandedOut> {
    let reasons = RefCell::new(Vec::new());
    let finished = watched(context, ends, (bar, "issuing"), async |index: usize| {
        let Some(person) = &people[index] else { return RowOutcome::ended(RowResult::new(Outcome::NotAttempted)) };
        let entry = person.person.entry_id();
        match issuing.issue(person).await {
            Ok(remark) => {
                let ended = RowResult::new(Outcome::Issued).with_entry(entry);
                RowOutcome::ended(RowResult { message: remark.map(Into::into), ..ended })
            }
            Err(why) => {
                let row = why.row(entry);
                reasons.borrow_mut().push((index, why));
                row
            }
        }
    })
    .await?;
    Ok(HandedOut { finished, reasons: reasons.into_inner() })
}

/// Ends each row whose person keeps a link.
pub fn keep_valid<W: FnMut(&[Cell<'_>]) -> Result<(), String>>(
    issuing: &Issuing<'_, W>,
    ends: &mut [Option<RowResult>],
    people: &[Option<Recipient>],
    dry_run: bool,
) -> Result<(), Failure> {
    for (end, person) in ends.iter_mut().zip(people) {
        if let (None, Some(person)) = (&end, person) {
            *end = issuing.standing(person, dry_run)?;
        }
    }
    Ok(())
}

/// Says what a run found about links that it did not issue, or voided.
pub fn say_remarks(session: &Session, remarks: &LinkRemarks, kept: usize) {
    let warnings = [
        (remarks.not_in_file.get(), "a valid link that is not in this file"),
        (remarks.other_redirect.get(), "a valid link with another redirect URI"),
        (remarks.not_ours.get(), "a link in this file that was not issued from here, and keep it"),
    ];
    for (count, what) in warnings.iter().filter(|(count, _)| *count > 0) {
        let people = counted(*count, "person has", "people have");
        session.console.warn(&format!("{people} {what}; --rotate issues others"));
    }
    let replaced = remarks.replaced.get();
    if replaced > 0 {
        session.console.note(&format!("{} replaced", counted(replaced, "valid link was", "valid links were")));
    }
    if kept > warnings.iter().map(|(count, _)| count).sum() {
        session.console.aside("people with a valid link keep it; --rotate replaces it");
    }
}

/// Why a run ended otherwise than it should, also where all that is wrong is that links had expired when they came.
pub fn or_expired(session: &Session, failure: Option<Failure>, remarks: &LinkRemarks) -> Option<Failure> {
    let count = remarks.expired.get();
    if count == 0 {
        return failure;
    }
    let links = counted(count, "link", "links");
    let cause = format!("{links} had expired already when issued, by the service's clock");
    if failure.is_some() {
        session.console.warn(&cause);
        return failure;
    }
    let hint = "the clock of the service, or of this machine, may be wrong: `assessctl doctor` compares them";
    Some(Failure::new(Verdict::RowsToFix, cause).hint(hint))
}

/// Says by line what needs attention, and why, but where that is in the service's words: they may name a person. `row`
/// leads from an end to its row.
pub fn say_what_failed(console: Console, ends: &[RowResult], roster: &Roster, row: impl Fn(usize) -> usize) {
    for (index, ended) in ends.iter().enumerate() {
        if !ended.outcome.is_to_fix() && ended.outcome != Outcome::InDoubt {
            continue;
        }
        let entry = ended.entry.map_or_else(String::new, |entry| format!(", id:{entry}"));
        let is_ours = matches!(ended.outcome, Outcome::Invalid | Outcome::Conflict) || ended.entry.is_none();
        let why = ended.message.as_deref().filter(|_| is_ours).map(|why| format!(" ({why})")).unwrap_or_default();
        console.show(&format!("{}:{}{entry}: {}{why}", roster.name, roster.line(row(index)), ended.outcome));
    }
}
