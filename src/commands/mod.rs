//! What a user can ask for: one file per noun.

pub mod completions;
pub mod config;
