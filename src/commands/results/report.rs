//! `results report`: a report of a project as one web page, for people who use no terminal.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use super::all;
use super::tally::Tally;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::model::people::{PeopleFilters, TestTaker};
use crate::model::results::{RESULTS, is_flagged};
use crate::model::show::{html, visible};
use crate::model::verdict::Verdict;
use crate::output::Place;

/// Days of completions that are shown, the latest ones.
const DAYS: usize = 31;
const MINUTE: &str = "%Y-%m-%d %H:%M UTC";

/// Nothing is loaded, and no text of the service is run.
const HEAD: &str = "\
<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<meta name=\"viewport\" content=\"width=device-width\">
<style>
body { font: 15px/1.45 system-ui, sans-serif; color: #1c2630; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { margin: 0 } h2 { margin: 2rem 0 .5rem; font-size: 1.1rem } p { margin: .2rem 0; color: #55606b }
table { border-collapse: collapse; width: 100% } thead { display: table-header-group } tr { break-inside: avoid }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #dde2e7; vertical-align: top }
.figures { display: flex; flex-wrap: wrap; gap: 2rem; margin: 1.5rem 0 } .figures b { display: block; font-size: 1.7rem }
.bars th { width: 16rem; font-weight: normal } .bars td:last-child { width: 4rem; text-align: right }
.bar { height: .9rem; min-width: 1px; background: #3d7ab8; print-color-adjust: exact }
.flagged, .flagged .bar { color: #b3261e } .flagged .bar { background: #b3261e }
@media print { body { margin: 0; max-width: none; font-size: 11px } h2 { break-after: avoid } }
</style>
";

/// Write a report of a project as a web page
#[derive(Args)]
#[command(after_help = "\
It shows counts, results, completions by day, and the names of flagged people.

Examples:
  assessctl results report -p Demo --to report.html")]
pub struct ReportResults {
    #[command(flatten)]
    project: ProjectArgs,
    /// Write the page to this file
    #[arg(long, value_name = "FILE", alias = "out")]
    to: PathBuf,
}

impl ReportResults {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let place = Place::of(Some(&self.to));
        place.check()?;
        let project = self.project.named(session).await?;
        let list = all(session, project.id, PeopleFilters::default()).await?;
        let people: Vec<&TestTaker> = list.iter().map(|read| &read.record).collect();
        let page = page(&project.name, &people, Timestamp::now());
        if place.write(|out| Ok(out.write_all(page.as_bytes())?))? {
            session.console.note(&format!("the report is in {}", self.to.display()));
        }
        Ok(Verdict::Done)
    }
}

fn page(project: &str, people: &[&TestTaker], now: Timestamp) -> String {
    let (tally, name) = (Tally::of(people.iter().copied()), text(project));
    let days: Vec<_> =
        tally.days.iter().rev().take(DAYS).map(|(day, count)| (day.to_string(), *count, false)).collect();
    let results = RESULTS.map(|result| (result.to_owned(), tally.having(result), is_flagged(result)));
    let other = ("not in the specification".to_owned(), tally.unlisted, true);
    let results = results.into_iter().chain([other, ("none".to_owned(), tally.without, false)]);
    [
        HEAD,
        &format!("<title>{name}: results</title>\n<h1>{name}</h1>\n<p>Latest results, {}</p>\n", now.strftime(MINUTE)),
        &figures(&tally),
        &format!("<h2>Flagged people</h2>\n{}", flagged(people)),
        &format!("<h2>Results</h2>\n{}", bars(results.filter(|(_, count, _)| *count > 0))),
        &format!("<h2>Latest completions by day (UTC)</h2>\n{}</html>\n", bars(days.into_iter().rev())),
    ]
    .concat()
}

fn figures(tally: &Tally) -> String {
    let rate = |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), |rate| format!("{:.2} %", rate * 100.0));
    let figures = [
        ("enrolled", tally.enrolled.to_string()),
        ("completed", tally.completed.to_string()),
        ("completion rate", rate(tally.completion_rate())),
        ("flagged", tally.flagged.to_string()),
        ("not flagged, of completed", rate(tally.safety_rate())),
    ];
    let figures = figures.map(|(what, figure)| format!("<div><b>{figure}</b>{what}</div>\n"));
    format!("<div class=\"figures\">\n{}</div>\n", figures.concat())
}

/// A bar for each label and count, red where it is of flagged people.
fn bars(counts: impl Iterator<Item = (String, u32, bool)>) -> String {
    let counts: Vec<_> = counts.collect();
    let Some(most) = counts.iter().map(|(_, count, _)| *count).max() else { return "<p>None yet.</p>\n".to_owned() };
    let bar = |(label, count, is_flagged): &(String, u32, bool)| {
        let class = if *is_flagged { " class=\"flagged\"" } else { "" };
        let width = f64::from(*count) / f64::from(most) * 100.0;
        format!("<tr{class}><th>{label}<td><div class=\"bar\" style=\"width:{width:.1}%\"></div><td>{count}\n")
    };
    format!("<table class=\"bars\">\n{}</table>\n", counts.iter().map(bar).collect::<String>())
}

fn flagged(people: &[&TestTaker]) -> String {
    let row = |person: &&TestTaker| {
        let id = person.id.map(|id| id.to_string());
        let name = person.full_name.clone().or_else(|| person.email.clone());
        let time = person.completed().map(|time| time.strftime(MINUTE).to_string());
        let time = time.or_else(|| person.date_completed.clone());
        let cells = [id, person.reference_id.clone(), name, person.outcome().map(str::to_owned), time];
        format!("<tr>{}\n", cells.map(|cell| format!("<td>{}", text(&cell.unwrap_or_default()))).concat())
    };
    let rows: String = people.iter().filter(|person| person.outcome().is_some_and(is_flagged)).map(row).collect();
    if rows.is_empty() {
        return "<p>None.</p>\n".to_owned();
    }
    let head = "<table>\n<thead><tr><th>Id<th>Reference id<th>Name<th>Result<th>Completed\n<tbody>\n";
    format!("{head}{rows}</table>\n")
}

/// A text of others: nothing in it is markup, and nothing hidden acts.
fn text(text: &str) -> String {
    html(&visible(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(result: Option<&str>, name: &str) -> TestTaker {
        let completed = result.map(|_| "2026-03-01T06:00:00.1234567".to_owned());
        let (result, name) = (result.map(str::to_owned), Some(name.to_owned()));
        TestTaker { id: Some(7), result, full_name: name, date_completed: completed, ..TestTaker::default() }
    }

    #[test]
    fn a_page_names_flagged_people_only_and_takes_no_markup_from_a_text() {
        let people = [
            person(Some("HighRisk"), "<script>alert(\"x\")</script>\u{202e}"),
            person(Some("<b>Unheard</b>"), "Bo"),
            person(Some("Completed"), "Cy"),
            person(None, "Di"),
        ];
        let page = page("Night & \"day\"", &people.iter().collect::<Vec<_>>(), Timestamp::UNIX_EPOCH);
        for shown in [
            "<h1>Night &amp; &quot;day&quot;</h1>",
            "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;\\u{202e}<td>HighRisk<td>2026-03-01 06:00 UTC",
            "<td>Bo<td>&lt;b&gt;Unheard&lt;/b&gt;",
            "<tr class=\"flagged\"><th>HighRisk<td><div class=\"bar\" style=\"width:100.0%\"></div><td>1",
            "<tr class=\"flagged\"><th>not in the specification<td>",
            "<tr><th>none<td>",
            "<tr><th>2026-03-01<td><div class=\"bar\" style=\"width:100.0%\"></div><td>3",
            "<div><b>4</b>enrolled</div>",
            "<div><b>33.33 %</b>not flagged, of completed</div>",
        ] {
            assert!(page.contains(shown), "{shown} in {page}");
        }
        assert!(!page.contains("<script") && !page.contains("Cy<") && !page.contains("Di<"));
        assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("url("), "it loads nothing");
    }

    #[test]
    fn a_project_of_nobody_has_a_page_too() {
        let page = page("Demo", &[], Timestamp::UNIX_EPOCH);
        assert!(page.contains("<div><b>–</b>completion rate</div>") && page.matches("None").count() == 3, "{page}");
    }

    #[test]
    fn only_the_latest_days_are_shown_in_their_order() {
        let first: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
        let day = |day: i64| first + jiff::SignedDuration::from_hours(24 * day);
        let people: Vec<TestTaker> =
            (0..40).map(|n| TestTaker { date_completed: Some(day(n).to_string()), ..person(None, "") }).collect();
        let page = page("Demo", &people.iter().collect::<Vec<_>>(), Timestamp::UNIX_EPOCH);
        assert!(!page.contains("2026-01-09<") && page.contains("2026-01-10<") && page.contains("2026-02-09<"));
        assert!(page.find("2026-01-10<") < page.find("2026-02-09<"));
    }
}
