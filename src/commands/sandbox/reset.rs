//! `sandbox reset`: a new embedded service.

use std::path::Path;

use clap::Args;

use crate::commands::sandbox::state_file::{StateFile, failure};
use crate::commands::shared::confirmation::YesArg;
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::model::exit_ranks::Verdict;
use crate::output::Console;
use crate::sandbox;

/// Forget everything: a new service, with one empty project
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Destroys, Prints::Nothing))]
#[command(after_help = "\
Examples:
  assessctl sandbox reset --yes")]
pub struct ResetSandbox {
    #[command(flatten)]
    yes: YesArg,
    #[command(flatten)]
    file: StateFile,
}

impl ResetSandbox {
    /// Empties the state in `state`, or in the file that is named.
    pub fn run(&self, state: &Path, console: Console) -> anyhow::Result<Verdict> {
        let file = self.file.or(state);
        self.yes.check(console)?;
        let question = format!("Forget everything that the sandbox holds in {}?", file.display());
        if !self.yes.confirms(console, &question, "nothing was forgotten") {
            return Ok(Verdict::Interrupted);
        }
        if !sandbox::reset(&file).map_err(|error| failure(&error))? {
            console.warn("a running sandbox still reads the old state's log; the files forget it when that one ends");
        }
        console.aside(&format!("{} is as a new sandbox's", file.display()));
        Ok(Verdict::Done)
    }
}
