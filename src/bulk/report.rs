//! The account of a run: every row with its own columns as they were, and how it ended.

use std::io::{self, Write};

use super::outcome::RowResult;
use super::roster::{Field, Role, Roster, RosterColumns};
use crate::model::cell::Cell;
use crate::model::spreadsheet::{BYTE_ORDER_MARK, escape_formulas};

/// What a report adds to a row's own columns.
pub const ADDED: [&str; 5] = [LINE, "outcome", "projectEntryId", "enrolmentId", "message"];
/// Only where the rows stand in a file.
const LINE: &str = "line";

/// Makes the records of a report.
pub struct Report<'r> {
    roster: &'r Roster,
    own: Vec<usize>,
    columns: Vec<String>,
    table: Vec<String>,
}

impl<'r> Report<'r> {
    /// Prepares the columns: the roster's own, without those of an earlier report and those without a header, then ours.
    pub fn new(roster: &'r Roster) -> Self {
        let (mut columns, own) = columns(&roster.columns);
        columns.retain(|name| roster.is_file || name != LINE);
        // Reference ids that were assigned stand in the roster's own column, or in one of their own.
        let assigned = roster.assigns() && roster.columns.index_of(Field::ReferenceId).is_none();
        if assigned {
            columns.insert(own.len(), Field::ReferenceId.name().to_owned());
        }
        let who = [Field::Email, Field::ReferenceId].into_iter().filter_map(|field| roster.columns.index_of(field));
        let who = who.filter_map(|index| Some(roster.columns.headers.get(index)?.0.clone()));
        let who = who.chain(assigned.then(|| Field::ReferenceId.name().to_owned()));
        let table = ["line", "outcome", "projectEntryId"].map(str::to_owned).into_iter().chain(who);
        let table = table.chain(["message".to_owned()]).collect();
        Self { roster, own, columns, table }
    }

    /// The header of the report.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// What the columns are: the field of a row, our own column, or empty where a column is the roster's affair.
    pub fn fields(&self) -> Vec<String> {
        let headers = self.own.iter().filter_map(|index| self.roster.columns.headers.get(*index));
        let own = headers.map(|(name, role)| match role {
            Role::Field(field) => field.name().to_owned(),
            Role::Project => "project".to_owned(),
            Role::ReadOnly if name == "fullName" => name.clone(),
            // What such a column says in a file is whatever was written there.
            Role::ReadOnly | Role::Ignored | Role::Unknown | Role::Unnamed => String::new(),
        });
        own.chain(self.columns.iter().skip(self.own.len()).cloned()).collect()
    }

    /// The columns that a table shows: how a row ended, and whose it is.
    pub fn in_table(&self) -> &[String] {
        &self.table
    }

    /// The record of a row: a cell for each of the columns.
    pub fn record<'a>(&'a self, row: usize, ended: &'a RowResult) -> Vec<Cell<'a>> {
        let cells: Vec<&str> = self.roster.cells(row).collect();
        let (assigned, column) = (self.roster.assigned(row), self.roster.columns.index_of(Field::ReferenceId));
        let own = self.own.iter().map(|index| match assigned {
            Some(id) if Some(*index) == column => Cell::from(id),
            _ => self.own_cell(*index, cells.get(*index).copied().unwrap_or_default()),
        });
        let extra = self.roster.assigns() && column.is_none();
        let own = own.chain(extra.then(|| assigned.into()));
        let line = self.roster.is_file.then(|| self.roster.line(row).into());
        let added = [
            ended.outcome.name().into(),
            ended.entry.into(),
            ended.enrolment.map(|id| id.to_string()).into(),
            ended.message.as_deref().into(),
        ];
        own.chain(line).chain(added).collect()
    }

    /// A cell of a file as it was; of a person who was named otherwise, the value as a read record has it.
    fn own_cell<'a>(&self, column: usize, cell: &'a str) -> Cell<'a> {
        match cell.parse::<i32>() {
            _ if self.roster.is_file => cell.into(),
            Ok(year) if self.roster.columns.index_of(Field::BirthYear) == Some(column) => year.into(),
            _ => Some(cell).filter(|cell| !cell.is_empty()).into(),
        }
    }

    /// Writes the rows that have to be fixed, with their original columns and nothing else, so that the file can be
    /// edited and fed in again. `excel`: for a spreadsheet, as the roster was.
    pub fn write_failed(&self, ends: &[RowResult], excel: bool, mut out: impl Write) -> io::Result<()> {
        if excel {
            out.write_all(BYTE_ORDER_MARK.as_bytes())?;
        }
        let mut builder = csv::WriterBuilder::new();
        let mut writer = builder.flexible(true).terminator(csv::Terminator::Any(b'\n')).from_writer(out);
        writer.write_record(self.roster.columns.headers.iter().map(|(name, _)| written(name, excel)))?;
        for cells in self.failed(ends) {
            writer.write_record(cells.map(|cell| written(cell, excel)))?;
        }
        writer.flush()
    }

    /// The cells of each row that has to be fixed.
    pub fn failed<'a>(&'a self, ends: &'a [RowResult]) -> impl Iterator<Item = impl Iterator<Item = &'a str>> {
        let failed = ends.iter().enumerate().filter(|(_, ended)| ended.outcome.is_to_fix());
        failed.map(|(row, _)| self.roster.cells(row))
    }
}

/// A cell as a spreadsheet, or any other program, takes it.
fn written(cell: &str, excel: bool) -> String {
    if excel { escape_formulas(cell).into_owned() } else { cell.to_owned() }
}

/// The header of a report, and which of the roster's columns stand in it.
fn columns(roster: &RosterColumns) -> (Vec<String>, Vec<usize>) {
    let own = roster
        .headers
        .iter()
        .enumerate()
        .filter(|(_, (name, role))| *role != Role::Unnamed && !ADDED.contains(&name.trim()));
    let (mut names, places): (Vec<String>, Vec<usize>) = own.map(|(index, (name, _))| (name.clone(), index)).unzip();
    names.extend(ADDED.map(str::to_owned));
    (names, places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::outcome::Outcome;
    use crate::bulk::roster::{ReadOptions, read};
    use crate::model::testtakers::EntryId;

    fn roster(text: &str) -> Roster {
        let ignore = text.contains("Notes").then(|| "Notes".to_owned()).into_iter().collect();
        let options = ReadOptions { ignore, ..ReadOptions::default() };
        read(text.as_bytes(), "r", &options).expect("a roster")
    }

    #[test]
    fn a_report_has_the_rows_own_columns_and_then_ours() {
        let roster = roster("Mail, Surname ,Notes,\na@b, Ä ,\"x\"\"y\",\n");
        let report = Report::new(&roster);
        let columns = ["Mail", " Surname ", "Notes", "line", "outcome", "projectEntryId", "enrolmentId", "message"];
        assert_eq!(report.columns(), columns);
        let ended = RowResult::new(Outcome::Enrolled).with_entry(EntryId(7));
        let own = ["a@b", " Ä ", "x\"y"].map(Cell::from);
        let added = [2.into(), "enrolled".into(), 7.into(), Cell::Null, Cell::Null];
        assert!(report.record(0, &ended) == [own.as_slice(), &added].concat());
    }

    #[test]
    fn the_columns_of_an_earlier_report_are_replaced() {
        let roster = roster("email,Notes,line,outcome,projectEntryId,enrolmentId,message\na@b,x,9,refused,,,no\n");
        let report = Report::new(&roster);
        assert_eq!(report.columns()[..2], ["email", "Notes"]);
        assert_eq!(report.columns()[2..], ADDED);
    }

    #[test]
    fn the_rows_to_fix_have_their_original_cells() {
        let roster = roster("email,Notes,birthYear\na@b,fine,1980\nnobody, \"x, y\" ,1980\nc@d,short\n");
        let ends = [Outcome::Enrolled, Outcome::Invalid, Outcome::Invalid].map(RowResult::new);
        let mut out = Vec::new();
        Report::new(&roster).write_failed(&ends, false, &mut out).expect("written");
        let expected = "email,Notes,birthYear\nnobody,\"x, y\",1980\nc@d,short\n";
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    }

    fn begins<const N: usize>(record: &[Cell<'_>], cells: &[Cell<'_>; N]) -> bool {
        record.starts_with(cells)
    }

    #[test]
    fn columns_are_known_by_what_they_mean() {
        let options = ReadOptions {
            ignore: vec!["Notes".to_owned()],
            project_column: Some("Site".to_owned()),
            ..ReadOptions::default()
        };
        let text = "Mail,Year of birth,Notes,fullName,result,Site\na@b.example,1980,x,Al B,HighRisk,Berlin\n";
        let roster = read(text.as_bytes(), "r", &options).expect("a roster");
        let report = Report::new(&roster);
        let own = ["email", "birthYear", "", "fullName", "", "project"];
        assert_eq!(report.fields(), [own.as_slice(), &ADDED].concat());
        assert_eq!(report.in_table(), ["line", "outcome", "projectEntryId", "Mail", "message"]);
    }

    #[test]
    fn an_assigned_reference_id_stands_in_the_column_for_it_or_in_one_of_its_own() {
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("a project id");
        let assigning = |text: &str| {
            let mut roster = roster(text);
            roster.assign_reference_ids();
            roster.assign(project);
            roster
        };
        let ended = RowResult::new(Outcome::Enrolled);
        let roster = assigning("email,referenceId,firstName\na@b.example,,Zoe\nc@d.example,R-2,Kim\n");
        let report = Report::new(&roster);
        let id = roster.assigned(0).expect("an id");
        assert!(begins(&report.record(0, &ended), &["a@b.example".into(), id.into(), "Zoe".into(), 2.into()]));
        assert!(begins(&report.record(1, &ended), &["c@d.example".into(), "R-2".into(), "Kim".into(), 3.into()]));
        assert_eq!(report.in_table(), ["line", "outcome", "projectEntryId", "email", "referenceId", "message"]);

        let roster = assigning("email,firstName\na@b.example,Zoe\n");
        let report = Report::new(&roster);
        let id = roster.assigned(0).expect("an id");
        assert!(begins(&report.record(0, &ended), &["a@b.example".into(), "Zoe".into(), id.into(), 2.into()]));
        assert_eq!(report.fields()[..4], ["email", "firstName", "referenceId", "line"]);
        assert_eq!(report.in_table(), ["line", "outcome", "projectEntryId", "email", "referenceId", "message"]);
    }

    #[test]
    fn a_cell_of_a_file_stays_as_it_was_and_a_person_who_was_named_is_written_as_a_record_has_them() {
        let ended = RowResult::new(Outcome::Enrolled);
        let file = roster("email,birthYear,referenceId,firstName\na@b.example,1980,17,\n");
        let cells = ["a@b.example".into(), "1980".into(), "17".into(), "".into()];
        assert!(begins(&Report::new(&file).record(0, &ended), &cells));
        let person = r#"{"email":"a@b.example","birthYear":1980,"referenceId":"17","firstName":"Zoe"}"#;
        let roster = Roster::of_one(&serde_json::from_str(person).expect("a person"));
        let cells = ["a@b.example".into(), "Zoe".into(), Cell::Null, 1980.into(), "17".into(), "enrolled".into()];
        let report = Report::new(&roster);
        assert!(begins(&report.record(0, &ended), &cells));
        assert!(!report.columns().contains(&LINE.to_owned()), "it stands on no line");
    }
}
