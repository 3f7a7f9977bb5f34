//! Test links: one-time magic links, each as good as a password for a day (specification, Test link).

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::field_rules::ReferenceId;
use super::secret::Secret;
use super::testtakers::TestTaker;

/// What POST test-link answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TestLink {
    /// The magic link: with it anyone can take the test as that person.
    pub url: Secret,
    /// When the link stops working: 24 hours after issue, or when the assessment starts (UTC).
    pub expires_at_utc: Option<String>,
}

/// A field of the person that may stand beside a link in a file, so that the link can be mailed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "camelCase")]
pub enum LinkField {
    /// E-mail address
    Email,
    /// First name
    FirstName,
    /// Last name
    LastName,
    /// First and last name
    FullName,
}

impl LinkField {
    /// The specification's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::FirstName => "firstName",
            Self::LastName => "lastName",
            Self::FullName => "fullName",
        }
    }

    /// The value of a person's record.
    pub fn of(self, person: &TestTaker) -> Option<&str> {
        match self {
            Self::Email => person.email.as_deref(),
            Self::FirstName => person.first_name.as_deref(),
            Self::LastName => person.last_name.as_deref(),
            Self::FullName => person.full_name.as_deref(),
        }
    }
}

/// Body of POST test-link; both fields are optional and omitted where not given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkRequest {
    /// Where the browser goes afterwards, if the workspace's allowlist has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
    /// Appended to the link, so that the result can be matched to the caller's record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_id: Option<ReferenceId>,
}

/// Code of the 409 that a test link gets right after its test taker was created (specification, Errors 4).
pub const NOT_PROVISIONED: &str = "test_taker_not_provisioned";
