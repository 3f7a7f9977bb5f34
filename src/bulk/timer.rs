//! Waiting for a time that may never come.

use tokio::time::Instant;

/// Sleeps until then; for ever where there is no time to wake at.
pub(super) async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}
