//! `testtakers import --with-links`: links for the people of an import, in a file that grows.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};

use crate::bulk::keep_or_issue_link::{Issuing, LinkOptions, Recipient};
use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::Roster;
use crate::commands::links::handout::{
    HandedOut, LinkArgs, LinkFile, hand_out, keep_valid, open_link_file, or_expired, prepare, say_remarks,
    say_what_failed, written,
};
use crate::commands::links::issue_many::read;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::redirect_allowlist::warn_of_redirect;
use crate::commands::shared::run_account::summary;
use crate::commands::shared::run_failure::{InDoubt, failure, not_read};
use crate::journal::issued_links::Links;
use crate::journal::lock::Lock;
use crate::model::cell::Cell;
use crate::model::failure::Failure;
use crate::model::output_format::Format;
use crate::output::{ContinuedForm, check_ending};

/// Links beside an import.
#[derive(Debug, Args)]
#[command(next_help_heading = "Links", group = ArgGroup::new("handout").args(["with_links"]))]
pub struct ImportLinksArgs {
    /// Issue test links too, one by one into this CSV (or .ndjson); people with a valid link keep it
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub with_links: Option<PathBuf>,
    /// Issue for people with a valid link too, which voids it
    #[arg(long, requires = "handout")]
    rotate: bool,
    #[command(flatten)]
    link: LinkArgs,
}

/// The file that links go to, and the right to issue them.
pub struct Handout<'a> {
    args: &'a ImportLinksArgs,
    file: LinkFile,
    held: Option<(Lock, Links)>,
}

impl ImportLinksArgs {
    /// Opens the file before the first request: nothing is enrolled where links could not be written.
    pub fn open(&self, excel: bool) -> anyhow::Result<Option<Handout<'_>>> {
        let Some(to) = &self.with_links else {
            self.check_idle()?;
            return Ok(None);
        };
        self.link.check()?;
        let format = match to.extension().and_then(OsStr::to_str).and_then(Format::of_ending) {
            Some(Format::Ndjson) => Format::Ndjson,
            Some(Format::Json | Format::Table | Format::Xlsx) => {
                let cause = format!("a file of links is CSV or NDJSON, and {} is neither", to.display());
                return Err(Failure::usage(cause).hint("end its name in .csv or .ndjson").into());
            }
            Some(Format::Csv) | None => check_ending(to, Format::Csv.ending()).map(|()| Format::Csv)?,
        };
        let form = ContinuedForm { format, excel: excel && format == Format::Csv };
        Ok(Some(Handout { args: self, file: open_link_file(Some(to), form, &self.link.extra())?, held: None }))
    }

    /// Options that are about links have no meaning without them.
    fn check_idle(&self) -> Result<(), Failure> {
        let given = [
            ("--redirect-uri", self.link.redirect_uri.is_some()),
            ("--own-reference-id", self.link.own_reference_id),
            ("--with", !self.link.with.is_empty()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => {
                let cause = format!("{name} is about links, and none are issued");
                Err(Failure::usage(cause).hint("add --with-links FILE"))
            }
            None => Ok(()),
        }
    }
}

impl Handout<'_> {
    /// Makes sure that no other run issues links for the project meanwhile.
    pub async fn prepare(&mut self, context: &ProjectContext<'_>) -> anyhow::Result<()> {
        self.held = Some(prepare(context)?);
        warn_of_redirect(context.session, &context.client, self.args.link.redirect_uri.as_deref()).await
    }

    /// Issues a link for each row that is enrolled and has none that is valid, and says how that went. The answer is why
    /// it went otherwise than it should. Requests of earlier runs are given no more than `settle` to take effect.
    pub async fn run(
        self,
        context: &ProjectContext<'_>,
        settle: Duration,
        roster: &Roster,
        ends: &[RowResult],
    ) -> anyhow::Result<Option<Failure>> {
        let Some((_lock, links)) = self.held else { return Ok(None) };
        let (mut file, filed) = self.file;
        let options = self.args.link.options(self.args.rotate);
        let options = LinkOptions { late: options.late.min(settle), ..options };
        let (session, client) = (context.session, &*context.client);
        let place = (client, context.project);
        let issuing = Issuing::new(place, (links, filed), |cells: &[Cell<'_>]| written(&mut file, cells), options)?;
        let rows: Vec<usize> = (0..ends.len()).filter(|row| is_enrolled(&ends[*row])).collect();
        let wanted = rows.iter().filter_map(|row| ends[*row].entry).collect();
        let mut known = match client.with_entries(context.project, &wanted).await {
            Ok(known) => known,
            Err(error) => {
                return Ok(Some(not_read(&error, "cannot read who is enrolled; no links were issued")));
            }
        };
        let entries = rows.iter().map(|row| ends[*row].entry);
        let found = entries.map(|entry| entry.and_then(|entry| known.remove(&entry)).map(|person| read(*person)));
        let people: Vec<Option<Recipient>> = found.collect();
        let mut starts: Vec<_> = people.iter().map(|person| person.is_none().then(absent)).collect();
        keep_valid(&issuing, &mut starts, &people, false)?;
        let HandedOut { finished, .. } =
            hand_out(context, &issuing, starts, &people, RunBar::new(session.console)).await?;
        say_what_failed(session.console, &finished.ends, roster, |index| rows[index]);
        say_remarks(session, &issuing.remarks, finished.counts.of(Outcome::Kept));
        session.console.summary(&format!("links: {}", summary(session, &finished.counts, client.stats())));
        Ok(or_expired(session, failure(&finished, true, InDoubt::Repeated), &issuing.remarks))
    }
}

fn absent() -> RowResult {
    RowResult::new(Outcome::NotAttempted).with_message("is not in the project's list")
}

fn is_enrolled(ended: &RowResult) -> bool {
    let outcomes = [Outcome::Enrolled, Outcome::Existing, Outcome::Updated, Outcome::Duplicate];
    ended.entry.is_some() && outcomes.contains(&ended.outcome)
}
