//! `Retry-After`: how it is read, and which pause is too long to wait for; the dates of HTTP.

use std::time::Duration;

use jiff::Timestamp;

/// A service that asks for a longer pause is not waited for: the error says when to come back.
pub const LONGEST_WAIT: Duration = Duration::from_mins(5);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fuzz::{fuzz, lines};

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
    fn fuzzed_pauses_are_what_they_say_or_nothing() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
        let seeds = lines(include_str!("../../tests/fixtures/fuzz/retry-after.txt"));
        fuzz(200_000, &seeds, &["GMT", "Jan", "Wed, ", ":", "00", "9999", "\n"], |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let (value, date) = text.split_once('\n').map_or((&*text, None), |(value, date)| (value, Some(date)));
            let pause = retry_after(value, date, now);
            let seconds = value.trim().parse::<u64>().ok();
            let until = http_date(value).map(|until| {
                let from = date.and_then(http_date).unwrap_or(now);
                u64::try_from(until.as_second() - from.as_second()).unwrap_or_default()
            });
            assert_eq!(pause.map(|pause| pause.as_secs()), seconds.or(until));
            (seconds.is_some(), until.map(u64::checked_ilog2), date.and_then(http_date).is_some())
        });
    }
}
