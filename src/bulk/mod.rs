//! Many rows, surviving a crash at any point: roster, plan, run, report.

pub mod answer;
pub mod compare;
pub mod find;
mod index;
pub mod issue;
pub mod links;
pub mod memory;
pub mod outcome;
pub mod plan;
pub mod report;
pub mod roster;
pub mod run;
pub mod sweep;
pub mod update;
mod verdict;
mod work;
