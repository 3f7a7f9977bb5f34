//! What this machine remembers: locks, and a database with the results last seen.

pub mod holders;
pub mod lock;
pub mod seen;
pub mod store;
