//! Following a roster: who joined, who changed, who left, and what a file may do without a person looking at it.

pub mod absent;
mod alike;
pub mod classes;
pub mod counts;
pub mod known;
pub mod limits;
pub mod people;
pub mod person_keys;
