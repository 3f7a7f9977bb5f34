//! The text of a key: read within a limit, checked, and never shown.

use std::io::{self, Read};

use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::secret::{ApiKey, Secret};

/// More than this is no key; a mistyped path may name anything.
const LONGEST: usize = 64 << 10;

/// Reads and checks the key on standard input.
pub fn key_from_stdin() -> Result<ApiKey, Failure> {
    parse_key(&read_key(io::stdin().lock(), "standard input")?, "standard input")
}

/// Checks a key that stands in `place`.
pub(super) fn parse_key(text: &Secret, place: &str) -> Result<ApiKey, Failure> {
    ApiKey::parse(text.expose()).map_err(|error| key_error(format!("{error} ({place})")))
}

/// Reads what should be a key out of what is called `name`.
pub(super) fn read_key(source: impl Read, name: &str) -> Result<Secret, Failure> {
    // As long as it can get: one that grows leaves copies of its beginning behind.
    let mut text = String::with_capacity(LONGEST + 2);
    let read = source.take(LONGEST as u64 + 1).read_to_string(&mut text);
    // Kept as a secret from here on, also where reading failed half-way.
    let text = Secret::new(text);
    match read {
        Ok(length) if length > LONGEST => Err(key_error(format!("{name} is too long for an API key"))),
        Ok(_) => Ok(text),
        Err(error) => Err(key_error(format!("cannot read {name}: {error}"))),
    }
}

/// What is wrong with a key: exit 3.
pub(super) fn key_error(cause: String) -> Failure {
    Failure::new(Verdict::Key, cause)
}
