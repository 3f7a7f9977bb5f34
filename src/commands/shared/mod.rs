//! What the commands of several nouns share.

pub mod account;
pub mod allowlist;
pub mod bulk_args;
pub mod command_line;
pub mod confirmation;
pub mod filters;
pub mod journal;
pub mod list_args;
pub mod mask;
pub mod mask_refusals;
pub mod named;
pub mod output_schema;
pub mod person;
pub mod prints;
pub mod progress;
pub mod project_args;
pub mod project_name_cache;
pub mod project_names;
pub mod roster_file;
pub mod run_failure;
pub mod session;
pub mod signals;
pub mod status_file;
pub mod verb_traits;
pub mod wire_messages;
pub mod write_guard;
