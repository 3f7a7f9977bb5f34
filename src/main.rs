//! assessctl: parse, settle the settings, dispatch.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare the files that the program finds"))]

mod api;
mod bulk;
mod cli;
mod commands;
mod config;
mod exit;
mod files;
mod journal;
mod model;
mod output;
#[cfg(feature = "sandbox")]
mod sandbox;

use std::process::ExitCode;

use crate::cli::Cli;
use crate::config::Environment;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    config::leave_no_core();
    let environment = Environment::read();
    if let Some(shell) = &environment.complete {
        return exit::end(cli::answer_shell(shell, &environment), cli::plain_talk(&environment), str::to_owned);
    }
    if cli::asks_for_version_alone() {
        return exit::end_text(cli::VERSION, cli::plain_talk(&environment));
    }
    match Cli::read() {
        Ok((cli, line)) => {
            let mut console = cli.console(&environment);
            let ended = cli.run(&environment, (&line, &mut console), exit::judge);
            exit::end(ended, console, |hint| line.complete(hint))
        }
        Err(error) => {
            let console = cli::plain_talk(&environment);
            exit::end_parsing(&error, cli::shown, (|error| cli::meant(error, &environment), cli::completed), console)
        }
    }
}
