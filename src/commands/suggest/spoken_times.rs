//! Times as people say them, as the options take them: `yesterday`, `2 days ago`, `2026-11-21 08:00`.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::{Span, Timestamp, Zoned};

use crate::model::time::utc;

/// The time that a text says, as an option takes it; `None` where that is not plain. A day begins at midnight here.
pub fn spoken(text: &str, now: &Zoned) -> Option<String> {
    let text = text.trim().to_lowercase();
    let today = now.start_of_day().ok()?;
    match text.as_str() {
        "today" | "midnight" => return Some(written(&today)),
        "yesterday" => return Some(written(&today.yesterday().ok()?.start_of_day().ok()?)),
        "this week" => {
            let days = today.weekday().to_monday_zero_offset();
            let monday = today.date().checked_sub(Span::new().days(days)).ok()?;
            return Some(written(&monday.to_zoned(now.time_zone().clone()).ok()?));
        }
        "last week" | "past week" => return Some("7d".to_owned()),
        "last month" | "past month" => return Some("30d".to_owned()),
        "this month" => return Some(written(&today.first_of_month().ok()?)),
        "this year" => return Some(written(&today.first_of_year().ok()?)),
        _ => {}
    }
    if let Some(day) = weekday(&text) {
        let before = today.date().nth_weekday(-1, day).ok()?;
        return Some(written(&before.to_zoned(now.time_zone().clone()).ok()?));
    }
    date(&text).or_else(|| seconds_of_an_epoch(&text)).or_else(|| age(&text, now))
}

/// A day of the week, which is the last one before today.
fn weekday(text: &str) -> Option<Weekday> {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let name = text.strip_prefix("last ").unwrap_or(text);
    let number = (1..).zip(DAYS).find(|(_, day)| *day == name).map(|(number, _)| number)?;
    Weekday::from_monday_one_offset(number).ok()
}

fn written(time: &Zoned) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string().replace("+00:00", "Z")
}

/// A day in another spelling, or a time without a zone: of UTC.
fn date(text: &str) -> Option<String> {
    let is_plain = text.contains(['-', '/', '.']) || text.len() == 8;
    let day = ["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d.%m.%Y"];
    let day =
        day.iter().find_map(|format| Date::strptime(format, text).ok()).filter(|day| is_plain && day.year() > 999);
    let month = Date::strptime("%Y-%m-%d", format!("{text}-01")).ok().filter(|_| text.len() == 7);
    let times = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dt%H:%M:%S", "%Y-%m-%dt%H:%M"];
    let time = times.iter().find_map(|format| DateTime::strptime(format, text).ok());
    let time = time.or_else(|| Some(day.or(month)?.at(0, 0, 0, 0)))?;
    Some(time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// The seconds since 1970, or the milliseconds.
fn seconds_of_an_epoch(text: &str) -> Option<String> {
    let count: i64 = text.parse().ok()?;
    let time = match text.len() {
        10 => Timestamp::from_second(count),
        13 => Timestamp::from_millisecond(count),
        _ => return None,
    };
    Some(utc(time.ok()?))
}

/// An age in words: months and years are those of the calendar, and a day has 24 hours.
fn age(text: &str, now: &Zoned) -> Option<String> {
    let text = text.trim_start_matches(['-', '+']).trim_end_matches(" ago").trim_end_matches(" old");
    let count = ["last ", "past ", "the last ", "the past "].iter().find_map(|word| text.strip_prefix(word));
    let text = count.unwrap_or(text);
    let one = ["a ", "an ", "one "].iter().find_map(|word| text.strip_prefix(word));
    let is_counted = text.starts_with(|c: char| c.is_ascii_digit() || c == 'p');
    let text = if is_counted { text.to_owned() } else { format!("1 {}", one.unwrap_or(text)) };
    let span = text.parse::<Span>().ok()?.abs();
    if span.get_years() != 0 || span.get_months() != 0 {
        return Some(utc(now.checked_sub(span).ok()?.timestamp()));
    }
    let days = i64::from(span.get_weeks()) * 7 + i64::from(span.get_days());
    let rest = span.weeks(0).days(0).total(jiff::Unit::Second).ok().filter(|seconds| seconds.fract() == 0.0)?;
    #[expect(clippy::cast_possible_truncation, reason = "a whole number of seconds")]
    let seconds = days * 86_400 + rest as i64;
    let (unit, letter) = match () {
        () if seconds % 86_400 == 0 && days != 0 => (86_400, 'd'),
        () if seconds % 3_600 == 0 => (3_600, 'h'),
        () if seconds % 60 == 0 => (60, 'm'),
        () => (1, 's'),
    };
    (seconds > 0).then(|| format!("{}{letter}", seconds / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_said_is_the_time_that_is_written() {
        let now: Zoned = "2026-11-23T10:20:30+01:00[+01:00]".parse().expect("a time");
        for (said, time) in [
            ("yesterday", "2026-11-22T00:00:00+01:00"),
            ("Today", "2026-11-23T00:00:00+01:00"),
            ("this week", "2026-11-23T00:00:00+01:00"),
            ("last week", "7d"),
            ("this month", "2026-11-01T00:00:00+01:00"),
            ("this year", "2026-01-01T00:00:00+01:00"),
            ("monday", "2026-11-16T00:00:00+01:00"),
            ("last Friday", "2026-11-20T00:00:00+01:00"),
            ("2 days ago", "2d"),
            ("an hour ago", "1h"),
            ("3 hours", "3h"),
            ("48hours", "48h"),
            ("-2d", "2d"),
            ("last week", "7d"),
            ("1 week ago", "7d"),
            ("last 3 days", "3d"),
            ("1 day 12 hours", "36h"),
            ("1h30m", "90m"),
            ("PT36H", "36h"),
            ("a month ago", "2026-10-23T09:20:30Z"),
            ("2026-11-21 08:00", "2026-11-21T08:00:00Z"),
            ("2026-11-21T08:00", "2026-11-21T08:00:00Z"),
            ("2026-11-21", "2026-11-21T00:00:00Z"),
            ("2026/11/21", "2026-11-21T00:00:00Z"),
            ("20261121", "2026-11-21T00:00:00Z"),
            ("21.11.2026", "2026-11-21T00:00:00Z"),
            ("2026-11", "2026-11-01T00:00:00Z"),
            ("1700000000", "2023-11-14T22:13:20Z"),
            ("1700000000000", "2023-11-14T22:13:20Z"),
        ] {
            assert_eq!(spoken(said, &now).as_deref(), Some(time), "{said}");
        }
        for other in
            ["next monday", "tomorrow", "now", "7", "21-11-2026", "11/21/2026", "last night", "", "0 days", "24"]
        {
            assert_eq!(spoken(other, &now), None, "{other}");
        }
    }
}
