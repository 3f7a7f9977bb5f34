//! Times: as flags take them and as the service writes them.

use jiff::{Span, Timestamp, civil};

/// Why a time given by the user is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// A date and time that could be meant in any zone.
    #[error("{text:?} has no time zone: it could be {text}Z (UTC) or local time such as {text}+02:00")]
    Naive {
        /// What the user gave.
        text: String,
    },
    /// Nothing that we know.
    #[error("{0:?} is not a time: give 2026-03-01T06:00:00Z, an offset such as +02:00, or an age such as 24h or 7d")]
    Unknown(String),
}

/// Reads a time as flags take it: RFC 3339 with `Z` or an offset, or an age (`90m`, `24h`, `7d`, `2w`) before `now`.
pub fn parse_time(text: &str, now: Timestamp) -> Result<Timestamp, TimeError> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    if let Some(age) = parse_age(text) {
        return now.checked_sub(age).map_err(|_| TimeError::Unknown(text.to_owned()));
    }
    if text.parse::<civil::DateTime>().is_ok() {
        return Err(TimeError::Naive { text: text.to_owned() });
    }
    Err(TimeError::Unknown(text.to_owned()))
}

/// An age: a whole number and one of `s m h d w`.
fn parse_age(text: &str) -> Option<Span> {
    let unit = text.chars().last()?;
    let count: i64 = text[..text.len() - unit.len_utf8()].parse().ok().filter(|n| *n >= 0)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return None,
    };
    Span::new().try_seconds(count.checked_mul(seconds)?).ok()
}

/// Reads a time as the service writes it; one without a zone is UTC (our reading).
pub fn parse_service_time(text: &str) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let naive: civil::DateTime = text.parse().ok()?;
    naive.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

/// Reads a length of time as flags take it: `500ms`, `30s`, `5m`, `24h`, or a bare number of seconds.
pub fn parse_duration(text: &str) -> Result<std::time::Duration, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let problem = || format!("{text:?} is not a length of time: give 500ms, 30s, 5m or 24h");
    let number: u64 = number.parse().map_err(|_| problem())?;
    let millis = match unit {
        "ms" => Some(number),
        "" | "s" => number.checked_mul(1000),
        "m" => number.checked_mul(60_000),
        "h" => number.checked_mul(3_600_000),
        "d" => number.checked_mul(86_400_000),
        _ => return Err(problem()),
    };
    millis.map(std::time::Duration::from_millis).ok_or_else(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-03-02T06:00:00Z".parse().expect("a time")
    }

    #[test]
    fn a_time_has_a_zone_or_is_an_age() {
        let at = |text| parse_time(text, now()).map(|t| t.to_string());
        assert_eq!(at("2026-03-01T08:00:00+02:00").as_deref(), Ok("2026-03-01T06:00:00Z"));
        assert_eq!(at("24h").as_deref(), Ok("2026-03-01T06:00:00Z"));
        assert_eq!(at("7d").as_deref(), Ok("2026-02-23T06:00:00Z"));
    }

    #[test]
    fn a_naive_time_is_refused_with_both_readings() {
        let error = parse_time("2026-03-01T08:00:00", now()).expect_err("no zone");
        assert!(error.to_string().contains("2026-03-01T08:00:00Z"), "{error}");
        assert!(error.to_string().contains("+02:00"), "{error}");
        assert!(parse_time("yesterday", now()).is_err());
        assert!(parse_time("", now()).is_err());
        assert!(parse_time("99999999999999999w", now()).is_err());
    }

    #[test]
    fn a_service_time_without_a_zone_is_utc() {
        let time = parse_service_time("2026-03-01T08:00:00.123").expect("a naive time");
        assert_eq!(time.to_string(), "2026-03-01T08:00:00.123Z");
        assert_eq!(parse_service_time("soon"), None);
    }

    #[test]
    fn a_length_of_time_has_a_unit_or_is_seconds() {
        use std::time::Duration;
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("30"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_duration("5m"), Ok(Duration::from_mins(5)));
        for bad in ["", "s", "5x", "-1s", "999999999999999999h"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }
}
