//! `sandbox reset`: a new embedded service.

use std::path::Path;

use clap::Args;

use crate::commands::sandbox::state_file::{StateFile, failure};
use crate::commands::shared::prints::Prints;
use crate::commands::shared::verb_traits::{CommandEffect, VerbTraits};
use crate::model::verdict::{Failure, Verdict};
use crate::output::Console;
use crate::sandbox;

/// Forget everything: a new service, with one empty project
#[derive(Debug, Args)]
#[command(add = Prints::Nothing)]
#[command(add = VerbTraits::of_effect(CommandEffect::Destroys))]
#[command(after_help = "\
Examples:
  assessctl sandbox reset --yes")]
pub struct ResetSandbox {
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    file: StateFile,
}

impl ResetSandbox {
    /// Empties the state in `state`, or in the file that is named.
    pub fn run(&self, state: &Path, console: Console) -> anyhow::Result<Verdict> {
        let file = self.file.or(state);
        if !self.yes {
            match console.confirm(&format!("Forget everything that the sandbox holds in {}?", file.display())) {
                Some(true) => {}
                Some(false) => {
                    console.note("nothing was forgotten");
                    return Ok(Verdict::Interrupted);
                }
                None => {
                    let failure = Failure::usage("cannot ask for confirmation without a terminal");
                    return Err(failure.hint("run `assessctl sandbox reset --yes`").into());
                }
            }
        }
        if !sandbox::reset(&file).map_err(|error| failure(&error))? {
            console.warn("a running sandbox still reads the old state's log; the files forget it when that one ends");
        }
        Ok(Verdict::Done)
    }
}
