//! Times: as flags take them and as the service writes them.

use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, civil};
use serde::{Deserialize as _, Deserializer};

/// Why a time given by the user is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// A date and time that could be meant in any zone.
    #[error("{text:?} has no time zone: give {text}Z for UTC, or local time with its offset, such as {text}+02:00")]
    Naive {
        /// What the user gave.
        text: String,
    },
    /// A day, of which no time is said.
    #[error("{text:?} has no time of day: give {text}T00:00:00Z for its beginning in UTC, or {text}T00:00:00+02:00")]
    Day {
        /// What the user gave.
        text: String,
    },
    /// An age that reaches back before the year 1.
    #[error("{0:?} ago is before the year 1")]
    TooLongAgo(String),
    /// Nothing that we know.
    #[error("{0:?} is not a time: give 2026-03-01T06:00:00Z, an offset such as +02:00, or an age such as 24h or 7d")]
    Unknown(String),
}

/// Reads a time as flags take it: RFC 3339 with `Z` or an offset, or an age (`90m`, `24h`, `7d`, `2w`) before `now`, in
/// whole seconds. The last day of the year 9999 stands for the last instant that can be told.
pub fn parse_time(text: &str, now: Timestamp) -> Result<Timestamp, TimeError> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    if let Some(age) = parse_age(text) {
        return before(now, age).ok_or_else(|| TimeError::TooLongAgo(text.to_owned()));
    }
    let Ok(parts) = Pieces::parse(text) else { return Err(TimeError::Unknown(text.to_owned())) };
    match (parts.time(), parts.offset()) {
        // A time with an offset that is no timestamp lies beyond what can be told.
        (Some(_), Some(_)) if parts.date().year() == civil::Date::MAX.year() => Ok(last_second()),
        (None, None) => Err(TimeError::Day { text: text.to_owned() }),
        (Some(_), None) => Err(TimeError::Naive { text: text.to_owned() }),
        _ => Err(TimeError::Unknown(text.to_owned())),
    }
}

/// The time so long before, without a fraction of a second; `None` before the year 1.
fn before(now: Timestamp, age: Span) -> Option<Timestamp> {
    let time = now.checked_sub(age).ok()?;
    let time = Timestamp::from_second(time.as_second()).ok()?;
    (time.to_zoned(TimeZone::UTC).year() >= 1).then_some(time)
}

fn last_second() -> Timestamp {
    Timestamp::from_second(Timestamp::MAX.as_second()).unwrap_or(Timestamp::MAX)
}

/// Reads a text; a blank one is none: a service writes either where there is no time.
pub fn none_if_blank<'de, D: Deserializer<'de>>(text: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(text)?.filter(|text| !text.trim().is_empty()))
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

/// A time as we print it: RFC 3339 in UTC, in whole seconds.
pub fn utc(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A time as sentences and pages for people have it, in UTC.
pub fn utc_minute(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Reads a time as the service writes it; one without a zone is UTC (our reading).
pub fn parse_service_time(text: &str) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let naive: civil::DateTime = text.parse().ok()?;
    naive.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
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
        let error = parse_time("2026-01-01", now()).expect_err("no time of day").to_string();
        assert!(parse_time("2026-01-01T00:00:00Z", now()).is_ok() && error.contains("2026-01-01T00:00:00Z"), "{error}");
        assert!(parse_time("yesterday", now()).is_err());
        assert!(parse_time("", now()).is_err());
        assert!(parse_time("99999999999999999w", now()).is_err());
    }

    #[test]
    fn an_age_has_whole_seconds_and_reaches_no_further_than_the_year_1() {
        let exact = "2026-03-02T06:00:00.123456789Z".parse().expect("a time");
        assert_eq!(parse_time("24h", exact).map(|time| time.to_string()).as_deref(), Ok("2026-03-01T06:00:00Z"));
        assert_eq!(parse_time("99999999h", now()), Err(TimeError::TooLongAgo("99999999h".to_owned())));
    }

    #[test]
    fn the_last_day_that_can_be_written_is_a_time() {
        for end in ["9999-12-31T23:59:59Z", "9999-12-31T00:00:00-08:00"] {
            assert!(parse_time(end, now()).is_ok_and(|time| time > now()), "{end}");
        }
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
