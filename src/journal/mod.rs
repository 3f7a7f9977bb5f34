//! What this machine remembers: locks, and a database with what consumers of results were told, the links that were issued and the
//! people who were removed in bulk.

mod account;
pub mod clock;
pub mod consumers;
pub mod exports;
pub mod forget;
pub mod holders;
pub mod keyed_hash;
pub mod links;
pub mod lock;
pub mod removals;
pub mod row_store;
pub mod rows;
mod schema;
mod secret;
pub mod seen;
pub mod store;
pub mod summaries;
