//! SIGINT and SIGTERM during bulk writes: nothing new is begun, what is under way may finish; a second one, a
//! second or more later, leaves at once.

use std::future::Future;
use std::io;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::journal::store::wait_no_longer;
use crate::model::exit_ranks::Verdict;

/// What comes so soon after the first signal is the same wish: `timeout` signals a process and then its group.
const ONE_WISH: Duration = Duration::from_secs(1);

/// The signals that arrived: what the first one asks for, and how many there were.
type Signals = Option<(Verdict, u32)>;

/// Watches for signals from its creation until it is dropped. Commands that only read do without: they may die at once.
#[derive(Debug)]
pub struct Interrupt {
    signals: watch::Receiver<Signals>,
}

impl Interrupt {
    /// Begins to watch, in a thread of its own: the run's thread may be waiting for the journal.
    pub fn watch() -> io::Result<Self> {
        let (sender, signals) = watch::channel(None);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = {
            let _inside = runtime.enter();
            listen()?
        };
        let thread = std::thread::Builder::new().name("signals".to_owned());
        thread.spawn(move || runtime.block_on(note_signals(listener, sender)))?;
        Ok(Self { signals })
    }

    /// Waits until the command is asked to end.
    pub async fn requested(&self) -> Verdict {
        self.after(1).await
    }

    /// Lets work finish, unless a second signal says to leave at once.
    pub async fn unless_pressed<T>(&self, work: impl Future<Output = T>) -> Result<T, Verdict> {
        tokio::select! {
            done = work => Ok(done),
            verdict = self.after(2) => Err(verdict),
        }
    }

    async fn after(&self, count: u32) -> Verdict {
        let mut signals = self.signals.clone();
        let arrived = signals.wait_for(|signals| signals.is_some_and(|(_, arrived)| arrived >= count)).await;
        match arrived.map(|signals| *signals) {
            Ok(Some((verdict, _))) => verdict,
            // The thread ends only with this value, so that nothing can be waiting then.
            _ => std::future::pending().await,
        }
    }
}

#[cfg(unix)]
struct Listener {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
fn listen() -> io::Result<Listener> {
    use tokio::signal::unix::{SignalKind, signal};
    Ok(Listener { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
}

#[cfg(unix)]
impl Listener {
    async fn next(&mut self) -> Verdict {
        tokio::select! {
            _ = self.interrupt.recv() => Verdict::Interrupted,
            _ = self.terminate.recv() => Verdict::Terminated,
        }
    }
}

#[cfg(not(unix))]
struct Listener;

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "its twin asks the system for signals")]
fn listen() -> io::Result<Listener> {
    Ok(Listener)
}

#[cfg(not(unix))]
impl Listener {
    async fn next(&mut self) -> Verdict {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Verdict::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}

async fn note_signals(mut listener: Listener, sender: watch::Sender<Signals>) {
    let mut first_came = None;
    loop {
        let verdict = tokio::select! {
            verdict = listener.next() => verdict,
            () = sender.closed() => return,
        };
        if first_came.get_or_insert_with(Instant::now).elapsed() < ONE_WISH && sender.borrow().is_some() {
            continue;
        }
        sender.send_modify(|signals| {
            let (first, count) = signals.unwrap_or((verdict, 0));
            *signals = Some((first, count + 1));
            if count > 0 {
                wait_no_longer();
            }
        });
    }
}
