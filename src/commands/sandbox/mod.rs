//! `sandbox serve`, `set` and `reset`: the embedded service as a server, and what the portal and people do to it.

mod reset;
mod serve;
mod set;
pub mod state_file;

use std::path::Path;

use clap::Subcommand;

use crate::commands::sandbox::state_file::STATE_FILE;
use crate::model::exit_ranks::Verdict;
use crate::output::Console;

/// Rehearse without an account: the service itself, embedded
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  assessctl --profile sandbox testtakers import people.csv
  assessctl sandbox set ref:EMP-00017 --result HighRisk
  assessctl sandbox serve --listen 127.0.0.1:0
  assessctl sandbox reset --yes")]
pub enum SandboxCommand {
    Serve(serve::ServeSandbox),
    Set(set::SetState),
    Reset(reset::ResetSandbox),
}

/// Does what was asked; `folder` is the folder for state.
pub async fn run(command: &SandboxCommand, folder: &Path, console: Console) -> anyhow::Result<Verdict> {
    let state = &folder.join(STATE_FILE);
    match command {
        SandboxCommand::Serve(serve) => serve.run(state, console).await,
        SandboxCommand::Set(set) => set.run(state),
        SandboxCommand::Reset(reset) => reset.run(state, console),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(subcommand)]
        command: SandboxCommand,
    }

    fn parse(line: &str) -> Result<SandboxCommand, clap::Error> {
        let words = std::iter::once("sandbox").chain(line.split(' '));
        Program::try_parse_from(words).map(|program| program.command)
    }

    #[test]
    fn the_declarations_are_consistent() {
        use clap::CommandFactory;
        Program::command().debug_assert();
    }

    #[test]
    fn a_change_names_a_person_or_a_state_and_something_to_change() {
        for good in
            ["set id:1 --result highrisk", "set -p X --state inactive", "set ref:id:1 --sent 24h --state-file f"]
        {
            assert!(parse(good).is_ok(), "{good}");
        }
        for bad in [
            "set id:1",
            "set",
            "set --result HighRisk",
            "set 1 --result HighRisk",
            "set id:x --result HighRisk",
            "set id:1 --result HihgRisk",
            "set id:1 --state Active",
            "set id:1 --sent 2026-03-01T06:00:00",
            "set id:1 --result HighRisk --unlisted-result x",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_file_of_the_state_has_one_name_on_all_three_and_a_shorter_one_where_it_is_free() {
        for line in ["serve --state-file f", "serve --state f", "reset --state f --yes", "reset --state-file f"] {
            assert!(parse(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn a_mistaken_fault_lists_the_words_that_are_known() {
        let error = parse("serve --fault 503@enroll").expect_err("no operation");
        assert!(error.to_string().contains("list-test-takers"), "{error}");
    }
}
