//! The rules for rows: everything is checked before anything is sent, and all mistakes are told at once.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher as _};
use std::thread::{self, Builder};

use crate::model::counted::counted;
use crate::model::field_rules::{BirthYear, Email, PersonName, ReferenceId, TextError, fold_email};

use super::birth_date::year_of;
use super::cell_kind::CellKind;
use super::cell_places::{CellPlace, Unit};
use super::compact_rows::Rows;
use super::csv_record::{CellAt, CsvRecord, Flaw};
use super::fields::Field;
use super::headers::{Role, RosterColumns};
use super::plain_values::{is_plain, trimmed};
use super::project_cells::ProjectCells;
use super::row_estimate::make_room;
use super::suspicious::{said_of, suspicion};
use super::{About, Mistake, Purpose, Quoting, ReadOptions};

/// From this many values on, sorting takes longer than starting a thread.
const MANY: usize = 100_000;

/// Checks the rows one by one, then what only shows over all of them.
pub(super) struct Checker<'a> {
    options: &'a ReadOptions,
    unit: Unit,
    mistakes: Vec<Mistake>,
    /// A secret start for the hashes, so that no file can be made to slow the search for doubles down.
    hashes: RandomState,
    emails: Seen,
    references: Seen,
    projects: ProjectCells,
    /// The number of the row's project: duplicates are judged within a project.
    project: Option<u32>,
}

/// The values of a column by their places and by hashes, and nothing of the values themselves: doubles are found by
/// sorting these. Two values are the same whose hashes are, of 64 bits with a key of this run: among a million values that
/// differ, two look the same once in some forty million runs.
#[derive(Default)]
struct Seen {
    places: Vec<CellPlace>,
    /// Half a hash, then the number of its place: one number sorts in half the time of a pair.
    hashes: Vec<u64>,
    /// The other half, by the number of the place.
    halves: Vec<u32>,
}

impl Seen {
    fn expect(&mut self, more: usize) {
        make_room(&mut self.places, more);
        make_room(&mut self.hashes, more);
        make_room(&mut self.halves, more);
    }

    fn push(&mut self, hash: u64, place: CellPlace) {
        let number = u32::try_from(self.places.len()).expect("lines are counted in 32 bits");
        self.hashes.push(hash >> 32 << 32 | u64::from(number));
        self.halves.push(low_half(hash));
        self.places.push(place);
    }

    /// Each value that was seen before, and where it was seen first.
    fn doubles(&self) -> impl Iterator<Item = (CellPlace, CellPlace)> {
        // Numbers of places, as those of lines, grow with the file: each group is in its order.
        let groups = self.hashes.chunk_by(|one, other| one >> 32 == other >> 32).filter(|group| group.len() > 1);
        groups.flat_map(move |group| {
            let mut firsts: HashMap<u32, CellPlace> = HashMap::new();
            group.iter().filter_map(move |hash| {
                let number = low_half(*hash) as usize;
                let place = self.places[number];
                let first = *firsts.entry(self.halves[number]).or_insert(place);
                (first != place).then_some((place, first))
            })
        })
    }
}

fn low_half(hash: u64) -> u32 {
    u32::try_from(hash & u64::from(u32::MAX)).expect("half of 64 bits")
}

impl<'a> Checker<'a> {
    /// Starts with the mistakes of the header.
    pub(super) fn new(options: &'a ReadOptions, unit: Unit, mistakes: Vec<Mistake>) -> Self {
        Self {
            options,
            unit,
            mistakes,
            hashes: RandomState::new(),
            emails: Seen::default(),
            references: Seen::default(),
            projects: ProjectCells::default(),
            project: None,
        }
    }

    /// Makes room for the values of so many more rows, of the columns that have any.
    pub(super) fn expect(&mut self, more: usize) {
        for seen in [&mut self.emails, &mut self.references] {
            if !seen.places.is_empty() {
                seen.expect(more);
            }
        }
    }

    /// Checks one row.
    pub(super) fn row(&mut self, record: &CsvRecord, row: usize, columns: &RosterColumns) {
        if let Some(mistake) = misshapen(record, row, columns) {
            // Its cells may stand under the wrong headers: what they say is not judged.
            self.mistakes.push(mistake);
            if columns.project.is_some() {
                self.projects.push_none();
            }
            return;
        }
        self.name_project(record, row, columns);
        for (index, (_, role)) in columns.headers.iter().enumerate() {
            let Some(cell) = record.at(index) else { break };
            match role {
                Role::Field(field) => self.cell(*field, cell, row, columns.from_birth_date),
                Role::Unnamed if !cell.text().trim().is_empty() => {
                    self.mistakes.push(Mistake::new(
                        cell.place(),
                        Some(row),
                        About::Row,
                        "no header stands above this cell",
                    ));
                }
                _ => {}
            }
        }
    }

    /// Checks the cell of a field; `dated`: years of birth stand in whole dates.
    fn cell(&mut self, field: Field, cell: CellAt<'_>, row: usize, dated: bool) {
        let value = trimmed(cell.text());
        if field == Field::BirthYear && dated && self.objection(cell.kind(), field, dated).is_none() {
            return self.year_of_date(value, cell, row);
        }
        self.typed_value(field, value, cell, row, dated);
    }

    /// Checks a value of a field that stands in a cell, of a list without a header behind its prefix.
    pub(super) fn typed_value(&mut self, field: Field, value: &str, cell: CellAt<'_>, row: usize, dated: bool) {
        match self.objection(cell.kind(), field, dated) {
            Some(message) => self.mistakes.push(Mistake::new(cell.place(), Some(row), About::Field(field), message)),
            None => self.value(field, value, cell, row),
        }
    }

    /// Notes which project a row names.
    fn name_project(&mut self, record: &CsvRecord, row: usize, columns: &RosterColumns) {
        let Some(index) = columns.project else { return };
        let (cell, place) = record.cell(index).unwrap_or(("", record.place()));
        self.project = self.projects.push(cell.trim(), place);
        if self.project.is_none() {
            self.mistakes.push(Mistake::new(place, Some(row), About::Project, "is empty: the row names no project"));
        }
    }

    /// What the type of a workbook's cell says against its value.
    fn objection(&self, kind: CellKind, field: Field, dated: bool) -> Option<String> {
        // All of a CSV and nearly all of a workbook is text.
        if kind == CellKind::Text { None } else { kind.objection(field, dated, self.options.allow_suspicious) }
    }

    fn year_of_date(&mut self, date: &str, cell: CellAt<'_>, row: usize) {
        match year_of(date) {
            Some(year) => self.value(Field::BirthYear, year, cell, row),
            None if date.is_empty() => {}
            None => {
                let (about, message) = (About::Field(Field::BirthYear), "is not a date of birth such as 1984-03-01");
                self.mistakes.push(Mistake::new(cell.place(), Some(row), about, message));
            }
        }
    }

    fn value(&mut self, field: Field, value: &str, cell: CellAt<'_>, row: usize) {
        if value.is_empty() && (field != Field::Email || self.options.purpose != Purpose::Enrol) {
            return;
        }
        if let Some(message) = self.refusal(field, value) {
            return self.mistakes.push(Mistake::new(cell.place(), Some(row), About::Field(field), message));
        }
        if self.options.allow_doubles {
            return;
        }
        match field {
            Field::Email => self.emails.push(self.hash_in_project(&fold_email(value)), cell.place()),
            Field::ReferenceId => self.references.push(self.hash_in_project(value), cell.place()),
            Field::FirstName | Field::LastName | Field::BirthYear | Field::EntryId => {}
        }
    }

    /// Why a value is not taken.
    fn refusal(&self, field: Field, value: &str) -> Option<String> {
        if is_plain(field, value) {
            return None;
        }
        let quotes = self.options.quoting == Quoting::Usual;
        let doubt = if self.options.allow_suspicious { None } else { suspicion(field, value, quotes) };
        doubt.or_else(|| refusal(field, value, quotes))
    }

    fn hash_in_project(&self, value: &str) -> u64 {
        match self.project {
            // The bytes alone, in one piece: that of a text has a second one for its end.
            None => {
                let mut hasher = self.hashes.build_hasher();
                hasher.write(value.as_bytes());
                hasher.finish()
            }
            project => self.hashes.hash_one((project, value)),
        }
    }

    /// Adds the doubles; all mistakes, sorted by place, and the projects of the rows.
    pub(super) fn finish(mut self, rows: &Rows) -> (Vec<Mistake>, ProjectCells) {
        let (mut emails, mut references) = (std::mem::take(&mut self.emails), std::mem::take(&mut self.references));
        thread::scope(|scope| {
            if references.hashes.len() > MANY {
                // Side by side. Where no thread is to be had, they are sorted one after the other below.
                let _ = Builder::new().spawn_scoped(scope, || references.hashes.sort_unstable());
            }
            emails.hashes.sort_unstable();
        });
        references.hashes.sort_unstable();
        self.add_doubles(&emails, Field::Email, rows);
        self.add_doubles(&references, Field::ReferenceId, rows);
        self.mistakes.sort_by_key(|mistake| (mistake.line, mistake.column));
        (self.mistakes, self.projects)
    }

    /// The first of equal values is right, each later one is a mistake that names the first one's line.
    fn add_doubles(&mut self, seen: &Seen, field: Field, rows: &Rows) {
        for (place, first) in seen.doubles() {
            let line = rows.line(rows.at_line(first.line));
            let case = if field == Field::Email { ", ignoring case" } else { "" };
            let message = format!("the same as in {} {line}{case}", self.unit);
            self.mistakes.push(Mistake::new(place, Some(rows.at_line(place.line)), About::Field(field), message));
        }
    }
}

/// What is wrong with the row as a whole.
fn misshapen(record: &CsvRecord, row: usize, columns: &RosterColumns) -> Option<Mistake> {
    match record.flaw() {
        // Which rows the open quote swallowed is not known: this cannot be skipped as one invalid row.
        Some(Flaw::Unclosed(place)) if record.cut_line == Some(place.line) => {
            let message = "this quote is never closed: the file ends in this line";
            return Some(Mistake::new(place, None, About::CutRow, message));
        }
        Some(Flaw::Unclosed(place)) => {
            return Some(Mistake::new(place, None, About::Row, "this quote is never closed"));
        }
        Some(Flaw::AfterQuote(place)) => {
            let message = "text stands after the quote that closes this one";
            return Some(Mistake::new(place, Some(row), About::Row, message));
        }
        None => {}
    }
    let (has, wanted) = (record.len(), columns.headers.len());
    // A sheet has no short rows: cells behind the last one are empty.
    let is_short = record.unit() == Unit::Line && has < columns.least();
    let mut extra = (wanted..has).filter_map(|index| record.at(index));
    let extra = extra.find(|cell| !cell.text().trim().is_empty());
    if !is_short && extra.is_none() {
        return None;
    }
    let message = format!("{}, but the header has {wanted}", counted(has, "cell", "cells"));
    if is_short && record.cut_line.is_some() {
        let message = format!("{message}: the file ends in this line");
        return Some(Mistake::new(record.place(), Some(row), About::CutRow, message));
    }
    Some(Mistake::new(extra.map_or(record.place(), CellAt::place), Some(row), About::Row, message))
}

/// What the specification's rule for the field says against a value.
pub(super) fn refusal(field: Field, value: &str, quotes: bool) -> Option<String> {
    let error = match field {
        Field::Email => Email::check(value),
        Field::FirstName | Field::LastName => PersonName::check(value),
        Field::ReferenceId => ReferenceId::check(value),
        Field::BirthYear | Field::EntryId => value.parse::<BirthYear>().map(|_| ()),
    };
    error.err().map(|error| match error {
        TextError::WholeNumber | TextError::NumberRange => number_error(value, error, quotes),
        _ => error.to_string(),
    })
}

/// A number is quoted; what stands in its place by accident may be a name or an address and is not.
fn number_error(value: &str, error: TextError, quotes: bool) -> String {
    let is_number = value.contains(|c: char| c.is_ascii_digit()) && !value.contains('@');
    if is_number && quotes { said_of(value, quotes, &format!("is {error}")) } else { error.to_string() }
}

impl Mistake {
    /// `row` is `None` where the file as a whole cannot be sent.
    pub(super) fn new(place: CellPlace, row: Option<usize>, about: About, message: impl Into<String>) -> Self {
        Self { line: place.line, column: place.column, row, about, message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_quoted_and_what_is_no_number_is_not() {
        let refused = |value: &str, quotes| refusal(Field::BirthYear, value, quotes);
        assert_eq!(refused("19x4", true).as_deref(), Some("\"19x4\" is not a whole number"));
        for (value, quotes) in [("Zoë", true), ("z1@example.com", true), ("19x4", false)] {
            assert_eq!(refused(value, quotes).as_deref(), Some("not a whole number"));
        }
        let control = refused("1\u{1b}[31m", true).expect("not a number");
        assert!(!control.contains('\u{1b}'), "{control}");
    }
}
