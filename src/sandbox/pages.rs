//! One page of a list, as SQL has it, and the ways in which a fault spoils it.

use axum::http::StatusCode;

use super::request::{Call, Page};
use super::response::Refusal;
use crate::model::list_query::Order;

/// The page that was asked for, or what the call's faults make of it; `read` gives the true ones.
pub(super) fn page_of<R>(
    call: &Call,
    mut read: impl FnMut(Page) -> Result<Vec<R>, Refusal>,
) -> Result<Vec<R>, Refusal> {
    let (asked, faults) = (call.query.page()?, &call.faults);
    let page = Page {
        number: faults.repeat.unwrap_or(asked.number),
        size: faults.cap.map_or(asked.size, |cap| cap.min(asked.size)),
    };
    if faults.window.is_some_and(|most| u64::from(page.number) * u64::from(page.size) > u64::from(most)) {
        return Err(Refusal::rehearsed(StatusCode::BAD_REQUEST, None));
    }
    let mut records = read(page)?;
    if records.is_empty() && page.number > 1 {
        if let Some((status, retry_after)) = faults.end {
            return Err(Refusal::rehearsed(status, retry_after));
        }
        if faults.clamp {
            records = last_page(page, read)?;
        }
    }
    records.truncate(records.len().saturating_sub(faults.missing));
    Ok(records)
}

/// The last page that has records, given one that has none.
fn last_page<R>(empty: Page, mut read: impl FnMut(Page) -> Result<Vec<R>, Refusal>) -> Result<Vec<R>, Refusal> {
    let (mut there, mut beyond) = (1, empty.number);
    while there + 1 < beyond {
        let middle = there + (beyond - there) / 2;
        if read(Page { number: middle, ..empty })?.is_empty() { beyond = middle } else { there = middle }
    }
    read(Page { number: there, ..empty })
}

/// SQL's word for a direction.
pub(super) fn direction(order: Order) -> &'static str {
    match order {
        Order::Asc => "ASC",
        Order::Desc => "DESC",
    }
}

/// A page as SQL's LIMIT and OFFSET.
pub(super) fn window(page: Page) -> (i64, i64) {
    (page.size.into(), i64::from(page.number - 1) * i64::from(page.size))
}
