//! The formats in which records are printed.

use clap::ValueEnum;
use serde::Deserialize;

/// How records are printed. A table has aligned columns for reading, CSV is that of RFC 4180, JSON is an array (of one record
/// an object), NDJSON one object a line, XLSX a workbook. The variants have no words of help, which would stretch `--help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Table,
    Csv,
    Json,
    #[value(alias = "jsonl")]
    Ndjson,
    #[value(alias = "excel")]
    Xlsx,
}
