//! The running service: what its operations work on, and who may ask for them.

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::{HeaderMap, HeaderValue, StatusCode};
use rusqlite::Connection;

use super::fault_hits::Faults;
use super::operation::Operation;
use super::orderings::Orderings;
use super::project_list::ProjectCache;
use super::response::Refusal;
use super::{Error, ServerOptions, state};

/// A service that answers: its state, its keys, and how it behaves.
pub(super) struct RunningService {
    connection: Mutex<Connection>,
    pub(super) options: ServerOptions,
    pub(super) projects: ProjectCache,
    /// The orders of long lists of people.
    pub(super) orderings: Orderings,
    /// Where links point: scheme, host and port.
    pub(super) address: String,
    pub(super) faults: Faults,
}

impl RunningService {
    pub(super) fn new(options: ServerOptions, address: SocketAddr) -> Result<Self, Error> {
        Ok(Self {
            connection: Mutex::new(state::open(&options.state)?),
            projects: ProjectCache::new(options.project_cache),
            orderings: Orderings::default(),
            address: format!("http://{address}"),
            faults: Faults::new(options.faults.clone()),
            options,
        })
    }

    /// The state; one request at a time. A transaction that a panic left open was rolled back by its drop.
    pub(super) fn state(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// 401 without a known key; 403 where the read-only key asks for a change.
    pub(super) fn admit(&self, headers: &HeaderMap, operation: Option<Operation>) -> Result<(), Refusal> {
        let key = headers.get("x-api-key").map(HeaderValue::as_bytes);
        if key == Some(self.options.key.expose().as_bytes()) {
            return Ok(());
        }
        if key.is_none() || key != self.options.read_only_key.as_ref().map(|key| key.expose().as_bytes()) {
            let detail = "The header x-api-key is missing, or its key is not known.";
            return Err(Refusal::new(StatusCode::UNAUTHORIZED, detail));
        }
        if operation.is_some_and(Operation::writes) {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "This API key may only read."));
        }
        Ok(())
    }
}
