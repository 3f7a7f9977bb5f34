//! Many rows, surviving a crash at any point: roster, plan, run, report.

pub mod issue;
pub mod roster;
