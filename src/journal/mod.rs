//! What this machine remembers: locks, and a database of rows under way, issued links, removals, synced rosters, and what
//! consumers of results were told.

pub mod clock;
pub mod consumers;
pub mod exported_projects;
pub mod forget;
mod hash_secret;
pub mod held_syncs;
pub mod issued_links;
pub mod keyed_hash;
pub mod lock;
pub mod lock_holders;
mod moment_columns;
mod os_account;
pub mod person_key;
pub mod removals;
mod removed_entries;
pub mod row_store;
pub mod rows;
mod schema;
pub mod store;
pub mod summaries;
pub mod synced_rosters;
pub mod told_results;
mod unusable;
pub mod written_fields;
