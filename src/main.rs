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

use crate::cli::{Cli, ExitCodes};
use crate::config::Environment;

fn main() -> ExitCode {
    leave_no_core();
    let environment = Environment::read();
    if let Some(shell) = &environment.complete {
        return exit::end(cli::answer_shell(shell, &environment), cli::plain_talk(&environment), str::to_owned);
    }
    match Cli::read() {
        Ok((cli, line)) => {
            let mut console = cli.console(&environment);
            let codes = ExitCodes { judge: exit::judge, of: exit::code };
            let ended = cli.run(&environment, (&line, &mut console), &codes);
            exit::end(ended, console, |hint| line.complete(hint))
        }
        Err(error) => exit::end_parsing(&error, cli::help, cli::meant, cli::plain_talk(&environment)),
    }
}

/// A core file would hold the key and what was read. A system that has no such limit makes none or keeps it to itself.
fn leave_no_core() {
    // A program that collects cores gets one whatever the limit says.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
    #[cfg(unix)]
    {
        let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
        let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    }
}
