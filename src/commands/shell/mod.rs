//! What a shell and a reader ask of the command line itself: help, completion, manual pages, slips.

pub mod argv;
pub mod completion_candidates;
pub mod completions;
pub mod correction;
pub mod expressions;
pub mod foreign_options;
pub mod foreign_words;
pub mod help;
pub mod line_to_type;
pub mod man;
pub mod refused_values;
pub mod respelled;
pub mod schema;
pub mod suggestions;
pub mod topics;
pub mod translation;
pub mod unknown_arguments;
pub mod unknown_options;
pub mod value_hints;
