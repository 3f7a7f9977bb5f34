//! What a user can ask for: a file for each verb, and beside them what they share.

mod guard;
mod hints;
mod list;
mod person;
mod project;
pub mod projects;
pub mod redirect_uris;
pub mod results;
pub mod session;
pub mod testtakers;

pub use hints::explain;

use crate::api;
use crate::model::verdict::{Failure, Verdict};

/// What an error means for the user, whoever noticed it.
pub fn failure(error: &anyhow::Error) -> Failure {
    let causes = || error.chain();
    causes()
        .find_map(|cause| cause.downcast_ref::<Failure>().cloned())
        .or_else(|| causes().find_map(|cause| cause.downcast_ref::<api::Error>()).map(Failure::from))
        .unwrap_or_else(|| Failure::new(Verdict::Unforeseen, format!("{error:#}")))
}
