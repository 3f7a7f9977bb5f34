//! Following a roster: who joined, who changed, who left, and what a file may do without a person looking at it.

pub mod absent;
mod alike_people;
pub mod classes;
#[cfg(test)]
mod classes_tests;
pub mod counted_rosters;
pub mod file_people;
pub mod known_people;
pub mod limits;
pub mod moves_and_replacements;
#[cfg(test)]
mod moves_model;
#[cfg(test)]
mod nights_model;
#[cfg(test)]
mod pairs_tests;
pub mod person_keys;
pub mod plan_change;
pub mod plan_file;
mod row_class;
pub mod totals;
