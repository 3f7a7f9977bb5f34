//! The workspace's redirect URIs: list, and merge new ones in.

use rusqlite::{Connection, TransactionBehavior};

use super::pages::{direction, page_of, window};
use super::request::Call;
use super::response::{OperationResult, Refusal, ServiceReply};
use super::service::RunningService;
use super::state::fold;
use crate::model::list_query::Order;

/// GET /workspace/redirect-uris. Sorted by their text, ignoring case (our reading).
pub(super) fn list(service: &RunningService, call: &Call) -> OperationResult {
    let order = call.query.word("order")?.unwrap_or(Order::Asc);
    let state = service.state();
    let sql = format!("SELECT uri FROM redirect_uris ORDER BY folded {} LIMIT ?1 OFFSET ?2", direction(order));
    let mut select = state.prepare_cached(&sql)?;
    let uris: Vec<String> =
        page_of(call, |page| Ok(select.query_map(window(page), |row| row.get(0))?.collect::<Result<_, _>>()?))?;
    Ok(ServiceReply::ok(&uris))
}

/// POST /workspace/redirect-uris. Answers the whole set, in the order in which it came together (our reading).
pub(super) fn add(service: &RunningService, call: &Call) -> OperationResult {
    let uris: Vec<String> =
        serde_json::from_value(call.json()?).map_err(|_| Refusal::bad("The body must be a JSON array of strings."))?;
    if uris.iter().any(|uri| uri.trim().is_empty()) {
        return Err(Refusal::bad("A redirect URI is empty."));
    }
    let mut state = service.state();
    let transaction = state.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for uri in &uris {
        transaction
            .prepare_cached("INSERT INTO redirect_uris (uri, folded) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute((uri, fold(uri)))?;
    }
    let all = all(&transaction)?;
    transaction.commit()?;
    Ok(ServiceReply::ok(&all))
}

/// The whole set, in the order in which it came together.
pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut select = connection.prepare_cached("SELECT uri FROM redirect_uris ORDER BY seq")?;
    let uris = select.query_map([], |row| row.get(0))?;
    uris.collect()
}
