//! `assessctl testtakers`: the people enrolled in a project.

mod apply;
mod apply_plan;
mod apply_preconditions;
mod check;
pub mod columns;
mod enrol;
mod enrol_run;
mod get;
mod import;
mod import_links;
mod list;
mod remove;
mod sync;
mod sync_blind_list;
mod sync_compare;
mod sync_context;
mod sync_hold;
mod sync_journaled;
mod sync_keep_file;
mod sync_old_entries;
mod sync_plan;
mod sync_projects;
mod sync_report;
mod sync_run;
mod sync_send;
mod sync_show;
mod update;
mod update_reference_ids;

use clap::Subcommand;

use crate::commands::shared::session::Session;
use crate::model::exit_ranks::Verdict;

/// The commands on test takers
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  assessctl testtakers check people.csv
  assessctl testtakers import -p Demo people.csv
  assessctl testtakers get -p Demo ref:EMP-00017 ref:EMP-00018
  assessctl testtakers list -p Demo --to list.csv")]
pub enum TestTakersCommand {
    List(list::ListTestTakers),
    Get(get::GetTestTaker),
    Enrol(enrol::EnrolTestTaker),
    Import(import::ImportTestTakers),
    Check(check::CheckRoster),
    Update(update::UpdateTestTaker),
    Remove(remove::RemoveTestTakers),
    Sync(sync::SyncTestTakers),
    Apply(apply::ApplyHeld),
}

impl TestTakersCommand {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(args) => args.run(session).await,
            Self::Get(args) => args.run(session).await,
            Self::Enrol(args) => args.run(session).await,
            Self::Import(args) => args.run(session).await,
            Self::Check(args) => args.run(session),
            Self::Update(args) => args.run(session).await,
            Self::Remove(args) => args.run(session).await,
            Self::Sync(args) => args.run(session).await,
            Self::Apply(args) => args.run(session).await,
        }
    }
}
