//! Test links and redirect URIs (specification, Test link and Workspace redirect URIs).

use serde::{Deserialize, Serialize};

use super::secret::Secret;
use super::text::ReferenceId;

/// What POST test-link answers: as good as a password for a day.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TestLink {
    pub url: Secret,
    pub expires_at_utc: Option<String>,
}

/// Body of POST test-link.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_id: Option<ReferenceId>,
}

/// Reads a web address, without outer white space.
pub fn web_address(text: &str) -> Result<String, &'static str> {
    check_web_address(text.trim()).map(|()| text.trim().to_owned())
}

/// An address to be compared: case does not count (specification, Workspace redirect URIs), and a service may write
/// `https://HOST/` for `https://HOST`.
pub fn plain_address(uri: &str) -> String {
    url::Url::parse(uri).map_or_else(|_| uri.to_owned(), String::from).to_lowercase()
}

/// Why an address is not handed to a browser: it opens no web page, or hides something (our rule: the specification shows
/// none).
pub fn check_web_address(uri: &str) -> Result<(), &'static str> {
    match url::Url::parse(uri) {
        _ if uri.contains(|c: char| super::show::is_hidden(c) || c.is_whitespace()) => {
            Err("has a blank or an invisible character")
        }
        Ok(uri) if !matches!(uri.scheme(), "https" | "http") => Err("is neither https:// nor http://"),
        Ok(uri) if !uri.username().is_empty() => Err("has a user name"),
        Ok(_) => Ok(()),
        Err(_) => Err("is not a web address such as https://HOST/PATH"),
    }
}
