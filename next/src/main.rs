//! `assessctl`: the command-line administration of an assessment service.

mod api;
mod cli;
mod commands;
mod config;
mod exit;
mod files;
mod model;
mod output;
mod sandbox;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::config::environment::Environment;
use crate::model::verdict::Verdict;
use crate::output::Console;

fn main() -> ExitCode {
    let environment = Environment::of_process();
    let words: Vec<_> = std::env::args_os().collect();
    let mut root = cli::command();
    let found = root.try_get_matches_from_mut(&words).and_then(|found| cli::Cli::from_arg_matches(&found));
    let cli = match found {
        Ok(cli) => cli,
        Err(error) => return refused(&environment, &error, &root, &words),
    };
    let console = Console::new(environment.talk(&cli.global));
    let verdict = cli::run(cli, environment, &console).unwrap_or_else(|error| {
        let failure = commands::failure(&error);
        console.error(exit::code(failure.verdict), &failure);
        failure.verdict
    });
    ExitCode::from(exit::code(verdict))
}

/// The end of a line that was not taken, which may have asked for help only.
fn refused(environment: &Environment, error: &clap::Error, root: &clap::Command, words: &[OsString]) -> ExitCode {
    let console = Console::new(environment.talk(&config::GlobalArgs::default()));
    let verdict = match commands::explain(error, root, words) {
        None => output::print_text(&error.render().to_string()).map_or(Verdict::Unforeseen, |()| Verdict::Done),
        Some(failure) => {
            console.error(exit::code(failure.verdict), &failure);
            failure.verdict
        }
    };
    ExitCode::from(exit::code(verdict))
}
