//! `config path`: where the configuration file is.

use clap::Args;

use crate::commands::config::context::ConfigContext;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::output::{Columns, Printer, Record, Shape};

/// Print where the configuration file is, or would be.
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Records(&COLUMNS)).printing(JsonShape::Text, JsonSource::Own))]
#[command(after_help = "\
Examples:
  assessctl config path")]
pub struct ShowPath {}

const COLUMNS: Columns<'static> = Columns::of(&["path"]);

pub fn run(context: ConfigContext<'_>) -> anyhow::Result<()> {
    let options = context.options();
    let mut printer = Printer::new(&COLUMNS, Shape::OneString, &options)?;
    let file = std::path::absolute(context.file()?)?;
    printer.push(Record::Cells(&[file.to_string_lossy().as_ref().into()]))?;
    Ok(printer.finish()?)
}
