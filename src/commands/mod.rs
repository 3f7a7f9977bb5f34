//! What a user can ask for: one folder per noun, one file per verb with its arguments, help text and a short body.

mod config;
mod doctor;
mod journal;
mod links;
mod projects;
mod redirect_uris;
mod results;
#[cfg(feature = "sandbox")]
mod sandbox;
mod shared;
mod shell;
mod suggest;
mod testtakers;

pub use config::context::ConfigContext;
pub use config::{ConfigCommand, run as configure};
pub use doctor::{DoctorArgs, run as examine};
pub use journal::JournalCommand;
pub use links::LinksCommand;
pub use projects::ProjectsCommand;
pub use redirect_uris::RedirectUrisCommand;
pub use results::ResultsCommand;
#[cfg(feature = "sandbox")]
pub use sandbox::{SandboxCommand, run as run_sandbox};
pub use shared::commands_in_hints::CommandLine;
#[cfg(test)]
pub use shared::commands_in_hints::takes_project;
pub use shared::mask::pseudonyms;
pub use shared::session::Session;
pub use shared::status_file::{RunCounts, StatusFile, shared_status, unless_asked};
pub use shared::verb_traits::{Prints, VerbTraits};
pub use shell::completion_candidates::{answer as answer_shell, known_service};
pub use shell::completions::{CompletionsArgs, run as complete};
pub use shell::help::{HelpArgs, MAX_WIDTH as MAX_HELP_WIDTH, map, on_line as help_on_line, run as explain};
pub use shell::man::{ManArgs, run as write_manual};
pub use shell::schema::{SchemaArgs, run as describe, version_as_json};
#[cfg(test)]
pub use suggest::foreign_options::OPTIONS as FOREIGN_OPTIONS;
#[cfg(test)]
pub use suggest::foreign_words::COMMANDS as FOREIGN_COMMANDS;
pub use suggest::suggestions::{idle_status, instead, meant, two_values};
pub use suggest::translation::translated;
pub use testtakers::TestTakersCommand;
