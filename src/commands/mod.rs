//! What a user can ask for: one file per noun with its arguments, help text and short bodies.

mod check;
mod enrol;
mod import;
mod interrupt;
mod links;
mod list;
mod people;
mod progress;
mod projects;
mod redirect_uris;
mod remove;
mod results;
mod roster;
mod session;
mod target;
mod testtakers;
mod update;

pub use links::LinksCommand;
pub use projects::ProjectsCommand;
pub use redirect_uris::RedirectUrisCommand;
pub use results::ResultsCommand;
pub use session::Session;
pub use testtakers::TestTakersCommand;
