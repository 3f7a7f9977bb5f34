//! Many rows, surviving a crash at any point: roster, plan, run, report.

pub mod answer;
pub mod beginning;
pub mod compare;
pub mod executor;
pub mod filed_links;
pub mod find;
mod index;
pub mod issue;
pub mod journal_policy;
pub mod journal_view;
pub mod links;
mod list_or_look_ups;
pub mod machine;
#[cfg(test)]
mod model;
pub mod outcome;
pub mod plan;
mod relation;
pub mod remove;
pub mod report;
pub mod roster;
pub mod row_key;
pub mod run;
mod same_email;
pub mod stop;
pub mod sync;
mod timer;
pub mod update;
pub mod verdict;
mod work;
