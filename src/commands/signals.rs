//! Ctrl-C and SIGTERM while something is being changed: end cleanly, or at once at a second signal. How long answers may still
//! come is in `bulk/each_row.rs`, what becomes of rows without one in `bulk/rules.rs`.

use std::time::Duration;

use tokio::time::Instant;

use super::session::Session;
use crate::bulk::each_row::Stopper;
use crate::model::verdict::{Failure, Verdict};

/// `timeout` signals a process and its group, so signals within a second count as one.
const ONE_WISH: Duration = Duration::from_secs(1);

/// Does `work`. A first signal stops it: nothing new is sent, what is under way may finish, the report is written. A second
/// one ends it at once, with an error.
pub async fn interruptible<T>(
    session: &Session,
    stop: &Stopper<'_>,
    work: impl Future<Output = T>,
) -> anyhow::Result<T> {
    tokio::select! {
        biased;
        failure = second_wish(session, stop) => Err(failure.into()),
        done = work => Ok(done),
    }
}

async fn second_wish(session: &Session, stop: &Stopper<'_>) -> Failure {
    let verdict = signal().await;
    session.console.say("stopping when the requests under way have ended; press Ctrl-C again to stop at once");
    stop.set(Failure::new(verdict, "interrupted").hint("run the same command again"));
    let first = Instant::now();
    loop {
        let verdict = signal().await;
        if first.elapsed() >= ONE_WISH {
            return Failure::new(verdict, "stopped at once: requests under way are in doubt")
                .hint("run the same command again");
        }
    }
}

/// How a command ends that the next signal interrupts.
async fn signal() -> Verdict {
    tokio::select! {
        Ok(()) = tokio::signal::ctrl_c() => Verdict::Interrupted,
        () = terminated() => Verdict::Terminated,
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signals) => drop(signals.recv().await),
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending::<()>().await;
}
