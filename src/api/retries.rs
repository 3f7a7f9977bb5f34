//! Which requests are repeated, how often, and how long each waits in between; `send` asks after each attempt. For what
//! the service asks see [`super::retry_after`]; a write that is sent once a call is repeated by its caller (`bulk::plan`,
//! `bulk::link_attempts`). Which answers are worth a repetition stands in [`super::error`].

use std::time::Duration;

use super::error::{BodyFault, Class, Error, Kind};

/// Whether a request may be sent again here. What is safe to repeat is repeated also where a 2xx was cut off or is no
/// JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// There is no effect.
    Read,
    /// A second effect is no other effect: DELETE, merging redirect URIs.
    Safe,
    /// A second effect would be a second record: only after never sent and refused for now.
    UnlessLost,
    /// One attempt a call; the caller decides on the next.
    Once,
}

impl Repeat {
    /// Whether a second effect is no other effect.
    pub fn is_safe(self) -> bool {
        matches!(self, Self::Read | Self::Safe)
    }

    /// Whether a request of this kind may be sent again after an error.
    pub fn is_allowed_after(self, error: &Error) -> bool {
        match self {
            Self::Read | Self::Safe => {
                error.worth_retrying() || matches!(error, Error::Unreadable { body: BodyFault::Broken, .. })
            }
            Self::UnlessLost => {
                error.worth_retrying() && matches!(error.class(), Class::NeverSent | Class::RefusedForNow)
            }
            Self::Once => false,
        }
    }
}

impl Error {
    /// Whether an operation that has no second effect is worth another attempt.
    pub fn worth_retrying(&self) -> bool {
        match self {
            Self::NeverSent { permanent, .. } => !permanent,
            Self::Misconfigured { .. } | Self::OutOfTime { .. } => false,
            _ if self.kind() == Kind::NotTheService => false,
            _ => matches!(self.class(), Class::Lost | Class::RefusedForNow),
        }
    }
}

/// Attempts of one request that may be repeated. Four of them, with the pauses between, outlast a restart of a service.
pub const ATTEMPTS: u32 = 4;
/// Where pauses between attempts begin, and where they stop growing.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(20));

/// Repeated requests that every run has; one more for each [`REQUESTS_A_REPEAT`]. A service that fails everything is asked a
/// fifth more often than one that works, and not four times as often.
const REPEATS: u64 = 10;
const REQUESTS_A_REPEAT: u64 = 5;

/// How many of a run's requests may be repetitions after so many requests.
pub fn most_repeats(requests: u64) -> u64 {
    REPEATS + requests / REQUESTS_A_REPEAT
}

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
