//! The specification as types, with the rules for what may be sent; no I/O, no HTTP.

pub mod address;
pub mod format;
pub mod links;
pub mod people;
pub mod person;
pub mod problem;
pub mod projects;
pub mod results;
pub mod secret;
pub mod settle;
pub mod show;
pub mod spreadsheet;
pub mod talk;
pub mod text;
pub mod time;
pub mod verdict;
