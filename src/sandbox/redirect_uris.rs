//! The workspace's redirect URIs: list, and merge new ones in (specification, Workspace redirect URIs).

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::{Extension, Json};
use rusqlite::{TransactionBehavior, params};

use super::http::{AsOf, Paging, Refusal, Reply, read};
use super::service::Shared;
use super::state::{fold, now};
use crate::model::people::Order;

/// GET /workspace/redirect-uris, sorted by their text, ignoring case (our reading).
pub(super) async fn list(
    State(sandbox): State<Shared>,
    Extension(AsOf(as_of)): Extension<AsOf>,
    Query(paging): Query<Paging>,
) -> Reply<Vec<String>> {
    let sql = format!(
        "SELECT uri FROM redirect_uris WHERE created <= ?1 ORDER BY folded {} LIMIT ?2 OFFSET ?3",
        paging.direction(Order::Asc)
    );
    let (limit, offset) = paging.window()?;
    let state = sandbox.state().await;
    let mut select = state.prepare_cached(&sql)?;
    let found = select.query_map(params![as_of, limit, offset], |row| row.get(0))?;
    Ok(Json(found.collect::<Result<_, _>>()?))
}

/// POST /workspace/redirect-uris. Entries are any text that is not blank; the answer is the whole set (our readings).
pub(super) async fn add(State(sandbox): State<Shared>, body: Bytes) -> Reply<Vec<String>> {
    let uris: Vec<String> = read(&body)?;
    if uris.iter().any(|uri| uri.trim().is_empty()) {
        return Err(Refusal::bad("A redirect URI is empty."));
    }
    let mut state = sandbox.state().await;
    let transaction = state.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for uri in &uris {
        transaction
            .prepare_cached(
                "INSERT INTO redirect_uris (uri, folded, created) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            )?
            .execute(params![uri, fold(uri), now()])?;
    }
    let all = transaction
        .prepare_cached("SELECT uri FROM redirect_uris ORDER BY seq")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    transaction.commit()?;
    Ok(Json(all))
}
