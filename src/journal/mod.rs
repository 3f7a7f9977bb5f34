//! What this machine remembers: locks, and a database with what consumers of results were told, the links that were issued and the
//! people who were removed in bulk, rosters that were synced.

mod account;
pub mod clock;
pub mod consumers;
pub mod exports;
pub mod forget;
pub mod holders;
pub mod holds;
pub mod keyed_hash;
pub mod links;
pub mod lock;
pub mod moves;
pub mod person_key;
pub mod removals;
pub mod row_store;
pub mod rows;
mod schema;
mod secret;
pub mod store;
pub mod summaries;
pub mod synced;
pub mod told;
