//! The interface specification as types: what travels, what may be sent, and how a command ends.
//!
//! Strict out, lenient in: what goes into a request has bounded types with one rule each; what comes back takes any
//! string, bears absent fields and nulls, and keeps enum values that the specification does not list.

pub mod browser_addresses;
pub mod cell;
pub mod concurrency;
pub mod counted;
pub mod did_you_mean;
pub mod error_body;
pub mod exit_ranks;
pub mod failure;
pub mod field_rules;
pub mod file_name;
pub mod flagged;
#[cfg(test)]
pub mod fuzz;
pub mod list_query;
#[cfg(test)]
pub mod long_runs;
pub mod max_records;
pub mod output_format;
pub mod projects;
pub mod pseudonym;
pub mod redirect_uris;
pub mod results;
pub mod sanitize;
pub mod secret;
pub mod service_address;
pub mod shell_word;
pub mod spreadsheet;
pub mod stored_name;
pub mod test_links;
pub mod test_status;
pub mod testtakers;
pub mod text_digest;
pub mod time;
pub mod update_effect;
