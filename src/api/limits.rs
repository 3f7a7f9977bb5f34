//! The limits of the client: attempts, waits, times and sizes, each once and with its reason. How long a list may be and
//! how many records a page has is `model::listing`'s, how many requests may be under way `model::pace`'s.

use std::time::Duration;

/// Attempts of one request that may be repeated. Four of them, with the pauses between, outlast a restart of a service.
pub const ATTEMPTS: u32 = 4;
/// A service that asks for a longer pause is not waited for: the error says when to come back.
pub const LONGEST_WAIT: Duration = Duration::from_mins(5);
/// Where pauses between attempts begin, and where they stop growing.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(20));

/// Repeated requests that every run has; one more for each `REQUESTS_A_REPEAT` requests. A service that fails everything is
/// asked a fifth more often than one that works, and not four times as often.
pub const REPEATS: u64 = 10;
/// See [`REPEATS`].
pub const REQUESTS_A_REPEAT: u64 = 5;

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

/// The longest pause after attempt `n` (counted from 0): 0.5 s, 1 s, 2 s … and never more than 20 s.
pub fn backoff_ceiling(n: u32) -> Duration {
    let (first, last) = BACKOFF;
    first.saturating_mul(2_u32.saturating_pow(n)).min(last)
}

/// The random pause after attempt `n` (counted from 0): any length up to its ceiling, so that clients that failed
/// together do not come back together.
pub fn backoff(n: u32) -> Duration {
    backoff_ceiling(n).mul_f64(fastrand::f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backoff_grows_to_its_ceiling_and_not_beyond() {
        let ceilings: Vec<u128> = (0..8).map(|n| backoff_ceiling(n).as_millis()).collect();
        assert_eq!(ceilings, [500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
        for n in [0, 1, 5, 63, u32::MAX] {
            assert!(backoff(n) <= backoff_ceiling(n));
        }
    }
}
