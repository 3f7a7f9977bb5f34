//! What a shell and a reader ask of the command line itself: help, completion, manual pages, its schema.

pub mod argv;
pub mod completion_candidates;
pub mod completions;
pub mod help;
pub mod man;
pub mod schema;
pub mod topics;
