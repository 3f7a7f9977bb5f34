//! The pace: backoff, `Retry-After`, and the gate that all workers share.

use std::cell::Cell;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

/// Attempts of one request that may be repeated.
pub const ATTEMPTS: u32 = 4;
/// A service that asks for a longer pause is not waited for.
pub const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// The random pause after attempt `n` (counted from 0): up to 0.5 s, 1 s, 2 s … and never more than 20 s.
pub fn backoff(n: u32) -> Duration {
    let ceiling = 0.5 * f64::from(2_u32.saturating_pow(n.min(10)));
    Duration::from_secs_f64(fastrand::f64() * ceiling.min(20.0))
}

/// Reads `Retry-After`: seconds, or an HTTP date counted from the answer's own `Date` (else from `now`).
pub fn retry_after(value: &str, date: Option<&str>, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until = http_date(value)?;
    let from = date.and_then(http_date).unwrap_or(now);
    Some(Duration::try_from(until.duration_since(from)).unwrap_or(Duration::ZERO))
}

/// Reads a date of HTTP.
pub fn http_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::parse(text.trim()).ok().map(|zoned| zoned.timestamp())
}

/// One gate for all requests of a client: when the service asks for a pause, everybody pauses.
#[derive(Debug, Default)]
pub struct Gate {
    opens: Cell<Option<Instant>>,
}

impl Gate {
    /// Waits until the gate is open. It may have been shut again meanwhile, hence the loop.
    pub async fn pass(&self) {
        while let Some(opens) = self.opens.get().filter(|opens| *opens > Instant::now()) {
            tokio::time::sleep_until(opens).await;
        }
    }

    /// For how long the gate is shut.
    pub fn pause(&self) -> Duration {
        self.opens.get().map_or(Duration::ZERO, |opens| opens.saturating_duration_since(Instant::now()))
    }

    /// Shuts the gate for `pause` from now; a longer pause that is already set stays.
    pub fn shut_for(&self, pause: Duration) {
        let until = Instant::now() + pause;
        if self.opens.get().is_none_or(|opens| opens < until) {
            self.opens.set(Some(until));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date_against_the_answers_own_date() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
        assert_eq!(retry_after(" 7 ", None, now), Some(Duration::from_secs(7)));
        let date = Some("Wed, 21 Oct 2015 07:28:00 GMT");
        let later = "Wed, 21 Oct 2015 07:28:05 GMT";
        assert_eq!(retry_after(later, date, now), Some(Duration::from_secs(5)));
        assert_eq!(retry_after("Thu, 01 Jan 2026 00:00:03 GMT", None, now), Some(Duration::from_secs(3)));
        assert_eq!(retry_after(later, None, now), Some(Duration::ZERO));
        for odd in ["soon", "-1", "", "1.5", "99999999999999999999999"] {
            assert_eq!(retry_after(odd, None, now), None, "{odd}");
        }
    }

    #[test]
    fn a_backoff_grows_to_its_ceiling_and_not_beyond() {
        for n in 0..64 {
            let ceiling = (0.5 * 2_f64.powi(i32::try_from(n).expect("small"))).min(20.0);
            assert!(backoff(n) <= Duration::from_secs_f64(ceiling));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_gate_holds_everybody_until_the_longest_pause_is_over() {
        let gate = Gate::default();
        let start = Instant::now();
        gate.shut_for(Duration::from_secs(5));
        gate.shut_for(Duration::from_secs(2));
        gate.pass().await;
        assert_eq!(start.elapsed().as_secs(), 5);
    }
}
