//! The commands: a file for each noun or verb, what they share, and what an error means for the user.

mod account;
mod again;
pub mod config;
pub mod doctor;
mod guard;
pub mod journal;
pub mod links;
mod list;
mod people;
mod person;
mod project;
pub mod projects;
mod read_roster;
pub mod redirect_uris;
pub mod refused_line;
pub mod results;
pub mod sandbox;
pub mod session;
pub mod shell;
mod signals;
pub mod testtakers;
mod work;

use crate::model::verdict::{Failure, Verdict};
use crate::output::Columns;
use crate::{api, output};

/// Columns that a table shows all.
const fn plain_columns(
    fields: &'static str,
    quiet: &'static [(&'static str, &'static str)],
    noun: (&'static str, &'static str),
) -> Columns {
    Columns { all: fields, table: fields, quiet, noun }
}

/// How a command ends.
pub type Ended = anyhow::Result<Verdict>;

/// Prints a page of help.
pub fn shown(page: &str) -> Ended {
    output::print_text(page).map(|()| Verdict::Done)
}

/// What an error means for the user, whichever room noticed it; its hint is a line to type where it can be.
pub fn failure(error: &anyhow::Error) -> Failure {
    let known = error.downcast_ref::<Failure>().cloned();
    let known = known.or_else(|| error.downcast_ref::<api::Error>().map(Failure::from));
    let failure = known.unwrap_or_else(|| Failure::new(Verdict::Unforeseen, format!("{error:#}")));
    let hint = failure.hint.as_deref().map(|hint| again::there(&again::completed(hint, again::typed_with)));
    Failure { hint, ..failure }
}
