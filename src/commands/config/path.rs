//! `config path`: where the configuration file is.

use clap::Args;
use serde_json::json;

use crate::commands::config::context::Around;
use crate::output::{Columns, Printer, Shape};

/// Print where the configuration file is, or would be.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  assessctl config path")]
pub struct ShowPath {}

/// A bare string has a column of its own.
pub const COLUMNS: Columns<'static> = Columns::of(&["path"]);

/// Runs the command.
pub fn run(around: Around<'_>) -> anyhow::Result<()> {
    let options = around.options();
    let mut printer = Printer::new(&COLUMNS, Shape::OneString, &options)?;
    let file = std::path::absolute(around.file()?)?;
    printer.push(&json!(file.to_string_lossy()).to_string())?;
    Ok(printer.finish()?)
}
