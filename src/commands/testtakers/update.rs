//! `assessctl testtakers update`: names and reference ids, of one person or of those of a CSV.

use clap::{ArgGroup, Args};

use crate::api::Error;
use crate::bulk::outcome::{Outcome, RowOutcome, RowResult};
use crate::bulk::run_verdict::with_late_reads;
use crate::bulk::update::{Difference, difference, remark, update, wanted};
use crate::bulk::update_sender::UpdateSender;
use crate::commands::shared::bulk_args::{BulkArgs, SheetPeople, rehearsed, watched};
use crate::commands::shared::person_argument::{Target, find_to_change};
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::{ProjectArg, ProjectContext};
use crate::commands::shared::run_failure::{AGAIN_ALONE, failed_write};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::commands::testtakers::update_reference_ids::objections;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::field_rules::{PersonName, ReferenceId, TextError, trimmed};
use crate::model::testtakers::{Change, TestTaker, TestTakerUpdate};
use crate::output::{Columns, Record, Shape};

const COLUMNS: Columns<'static> = Columns::of(&["projectEntryId", "referenceId", "firstName", "lastName", "outcome"]);

const ALLOW_DUPLICATES: &str =
    "The same reference id or e-mail on several rows is meant, or a reference id that another person has already";

/// Change a test taker's name or reference id
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Write, Prints::Records(&COLUMNS)).with_people().printing(JsonShape::OneOrMany, JsonSource::Own).or(Prints::Rows))]
#[command(after_help = "\
Examples:
  assessctl testtakers update -p Demo --file enrolled.csv --dry-run
  assessctl testtakers update -p Demo ref:EMP-00017 --last-name Schmidt \\
      --dry-run
  assessctl testtakers update -p Demo ref:EMP-00017 --last-name Schmidt
  assessctl testtakers update -p Demo email:anna@example.com \\
      --reference-id EMP-00099
  assessctl testtakers update -p Demo ref:EMP-00018 --first-name ''")]
#[command(group = ArgGroup::new("changes").args(["first_name", "last_name", "reference_id"]).multiple(true)
    .conflicts_with("file"))]
#[command(group = ArgGroup::new("whom").args(["target", "file"]).required(true))]
#[command(group = ArgGroup::new("many").args(["target", "file"]))]
#[command(mut_arg("report", |arg| arg.requires("people_of_file")))]
#[command(mut_arg("allow_duplicates", |arg| arg.help(ALLOW_DUPLICATES)))]
pub struct UpdateTestTaker {
    #[command(flatten)]
    project: ProjectArg,
    /// Whom: `ref:REFERENCE_ID`, `email:ADDRESS` or `id:ENTRY_ID`
    #[arg(value_name = "TEST_TAKER", requires = "changes")]
    target: Option<Target>,
    /// New first name, at most 100 characters; an empty value clears it
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, value_parser = change::<PersonName>)]
    first_name: Option<Change<PersonName>>,
    /// New last name, at most 100 characters; an empty value clears it
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, value_parser = change::<PersonName>)]
    last_name: Option<Change<PersonName>>,
    /// New reference id: letters, digits and _ - . + @, at most 500; an empty value clears it
    #[arg(long, value_name = "REFERENCE_ID", allow_hyphen_values = true, value_parser = change::<ReferenceId>)]
    reference_id: Option<Change<ReferenceId>>,
    #[command(flatten)]
    many: BulkArgs,
    /// An empty cell clears its value instead of leaving it
    #[arg(long, requires = "people_of_file", help_heading = "Many at once")]
    clear_empty: bool,
}

/// Reads a value to set; an empty one clears.
fn change<T: std::str::FromStr<Err = TextError>>(text: &str) -> Result<Change<T>, TextError> {
    if text.is_empty() { Ok(Change::Clear) } else { trimmed(text).map(Change::Set) }
}

/// The person as a change would leave them.
fn after(before: &TestTaker, update: &TestTakerUpdate) -> TestTaker {
    fn value<T>(change: &Change<T>, text: fn(&T) -> &str, before: Option<&String>) -> Option<String> {
        match change {
            Change::Set(value) => Some(text(value).to_owned()),
            Change::Clear => None,
            Change::Leave => before.cloned(),
        }
    }
    TestTaker {
        reference_id: value(&update.reference_id, ReferenceId::as_str, before.reference_id.as_ref()),
        first_name: value(&update.first_name, PersonName::as_str, before.first_name.as_ref()),
        last_name: value(&update.last_name, PersonName::as_str, before.last_name.as_ref()),
        ..before.clone()
    }
}

/// What to type after an update whose outcome is not known: by then the person may have another reference id.
fn how_to_go_on(error: &Error, target: &Target, (before, update): (&TestTaker, &TestTakerUpdate)) -> String {
    let entry = before.entry_id();
    match target {
        _ if matches!(error, Error::ChangedMeanwhile) => {
            format!("`assessctl testtakers get id:{entry}` shows the record as it is now")
        }
        Target::Reference(id) if !matches!(&update.reference_id, Change::Set(new) if new.as_str() == id.as_str()) => {
            format!("run the same command again with id:{entry}: the reference id may be the new one by now")
        }
        _ => AGAIN_ALONE.to_owned(),
    }
}

/// Why nothing was sent: reads lag behind what was written last.
fn late_read() -> Failure {
    let cause = "the service still shows the record as it was before the last update; nothing was sent";
    Failure::new(Verdict::Unfinished, cause).hint(AGAIN_ALONE)
}

impl UpdateTestTaker {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        self.many.check(self.reference_id.is_some())?;
        let Some(target) = &self.target else { return self.in_bulk(session).await };
        let mut printer = if self.many.dry_run {
            session.printer(&COLUMNS, Shape::One)?
        } else {
            session.may_write()?;
            session.quiet_printer(&COLUMNS, Shape::One, "projectEntryId")?
        };
        let context = self.project.open(session).await?;
        let mut before = find_to_change(&context, target).await?.record;
        let written = context.written_fields()?;
        let sender = UpdateSender { client: &context.client, project: context.project, written: &written };
        if !self.many.dry_run {
            let carried = [self.reference_id.is_none(), self.first_name.is_none(), self.last_name.is_none()];
            before = sender.up_to_date(before, carried).await?.ok_or_else(late_read)?;
        }
        let is_meant = self.many.reading.allow_duplicates;
        let changed = TestTakerUpdate {
            reference_id: wanted(self.reference_id, before.reference_id.as_deref()),
            first_name: wanted(self.first_name, before.first_name.as_deref()),
            last_name: wanted(self.last_name, before.last_name.as_deref()),
        };
        let objections = objections(&context, [(&before, &changed)].into_iter(), &sender, is_meant).await?;
        if let Some(words) = objections.values().next() {
            return Err(Failure::new(Verdict::Refused, format!("{words}; nothing was sent")).into());
        }
        let (now, outcome, said) = if self.many.dry_run {
            (after(&before, &changed), Outcome::WouldUpdate, "would be updated")
        } else {
            let now = sender.send(&before, &changed).await?;
            let now = now.map_err(|error| {
                let again = how_to_go_on(&error, target, (&before, &changed));
                failed_write(error, "cannot update the test taker", &again)
            })?;
            if let Some(remark) = remark(&before, &changed, &now.record) {
                session.console.warn(&remark);
            }
            (now.record, Outcome::Updated, "updated")
        };
        printer.push(Record::Cells(&[
            before.entry_id().into(),
            now.reference_id.as_deref().into(),
            now.first_name.as_deref().into(),
            now.last_name.as_deref().into(),
            outcome.name().into(),
        ]))?;
        printer.finish()?;
        session.console.aside(&format!("1 person {said}{}", session.place()));
        Ok(Verdict::Done)
    }

    /// Ends the rows that would give a person the reference id of another one, before anything is sent; in a rehearsal all.
    async fn settle_before(
        &self,
        context: &ProjectContext<'_>,
        sender: &UpdateSender<'_>,
        ends: &mut [Option<RowResult>],
        wishes: Vec<(usize, &TestTaker, Difference)>,
    ) -> anyhow::Result<()> {
        let updates = wishes.iter().map(|(_, person, wish)| (*person, &wish.update));
        let objections = objections(context, updates, sender, self.many.reading.allow_duplicates).await?;
        for (row, person, wish) in wishes {
            let at = |outcome| RowResult::new(outcome).with_entry(person.entry_id());
            ends[row] = match objections.get(&person.entry_id()) {
                Some(words) => Some(at(Outcome::Conflict).with_message(words.clone())),
                None => self.many.dry_run.then(|| at(Outcome::WouldUpdate).with_message(wish.words)),
            };
        }
        Ok(())
    }

    /// Changes the people of a file: what differs, and nothing else.
    async fn in_bulk(&self, session: &Session) -> anyhow::Result<Verdict> {
        let sheet = self.many.read(session)?;
        let outputs = self.many.outputs(session, Some(session.options_beside_csv()), &sheet.roster)?;
        let dry_run = self.many.dry_run;
        if !dry_run {
            session.may_write_many("update", Some(sheet.roster.row_count()), &self.project)?;
        }
        let context = self.project.open(session).await?;
        let _lock = if dry_run { None } else { Some(context.lock()?) };
        let SheetPeople { mut ends, people } = sheet.find(&context).await?;
        let changes =
            |row: usize, person: &TestTaker| difference(&sheet.roster, row, sheet.by, person, self.clear_empty);
        let mut wishes = Vec::new();
        for (row, person) in people.iter().enumerate() {
            let Some(person) = person.as_deref() else { continue };
            let at = |outcome| RowResult::new(outcome).with_entry(person.entry_id());
            match changes(row, person) {
                Err(words) => ends[row] = Some(at(Outcome::Conflict).with_message(words)),
                Ok(None) => ends[row] = Some(at(Outcome::Existing)),
                Ok(Some(wish)) => wishes.push((row, person, wish)),
            }
        }
        let written = context.written_fields()?;
        let sender = UpdateSender { client: &context.client, project: context.project, written: &written };
        self.settle_before(&context, &sender, &mut ends, wishes).await?;
        let finished = if dry_run {
            rehearsed(ends)
        } else {
            watched(&context, ends, (RunBar::new(session.console), "updating"), async |row: usize| {
                match people[row].as_deref() {
                    Some(person) => update(&sender, person, |now| changes(row, now)).await,
                    None => RowOutcome::ended(RowResult::new(Outcome::NotAttempted)),
                }
            })
            .await?
        };
        let finished = with_late_reads(finished);
        let written = outputs.write(session, &finished, dry_run);
        self.many.end(&context, &finished, written)
    }
}
