//! Many rows, surviving a crash at any point: roster, plan, run, report.

pub mod answer_evidence;
pub mod compare;
pub mod early_stop;
pub mod find_people;
pub mod journal_policy;
pub mod journal_view;
pub mod keep_or_issue_link;
pub mod link_attempts;
mod link_owners;
pub mod links_file;
pub mod list_or_look_ups;
#[cfg(test)]
mod model;
pub mod on_existing;
pub mod outcome;
pub mod plan;
mod plan_requests;
pub mod remove;
pub mod report;
pub mod roster;
pub mod row_by_row;
pub mod row_key;
pub mod run_plan;
pub mod run_start;
pub mod run_state_machine;
pub mod run_verdict;
pub mod sync;
pub mod update;
pub mod update_sender;
