//! Times: as options take them and as the service writes them.

use std::time::Duration;

use jiff::civil::{Date, DateTime};
use jiff::fmt::friendly::SpanPrinter;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _, ZonedDateTime};

/// Reads a time of the command line: RFC 3339 with `Z` or an offset, a day or `today` and `yesterday` (local midnight), or
/// an age such as `24h` or `7d` before now.
pub fn instant(text: &str) -> Result<Timestamp, String> {
    instant_before(text.trim(), &ZonedDateTime::now())
}

fn instant_before(text: &str, now: &ZonedDateTime) -> Result<Timestamp, String> {
    let midnight = |date: Date| date.to_zoned_datetime(now.time_zone().clone()).map(|zoned| zoned.timestamp()).ok();
    let seconds = |time: Timestamp| Timestamp::from_second(time.as_second()).ok();
    let read = match text {
        "today" => midnight(now.date()),
        "yesterday" => now.date().checked_sub(1.day()).ok().and_then(midnight),
        _ if text.starts_with(['-', '+']) => None,
        _ => (text.parse::<Timestamp>().ok())
            .or_else(|| midnight(text.parse().ok().filter(|_| text.len() == "2026-01-01".len())?))
            .or_else(|| seconds(now.timestamp().checked_sub(typed(text)?).ok()?)),
    };
    let example = "must be a time such as 2026-03-01T06:00:00Z, 2026-03-01 or yesterday, or an age such as 24h or 7d";
    read.filter(|time| time.to_zoned_datetime(TimeZone::UTC).year() >= 1).ok_or_else(|| example.to_owned())
}

/// A length of time of the command line: `500ms`, `30s`, `5m`, `24h`, `7d`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let read = typed(text.trim()).and_then(|length| Duration::try_from(length).ok());
    read.ok_or_else(|| "must be a length of time such as 500ms, 30s, 5m, 24h or 7d".to_owned())
}

fn typed(text: &str) -> Option<SignedDuration> {
    let days = |count: &str, days: i64| count.parse::<i64>().ok()?.checked_mul(days * 86_400);
    match text.as_bytes().last()? {
        b'd' => days(&text[..text.len() - 1], 1).map(SignedDuration::from_secs),
        b'w' => days(&text[..text.len() - 1], 7).map(SignedDuration::from_secs),
        _ => text.parse().ok().filter(|length: &SignedDuration| !length.is_negative()),
    }
}

/// A length of time as we print it: `20h`, `1h 30m`.
pub fn length(time: Duration) -> String {
    SpanPrinter::new().unsigned_duration_to_string(&time)
}

/// A time as we print it: RFC 3339 in UTC, in whole seconds.
pub fn utc(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A time as a terminal shows it: local, with its offset, to the minute.
pub fn local(time: Timestamp) -> String {
    time.to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%d %H:%M %:z").to_string()
}

/// A time that somebody waits for: local, to the second.
pub fn local_second(time: Timestamp) -> String {
    time.to_zoned_datetime(TimeZone::system()).strftime("%H:%M:%S").to_string()
}

/// Reads a time as the service writes it; one without a zone is UTC, and one before 2000 is none (our assumptions).
pub fn of_service(text: &str) -> Option<Timestamp> {
    let naive = || text.parse::<DateTime>().ok()?.to_zoned_datetime(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    text.parse().ok().or_else(naive).filter(|time| *time >= Timestamp::constant(946_684_800, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<String> {
        let now = "2026-03-02T06:00:00.5[Europe/Berlin]".parse().expect("a time");
        instant_before(text, &now).ok().map(|time| time.to_string())
    }

    #[test]
    fn a_time_has_a_zone_or_is_a_day_or_an_age() {
        let known = [
            ("2026-03-01T08:00:00+02:00", "2026-03-01T06:00:00Z"),
            ("2026-03-01", "2026-02-28T23:00:00Z"),
            ("yesterday", "2026-02-28T23:00:00Z"),
            ("today", "2026-03-01T23:00:00Z"),
            ("24h", "2026-03-01T05:00:00Z"),
            ("7d", "2026-02-23T05:00:00Z"),
        ];
        for (text, time) in known {
            assert_eq!(at(text).as_deref(), Some(time), "{text}");
        }
        for bad in ["", "soon", "2026-03-01T08:00:00", "-1h", "5", "99999999999w", "9999999d", "d", "ü"] {
            assert_eq!(at(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_length_of_time_has_a_unit() {
        let lengths = ["500ms", "30s", "5m", "2d"].map(|text| duration(text).map(|length| length.as_millis()));
        assert_eq!(lengths, [Ok(500), Ok(30_000), Ok(300_000), Ok(172_800_000)]);
        assert!(["", "5", "-1s", "5x", "999999999999999d"].iter().all(|bad| duration(bad).is_err()));
    }

    #[test]
    fn a_time_of_the_service_without_a_zone_is_utc() {
        let shown = |text| of_service(text).map(utc);
        assert_eq!(shown("2026-03-01T08:00:00.123").as_deref(), Some("2026-03-01T08:00:00Z"));
        assert_eq!(shown("2026-03-01T08:00:00.0000000Z"), shown("2026-03-01T10:00:00+02:00"));
        assert_eq!(shown("soon"), None);
    }
}
