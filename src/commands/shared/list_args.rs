//! What all lists share: `--limit`, `--page`, `--page-size`, `--once`, and printing a list whole or not at all.

use std::ops::ControlFlow;

use anyhow::Context as _;
use clap::Args;

use crate::api::{Listed, Listing};
use crate::commands::shared::session::Session;
use crate::model::counted::whole_number;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::list_query::PAGE_SIZE_MAX;
use crate::output::{self, Printer, Record};

/// Highest page that can be asked for: the specification's `page` is an int32.
const PAGE_NUMBER_MAX: u64 = i32::MAX as u64;

/// What is said of a list that is walked a single time.
pub const READ_ONCE: &str = "read once: records that moved meanwhile may be missing";

/// How much of a list is wanted; everything unless said otherwise.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Stop after N records, and say on standard error if there are more
    #[arg(long, value_name = "N", conflicts_with = "page", allow_negative_numbers = true, value_parser = |text: &str| at_least_one(text))]
    limit: Option<u64>,
    /// Exactly this page, counted from 1
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = |text: &str| whole_number::<u32>(text, 1, PAGE_NUMBER_MAX))]
    page: Option<u32>,
    /// Records a page: of the one page, or of each request for the whole list [1 to 100, default 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = |text: &str| whole_number::<u32>(text, 1, PAGE_SIZE_MAX.into()))]
    page_size: Option<u32>,
    /// Read the list a single time: quicker, and its count must agree, but what moves meanwhile may be missing
    #[arg(long, conflicts_with_all = ["page", "limit"])]
    once: bool,
}

fn at_least_one(text: &str) -> Result<u64, Failure> {
    match whole_number::<u64>(text, 0, u64::MAX) {
        Ok(0) => Err(Failure::usage("0 would show nothing").hint("leave --limit out: a list is the whole list")),
        other => other.map_err(Failure::usage),
    }
}

/// What is said of a list that options choose from, where it shows no record.
pub struct NoneMatches {
    /// Who does not match, and where.
    pub said: String,
    /// It explains an option, which scripts hear of too.
    pub is_explained: bool,
}

/// Records on their way into a printer, up to `--limit`.
struct Shown {
    printer: Printer,
    limit: Option<u64>,
    count: u64,
    more: bool,
}

impl Shown {
    /// Shows a record, unless the limit is reached.
    fn take(&mut self, json: &str) -> Result<(), output::Error> {
        if self.limit.is_some_and(|limit| self.count >= limit) {
            self.more = true;
            return Ok(());
        }
        self.count += 1;
        self.printer.push(Record::Sent(json))
    }
}

impl ListArgs {
    /// Whether everything is wanted.
    pub fn is_whole(&self) -> bool {
        self.limit.is_none() && self.page.is_none()
    }

    /// Prints the records that `keep` wants: nothing before the list is complete, and nothing at all if a page fails.
    /// `none`: where options choose among the records.
    pub async fn print<T: Listed>(
        &self,
        session: &Session,
        listing: Listing<'_, T>,
        (printer, none): (Printer, Option<NoneMatches>),
        mut keep: impl FnMut(&T) -> bool,
    ) -> anyhow::Result<Verdict> {
        let listing = match self.page_size {
            Some(size) => listing.page_size(size),
            None => listing,
        };
        session.pages.begin();
        let mut shown = Shown { printer, limit: self.limit, count: 0, more: false };
        if let Some(number) = self.page {
            for read in listing.page(number).await?.iter().filter(|read| keep(&read.record)) {
                shown.take(read.sent.get())?;
            }
        } else if self.once || self.limit.is_some() {
            listing
                .once(|read| {
                    if keep(&read.record) {
                        shown.take(read.sent.get())?;
                    }
                    let flow = if shown.more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
                    Ok::<_, anyhow::Error>(flow)
                })
                .await?;
        } else {
            listing.verified(true).await?.each(|json| {
                let record: T = serde_json::from_str(json).context("a record that was read can be read again")?;
                if keep(&record) { shown.take(json).map_err(anyhow::Error::from) } else { Ok(()) }
            })?;
        }
        session.pages.end();
        if self.once {
            session.console.note(READ_ONCE);
        }
        if shown.more {
            session.console.note(&format!("there are more than the {} shown", shown.count));
        }
        // Of a part of a list that shows none it is not known whether there are any.
        let is_guessed = self.limit.is_none() && self.page.is_none() && session.guesses_the_project();
        let printer = match none {
            Some(none) => shown.printer.when_none(none.said, none.is_explained || is_guessed),
            None => shown.printer.at(&session.place_of_list(), is_guessed),
        };
        printer.finish()?;
        Ok(Verdict::Done)
    }
}
