//! `assessctl`: the command-line administration of an assessment service.

// What can fail on Unix does nothing elsewhere.
#![cfg_attr(not(unix), allow(clippy::unnecessary_wraps))]

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
mod roster;
mod sandbox;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let (console, ended) = cli::run(&words);
    let verdict = ended.unwrap_or_else(|error| {
        let failure = commands::failure(&error);
        console.error(exit::code(failure.verdict), &failure);
        failure.verdict
    });
    exit::end(verdict)
}
