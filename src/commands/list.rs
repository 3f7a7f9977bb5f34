//! What all lists share: `--limit`, `--page`, `--page-size`, and printing a list whole or not at all.

use clap::Args;

use super::session::Session;
use crate::api::{Listed, Listing};
use crate::model::verdict::Verdict;
use crate::output::Printer;

/// How much of a list is wanted; everything unless said otherwise.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Stop after N records, and say on standard error if there are more
    #[arg(long, value_name = "N", conflicts_with = "page")]
    limit: Option<u64>,
    /// Exactly this page, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    page: Option<u32>,
    /// Records a page: of the one page, or of each request for the whole list [1 to 100, default 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    page_size: Option<u32>,
}

impl ListArgs {
    /// Prints a list: nothing before it is complete, and nothing at all if a page fails.
    pub async fn print<T: Listed>(
        &self,
        session: &Session,
        listing: Listing<'_, T>,
        mut printer: Printer,
    ) -> anyhow::Result<Verdict> {
        let mut listing = match self.page_size {
            Some(size) => listing.page_size(size),
            None => listing,
        };
        if let Some(page) = self.page {
            listing = listing.only_page(page);
        }
        let mut left = self.limit;
        while let Some(page) = listing.next_page().await? {
            for read in page {
                if left == Some(0) {
                    session.talk.note(&format!("there are more than the {} shown", self.limit.unwrap_or_default()));
                    printer.finish()?;
                    return Ok(Verdict::Done);
                }
                printer.push(read.sent.get())?;
                left = left.map(|left| left - 1);
            }
        }
        printer.finish()?;
        Ok(Verdict::Done)
    }
}
