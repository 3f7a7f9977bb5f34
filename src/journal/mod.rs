//! What this machine remembers: locks.

pub mod lock;
