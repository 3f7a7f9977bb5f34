//! The charts of a report, as lines and columns of the page: text keeps its size whatever the width.

use std::fmt::Write as _;

use jiff::civil::{Date, Weekday};

use crate::model::counted::thousands;
use crate::model::sanitize::{escape_controls, escape_html};

/// What a bar means; the page's style has a colour for each, in light and in dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Usual.
    Usual,
    /// As it should be.
    Good,
    /// Flagged.
    Flagged,
}

impl Ink {
    fn class(self) -> &'static str {
        match self {
            Self::Usual => "usual",
            Self::Good => "good",
            Self::Flagged => "flagged",
        }
    }
}

/// A line of a bar chart.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is about.
    pub label: String,
    /// The figure at its end.
    pub figure: String,
    /// Its length, 0 to 1.
    pub length: f64,
    /// What it means.
    pub ink: Ink,
}

/// Bars below their labels.
pub fn bars(bars: &[Bar]) -> String {
    let mut list = String::from("<ul class=\"bars\">\n");
    for Bar { label, figure, length, ink } in bars {
        let (width, class) = (percent(*length), if *length > 0.0 { ink.class() } else { "none" });
        // Writing into a String does not fail.
        let _ = writeln!(
            list,
            "<li><span>{}</span><b>{}</b><i><i class=\"{class}\" style=\"width:{width}\"></i></i></li>",
            escape(label),
            escape(figure),
        );
    }
    list + "</ul>"
}

/// Columns over time: counts by the first day of each step, the first, the middle and the last of them labelled. A
/// count that is not zero can always be seen.
pub fn columns(steps: &[(Date, u64)]) -> String {
    let most = steps.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let has_years = steps.first().zip(steps.last()).is_some_and(|((first, _), (last, _))| first.year() != last.year());
    let format = if has_years { "%-d %b %Y" } else { "%-d %b" };
    let mut chart = format!("<div class=\"columns\"><b>{}</b><div>\n", thousands(most));
    for (day, count) in steps {
        let class = if *count > 0 { "usual" } else { "none" };
        let height = percent(crate::commands::results::summary_chart::ratio(*count, most));
        let title = format!("{}: {}", day.strftime("%-d %B %Y"), thousands(*count));
        let _ = writeln!(chart, "<i class=\"{class}\" style=\"height:{height}\" title=\"{title}\"></i>");
    }
    chart.push_str("</div><b>0</b><p>");
    let mut labelled = vec![0, steps.len().saturating_sub(1) / 2, steps.len().saturating_sub(1)];
    labelled.dedup();
    for (day, _) in labelled.into_iter().filter_map(|step| steps.get(step)) {
        let _ = write!(chart, "<span>{}</span>", day.strftime(format));
    }
    chart + "</p></div>"
}

fn percent(part: f64) -> String {
    format!("{:.2}%", part.clamp(0.0, 1.0) * 100.0)
}

/// Days without gaps, or weeks (from their Mondays) where that would be more days than can be told apart.
pub fn steps(days: &std::collections::BTreeMap<Date, u64>) -> (&'static str, Vec<(Date, u64)>) {
    const DAYS_MAX: i32 = 62;
    let (Some((first, _)), Some((last, _))) = (days.first_key_value(), days.last_key_value()) else {
        return ("day", Vec::new());
    };
    let span = (*last - *first).get_days();
    let monday = |day: Date| day.nth_weekday(-1, Weekday::Monday).ok().filter(|_| day.weekday() != Weekday::Monday);
    let (word, length, start): (_, i64, Box<dyn Fn(Date) -> Date>) = if span <= DAYS_MAX {
        ("day", 1, Box::new(|day| day))
    } else {
        ("week", 7, Box::new(move |day| monday(day).unwrap_or(day)))
    };
    let mut counts = std::collections::BTreeMap::new();
    for (day, count) in days {
        *counts.entry(start(*day)).or_insert(0) += count;
    }
    let all = start(*first).series(jiff::Span::new().days(length)).take_while(|day| *day <= *last);
    (word, all.map(|day| (day, counts.get(&day).copied().unwrap_or(0))).collect())
}

/// A text as HTML shows it: nothing in it is markup, and nothing hidden acts.
pub fn escape(text: &str) -> String {
    escape_html(&escape_controls(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().expect("a day")
    }

    #[test]
    fn days_have_no_gaps_and_many_of_them_become_weeks() {
        let few = [(day("2026-02-27"), 3), (day("2026-03-02"), 1)].into();
        let (word, steps_of_few) = steps(&few);
        assert_eq!(word, "day");
        assert_eq!(steps_of_few.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [3, 0, 0, 1]);
        let many = [(day("2026-01-01"), 1), (day("2026-01-04"), 2), (day("2026-04-06"), 4)].into();
        let (word, weeks) = steps(&many);
        assert_eq!((word, weeks[0], weeks[14]), ("week", (day("2025-12-29"), 3), (day("2026-04-06"), 4)));
        assert_eq!(weeks.iter().map(|(_, count)| count).sum::<u64>(), 7);
        assert!(steps(&std::collections::BTreeMap::new()).1.is_empty());
    }

    #[test]
    fn a_label_cannot_leave_its_text() {
        let bar = Bar { label: "</span><script>".to_owned(), figure: "1".to_owned(), length: 2.0, ink: Ink::Usual };
        let list = bars(&[bar]);
        assert!(!list.contains("<script") && list.contains("&lt;script&gt;"), "{list}");
        assert!(list.contains("style=\"width:100.00%\""), "{list}");
    }

    #[test]
    fn columns_are_drawn_for_one_step_and_for_many_and_the_last_is_labelled() {
        let chart = |count: i8, step: i64| {
            let day = |n: i8| day("2025-12-29") + jiff::Span::new().days(i64::from(n) * step);
            columns(&(0..count).map(|n| (day(n), u64::from(n == 0))).collect::<Vec<_>>())
        };
        assert!(chart(1, 1).contains("<p><span>29 Dec</span></p>"));
        assert!(chart(2, 1).contains("<p><span>29 Dec</span><span>30 Dec</span></p>"));
        let year = chart(60, 7);
        assert!(
            year.contains("<p><span>29 Dec 2025</span><span>20 Jul 2026</span><span>15 Feb 2027</span></p>"),
            "{year}"
        );
        assert_eq!((year.matches("class=\"usual\"").count(), year.matches("class=\"none\"").count()), (1, 59));
    }

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(escape("<b a='1' c=\"2\">&\u{202e}"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;\\u{202e}");
    }
}
