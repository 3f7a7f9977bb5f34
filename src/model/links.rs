//! Test links: one-time magic links, each as good as a password for a day (specification, Test link).

use serde::{Deserialize, Serialize};

use super::secret::Secret;
use super::text::ReferenceId;

/// What POST test-link answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TestLink {
    /// The magic link: whoever has it can take the test as that person.
    pub url: Secret,
    /// When the link stops working: 24 hours after issue, or when the assessment starts (UTC).
    #[serde(default)]
    pub expires_at_utc: Option<String>,
}

/// Body of POST test-link; both fields are optional and omitted where not given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkRequest {
    /// Where the browser goes afterwards, if the workspace's allowlist has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
    /// Appended to the link, so that the result can be matched to the caller's record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_id: Option<ReferenceId>,
}

/// Code of the 409 that a test link gets right after its test taker was created (specification, Errors 4).
pub const NOT_PROVISIONED: &str = "test_taker_not_provisioned";
