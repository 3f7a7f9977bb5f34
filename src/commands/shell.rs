//! What shells and packages need: completion scripts and manual pages, both made from the declarations of the commands.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::Ended;
use crate::files::Target;
use crate::model::verdict::Verdict;
use crate::output::print_text;

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
    pub fn run(self, root: Command) -> Ended {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut all_shown(root), "assessctl", &mut script);
        print_text(&String::from_utf8(script)?)?;
        Ok(Verdict::Done)
    }
}

/// The commands with the options that pages of help show on the first page only.
fn all_shown(command: Command) -> Command {
    command.mut_args(|arg| arg.hide(false)).mut_subcommands(all_shown)
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
        match self.folder {
            Some(folder) => write(&root, &folder)?,
            None => print_text(&String::from_utf8(rendered(&page(&root))?)?)?,
        }
        Ok(Verdict::Done)
    }
}

fn write(command: &Command, folder: &Path) -> anyhow::Result<()> {
    let page = page(command);
    let path = folder.join(page.get_filename());
    let put = |text: Vec<u8>| {
        let mut target = Target::create(&path)?;
        target.write_all(&text)?;
        target.commit()
    };
    put(rendered(&page)?).with_context(|| format!("cannot write {}", path.display()))?;
    command.get_subcommands().try_for_each(|command| write(command, folder))
}

fn page(command: &Command) -> Man {
    Man::new(command.clone()).source(concat!("assessctl ", env!("CARGO_PKG_VERSION")))
}

fn rendered(page: &Man) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    page.render(&mut text)?;
    Ok(text)
}
