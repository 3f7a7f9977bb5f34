//! How records are shown: fields, table, CSV, JSON, the terminal, files. It knows no record.

pub mod ansi_codes;
mod body;
mod columns;
mod console;
mod continued_file;
mod delivery;
mod encoders;
mod error;
mod filter;
#[cfg(feature = "jq")]
mod jq;
#[cfg(feature = "jq")]
mod jq_fields;
mod json;
mod options;
mod printer;
pub mod qr;
mod record;
mod spool;
mod table;
mod target;
pub mod terminal;
mod widths;
#[cfg(feature = "xlsx")]
mod workbook_parts;
mod wrap;
#[cfg_attr(not(feature = "xlsx"), path = "xlsx_none.rs")]
pub mod xlsx;

pub use columns::{Columns, our_fields};
pub use console::{CommandError, Console};
pub use continued_file::{ContinuedFile, ContinuedForm};
pub use encoders::Shape;
pub use error::Error;
pub use filter::{Masked, OutputFilter, RecordMask};
#[cfg(feature = "jq")]
pub use jq::JqFilter;
pub use options::Options;
pub use printer::{Printer, print_now, print_whole, write_whole};
pub use record::Record;
pub use target::{check_ending, check_target};
pub use terminal::Color;
pub use wrap::wrapped;
