//! What may stand between the JSON of an output and its reader.

use std::borrow::Cow;
use std::fmt::Debug;
use std::io::Write;

use super::Error;

/// Makes something else of the whole JSON output.
pub trait OutputFilter: Debug {
    /// Writes what it makes of this JSON; nothing of it is shown where that ends with an error.
    fn run(&self, input: &str, out: &mut dyn Write) -> Result<(), Error>;

    /// Refuses what can be told from the fields of the records alone, before anything is sent: with `is_write` each that is
    /// none of them, because what was done would not be told.
    fn check(&self, fields: &[String], is_list: bool, is_write: bool) -> Result<(), Error>;

    /// Refuses a field that it asks for and that neither these fields nor this JSON output have.
    fn check_output(&self, fields: &[String], output: &str) -> Result<(), Error>;
}

/// What becomes of a value that may tell who a person is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Masked {
    /// It stays.
    Kept,
    /// It does not appear.
    Gone,
    /// This stands in its place.
    Text(String),
}

/// Decides what may be shown of a record.
pub trait RecordMask: Debug {
    /// One answer for each of the fields and their values, which are all of one record.
    fn mask(&self, fields: &[String], texts: &[Cow<'_, str>]) -> Vec<Masked>;
}
