//! Many rows, surviving a crash at any point: roster, plan, run, report.

pub mod answer;
pub mod compare;
pub mod issue;
pub mod memory;
pub mod outcome;
pub mod plan;
pub mod report;
pub mod roster;
pub mod run;
mod work;
