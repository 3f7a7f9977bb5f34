//! The formats in which records are printed.

use clap::ValueEnum;
use serde::Deserialize;

/// How records are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Aligned columns for reading
    Table,
    /// RFC 4180
    Csv,
    /// An array; one record is an object
    Json,
    /// One JSON object a line
    #[value(alias = "jsonl")]
    Ndjson,
    /// A workbook
    #[value(alias = "excel")]
    Xlsx,
}
