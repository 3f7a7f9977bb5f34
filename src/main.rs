//! assessctl: parse, settle the settings, dispatch.

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

fn main() -> ExitCode {
    let environment = Environment::read();
    if let Some(shell) = &environment.complete {
        return exit::end(cli::answer_shell(shell, &environment), cli::plain_talk(&environment));
    }
    match Cli::read() {
        Ok(cli) => {
            let talk = cli.talk(&environment);
            exit::end(cli.run(&environment), talk)
        }
        Err(error) => exit::end_parsing(&error, cli::help, cli::meant, cli::plain_talk(&environment)),
    }
}
