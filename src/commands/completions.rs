//! `completions`: what a shell needs to complete this program's commands and options.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::model::verdict::Verdict;
use crate::output::print_now;

/// Prints the completion script of a shell.
///
/// The script completes commands, options and the words that options take. Load it once, or put it where the shell
/// looks for such scripts.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  assessctl completions bash > assessctl.bash
  assessctl completions zsh > _assessctl
  assessctl completions fish > assessctl.fish

Where they belong:
  bash   ~/.local/share/bash-completion/completions/assessctl
  zsh    a folder of $fpath, as _assessctl
  fish   ~/.config/fish/completions/assessctl.fish")]
pub struct CompletionsArgs {
    /// The shell to write for
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints the script for the whole program, of which `command` is the root.
pub fn run(args: &CompletionsArgs, command: &mut Command) -> anyhow::Result<Verdict> {
    print_now(&script(args.shell, command))?;
    Ok(Verdict::Done)
}

/// The script itself.
fn script(shell: Shell, command: &mut Command) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, command, "assessctl", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn every_shell_gets_a_script_that_knows_the_commands() {
        for shell in Shell::value_variants() {
            let mut command = Command::new("assessctl").subcommand(Command::new("testtakers"));
            let script = script(*shell, &mut command);
            assert!(script.contains("testtakers"), "{shell}");
        }
    }
}
