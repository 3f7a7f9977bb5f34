//! `completions`: what a shell needs to complete this program's commands and options.

use clap::{Args, Command};
use clap_complete::Shell;
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};

use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::config::COMPLETE;
use crate::model::exit_ranks::Verdict;
use crate::output::{Options, print_whole};

/// Print the completion script of a shell.
///
/// It completes commands, options and the words that options take; in bash, zsh and fish also profiles, fields and the
/// names of projects that `projects list` has shown within the last day. Load it once, or put it where the shell looks
/// for such scripts.
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::File))]
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

/// What the program is called on the path.
const NAME: &str = "assessctl";

/// zsh loads a file of `$fpath` at the first key press and expects an answer to that one, too.
const ZSH_FIRST_CALL: &str = "
if [[ $funcstack[1] == _assessctl ]]; then
    _clap_dynamic_completer_assessctl
fi
";

/// Writes the script for the whole program where the options say, of which `command` is the root.
pub fn run(args: &CompletionsArgs, command: &mut Command, options: &Options) -> anyhow::Result<Verdict> {
    let name = format!("completions for {}", args.shell);
    print_whole(options, &name, &script(args.shell, command)?)?;
    Ok(Verdict::Done)
}

/// The script itself: for most shells one that asks the program at each key press, for the others a fixed one.
fn script(shell: Shell, command: &mut Command) -> std::io::Result<String> {
    let mut script = Vec::new();
    let asking: &dyn EnvCompleter = match shell {
        Shell::Bash => &Bash,
        Shell::Zsh => &Zsh,
        Shell::Fish => &Fish,
        fixed => {
            clap_complete::generate(fixed, command, NAME, &mut script);
            return Ok(String::from_utf8_lossy(&script).into_owned());
        }
    };
    asking.write_registration(COMPLETE, NAME, NAME, NAME, &mut script)?;
    let more = if shell == Shell::Zsh { ZSH_FIRST_CALL } else { "" };
    Ok(format!("{}\n{more}", String::from_utf8_lossy(&script).trim()))
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn every_shell_gets_a_script_that_asks_the_program_or_knows_the_commands() {
        for shell in Shell::value_variants() {
            let mut command = Command::new("assessctl").subcommand(Command::new("testtakers"));
            let script = script(*shell, &mut command).expect("written to memory");
            assert!(script.contains(COMPLETE) || script.contains("testtakers"), "{shell}");
        }
    }
}
