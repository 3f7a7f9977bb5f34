//! What this machine remembers: locks, and a database.

pub mod lock;
pub mod store;
