//! What a shell and a reader ask of the command line itself: help, completion, manual pages, slips.

pub mod argv;
pub mod completion_candidates;
pub mod completions;
pub mod conditions;
pub mod correction;
pub mod expressions;
pub mod foreign_options;
pub mod foreign_words;
pub mod help;
pub mod kept_words;
pub mod line_to_type;
pub mod man;
pub mod narrowed_hints;
pub mod paging;
pub mod refused_values;
pub mod respelled;
pub mod sample_files;
pub mod schema;
pub mod spoken_times;
pub mod suggestions;
pub mod topics;
pub mod translation;
pub mod unknown_arguments;
pub mod unknown_options;
pub mod value_hints;
pub mod whom;
