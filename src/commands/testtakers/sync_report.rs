//! What a sync prints: everyone about whom there is something to say, and its summary.

use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::{Field, Roster};
use crate::bulk::sync::classes::{Classes, Leaver, RowClass};
use crate::bulk::sync::plan_file::PlannedChange;
use crate::commands::shared::session::Session;
use crate::model::format::Format;
use crate::model::testtakers::TestTaker;
use crate::output::{Columns, Printer, Record, Shape};

/// What `sync`, `sync --show` and `apply` print of a person.
pub const COLUMNS: Columns<'static> =
    Columns::of(&["change", "outcome", "projectEntryId", "referenceId", "email", "line", "message"])
        .called("person", "people")
        .no_truncate(&["change", "outcome", "projectEntryId", "referenceId"])
        .prose(&["message"]);

/// What the records call somebody who leaves.
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
}

impl SyncReport {
    /// Begins before the first request: a mistyped `--fields` must not follow a write.
    pub fn begin(session: &Session) -> anyhow::Result<Self> {
        let printer = session.printer_beside_csv(&COLUMNS, Shape::Many)?;
        let (table, to_file) = (session.show.format == Format::Table, session.show.to.is_some());
        Ok(Self { printer, attention_alone: table, table, shown: 0, to_file })
    }

    /// Has a table show everyone too: they are what was asked for.
    pub fn show_all(&mut self) {
        self.attention_alone = false;
    }

    /// A line of a plan.
    pub fn change(&mut self, change: &PlannedChange, end: &RowResult) -> anyhow::Result<()> {
        if self.attention_alone && !needs_attention(end) {
            return Ok(());
        }
        self.shown += 1;
        let (name, person) = match change {
            PlannedChange::Enrol { .. } => (RowClass::Joiner.name(), change.person()),
            PlannedChange::Update { .. } => (RowClass::Changed.name(), change.person()),
            PlannedChange::Remove { .. } => (LEAVER, change.person()),
        };
        self.printer.push(Record::Cells(&[
            name.into(),
            end.outcome.name().into(),
            end.entry.or(change.entry()).into(),
            person.reference_id.as_deref().into(),
            person.email.as_deref().into(),
            None::<i32>.into(),
            end.message.as_deref().into(),
        ]))?;
        Ok(())
    }

    /// The rows of the file that are not as they were.
    pub fn rows<'e>(
        &mut self,
        roster: &Roster,
        classes: &Classes,
        ends: impl Iterator<Item = &'e RowResult>,
    ) -> anyhow::Result<()> {
        for (row, (class, end)) in classes.rows.iter().zip(ends).enumerate() {
            if *class == RowClass::AsBefore && matches!(end.outcome, Outcome::Existing | Outcome::Enrolled) {
                continue;
            }
            if self.attention_alone && !needs_attention(end) {
                continue;
            }
            self.shown += 1;
            self.printer.push(Record::Cells(&[
                class.name().into(),
                end.outcome.name().into(),
                end.entry.into(),
                roster.value(row, Field::ReferenceId).into(),
                roster.value(row, Field::Email).into(),
                roster.line(row).into(),
                end.message.as_deref().into(),
            ]))?;
        }
        Ok(())
    }

    /// People who leave, each with how that ended.
    pub fn leavers(&mut self, leavers: &[Leaver], ends: &[RowResult]) -> anyhow::Result<()> {
        for (leaver, end) in leavers.iter().zip(ends) {
            if !self.attention_alone || needs_attention(end) {
                self.person(&leaver.person, end)?;
            }
        }
        Ok(())
    }

    /// A person of the list who leaves.
    pub fn person(&mut self, person: &TestTaker, end: &RowResult) -> anyhow::Result<()> {
        self.shown += 1;
        self.printer.push(Record::Cells(&[
            LEAVER.into(),
            end.outcome.name().into(),
            person.entry_id().into(),
            person.reference_id.as_deref().into(),
            person.email.as_deref().into(),
            None::<i32>.into(),
            end.message.as_deref().into(),
        ]))?;
        Ok(())
    }

    /// A leaver of whom nothing but the entry is known.
    pub fn entry(&mut self, end: &RowResult) -> anyhow::Result<()> {
        self.shown += 1;
        let (outcome, message) = (end.outcome.name().into(), end.message.as_deref().into());
        let none = None::<&str>;
        self.printer.push(Record::Cells(&[
            LEAVER.into(),
            outcome,
            end.entry.into(),
            none.into(),
            none.into(),
            none.into(),
            message,
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

fn needs_attention(end: &RowResult) -> bool {
    match end.outcome {
        Outcome::NotAttempted => end.message.is_some(),
        outcome => outcome.is_to_fix() || outcome == Outcome::InDoubt,
    }
}
