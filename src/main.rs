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

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Scripts with the line ends of Windows end a word in a CR.
    let plain = |word: OsString| word.to_str().and_then(|word| word.strip_suffix('\r')).map(Into::into).unwrap_or(word);
    let words: Vec<_> = std::env::args_os().map(plain).collect();
    let (console, ended) = cli::run(&words);
    let verdict = ended.unwrap_or_else(|error| {
        let failure = commands::failure(&error);
        console.error(exit::code(failure.verdict), &failure);
        failure.verdict
    });
    exit::end(verdict)
}
