//! Test links: each call rotates the token, and only the newest link of a test taker works.

use rusqlite::{OptionalExtension, TransactionBehavior, params};
use uuid::Uuid;

use super::people_list::project_seq;
use super::request::Call;
use super::response::{OperationResult, Refusal, ServiceReply};
use super::service::RunningService;
use super::state::{iso, now};
use crate::model::field_rules::percent_encode;
use crate::model::secret::Secret;
use crate::model::test_links::{LinkRequest, TestLink};

/// POST /projects/{projectId}/testtakers/{id}/test-link
pub(super) fn issue(service: &RunningService, call: &Call) -> OperationResult {
    let (project, entry) = (call.project()?, call.entry()?);
    let fields = call.optional_fields()?;
    let request =
        LinkRequest { redirect_uri: fields.optional("redirectUri")?, reference_id: fields.optional("referenceId")? };
    let mut state = service.state();
    let transaction = state.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let seq = project_seq(&transaction, project)?;
    let created: Option<i64> = transaction
        .prepare_cached("SELECT created FROM test_takers WHERE project = ?1 AND entry = ?2 AND removed = 0")?
        .query_row((seq, entry.0), |row| row.get(0))
        .optional()?;
    let created = created.ok_or_else(|| Refusal::not_found("test taker in this project"))?;
    let now = now();
    if now < created.saturating_add(microseconds(service.options.provisioning)) {
        return Err(Refusal::NotProvisioned);
    }
    transaction
        .prepare_cached("UPDATE links SET ended = 'rotated' WHERE project = ?1 AND entry = ?2 AND ended IS NULL")?
        .execute((seq, entry.0))?;
    let token = Uuid::new_v4().simple().to_string();
    let expires = now.saturating_add(microseconds(service.options.link_lifetime));
    transaction
        .prepare_cached("INSERT INTO links (token, project, entry, expires, redirect_uri) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![token, seq, entry.0, expires, request.redirect_uri])?;
    transaction.commit()?;
    let url = Secret::new(url(&service.address, &token, &request));
    Ok(ServiceReply::ok(&TestLink { url, expires_at_utc: Some(iso(expires)) }))
}

fn microseconds(length: std::time::Duration) -> i64 {
    i64::try_from(length.as_micros()).unwrap_or(i64::MAX)
}

/// The link itself, with what the caller wants appended (specification, Test link body).
fn url(address: &str, token: &str, request: &LinkRequest) -> String {
    let redirect_uri = request.redirect_uri.as_deref().map(|uri| ("redirect_uri", uri));
    let reference_id = request.reference_id.as_ref().map(|id| ("reference_id", id.as_str()));
    let mut url = format!("{address}/take/{token}");
    for ((name, value), joint) in [redirect_uri, reference_id].into_iter().flatten().zip(['?', '&']) {
        url.push(joint);
        url.push_str(name);
        url.push('=');
        // A redirect URI's own query stays its own.
        url.push_str(&percent_encode(value));
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_redirect_uri_of_any_characters_survives_in_the_link(uri in ".*") {
            let reference_id = Some("a+b@c".parse().expect("a reference id"));
            let request = LinkRequest { redirect_uri: Some(uri.clone()), reference_id };
            let link: axum::http::Uri = url("http://127.0.0.1:7878", "t", &request).parse().expect("a link is a URI");
            let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&link).expect("a query").0;
            let wanted = [("redirect_uri".to_owned(), uri), ("reference_id".to_owned(), "a+b@c".to_owned())];
            prop_assert_eq!(&pairs[..], &wanted[..]);
        }
    }
}
