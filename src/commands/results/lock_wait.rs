//! One run at a time: the locks of exports and of consumers, and waiting for them.

use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

use crate::commands::shared::session::Session;
use crate::journal::consumers::Consumer;
use crate::journal::lock::Lock;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;

/// How often a held lock is tried again.
const LOCK_TRIES: Duration = Duration::from_millis(100);

/// Takes a lock, and waits this long for another run to let it go, but not beyond the deadline.
pub async fn take(
    session: &Session,
    wait: Option<Duration>,
    lock: impl Fn() -> Result<Lock, Failure>,
) -> Result<Lock, Failure> {
    let wait = wait.unwrap_or_default().min(session.time_left());
    let begin = Instant::now();
    loop {
        match lock() {
            Err(failure) if failure.verdict == Verdict::Locked && begin.elapsed() < wait => {
                tokio::time::sleep(LOCK_TRIES).await;
            }
            taken => return taken,
        }
    }
}

pub fn consumer(state: &Path, consumer: Consumer<'_>) -> Result<Lock, Failure> {
    Lock::take_for_consumer(state, consumer.service, consumer.project, consumer.name)
}
