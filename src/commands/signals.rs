//! Ctrl-C and SIGTERM while something is being changed: end cleanly, or at once at a second signal. How long answers may still
//! come is in `bulk/each_row.rs`, what becomes of rows without one in `bulk/rules.rs`.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag::register_conditional_default,
};
use tokio::time::sleep;

use super::session::Session;
use crate::bulk::each_row::Stopper;
use crate::model::verdict::{Failure, Verdict};

/// `timeout` signals a process and its group, so signals within a second count as one.
const ONE_WISH: Duration = Duration::from_secs(1);

/// Waits for signals. The first one stops the run: nothing new is sent, what is under way may finish, the report is written.
/// The second one gives the error with which the run ends at once.
pub async fn second_wish(session: &Session, stop: &Stopper<'_>) -> Failure {
    let verdict = signal().await;
    session.console.say("stopping when the requests under way have ended; press Ctrl-C again to stop at once");
    stop.set(Failure::new(verdict, "interrupted").hint("run the same command again"));
    // What comes meanwhile is the same wish.
    sleep(ONE_WISH).await;
    Failure::new(signal().await, "stopped at once: requests under way are in doubt").hint("run the same command again")
}

/// From now on a signal ends the program as if nobody had listened: whoever should read the output may never do.
pub fn listen_no_more() {
    static ALWAYS: AtomicBool = AtomicBool::new(true);
    for signal in [SIGINT, SIGTERM] {
        // Where that fails, only SIGKILL ends a program that waits for its reader.
        let _ = register_conditional_default(signal, &ALWAYS);
    }
}

/// How a command ends that the next signal interrupts.
async fn signal() -> Verdict {
    tokio::select! {
        Ok(()) = tokio::signal::ctrl_c() => Verdict::Interrupted,
        () = terminated() => Verdict::Terminated,
    }
}

async fn terminated() {
    #[cfg(unix)]
    if let Ok(mut signals) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        signals.recv().await;
        return;
    }
    std::future::pending::<()>().await;
}
