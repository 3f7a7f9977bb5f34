//! What an error body says, in either documented shape (specification, Errors 1 and 2).

use serde_json::Value;

use super::people::word;

/// What an error body says as one sentence, which may be empty, and its code. Each property may be absent, null, or of
/// another type.
pub fn words_and_code(body: &[u8]) -> (String, Option<String>) {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let said = ["title", "detail", "code", "message"].map(|name| word(&body[name]).ok().flatten());
    let words: Vec<&str> = said.iter().flatten().map(String::as_str).collect();
    (words.join(" - "), said[2].clone())
}
