//! What a sync prints: a record for each person with something to say, and its summary.

use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::{Field, Roster};
use crate::bulk::sync::classes::{Leaver, RowClass};
use crate::bulk::sync::plan_change::{PlanPerson, PlannedChange};
use crate::commands::shared::session::Session;
use crate::model::output_format::Format;
use crate::model::testtakers::TestTaker;
use crate::output::{Columns, Printer, Record, Shape};

/// What `sync`, `sync --show` and `apply` print of a person.
pub const COLUMNS: Columns<'static> =
    Columns::of(&["change", "outcome", "project", "projectEntryId", "referenceId", "email", "line", "message"])
        .called("person", "people")
        .no_truncate(&["change", "outcome", "projectEntryId", "referenceId"])
        .prose(&["message"]);

/// What the records call a person who leaves.
const LEAVER: &str = "leaver";

/// Prints people while a table shows those who need attention alone.
pub struct SyncReport {
    printer: Printer,
    /// A table shows who needs attention, the other formats everyone.
    attention_alone: bool,
    table: bool,
    /// Without rows a table would be a lone header.
    shown: usize,
    to_file: bool,
    /// The project of what is printed next.
    project: String,
}

/// A person as they are printed.
#[derive(Clone, Copy, Default)]
struct Shown<'a> {
    reference: Option<&'a str>,
    email: Option<&'a str>,
    line: Option<u32>,
}

impl<'a> Shown<'a> {
    fn of_record(person: &'a TestTaker) -> Self {
        Self { reference: person.reference_id.as_deref(), email: person.email.as_deref(), line: None }
    }

    fn of_plan(person: &'a PlanPerson) -> Self {
        Self { reference: person.reference_id.as_deref(), email: person.email.as_deref(), line: None }
    }
}

impl SyncReport {
    /// Begins before the first request: a mistyped `--fields` must not follow a write.
    pub fn begin(session: &Session) -> anyhow::Result<Self> {
        let printer = session.printer_beside_csv(&COLUMNS, Shape::Many)?;
        let (table, to_file) = (session.show.format == Format::Table, session.show.to.is_some());
        Ok(Self { printer, attention_alone: table, table, shown: 0, to_file, project: String::new() })
    }

    /// Has a table show everyone too: they are what was asked for.
    pub fn show_all(&mut self) {
        self.attention_alone = false;
    }

    /// Names the project of what is printed from here on.
    pub fn project(&mut self, name: &str) {
        name.clone_into(&mut self.project);
    }

    /// Who joins or changes by a line of a plan.
    pub fn joining(&mut self, change: &PlannedChange, end: &RowResult) -> anyhow::Result<()> {
        let Some((_, person)) = change.joins() else { return Ok(()) };
        let end = RowResult { entry: end.entry.or(change.updated()), ..end.clone() };
        self.push(class_of(change).name(), &end, Shown::of_plan(person))
    }

    /// Who leaves by a line of a plan.
    pub fn leaving(&mut self, change: &PlannedChange, end: &RowResult) -> anyhow::Result<()> {
        let Some((_, entry, person)) = change.leaves() else { return Ok(()) };
        let end = RowResult { entry: end.entry.or(Some(entry)), ..end.clone() };
        let is_pair = change.joins().is_some();
        self.push(if is_pair { class_of(change).name() } else { LEAVER }, &end, Shown::of_plan(person))
    }

    /// The rows of the file that are not as they were.
    pub fn rows<'e>(
        &mut self,
        roster: &Roster,
        classes: &[RowClass],
        ends: impl Iterator<Item = &'e RowResult>,
    ) -> anyhow::Result<()> {
        for (row, (class, end)) in classes.iter().zip(ends).enumerate() {
            if *class == RowClass::AsBefore && matches!(end.outcome, Outcome::Existing | Outcome::Enrolled) {
                continue;
            }
            let (reference, email) = (roster.value(row, Field::ReferenceId), roster.value(row, Field::Email));
            self.push(class.name(), end, Shown { reference, email, line: Some(roster.line(row)) })?;
        }
        Ok(())
    }

    /// People who leave, each with how that ended.
    pub fn leavers(&mut self, leavers: &[Leaver], ends: &[RowResult]) -> anyhow::Result<()> {
        leavers.iter().zip(ends).try_for_each(|(leaver, end)| self.leaver(&leaver.person, end))
    }

    /// A person of the list who leaves.
    pub fn leaver(&mut self, person: &TestTaker, end: &RowResult) -> anyhow::Result<()> {
        self.old_entry_as(LEAVER, person, end)
    }

    /// The old entry of a person who moves, or has another e-mail.
    pub fn old_entry(&mut self, class: RowClass, person: &TestTaker, end: &RowResult) -> anyhow::Result<()> {
        self.old_entry_as(class.name(), person, end)
    }

    fn old_entry_as(&mut self, change: &str, person: &TestTaker, end: &RowResult) -> anyhow::Result<()> {
        let end = RowResult { entry: end.entry.or(Some(person.entry_id())), ..end.clone() };
        self.push(change, &end, Shown::of_record(person))
    }

    /// A person who leaves and of whom only the entry is known.
    pub fn entry(&mut self, end: &RowResult) -> anyhow::Result<()> {
        self.push(LEAVER, end, Shown::default())
    }

    fn push(&mut self, change: &str, end: &RowResult, person: Shown<'_>) -> anyhow::Result<()> {
        if self.attention_alone && !needs_attention(end) {
            return Ok(());
        }
        self.shown += 1;
        self.printer.push(Record::Cells(&[
            change.into(),
            end.outcome.name().into(),
            Some(self.project.as_str()).filter(|name| !name.is_empty()).into(),
            end.entry.into(),
            person.reference.into(),
            person.email.into(),
            person.line.into(),
            end.message.as_deref().into(),
        ]))?;
        Ok(())
    }

    /// Ends what was printed.
    pub fn finish(self) -> anyhow::Result<()> {
        if self.table && self.shown == 0 && !self.to_file {
            return Ok(());
        }
        Ok(self.printer.finish()?)
    }
}

/// What the records call whoever a line of a plan enrols or changes.
fn class_of(change: &PlannedChange) -> RowClass {
    match change {
        PlannedChange::Enrol { .. } => RowClass::Joiner,
        PlannedChange::Update { .. } | PlannedChange::Remove { .. } => RowClass::Changed,
        PlannedChange::Move { .. } => RowClass::Mover,
        PlannedChange::Replace { .. } => RowClass::Replaced,
    }
}

fn needs_attention(end: &RowResult) -> bool {
    match end.outcome {
        Outcome::NotAttempted => end.message.is_some(),
        outcome => outcome.is_to_fix() || outcome == Outcome::InDoubt,
    }
}
