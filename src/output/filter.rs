//! What may stand between the JSON of an output and its reader.

use std::fmt::Debug;
use std::io::Write;

use super::Error;

/// Makes something else of the whole JSON output.
pub trait OutputFilter: Debug {
    /// Writes what it makes of this JSON; nothing of it is shown where that ends with an error.
    fn run(&self, input: &str, out: &mut dyn Write) -> Result<(), Error>;
}
