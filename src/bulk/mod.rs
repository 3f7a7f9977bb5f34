//! Many rows, safely: each person is enrolled once, whatever the network does, and each row has an end that can be reported.

pub mod compare;
pub mod each_row;
pub mod enrol;
pub mod find_people;
pub mod known;
pub mod link_file;
pub mod links;
#[cfg(test)]
mod model;
pub mod outcome;
pub mod person;
pub mod remove;
pub mod rows;
pub mod rules;
pub mod service;
pub mod sync;
pub mod update;
