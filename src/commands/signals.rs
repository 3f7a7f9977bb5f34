//! Ctrl-C and SIGTERM while something is being changed: end cleanly, or at once when asked again.

use std::io;
use std::time::Duration;

use tokio::time::Instant;

use super::session::Session;
use crate::bulk::each_row::Stopper;
use crate::model::verdict::{Failure, Verdict};

/// `timeout` signals a process and its group: what comes within a second is one wish.
const ONE_WISH: Duration = Duration::from_secs(1);

/// Does `work`. A first signal stops it: nothing new is sent, what is under way may finish, the report is written. A second
/// one ends it at once, with an error.
pub async fn interruptible<T>(
    session: &Session,
    stop: &Stopper<'_>,
    work: impl Future<Output = T>,
) -> anyhow::Result<T> {
    let mut signals = Signals::listen()?;
    tokio::select! {
        biased;
        done = work => Ok(done),
        failure = second_wish(session, stop, &mut signals) => Err(failure.into()),
    }
}

async fn second_wish(session: &Session, stop: &Stopper<'_>, signals: &mut Signals) -> Failure {
    let verdict = signals.next().await;
    session.console.say("stopping: what is under way may finish; another signal leaves at once");
    stop.set(Failure::new(verdict, "interrupted").hint("run the same command again"));
    let first = Instant::now();
    loop {
        let verdict = signals.next().await;
        if first.elapsed() >= ONE_WISH {
            return Failure::new(verdict, "left at once: what was under way is in doubt")
                .hint("run the same command again");
        }
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// How a command ends that the next signal interrupts.
    async fn next(&mut self) -> Verdict {
        tokio::select! {
            _ = self.interrupt.recv() => Verdict::Interrupted,
            _ = self.terminate.recv() => Verdict::Terminated,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Verdict {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Verdict::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}
