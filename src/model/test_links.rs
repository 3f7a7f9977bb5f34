//! Test links: one-time magic links, each as good as a password for a day (specification, Test link).

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use url::{Url, form_urlencoded};

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

impl LinkRequest {
    /// The query parameter of a link in which it has another value than was sent (specification, Test link body). A link
    /// that lacks it says nothing: how it is written there is not shown.
    pub fn contradicted_by(&self, link: &str) -> Option<&'static str> {
        let sent = [
            ("reference_id", self.reference_id.as_ref().map(ReferenceId::as_str)),
            ("redirect_uri", self.redirect_uri.as_deref()),
        ];
        let other = sent.into_iter().find(|(name, sent)| {
            sent.is_some_and(|sent| parameter(link, name).any(|rest| !begins_with_value(rest, sent)))
        });
        other.map(|(name, _)| name)
    }
}

/// What follows each `name=` of a link's query, to the link's end.
fn parameter<'l>(link: &'l str, name: &str) -> impl Iterator<Item = &'l str> {
    let (_, query) = link.split_once('?').unwrap_or_default();
    let named = query.match_indices(name).filter(|(at, _)| *at == 0 || query[..*at].ends_with('&'));
    named.filter_map(|(at, name)| query[at + name.len()..].strip_prefix('='))
}

/// Whether the value at the beginning of a query is the one that was sent, written in whichever way, or none at all.
fn begins_with_value(rest: &str, sent: &str) -> bool {
    let value = rest.split(['&', '#']).next().unwrap_or_default();
    // One that was not encoded may have these characters itself.
    let is_literal = rest.strip_prefix(sent).is_some_and(|after| after.is_empty() || after.starts_with(['&', '#']));
    value.is_empty() || is_literal || comparable(value) == comparable(sent)
}

/// A value without what a service may write otherwise: encodings, case, and the forms of an address.
fn comparable(value: &str) -> String {
    let mut plain = value.to_owned();
    loop {
        // As the value of a form: with one name before it, and without the characters that mean something there.
        let form = format!("={}", plain.replace('&', "%26").replace('+', "%2B"));
        let decoded = form_urlencoded::parse(form.as_bytes()).map(|(_, value)| value.into_owned()).collect::<String>();
        if decoded == plain {
            break;
        }
        plain = decoded;
    }
    let plain = Url::parse(&plain).map_or(plain, String::from).to_lowercase();
    plain.replace('+', " ").trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_anothers_where_its_query_has_another_value_than_was_sent() {
        let request = LinkRequest {
            redirect_uri: Some("https://hr.example/done?a=1&b=2".to_owned()),
            reference_id: Some("EMP+2".parse().expect("a reference id")),
        };
        for query in [
            "",
            "?token=1",
            "?reference_id=",
            "?reference_id=EMP+2",
            "?token=1&reference_id=EMP%2B2#start",
            "?token=1&reference_id=emp%252b2",
            "#/take?reference_id=EMP%2B2",
            "?x_reference_id=EMP-5",
            "?redirect_uri=https%3A%2F%2FHR.example%3A443%2Fdone%3Fa%3D1%26b%3D2&reference_id=EMP%2B2",
            "?reference_id=EMP%2B2&redirect_uri=https://hr.example/done?a=1&b=2",
        ] {
            assert_eq!(request.contradicted_by(&format!("https://t.example/1{query}")), None, "{query}");
        }
        for (query, name) in [
            ("?reference_id=EMP-5", "reference_id"),
            ("?reference_id=EMP%2B22", "reference_id"),
            ("?token=1&reference_id=EMP%2B2&reference_id=EMP-5", "reference_id"),
            ("?redirect_uri=https%3A%2F%2Fevil.example%2Fdone%3Fa%3D1%26b%3D2", "redirect_uri"),
            ("?redirect_uri=https://hr.example/done?a=1&b=22", "redirect_uri"),
        ] {
            assert_eq!(request.contradicted_by(&format!("https://t.example/1{query}")), Some(name), "{query}");
        }
        assert_eq!(LinkRequest::default().contradicted_by("https://t.example/1?reference_id=EMP-5"), None);
    }
}
