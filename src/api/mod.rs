//! The thin HTTP layer: one function sends, one pace holds back, one function reads whole lists, and each of the 13
//! operations is a method of a few lines.

mod client;
mod effect;
mod error;
mod list;
mod operations;
mod pace;
mod path;
mod record;
mod redact;
mod retry;
mod verdict;

pub use client::{Client, Connection, Exchange};
pub use effect::Effect;
pub use error::Error;
pub use list::{List, Listed};
pub use record::Read;
