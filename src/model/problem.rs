//! What an error body says, in either documented shape (specification, Errors 1 and 2).

use serde::{Deserialize, Serialize};

/// Both shapes of an error body in one; each property may be absent, null, or of another type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Problem {
    #[serde(deserialize_with = "super::people::word")]
    pub title: Option<String>,
    #[serde(deserialize_with = "super::people::word")]
    pub detail: Option<String>,
    #[serde(deserialize_with = "super::people::word")]
    pub code: Option<String>,
    #[serde(deserialize_with = "super::people::word")]
    pub message: Option<String>,
}

impl Problem {
    /// What it says, as one sentence; empty where it says nothing.
    pub fn words(&self) -> String {
        let parts = [&self.title, &self.detail, &self.code, &self.message];
        parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(": ")
    }
}
