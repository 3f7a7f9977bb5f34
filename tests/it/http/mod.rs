//! HTTP as it comes: what is repeated, what is refused, and what never leaves this machine.

mod addresses;
mod connections;
mod hostile;
mod proxies;
mod retries;
mod writes;
