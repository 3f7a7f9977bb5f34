//! How a command over several projects ends where one of them cannot be read.

use crate::api::Error;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::output;

/// What helps where one project of several is gone.
pub const NAME_THE_OTHERS: &str = "where the project is gone, name the others with -p";

/// A project that is not found is a part that is missing: "not found" would say that all of them are. `way_out`: where it
/// stays away.
pub fn unless_absent(error: anyhow::Error, way_out: &str) -> anyhow::Error {
    if verdict(&error) != Verdict::NotFound {
        return error;
    }
    let own = error.downcast_ref::<Failure>().and_then(|failure| failure.hint.clone());
    Failure::new(Verdict::Unfinished, format!("{error:#}"))
        .hint(own.unwrap_or_else(|| format!("run the same command again; {way_out}")))
        .into()
}

/// How an error ends a command.
pub fn verdict(error: &anyhow::Error) -> Verdict {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.verdict;
    }
    if let Some(error) = error.downcast_ref::<Error>() {
        return error.verdict();
    }
    error.downcast_ref::<output::Error>().map_or(Verdict::Unforeseen, output::Error::verdict)
}
