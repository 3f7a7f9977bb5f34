//! How records are shown: fields, table, CSV, JSON, the terminal door, files. It knows no record.

mod columns;
pub mod door;
mod error;
pub mod file;
mod forms;
mod growing;
mod json;
mod printer;
pub mod qr;
mod record;
mod spool;
mod table;
pub mod talk;
pub mod terminal;

pub use columns::Columns;
pub use error::Error;
pub use forms::Shape;
pub use growing::Growing;
pub use printer::{Options, Printer, check_target, print_now, write_whole};
pub use talk::{Talk, ask, ask_secret, can_ask};
pub use terminal::Color;
