//! How a list is read and printed: completely, or the part that `--limit` or `--page` names, and then the output says so.

use std::mem::ManuallyDrop;

use clap::Args;

use super::Ended;
use super::session::Session;
use crate::api::{List, Listed, Read};
use crate::model::text::counted;
use crate::model::verdict::Verdict;
use crate::output::{AsRecord, Output, OutputArgs};

/// The options of commands that list: which part is read, and how it is printed.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct ListArgs {
    /// At most this many records, after all filters
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// Only page N of the service's list
    #[arg(long, value_name = "N", conflicts_with = "limit", value_parser = clap::value_parser!(u32).range(1..=2_147_483_647))]
    pub page: Option<u32>,
    /// Records per page with --page, 1 to 100 [default: 100]
    #[arg(long, value_name = "N", requires = "page", value_parser = clap::value_parser!(u32).range(1..=100))]
    page_size: Option<u32>,
    #[command(flatten)]
    pub show: OutputArgs,
}

impl ListArgs {
    /// Reads and prints the list, or the part of it that was asked for.
    pub async fn print<T: Listed + Sync>(&self, session: &Session, list: &List<'_, T>, output: &Output) -> Ended {
        // To free each record of a long list takes a tenth of the time, and the process ends here.
        let records = ManuallyDrop::new(self.read(session, &list.printed(), |_| true).await?);
        output.print(&records).map(|_| Verdict::Done)
    }

    /// Reads the list, or the part of it that was asked for; `keep` is a filter of ours.
    pub async fn read<T: Listed>(
        &self,
        session: &Session,
        list: &List<'_, T>,
        keep: impl Fn(&T) -> bool,
    ) -> anyhow::Result<Vec<Read<T>>> {
        let _progress = session.count_answers();
        let (mut records, part) = match (self.page, self.limit) {
            (None, Some(limit)) => {
                let (records, is_more) = list.first(limit as usize, &keep).await?;
                let part = format!("the first {}", counted(records.len(), "record", "records"));
                (records, is_more.then_some(part))
            }
            (None, None) => (list.whole().await?, None),
            (Some(page), _) => {
                let size = self.page_size.unwrap_or(100);
                let part = format!("page {page} only, with at most {}", counted(size as usize, "record", "records"));
                (list.page(page, size).await?, Some(part))
            }
        };
        if let Some(part) = part {
            session.console.say(&format!("{part}: the list may have more"));
        }
        records.retain(|read| keep(&read.record));
        Ok(records)
    }
}

impl<T: Sync> AsRecord for Read<T> {
    fn sent(&self) -> Option<&serde_json::value::RawValue> {
        Some(&self.sent)
    }
}
