//! `assessctl results report`: how a project stands, as one page for people who read mail and not terminals.

use std::borrow::Cow;
use std::fmt::Write as _;

use anyhow::Context as _;
use clap::Args;
use jiff::Timestamp;

use crate::commands::results::report_charts::{self, Bar, Ink, escape};
use crate::commands::results::result_words::FlaggedArg;
use crate::commands::results::statistics::Tally;
use crate::commands::results::verified_results;
use crate::commands::shared::people_filters::PeopleArgs;
use crate::commands::shared::project_args::{Member, ProjectArg, ProjectContext};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::model::counted::thousands;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::time::{parse_service_time, utc_minute};
use crate::output::{Masked, RecordMask, check_ending, check_target, print_whole, terminal};

/// How the page writes a time.
const DAY: &str = "%-d %B %Y, %H:%M UTC";
const STYLE: &str = include_str!("report_style.css");

/// Write how a project stands as one page that needs nothing else, for people who read mail
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::File).with_people())]
#[command(after_help = "\
The page has the distribution of results, completions over time and the rates, in light and dark. It names nobody \
without --names.

Examples:
  assessctl results report -p Demo --to report.html
  assessctl results report -p Demo --names --to flagged.html")]
pub struct ReportResults {
    #[command(flatten)]
    project: ProjectArg,
    /// Name the flagged people, with their reference ids
    #[arg(long)]
    names: bool,
    #[command(flatten)]
    flagged: FlaggedArg,
    #[command(flatten)]
    people: PeopleArgs,
}

/// A flagged person, as far as the report names them.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    reference_id: Option<String>,
    full_name: Option<String>,
    email: Option<String>,
    #[serde(skip)]
    result: String,
    #[serde(skip)]
    completed: String,
}

impl Named {
    /// The same person as `--mask` shows them.
    fn masked(&self, mask: &dyn RecordMask) -> Self {
        let fields = ["referenceId", "fullName", "email", "result", "dateCompleted"].map(str::to_owned);
        let [id, name, email] =
            [&self.reference_id, &self.full_name, &self.email].map(|text| text.as_deref().unwrap_or_default());
        let texts = [id, name, email, &self.result, &self.completed];
        let mut shown =
            mask.mask(&fields, &texts.map(Cow::Borrowed)).into_iter().zip(texts).map(|(masked, text)| match masked {
                Masked::Kept => Some(text.to_owned()),
                Masked::Gone => None,
                Masked::Text(text) => Some(text),
            });
        let (reference_id, full_name) = (shown.next().flatten(), shown.next().flatten());
        let (email, result) = (shown.next().flatten(), shown.next().flatten().unwrap_or_default());
        Self { reference_id, full_name, email, result, completed: shown.next().flatten().unwrap_or_default() }
    }
}

impl ReportResults {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        check(session)?;
        let client = session.client()?;
        let member: Member = self.project.find(session, &client).await?.read(&client).await?.record.into();
        verified_results::say_how_people_are_told_apart(session);
        let context = ProjectContext { session, client, project: member.id };
        let results = verified_results::read(&context, self.people.filters()?, false).await?;
        let (mut tally, mut named) = (Tally::shown(session.settings.mask.value), Vec::new());
        results.each(|finding, json| {
            tally.count(finding, &self.flagged);
            if self.names && self.flagged.has(finding.status()) {
                let who: Named = serde_json::from_str(json).context("a record that was read can be read again")?;
                let (result, completed) = (finding.status(), finding.completed());
                let [result, completed] = [result, completed].map(|text| text.unwrap_or_default().to_owned());
                let who = Named { result, completed, ..who };
                let who = session.show.mask.as_deref().map_or_else(|| who.clone(), |mask| who.masked(mask));
                named.push(Named { completed: moment(&who.completed), ..who });
            }
            Ok(())
        })?;
        let page = self.page(&member, &tally, &named, Timestamp::now());
        print_whole(&session.show, "report", &page)?;
        Ok(Verdict::Done)
    }

    fn page(&self, member: &Member, tally: &Tally, named: &[Named], now: Timestamp) -> String {
        let title = escape(&member.name);
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"robots\" content=\"noindex\">\n\
             <title>{title}: results</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n\
             <header>\n<h1>{title}</h1>\n<p class=\"soft\">Latest results of {} people, as of {}</p>\n</header>\n<main>\n",
            thousands(tally.enrolled),
            now.strftime(DAY),
        );
        page.push_str("<div class=\"column\">\n");
        section(&mut page, "Rates", &(report_charts::bars(&rates(tally)) + &self.notes(tally)));
        let (word, steps) = report_charts::steps(&tally.days);
        let over_time = match steps.as_slice() {
            [] => "<p class=\"soft\">Nobody has completed an assessment yet.</p>".to_owned(),
            steps => report_charts::columns(steps),
        };
        section(&mut page, &format!("Latest completions by {word}"), &over_time);
        page.push_str("</div>\n");
        section(&mut page, "Results", &report_charts::bars(&self.shares(tally)));
        if self.names {
            wide_section(&mut page, "Flagged", &table(named));
        }
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }

    /// What the rates mean.
    fn notes(&self, tally: &Tally) -> String {
        let mut notes = format!(
            "<p class=\"soft\">Flagged: {} of {} people. What counts as flagged: {}.</p>\n",
            thousands(tally.flagged),
            thousands(tally.enrolled),
            escape(&self.flagged.words().join(", ")),
        );
        // Writing into a String does not fail.
        for said in tally.not_known() {
            let _ = writeln!(notes, "<p class=\"soft\">{}.</p>", escape(&said));
        }
        if let Some(oldest) = tally.oldest_open {
            let day = oldest.strftime(DAY);
            let _ = writeln!(notes, "<p class=\"soft\">Oldest open invitation: {day}.</p>");
        }
        notes
    }

    fn shares(&self, tally: &Tally) -> Vec<Bar> {
        let shares = tally.shares();
        let shares = shares.iter().map(|(word, count)| {
            let ink = match *word {
                word if self.flagged.has(Some(word)) => Ink::Flagged,
                "Completed" => Ink::Good,
                _ => Ink::Usual,
            };
            ((*word).to_owned(), *count, ink)
        });
        let without = (tally.without > 0).then(|| ("no result".to_owned(), tally.without, Ink::Usual));
        let bars = shares.chain(without).map(|(label, count, ink)| {
            let length = crate::commands::results::summary_chart::ratio(count, tally.enrolled);
            Bar { label, figure: format!("{} ({:.1} %)", thousands(count), length * 100.0), length, ink }
        });
        bars.collect()
    }
}

/// A page has one form, and is nothing for a terminal.
fn check(session: &Session) -> anyhow::Result<()> {
    if session.show.to.is_none() && terminal::stdout_is_terminal() {
        return Err(Failure::usage("a report is a page for a browser").hint("add --to report.html").into());
    }
    if let Some(to) = &session.show.to {
        check_target(to)?;
        check_ending(to, "html")?;
    }
    Ok(())
}

fn rates(tally: &Tally) -> Vec<Bar> {
    let (completed, enrolled) = (thousands(tally.completed), thousands(tally.enrolled));
    vec![
        rate_bar(format!("Completion: {completed} of {enrolled} enrolled"), tally.completion_rate(), Ink::Usual),
        rate_bar(format!("Safety: {} of {completed} completed", thousands(tally.safe)), tally.safety_rate(), Ink::Good),
    ]
}

fn rate_bar(label: String, rate: Option<f64>, ink: Ink) -> Bar {
    let figure = rate.map_or_else(|| "none".to_owned(), |rate| format!("{:.1} %", rate * 100.0));
    Bar { label, figure, length: rate.unwrap_or(0.0), ink }
}

fn section(page: &mut String, title: &str, body: &str) {
    let _ = writeln!(page, "<section>\n<h2>{title}</h2>\n{body}\n</section>");
}

fn wide_section(page: &mut String, title: &str, body: &str) {
    let _ = writeln!(page, "<section class=\"wide\">\n<h2>{title}</h2>\n{body}\n</section>");
}

fn table(named: &[Named]) -> String {
    if named.is_empty() {
        return "<p class=\"soft\">Nobody.</p>".to_owned();
    }
    let mut table = "<table>\n<thead><tr><th>Name</th><th>Result</th><th>Reference id</th>\
                     <th>Completed</th></tr></thead>\n<tbody>\n"
        .to_owned();
    for who in named {
        let name = [&who.full_name, &who.email].into_iter().flatten().find(|name| !name.is_empty());
        let _ = writeln!(
            table,
            "<tr><td class=\"name\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(name.map_or("", String::as_str)),
            escape(&who.result),
            escape(who.reference_id.as_deref().unwrap_or_default()),
            escape(&who.completed),
        );
    }
    table + "</tbody>\n</table>"
}

/// A time of the service for people; as it stands where it cannot be read.
fn moment(time: &str) -> String {
    parse_service_time(time).map_or_else(|| time.to_owned(), utc_minute)
}
