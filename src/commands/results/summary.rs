//! `assessctl results summary`: how a project stands, as a picture for people and as one record for programs.

use std::rc::Rc;

use anyhow::Context as _;
use clap::{Args, ValueEnum as _};

use crate::commands::results::result_words::FlaggedArg;
use crate::commands::results::statistics::Tally;
use crate::commands::results::summary_chart;
use crate::commands::results::verified_results;
use crate::commands::shared::people_filters::PeopleArgs;
use crate::commands::shared::project_args::{Member, ProjectContext, ProjectsArg};
use crate::commands::shared::run_failure::{NAME_THE_OTHERS, unless_absent};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::model::cell::Cell;
use crate::model::exit_ranks::Verdict;
use crate::model::output_format::Format;
use crate::model::test_status::TestStatus;
use crate::output::{Columns, Record, Shape, print_now, terminal};

/// What is said of a project beside the counts of its results.
const FIGURES: [&str; 9] = [
    "project",
    "projectId",
    "enrolled",
    "completed",
    "completionRate",
    "flagged",
    "safetyRate",
    "flaggedResults",
    "oldestOpenInvitation",
];

/// Show how projects stand: counts, completion rate, safety rate
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Results(|_| fields())).printing(JsonShape::OneOrMany, JsonSource::Own))]
#[command(after_help = "\
The completion rate is who completed, of everybody enrolled; the safety rate is who completed and is not flagged, of \
who completed.

Examples:
  assessctl results summary -p Demo
  assessctl results summary -p Demo --flagged HighRisk,Confirming -o json
  assessctl results summary --all-projects -o csv")]
pub struct SummarizeResults {
    #[command(flatten)]
    projects: ProjectsArg,
    #[command(flatten)]
    flagged: FlaggedArg,
    #[command(flatten)]
    people: PeopleArgs,
}

impl SummarizeResults {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let names = fields();
        let several = self.projects.is_several();
        let table: &[&str] =
            &["project", "enrolled", "completed", "completionRate", "flagged", "safetyRate", "oldestOpenInvitation"];
        let columns = Columns::of(&names).called("project", "projects").in_table(table);
        let mut printer = session.printer(&columns, if several { Shape::Many } else { Shape::One })?;
        let client = session.client()?;
        let members = self.projects.find(session, &client, true).await?;
        if !several && session.guesses_the_project() {
            let place = session.place_of_list();
            session.console.note(&format!("counted{place}, --all-projects counts all"));
        }
        verified_results::say_how_people_are_told_apart(session);
        for member in &members {
            let context = ProjectContext { session, client: Rc::clone(&client), project: member.id };
            let tally = self.tally(&context).await;
            let tally = tally.with_context(|| format!("{} cannot be counted", member.in_words()));
            let tally =
                if members.len() == 1 { tally } else { tally.map_err(|error| unless_absent(error, NAME_THE_OTHERS)) }?;
            if !several && wants_picture(session) {
                let width = terminal::terminal_width().unwrap_or(80);
                let picture = summary_chart::of(&member.name, &tally, &self.flagged, width, session.show.color);
                print_now(&picture)?;
                return Ok(Verdict::Done);
            }
            tally.not_known().iter().for_each(|said| session.console.note(said));
            printer.push(Record::Cells(&self.record(member, &tally)))?;
        }
        printer.finish()?;
        Ok(Verdict::Done)
    }

    async fn tally(&self, context: &ProjectContext<'_>) -> anyhow::Result<Tally> {
        let mut tally = Tally::shown(context.session.settings.mask.value);
        let results = verified_results::read(context, self.people.filters()?, false).await?;
        results.each(|finding, _| {
            tally.count(finding, &self.flagged);
            Ok(())
        })?;
        Ok(tally)
    }

    /// The figures, in the order of the columns.
    fn record<'m>(&self, member: &'m Member, tally: &Tally) -> Vec<Cell<'m>> {
        let figures: [Cell<'m>; FIGURES.len()] = [
            (&member.name).into(),
            member.id.to_string().into(),
            tally.enrolled.into(),
            tally.completed.into(),
            tally.completion_rate().into(),
            tally.flagged.into(),
            tally.safety_rate().into(),
            self.flagged.words().join(",").into(),
            tally.oldest_open.map(|time| time.to_string()).into(),
        ];
        let counts = TestStatus::value_variants().iter().map(|status| tally.of(status).into());
        figures.into_iter().chain(counts).chain([tally.unlisted().into(), tally.without.into()]).collect()
    }
}

/// The listed results, as fields.
fn results() -> impl Iterator<Item = &'static str> {
    TestStatus::value_variants().iter().map(TestStatus::word)
}

/// Every field of a summary.
fn fields() -> Vec<&'static str> {
    FIGURES.into_iter().chain(results()).chain(["otherResults", "noResult"]).collect()
}

/// Whether a person looks, and asked for nothing in particular.
fn wants_picture(session: &Session) -> bool {
    let show = &session.show;
    show.format == Format::Table
        && show.to.is_none()
        && show.fields.is_none()
        && show.header
        && terminal::stdout_is_terminal()
}
