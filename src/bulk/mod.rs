//! Many rows, surviving a crash at any point: roster, plan, run, report.

pub mod answer;
pub mod compare;
pub mod executor;
pub mod filed_links;
pub mod find;
mod index;
pub mod issue;
pub mod journal_view;
pub mod links;
pub mod outcome;
pub mod plan;
pub mod report;
pub mod roster;
pub mod run;
mod timer;
pub mod update;
mod verdict;
mod work;
