//! What a user can ask for: one file per noun with its arguments, help text and short bodies.

mod changes;
mod check;
mod complete;
mod completions;
mod config;
mod doctor;
mod earlier;
mod enrol;
mod export;
mod help;
mod import;
mod interrupt;
mod links;
mod list;
mod man;
mod names;
mod people;
mod permission;
mod picks;
mod picture;
mod progress;
mod projects;
mod redirect_uris;
mod remove;
mod report;
mod result_by_id;
mod results;
mod roster;
#[cfg(feature = "sandbox")]
mod sandbox;
mod session;
mod several;
mod summary;
mod tally;
mod target;
mod testtakers;
mod update;
mod whole;

pub use complete::answer as answer_shell;
pub use completions::{CompletionsArgs, run as complete};
pub use config::{Around, ConfigCommand, run as configure};
pub use doctor::{DoctorArgs, run as examine};
pub use help::{HelpArgs, map, on_line as help_on_line, run as explain};
pub use links::LinksCommand;
pub use man::{ManArgs, run as write_manual};
pub use projects::ProjectsCommand;
pub use redirect_uris::RedirectUrisCommand;
pub use results::ResultsCommand;
#[cfg(feature = "sandbox")]
pub use sandbox::{SandboxCommand, run as run_sandbox};
pub use session::Session;
pub use testtakers::TestTakersCommand;
