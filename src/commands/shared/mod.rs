//! What the commands of several nouns share.

pub mod bulk_args;
pub mod commands_in_hints;
pub mod confirmation;
pub mod list_args;
pub mod mask;
pub mod mask_fields;
pub mod mask_reference_ids;
pub mod named_people;
pub mod output_schema;
pub mod people_filters;
pub mod person_argument;
pub mod progress;
pub mod project_args;
pub mod project_journal;
pub mod project_name_cache;
pub mod redirect_allowlist;
pub mod roster_file;
pub mod run_account;
pub mod run_failure;
pub mod session;
pub mod signals;
pub mod status_file;
pub mod verb_traits;
pub mod write_guard;
