//! What shells and packages need: completion scripts and manual pages, both made from the declarations of the commands.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{Ended, shown};
use crate::model::verdict::{Failure, Verdict};
use crate::output::Place;

/// Print a completion script for a shell
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl completions bash > /etc/bash_completion.d/assessctl\n  assessctl completions zsh > ~/.zfunc/_assessctl\n  assessctl completions fish > ~/.config/fish/completions/assessctl.fish"
)]
pub struct Completions {
    /// bash, zsh, fish, powershell or elvish
    #[arg(hide_possible_values = true)]
    shell: Shell,
}

impl Completions {
    pub fn run(self, mut root: Command) -> Ended {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut root, "assessctl", &mut script);
        shown(&String::from_utf8(script)?)
    }
}

/// Print or write manual pages
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl man > assessctl.1\n  mkdir man1 && assessctl man man1")]
pub struct Manual {
    /// Folder for the pages of all commands
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Manual {
    pub fn run(self, mut root: Command) -> Ended {
        root.build();
        write(&root, self.folder.as_deref()).map(|()| Verdict::Done)
    }
}

/// Writes the page of a command; into a folder, those of its subcommands too.
fn write(command: &Command, folder: Option<&Path>) -> anyhow::Result<()> {
    // Written as quotes, since an empty date is left out, and then the version takes its place.
    let page = Man::new(command.clone()).date("\"\"").manual("assessctl");
    let page = page.source(concat!("assessctl ", env!("CARGO_PKG_VERSION")));
    let Some(folder) = folder else { return Place::of(None).write(|out| Ok(page.render(out)?)).map(drop) };
    // For all users of a machine.
    let failed = |error| Failure::new(Verdict::Unforeseen, format!("cannot write to {}: {error}", folder.display()));
    page.generate_to(folder).map_err(failed)?;
    command.get_subcommands().try_for_each(|command| write(command, Some(folder)))
}
