//! The account of a sync: a record for each person that needs one, and counts.

use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::{Field, Roster};
use crate::bulk::run_state_machine::invalid;
use crate::bulk::sync::classes::RowClass;
use crate::bulk::sync::moves_and_replacements::Pair;
use crate::bulk::sync::plan_change::{PlanPerson, PlannedChange};
use crate::bulk::sync::totals::{Became, SyncCounts};
use crate::commands::shared::session::Session;
use crate::commands::testtakers::sync_compare::SyncLook;
use crate::commands::testtakers::sync_context::SyncContext;
use crate::model::output_format::Format;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::output::{Columns, Printer, Record, Shape};

/// What `sync`, `sync --show` and `apply` print of a person.
pub const COLUMNS: Columns<'static> =
    Columns::of(&["change", "outcome", "project", "projectEntryId", "referenceId", "email", "line", "message"])
        .called("person", "people")
        .prose(&["message"]);

/// What the records call a person who leaves.
pub const LEAVER: &str = "leaver";

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
        self.push(class_of(change).name(), end.entry.or(change.updated()), end, Shown::of_plan(person))
    }

    /// Who leaves by a line of a plan.
    pub fn leaving(&mut self, change: &PlannedChange, end: &RowResult) -> anyhow::Result<()> {
        let Some((_, entry, person)) = change.leaves() else { return Ok(()) };
        let class = if change.joins().is_some() { class_of(change).name() } else { LEAVER };
        self.push(class, end.entry.or(Some(entry)), end, Shown::of_plan(person))
    }

    /// The rows of the file that are not as they were.
    pub fn rows(&mut self, roster: &Roster, classes: &[RowClass], ends: &[RowResult]) -> anyhow::Result<()> {
        for (row, (class, end)) in classes.iter().zip(ends).enumerate() {
            if *class == RowClass::AsBefore && matches!(end.outcome, Outcome::Existing | Outcome::Enrolled) {
                continue;
            }
            let (reference, email) = (roster.value(row, Field::ReferenceId), roster.value(row, Field::Email));
            self.push(class.name(), end.entry, end, Shown { reference, email, line: Some(roster.line(row)) })?;
        }
        Ok(())
    }

    /// An entry of the list that goes, or was to go: of one that is not there any more nothing but its id is known. `change`
    /// is [`LEAVER`], or the class of a person who moves or has another e-mail.
    pub fn old_entry(&mut self, change: &str, person: Option<&TestTaker>, end: &RowResult) -> anyhow::Result<()> {
        let entry = end.entry.or(person.map(TestTaker::entry_id));
        self.push(change, entry, end, person.map(Shown::of_record).unwrap_or_default())
    }

    fn push(&mut self, change: &str, entry: Option<EntryId>, end: &RowResult, person: Shown<'_>) -> anyhow::Result<()> {
        if self.attention_alone && !end.needs_attention() {
            return Ok(());
        }
        self.shown += 1;
        self.printer.push(Record::Cells(&[
            change.into(),
            end.outcome.name().into(),
            Some(self.project.as_str()).filter(|name| !name.is_empty()).into(),
            entry.into(),
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

/// What the records call a person that a line of a plan enrols or changes.
fn class_of(change: &PlannedChange) -> RowClass {
    match change {
        PlannedChange::Enrol { .. } => RowClass::Joiner,
        PlannedChange::Update { .. } | PlannedChange::Remove { .. } => RowClass::Changed,
        PlannedChange::Move { .. } => RowClass::Mover,
        PlannedChange::Replace { .. } => RowClass::Replaced,
    }
}

/// How everyone ended, or would end: rows and leavers by the parts of the file, and the old entries of the pairs.
pub struct SyncEnds {
    pub rows: Vec<Vec<RowResult>>,
    pub leavers: Vec<Vec<RowResult>>,
    pub pairs: Vec<RowResult>,
}

impl SyncEnds {
    /// The rows as they are given, and everyone else as they stand before anything is sent.
    pub fn new(rows: Vec<Vec<RowResult>>, look: &SyncLook, leaver: Outcome, pair: impl Fn(&Pair) -> Outcome) -> Self {
        let leavers = look.classes.iter().map(|classes| {
            let leavers = classes.leavers.iter();
            leavers.map(|one| RowResult::new(leaver).with_entry(one.person.entry_id())).collect()
        });
        let pairs = look.pairs.iter().map(|old| RowResult::new(pair(old)).with_entry(old.entry()));
        Self { rows, leavers: leavers.collect(), pairs: pairs.collect() }
    }
}

impl SyncContext<'_> {
    /// Prints the rows, the leavers and the old entries of the pairs, project by project.
    pub fn report(&self, mut report: SyncReport, look: &SyncLook, ends: &SyncEnds) -> anyhow::Result<()> {
        for (at, (part, classes)) in self.parts.iter().zip(&look.classes).enumerate() {
            report.project(&part.name);
            report.rows(&part.roster, &classes.rows, &ends.rows[at])?;
            for (leaver, end) in classes.leavers.iter().zip(&ends.leavers[at]) {
                report.old_entry(LEAVER, Some(&leaver.person), end)?;
            }
            let pairs = look.pairs.iter().zip(&ends.pairs).filter(|(pair, _)| pair.from == at);
            for (pair, end) in pairs {
                let class = if pair.is_replacement() { RowClass::Replaced } else { RowClass::Mover };
                report.old_entry(class.name(), Some(&pair.old.person), end)?;
            }
        }
        if let Some(unplaced) = &self.unplaced {
            let ends = self.unplaced_ends();
            report.project("");
            report.rows(unplaced, &vec![RowClass::Unsettled; ends.len()], &ends)?;
        }
        report.finish()
    }

    /// Rows that name no project end by their mistakes.
    pub fn unplaced_ends(&self) -> Vec<RowResult> {
        let Some(unplaced) = &self.unplaced else { return Vec::new() };
        let mut ends = invalid(unplaced);
        (0..unplaced.row_count()).map(|row| ends.remove(&row).unwrap_or(RowResult::new(Outcome::Invalid))).collect()
    }

    /// How many became what in each project, and in all of them. `none`: before anyone is counted, of a sync or of a plan.
    pub fn counts(&self, look: &SyncLook, ends: &SyncEnds, none: &SyncCounts) -> (Vec<SyncCounts>, SyncCounts) {
        let each = look.classes.iter().enumerate().map(|(at, classes)| {
            let mut counts = none.clone();
            counts.add_rows(classes, &ends.rows[at]);
            counts.add_missing(classes);
            for end in &ends.leavers[at] {
                counts.add(of_leaver(end.outcome, Became::Left), 1);
            }
            for (pair, end) in look.pairs.iter().zip(&ends.pairs).filter(|(pair, _)| pair.from == at) {
                let became = of_leaver(end.outcome, Became::MovedAway);
                // Of a changed e-mail the row says it all, unless the old entry stays.
                if !pair.is_replacement() || became == Became::NotRemoved {
                    counts.add(became, 1);
                }
            }
            counts
        });
        let each: Vec<SyncCounts> = each.collect();
        let mut all = none.clone();
        for counts in &each {
            all.add_all(counts);
        }
        for end in self.unplaced_ends() {
            all.add(Became::Otherwise(end.outcome), 1);
        }
        (each, all)
    }

    /// Says the counts: of each project where the file is about several, and of all.
    pub fn say_counts(&self, each: &[SyncCounts], all: &SyncCounts, more: &str) {
        let console = self.session.console;
        if self.rules.has_project_column {
            for (part, counts) in self.parts.iter().zip(each) {
                console.note(&format!("{}: {counts}", part.name));
            }
        }
        console.note(&format!("{all}{}{more}", self.session.place()));
    }
}

fn of_leaver(outcome: Outcome, gone: Became) -> Became {
    match outcome {
        Outcome::Removed => gone,
        Outcome::WouldRemove if gone == Became::MovedAway => Became::MovesAway,
        Outcome::WouldRemove => Became::Leaves,
        Outcome::Held => Became::Held,
        _ => Became::NotRemoved,
    }
}
