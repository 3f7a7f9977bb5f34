//! The limits of one request: its times and sizes, each once and with its reason. How long a list may be and how many
//! records a page has is `model::list_query`'s, how many requests may be under way `model::concurrency`'s.

use std::time::Duration;

/// Time to connect; always shorter than a whole request may take.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for a whole read, unless the user says otherwise.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for a whole write, unless the user says otherwise: a short one makes doubt.
const WRITE_TIMEOUT: Duration = Duration::from_mins(2);

/// How long a request may take, from its beginning to its answer: as `--timeout` says, else by whether it writes.
pub fn time_for(timeout: Option<Duration>, write: bool) -> Duration {
    timeout.unwrap_or(if write { WRITE_TIMEOUT } else { READ_TIMEOUT })
}

/// Largest body of a page, in bytes: a hundred records of 160 KiB.
pub const PAGE_BYTES_MAX: usize = 16 << 20;
/// Largest body of anything else, in bytes.
pub const BODY_BYTES_MAX: usize = 1 << 20;
