//! The formats of output and of messages: words that configuration and output share.

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
    /// An Excel workbook; needs --to FILE.
    Xlsx,
}

/// How messages on standard error are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line and nothing else, for programs; no question is asked.
    Json,
}

impl Format {
    /// The format that the ending of a file's name stands for, without its dot and in any case.
    pub fn of_ending(ending: &str) -> Option<Self> {
        match ending.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "txt" => Some(Self::Table),
            "xlsx" => Some(Self::Xlsx),
            _ => None,
        }
    }

    /// The ending of a file in this format.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Table => "txt",
            Self::Xlsx => "xlsx",
        }
    }
}
