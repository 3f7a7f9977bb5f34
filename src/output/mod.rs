//! How records are shown: fields, table, CSV, JSON, the terminal door, files. It knows no record.

mod columns;
pub mod door;
mod error;
pub mod file;
mod json;
mod printer;
mod record;
mod spool;
mod table;
pub mod talk;
pub mod terminal;

pub use columns::Columns;
pub use error::Error;
pub use printer::{Options, Printer, Shape, print_now};
pub use talk::Talk;
pub use terminal::Color;
