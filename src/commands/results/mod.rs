//! `assessctl results`: who is fit for duty.

mod baseline;
mod change_records;
mod changes;
mod columns;
mod compare;
mod consumers;
mod export;
mod export_file;
mod export_loses_nothing;
mod fail_on;
mod get;
mod list;
mod local_filters;
mod lock_wait;
mod report;
mod report_charts;
mod result_words;
mod statistics;
mod summary;
mod summary_chart;
mod tell_at_least_once;
mod verified_results;

use clap::Subcommand;

use crate::commands::shared::session::Session;
use crate::model::exit_ranks::Verdict;

/// The commands on results
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  assessctl results list -p Demo --flagged
  assessctl results get -p Demo EMP-00017 EMP-00018
  assessctl results summary -p Demo
  assessctl results export -p Demo --to results.csv")]
pub enum ResultsCommand {
    List(list::ListResults),
    Export(export::ExportResults),
    Changes(changes::ResultChanges),
    Summary(summary::SummarizeResults),
    Report(report::ReportResults),
    Get(get::GetResult),
}

impl ResultsCommand {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(args) => args.run(session).await,
            Self::Changes(args) => args.run(session).await,
            Self::Export(args) => args.run(session).await,
            Self::Summary(args) => args.run(session).await,
            Self::Report(args) => args.run(session).await,
            Self::Get(args) => args.run(session).await,
        }
    }
}
