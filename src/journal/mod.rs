//! What this machine remembers: locks.
