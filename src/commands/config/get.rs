//! `config get`: the value of one setting in use, bare.

use clap::Args;

use crate::commands::config::context::ConfigContext;
use crate::commands::config::show::row;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::config::resolve;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::output::{Columns, Printer, Record, Shape};

/// Print the value of one setting in use
///
/// Ends with 4 where it is not set. `config show KEY` also tells where it comes from. The key itself is never printed.
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Records(&COLUMNS)).printing(JsonShape::Text, JsonSource::Own))]
#[command(after_help = "\
Examples:
  assessctl config get output
  assessctl config get project --profile sandbox")]
pub struct GetSetting {
    /// Name of the setting, as `config show` prints it
    #[arg(value_name = "KEY")]
    pub key: String,
}

const COLUMNS: Columns<'static> = Columns::of(&["value"]).no_truncate(&["value"]);

pub fn run(args: &GetSetting, context: ConfigContext<'_>) -> anyhow::Result<Verdict> {
    let mut printer = Printer::new(&COLUMNS, Shape::OneString, &context.options())?;
    let settings = resolve(context.flags, context.environment)?;
    let (_, value, origin) = row(&settings, &args.key)?;
    if value.is_null() {
        let failure = Failure::new(Verdict::NotFound, format!("{} is {origin}", args.key));
        return Err(failure.hint("`assessctl config show` shows all settings").into());
    }
    printer.push(Record::Cells(&[value.into()]))?;
    printer.finish()?;
    Ok(Verdict::Done)
}
