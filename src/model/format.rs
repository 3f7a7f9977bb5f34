//! The output formats: a word that configuration and output share.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// How records are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Columns for people; off a terminal nothing is cut.
    #[default]
    Table,
    /// RFC 4180 with a header.
    Csv,
    /// One array, or one object for a single record.
    Json,
    /// One JSON object a line.
    Ndjson,
}
