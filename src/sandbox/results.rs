//! Results: the whole project's list and the single read by reference id, in both documented shapes.

use super::people_list::{Person, latest, people_page, project_seq};
use super::request::Call;
use super::response::{OperationResult, ServiceReply};
use super::service::RunningService;
use super::state::from_word;
use crate::model::list_query::Order;
use crate::model::results::{LegacyOrderBy, LegacyResult, ResultsApi, TestResult};
use crate::model::test_status::IdentityStatus;
use crate::model::testtakers::{TestTaker, TestTakerOrderBy};

/// GET /projects/{projectId}/results. Every enrolled person has one record, also without a result (our reading).
pub(super) fn list(service: &RunningService, call: &Call) -> OperationResult {
    match service.options.results_api {
        ResultsApi::Current => {
            people_page(service, call, false, (TestTakerOrderBy::Priority, Order::Desc), |record| record)
        }
        ResultsApi::Legacy => people_page(service, call, false, (LegacyOrderBy::Risk, Order::Asc), legacy),
    }
}

/// GET /projects/{projectId}/results/{referenceId}
pub(super) fn get(service: &RunningService, call: &Call) -> OperationResult {
    let state = service.state();
    let project = project_seq(&state, call.project()?)?;
    let Person { record, identity_status } = latest(&state, project, call.reference_id()?)?;
    if service.options.results_api == ResultsApi::Legacy {
        return Ok(ServiceReply::ok(&legacy(record)));
    }
    let identity_status = from_word(identity_status);
    let identity_verified = identity_status.as_ref().and_then(verified);
    Ok(ServiceReply::ok(&TestResult { test_taker: record, identity_verified, identity_status }))
}

/// "True if the most recent attempt verified the identity; false if it failed or was declined; null if verification was
/// never attempted." An attempt under way, and verification that is off, have no outcome: null (our reading).
fn verified(status: &IdentityStatus) -> Option<bool> {
    match status {
        IdentityStatus::Verified => Some(true),
        IdentityStatus::NotVerified | IdentityStatus::Compromised => Some(false),
        IdentityStatus::VerificationPending | IdentityStatus::VerificationOff | IdentityStatus::Unlisted(_) => None,
    }
}

/// The older record. Its names are required strings, so that an absent one is empty; its status holds the same words
/// as `result`, or null (our reading).
fn legacy(record: TestTaker) -> LegacyResult {
    LegacyResult {
        reference_id: record.reference_id,
        email: record.email,
        first_name: Some(record.first_name.unwrap_or_default()),
        last_name: Some(record.last_name.unwrap_or_default()),
        full_name: Some(record.full_name.unwrap_or_default()),
        status: record.result.map(|result| result.word().to_owned()),
        date_completed: record.date_completed,
    }
}
