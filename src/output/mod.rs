//! How records are shown: fields, table, CSV, JSON, the terminal, files. It knows no record.

mod append_file;
mod columns;
mod delivery;
mod encoders;
mod error;
pub mod file;
mod json;
mod printer;
pub mod qr;
mod record;
mod sanitize;
mod spool;
mod table;
mod talk;
pub mod terminal;
mod widths;

pub use append_file::AppendFile;
pub use columns::Columns;
pub use encoders::Shape;
pub use error::Error;
pub use printer::{Options, Printer, check_target, print_now, write_whole};
pub use record::Record;
pub use talk::{CommandError, Talk};
pub use terminal::Color;
