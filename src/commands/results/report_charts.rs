//! The charts of a report, as SVG that stands in a page: it has no size of its own and takes its colours from there.

use jiff::civil::{Date, Weekday};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// What a colour means; the page says what it looks like in light and in dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Text and axes.
    Text,
    /// What a bar fills a part of.
    Track,
    /// Usual.
    Usual,
    /// As it should be.
    Good,
    /// Flagged.
    Flagged,
}

impl Ink {
    /// All of them, with the names that the page's style has for them.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Text, "text"),
        (Self::Track, "track"),
        (Self::Usual, "usual"),
        (Self::Good, "good"),
        (Self::Flagged, "flagged"),
    ];

    /// The colour that stands for it in the SVG: none that a chart would have by chance.
    fn color(self) -> RGBColor {
        RGBColor(1, 2, self as u8)
    }

    /// The rule that gives it the page's colour.
    pub fn rule(self, name: &str) -> String {
        let RGBColor(r, g, b) = self.color();
        let hex = format!("#{r:02X}{g:02X}{b:02X}");
        format!("svg [fill=\"{hex}\"]{{fill:var(--{name})}}svg [stroke=\"{hex}\"]{{stroke:var(--{name})}}")
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

/// A chart cannot be drawn. In memory nothing can fail but the drawing of text, which has no font to look for.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// As wide as a phone's page, so that text stays readable there.
const WIDTH: u32 = 360;
const ROW: u32 = 38;

/// Bars below their labels.
pub fn bars(title: &str, bars: &[Bar]) -> Result<String, Error> {
    let height = ROW * u32::try_from(bars.len().max(1))?;
    draw(title, height, |area| {
        for (row, bar) in (0_i32..).zip(bars) {
            let top = row * i32::try_from(ROW)?;
            let right = i32::try_from(WIDTH)?;
            area.draw(&Text::new(bar.label.clone(), (0, top + 4), font(HPos::Left)))?;
            area.draw(&Text::new(bar.figure.clone(), (right, top + 4), font(HPos::Right)))?;
            let (from, to) = (top + 22, top + 32);
            area.draw(&Rectangle::new([(0, from), (right, to)], Ink::Track.color().filled()))?;
            #[expect(clippy::cast_possible_truncation, reason = "between 0 and the width")]
            let end = (bar.length.clamp(0.0, 1.0) * f64::from(WIDTH)).ceil() as i32;
            area.draw(&Rectangle::new([(0, from), (end, to)], bar.ink.color().filled()))?;
        }
        Ok(())
    })
}

/// Columns over time: counts by the first day of each step.
pub fn columns(title: &str, steps: &[(Date, u64)]) -> Result<String, Error> {
    let most = steps.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    draw(title, 220, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin_top(12)
            .margin_right(26)
            .x_label_area_size(28)
            .y_label_area_size(38)
            .build_cartesian_2d((0..steps.len()).into_segmented(), 0..most + most / 10)?;
        let label = |place: &SegmentValue<usize>| match place {
            SegmentValue::CenterOf(step) | SegmentValue::Exact(step) => {
                steps.get(*step).map_or_else(String::new, |(day, _)| day.strftime("%-d %b").to_string())
            }
            SegmentValue::Last => String::new(),
        };
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(5)
            .y_labels(4)
            .x_label_formatter(&label)
            .y_label_formatter(&|count| count.to_string())
            .axis_style(Ink::Track.color())
            .light_line_style(TRANSPARENT)
            .bold_line_style(Ink::Track.color())
            .label_style(font(HPos::Left))
            .draw()?;
        chart.draw_series(steps.iter().enumerate().map(|(step, (_, count))| {
            let corners = [(SegmentValue::Exact(step), 0), (SegmentValue::Exact(step + 1), *count)];
            let mut column = Rectangle::new(corners, Ink::Usual.color().filled());
            let gap = if steps.len() > 60 { 0 } else { 2 };
            column.set_margin(0, 0, gap, gap);
            column
        }))?;
        Ok(())
    })
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw(title: &str, height: u32, paint: impl FnOnce(&Area<'_>) -> Result<(), Error>) -> Result<String, Error> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        paint(&area)?;
        area.present()?;
    }
    // The page gives it its width, and a name for those who cannot see it; the name space is the page's.
    let body = svg.find('>').map_or("", |end| &svg[end + 1..]);
    Ok(format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\">{body}"))
}

fn font(side: HPos) -> TextStyle<'static> {
    let color = Ink::Text.color().to_backend_color();
    TextStyle { font: ("sans-serif", 16).into_font(), color, pos: Pos::new(side, VPos::Top) }
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
        let bar = Bar { label: "</text><script>".to_owned(), figure: "1".to_owned(), length: 2.0, ink: Ink::Usual };
        let svg = bars("Results", &[bar]).expect("a chart");
        assert!(!svg.contains("<script") && svg.contains("&lt;script&gt;"), "{svg}");
        assert!(!svg.contains("http"), "{svg}");
    }

    #[test]
    fn columns_are_drawn_for_no_step_for_one_and_for_many() {
        for count in [0_i8, 1, 2, 60, 100] {
            let steps: Vec<_> = (0..count).map(|n| (day("2026-01-01") + jiff::Span::new().days(n), 1)).collect();
            let svg = columns("Completions", &steps).expect("a chart");
            assert!(svg.ends_with("</svg>\n"), "{count}");
        }
    }
}
