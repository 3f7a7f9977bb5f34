//! `assessctl testtakers enrol`: one person, as an import of one row.

use clap::Args;

use crate::bulk::on_existing::OnExisting;
use crate::bulk::outcome::{EARLIER, Finished, Outcome, RowResult};
use crate::bulk::report::Report;
use crate::bulk::roster::Roster;
use crate::bulk::run_plan::Enrolling;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::run_failure::{InDoubt, failure};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::commands::testtakers::enrol_run::{DoubtArgs, EnrolRun, LockMode};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::field_rules::{BirthYear, Email, PersonName, ReferenceId, trimmed};
use crate::model::testtakers::NewTestTaker;
use crate::output::{Columns, Record, Shape};

/// Enrol one person
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Write, Prints::Rows).with_people().printing(JsonShape::One, JsonSource::OwnAndNamed))]
#[command(
    alias = "enroll",
    after_help = "\
Whoever is enrolled already is left as they are and reported as existing. The record's outcome says what came of it.

Examples:
  assessctl testtakers enrol -p Demo --email kim.ly@example.com \\
      --reference-id EMP-02001 --dry-run
  assessctl testtakers enrol -p Demo --email kim.ly@example.com \\
      --reference-id EMP-02001
  assessctl testtakers enrol -p Demo --email ana@example.com --first-name Ana \\
      -o json"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct EnrolTestTaker {
    #[command(flatten)]
    project: ProjectArg,
    /// E-mail address
    #[arg(long, value_name = "ADDRESS", allow_hyphen_values = true, value_parser = trimmed::<Email>)]
    email: Email,
    /// First name, at most 100 characters
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, value_parser = trimmed::<PersonName>)]
    first_name: Option<PersonName>,
    /// Last name, at most 100 characters
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, value_parser = trimmed::<PersonName>)]
    last_name: Option<PersonName>,
    /// Year of birth
    #[arg(long, value_name = "YEAR", allow_hyphen_values = true)]
    birth_year: Option<BirthYear>,
    /// Your own identifier: letters, digits and _ - . + @, at most 500
    #[arg(long, value_name = "REFERENCE_ID", allow_hyphen_values = true, value_parser = trimmed::<ReferenceId>)]
    reference_id: Option<ReferenceId>,
    /// Enrol this person although another one has the same reference id
    #[arg(long)]
    allow_duplicates: bool,
    /// Values that are probably not meant, such as a year of birth of two digits, are meant
    #[arg(long)]
    allow_suspicious: bool,
    /// Show what would be done, and send nothing
    #[arg(long)]
    dry_run: bool,
    /// Enrol people anew whom this machine enrolled and who were removed since
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    doubt: DoubtArgs,
}

impl EnrolTestTaker {
    /// Runs the command. A person this machine enrolled is reported as `enrolled` again, any other as `existing`.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let roster = Roster::of_one(&NewTestTaker {
            email: self.email,
            first_name: self.first_name,
            last_name: self.last_name,
            birth_year: self.birth_year,
            reference_id: self.reference_id,
        });
        if let Some((field, why)) = roster.suspicion().filter(|_| !self.allow_suspicious) {
            return Err(Failure::new(Verdict::Refused, format!("nothing was sent: {field} {why}")).into());
        }
        let report = Report::new(&roster);
        let names: Vec<&str> = report.columns().iter().map(String::as_str).collect();
        let columns = Columns::of(&names);
        let mut printer = session.printer(&columns, Shape::One)?;
        if !self.dry_run {
            session.may_write()?;
        }
        let context = self.project.open(session).await?;
        let enrol_run = EnrolRun {
            concurrency: 1,
            lock_mode: if self.dry_run { LockMode::DryRun } else { LockMode::Beside },
            on_existing: OnExisting::Skip,
            again: self.again,
            allow_duplicates: self.allow_duplicates,
        };
        let mut finished =
            enrol_run.run(&context, Enrolling::all(context.project, &roster), self.doubt, |_| {}).await?;
        finished.ends.iter_mut().for_each(RowResult::say_if_earlier);
        let failure = failed(&finished);
        if failure.is_none() && !self.dry_run {
            printer = session.quiet_printer(&columns, Shape::One, "projectEntryId")?;
        }
        for (row, ended) in finished.ends.iter().enumerate() {
            printer.push(Record::Cells(&report.record(row, ended)))?;
        }
        printer.finish()?;
        for ended in &finished.ends {
            let earlier = if ended.is_done_earlier() { format!(" ({EARLIER})") } else { String::new() };
            session.console.aside(&format!("{}{earlier}{}", ended.outcome.name(), session.place()));
        }
        failure.map_or(Ok(Verdict::Done), |failure| Err(failure.into()))
    }
}

/// Why one person could not be enrolled. The record that was printed says more, in the service's words.
fn failed(finished: &Finished) -> Option<Failure> {
    let ended = finished.ends.first()?;
    match ended.outcome {
        Outcome::Refused => Some(refused("the service refused this person").hint("the record's message says why")),
        Outcome::Duplicate => Some(refused("this person is enrolled more than once")),
        Outcome::Gone => Some(
            refused("this machine enrolled this person, and they were removed since; nothing was sent")
                .hint("--again enrols them anew"),
        ),
        Outcome::Conflict => Some(refused("the project holds something that contradicts this; nothing was sent").hint(
            match ended.entry {
                Some(entry) => format!("`assessctl testtakers get id:{entry}` shows it"),
                None => "the record's message says what".to_owned(),
            },
        )),
        _ => failure(finished, true, InDoubt::Awaited),
    }
}

fn refused(cause: &str) -> Failure {
    Failure::new(Verdict::Refused, cause)
}
