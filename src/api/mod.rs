//! The thin HTTP layer: one function sends, one pace holds back, one function reads whole lists, and each of the 13
//! operations is a method of a few lines.

mod client;
mod error;
mod failure;
mod list;
mod operations;
mod pace;
mod path;
mod record;
mod retry;
mod words;

pub use client::{Client, Connection, Exchange};
pub use error::{Effect, Error};
pub use list::{List, Listed};
pub use operations::LATE;
pub use record::Read;
