//! What caused an error of the libraries below, step by step.

use std::error::Error as StdError;
use std::io;

/// The innermost cause of an error: the one that says what happened.
pub(super) fn innermost<'a>(error: &'a (dyn StdError + 'static)) -> &'a (dyn StdError + 'static) {
    causes(error).last().unwrap_or(error)
}

/// The first cause of this type.
pub(super) fn find<'a, T: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

/// An error and what caused it. An I/O error keeps what it wraps to itself: it is no source.
pub(super) fn causes<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>() {
        Some(error) => error.get_ref().map(|wrapped| wrapped as &(dyn StdError + 'static)),
        None => error.source(),
    })
}
