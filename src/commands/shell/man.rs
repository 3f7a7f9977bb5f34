//! `man`: manual pages, from the same declarations as the command line.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use clap::{Args, Command};
use clap_mangen::Man;

use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::files::Replacement;
use crate::files::create_folder;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::output::{Options, print_now};

/// Write the manual pages, one for each command
///
/// With --to they go into a folder, assessctl.1 and its sisters; without it the first of them is printed.
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::File))]
#[command(after_help = "\
Examples:
  assessctl man > assessctl.1
  assessctl man --to man1")]
pub struct ManArgs {}

/// Writes the pages of `command`, the whole program, where the options say.
pub fn run(mut command: Command, options: &Options) -> anyhow::Result<Verdict> {
    command.build();
    let Some(folder) = &options.to else {
        print_now(&String::from_utf8_lossy(&page(&command, "assessctl")?))?;
        return Ok(Verdict::Done);
    };
    create_folder(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let pages = write(&command, "assessctl", folder)?;
    options.console.aside(&format!("{} in {}", counted(pages, "manual page", "manual pages"), folder.display()));
    Ok(Verdict::Done)
}

/// Writes the page of a command and those of its subcommands, and says how many these are.
fn write(command: &Command, name: &str, folder: &Path) -> anyhow::Result<usize> {
    let path = folder.join(format!("{name}.1"));
    replace(&path, &page(command, name)?).with_context(|| format!("cannot write {}", path.display()))?;
    let mut pages = 1;
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages += write(below, &format!("{name}-{}", below.get_name()), folder)?;
    }
    Ok(pages)
}

fn replace(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut file = Replacement::begin(path)?;
    file.write_all(text)?;
    file.commit()
}

/// Options of every command stand in the program's own page alone.
fn page(command: &Command, name: &str) -> std::io::Result<Vec<u8>> {
    let is_root = name == "assessctl";
    let command = command.clone().mut_args(|arg| if arg.is_global_set() && !is_root { arg.hide(true) } else { arg });
    let mut page = Vec::new();
    let command = command.name(name.to_owned()).display_name(name.to_owned());
    Man::new(command).source(concat!("assessctl ", env!("CARGO_PKG_VERSION"))).render(&mut page)?;
    Ok(page)
}
