//! A roster: a CSV or workbook of people as files really arrive, read and checked before anything is sent.

mod assign_reference_ids;
mod bare_list;
mod birth_date;
#[cfg_attr(not(feature = "xlsx"), allow(dead_code, reason = "a CSV has text alone"))]
mod cell_kind;
mod cell_places;
mod check;
mod compact_rows;
mod csv_cells;
mod csv_record;
mod delimiter;
mod encoding_names;
mod error;
mod fields;
#[cfg(test)]
mod fuzz;
mod header_words;
mod headers;
mod plain_values;
mod project_cells;
mod read_roster;
#[cfg(test)]
mod refusal_tests;
mod row_estimate;
mod suspicious;
#[cfg(test)]
mod tests;
mod text_encoding;
#[cfg(feature = "xlsx")]
mod workbook;
#[cfg(feature = "xlsx")]
mod workbook_limits;
#[cfg_attr(not(feature = "xlsx"), allow(dead_code, reason = "no workbook is read"))]
mod workbook_place;
#[cfg(feature = "xlsx")]
mod workbook_scan;
#[cfg(all(test, feature = "xlsx"))]
mod workbook_tests;

use std::cell::OnceCell;
use std::fmt;

use crate::model::field_rules::{PersonName, ReferenceId};
use crate::model::sanitize::escape_controls;
use crate::model::testtakers::{NewTestTaker, TestTaker};

pub use bare_list::{PREFIXES, prefixed};
pub use cell_places::SheetSource;
pub use delimiter::Delimiter;
pub use encoding_names::Encoding;
pub use error::{GIVE_ROWS, RosterError, get_again};
pub use fields::Field;
pub use headers::{ColumnMap, ColumnMaps, Role, RosterColumns};
pub use project_cells::ProjectCells;
pub use read_roster::{read, read_file};
pub use text_encoding::{Evidence, Guess};

use compact_rows::Rows;
use plain_values::trimmed;

/// What the rows are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To enrol: each needs an e-mail address.
    #[default]
    Enrol,
    /// To name people who are enrolled: by entry id, reference id or e-mail address.
    Name,
    /// To name people by reference id alone.
    NameByReference,
}

/// What is kept of a text that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Its rows.
    #[default]
    Rows,
    /// What is wrong with it, and no cells.
    Mistakes,
}

/// What messages may repeat of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quoting {
    /// Headers, names of sheets, and values that are no person's name or address.
    #[default]
    Usual,
    /// Nothing (`--mask`): sheets, and columns whose headers are not known, go by their numbers.
    Nothing,
}

/// What the user said about the file; everything else is guessed or checked.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// What the rows are for.
    pub purpose: Purpose,
    /// `--sheet`: of a workbook; `None` for the first that is shown.
    pub sheet: Option<String>,
    /// `--encoding`
    pub encoding: Option<Encoding>,
    /// `--delimiter`
    pub delimiter: Option<Delimiter>,
    /// `--map HEADER=FIELD`
    pub map: Vec<ColumnMap>,
    /// `--ignore-column`
    pub ignore: Vec<String>,
    /// `--birth-date HEADER`: the column of whole dates that the year of birth is taken from.
    pub birth_date: Option<String>,
    /// `--project-column HEADER`: the column that names the project of each row.
    pub project_column: Option<String>,
    /// The same reference id or e-mail on several rows is meant.
    pub allow_doubles: bool,
    /// Values that a spreadsheet seems to have spoiled are meant.
    pub allow_suspicious: bool,
    /// What is kept of a text.
    pub keep: Keep,
    /// `--excel`: the file is one of ours for a spreadsheet, whose cells are escaped.
    pub excel: bool,
    /// What messages may repeat of the file.
    pub quoting: Quoting,
}

/// What the file is.
#[derive(Clone, Debug)]
pub enum Form {
    /// Text, and how it was understood.
    Text(Guess),
    /// A sheet of a workbook.
    #[cfg_attr(not(feature = "xlsx"), allow(dead_code, reason = "no workbook is read"))]
    Sheet(SheetSource),
}

/// What a mistake is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The header line.
    Header,
    /// A row as a whole.
    Row,
    /// The last row, in whose middle the file ends: it was cut off, and what stood behind it is missing too.
    CutRow,
    /// The project that a row names.
    Project,
    /// The value of a field.
    Field(Field),
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Header => "header",
            Self::Row | Self::CutRow => "row",
            Self::Project => "project",
            Self::Field(field) => field.name(),
        })
    }
}

/// One mistake of a roster. Quotes no e-mail, name or reference id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line where the cell starts, or row of the sheet, counted from 1.
    pub line: u32,
    /// Character of that line where the cell starts, or column of the sheet, counted from 1.
    pub column: u32,
    /// The row it makes invalid, counted from 0; `None` where the file as a whole cannot be sent.
    pub row: Option<usize>,
    /// What it is about.
    pub about: About,
    /// What is wrong.
    pub message: String,
}

/// A roster that was read and checked.
#[derive(Clone, Debug)]
pub struct Roster {
    /// The file as the user named it.
    pub name: String,
    pub columns: RosterColumns,
    /// What it is.
    pub form: Form,
    /// All mistakes, sorted by line and column.
    pub mistakes: Vec<Mistake>,
    rows: Rows,
    /// The projects that its rows name (`--project-column`).
    pub projects: ProjectCells,
    /// Whether its rows stand in a file, so that they have lines and cells as a person wrote them.
    pub is_file: bool,
    /// Reference ids of rows that have none of their own, empty for the others: known once the project is. `None` where
    /// none are to be assigned.
    assigned: Option<OnceCell<Vec<Box<str>>>>,
}

impl Roster {
    /// A roster of one person who was named otherwise than by a file.
    pub fn of_one(person: &NewTestTaker) -> Self {
        let year = person.birth_year.map(|year| year.to_string());
        let cells = [
            Some(person.email.as_str()),
            person.first_name.as_ref().map(PersonName::as_str),
            person.last_name.as_ref().map(PersonName::as_str),
            year.as_deref(),
            person.reference_id.as_ref().map(ReferenceId::as_str),
        ];
        let mut rows = Rows::default();
        rows.push_cells(1, cells);
        Self { is_file: false, ..Self::ours("the command line", &Field::ALL, rows) }
    }

    /// A roster of these cells, in the order of [`Field::ALL`], which were checked before.
    pub fn of_cells<'a>(name: &str, cells: impl Iterator<Item = [Option<&'a str>; 5]>) -> Self {
        let mut rows = Rows::default();
        for (line, cells) in (2..).zip(cells) {
            rows.push_cells(line, cells);
        }
        Self::ours(name, &Field::ALL, rows)
    }

    /// A roster of people who are enrolled, as a list told them: their reference ids and e-mail addresses.
    pub fn of_people<'a>(people: impl Iterator<Item = &'a TestTaker>) -> Self {
        let mut rows = Rows::default();
        for (line, person) in (1..).zip(people) {
            let cells = [person.reference_id.as_deref(), person.email.as_deref()];
            rows.push_cells(line, cells);
        }
        Self::ours("the project's list", &[Field::ReferenceId, Field::Email], rows)
    }

    fn ours(name: &str, fields: &[Field], rows: Rows) -> Self {
        let guess = Guess { encoding: Encoding::UTF_8, evidence: Evidence::Named, delimiter: Delimiter::Comma };
        Self::of_file(name.to_owned(), RosterColumns::of(fields), Form::Text(guess), rows)
    }

    /// Rows of a file in which nothing is wrong.
    fn of_file(name: String, columns: RosterColumns, form: Form, rows: Rows) -> Self {
        let (mistakes, projects) = (Vec::new(), ProjectCells::default());
        Self { name, columns, form, mistakes, rows, projects, is_file: true, assigned: None }
    }

    /// A roster of other rows of the same file.
    fn with_rows(&self, rows: Rows) -> Self {
        let other = Self::of_file(self.name.clone(), self.columns.clone(), self.form.clone(), rows);
        Self { is_file: self.is_file, ..other }
    }

    /// How many rows it has; blank lines are none.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The line on which a row starts, counted from 1.
    pub fn line(&self, row: usize) -> u32 {
        self.rows.line(row)
    }

    /// The cells of a row as they were.
    pub fn cells(&self, row: usize) -> impl Iterator<Item = &str> {
        self.rows.cells(row)
    }

    /// A value without outer white space; `None` where it is empty or has no column. Of a reference id that was assigned,
    /// that one.
    pub fn value(&self, row: usize, field: Field) -> Option<&str> {
        let cell = self.columns.index_of(field).and_then(|index| self.rows.cells(row).nth(index));
        self.value_of(cell, row, field)
    }

    /// The values of a row in the order of [`Field::ALL`]; its cells are gone through once.
    pub fn values(&self, row: usize) -> [Option<&str>; Field::ALL.len()] {
        let places = Field::ALL.map(|field| self.columns.index_of(field));
        let mut cells = [None; Field::ALL.len()];
        for (index, cell) in self.rows.cells(row).enumerate() {
            for (of_field, place) in cells.iter_mut().zip(places) {
                *of_field = of_field.or((place == Some(index)).then_some(cell));
            }
        }
        let mut cells = cells.into_iter();
        Field::ALL.map(|field| self.value_of(cells.next().flatten(), row, field))
    }

    fn value_of<'s>(&'s self, cell: Option<&'s str>, row: usize, field: Field) -> Option<&'s str> {
        let given = cell.map(trimmed).filter(|cell| !cell.is_empty());
        if field == Field::BirthYear && self.columns.from_birth_date {
            return given.and_then(birth_date::year_of);
        }
        given.or_else(|| self.assigned(row).filter(|_| field == Field::ReferenceId))
    }

    /// The reference id that a row was given here; `None` where it has its own.
    pub fn assigned(&self, row: usize) -> Option<&str> {
        self.assigned.as_ref()?.get()?.get(row).map(AsRef::as_ref).filter(|id: &&str| !id.is_empty())
    }

    /// Whether rows without a reference id are given one.
    pub fn assigns(&self) -> bool {
        self.assigned.is_some()
    }

    /// The person of a row; `None` where the row has a mistake.
    pub fn person(&self, row: usize) -> Option<NewTestTaker> {
        Some(NewTestTaker {
            email: self.value(row, Field::Email)?.parse().ok()?,
            first_name: self.value(row, Field::FirstName).map(str::parse).transpose().ok()?,
            last_name: self.value(row, Field::LastName).map(str::parse).transpose().ok()?,
            birth_year: self.value(row, Field::BirthYear).map(str::parse).transpose().ok()?,
            reference_id: self.value(row, Field::ReferenceId).map(str::parse).transpose().ok()?,
        })
    }

    /// A value that is probably not meant, and why (`--allow-suspicious`): of a person who was not read from a file, whose
    /// values no check has seen.
    pub fn suspicion(&self) -> Option<(Field, String)> {
        let values = (0..self.row_count())
            .flat_map(|row| Field::ALL.into_iter().filter_map(move |field| Some((field, self.value(row, field)?))));
        values.into_iter().find_map(|(field, value)| Some((field, suspicious::suspicion(field, value, true)?)))
    }

    /// Whether a mistake concerns the file as a whole, so that no row of it can be sent.
    pub fn is_blocked(&self) -> bool {
        self.first_block().is_some()
    }

    /// The first mistake that is not a row's alone.
    pub fn first_block(&self) -> Option<&Mistake> {
        self.mistakes.iter().find(|mistake| mistake.row.is_none())
    }

    /// The row in whose middle the file ends.
    pub fn cut_row(&self) -> Option<&Mistake> {
        self.mistakes.iter().find(|mistake| mistake.about == About::CutRow)
    }

    /// The flag that helps with the mistakes of the header.
    pub fn hint(&self) -> Option<String> {
        let is_needed = self.mistakes.iter().any(|mistake| mistake.about == About::Header);
        is_needed.then(|| headers::hint(&self.columns)).flatten()
    }

    /// A mistake as a compiler tells it, without the file's name: `17:24: birthYear: "19x4" is not a whole number`; of a
    /// workbook `Sheet1!B17: birthYear: …`.
    pub fn told(&self, mistake: &Mistake) -> String {
        let Mistake { line, column, about, message, .. } = mistake;
        match self.cell_name(mistake) {
            None => format!("{line}:{column}: {about}: {message}"),
            Some(cell) => format!("{}: {about}: {message}", escape_controls(&cell)),
        }
    }

    /// The cell of a mistake as its spreadsheet names it; `None` of a text.
    pub fn cell_name(&self, mistake: &Mistake) -> Option<String> {
        let sheet = self.sheet()?;
        Some(workbook_place::cell_name(&sheet.name, mistake.line, mistake.column))
    }

    /// The sheet that it was read from; `None` of a text.
    pub fn sheet(&self) -> Option<&SheetSource> {
        match &self.form {
            Form::Text(_) => None,
            Form::Sheet(sheet) => Some(sheet),
        }
    }

    /// What of a sheet is not as it seems on the screen, each in a line.
    pub fn remarks(&self) -> &[String] {
        self.sheet().map_or(&[], |sheet| &sheet.remarks)
    }

    /// Whether the file is what we write ourselves, so that there was nothing to guess: UTF-8, commas, our own headers.
    pub fn is_plain(&self) -> bool {
        let is_ours = match &self.form {
            Form::Text(guess) => guess.is_plain(),
            Form::Sheet(_) => true,
        };
        is_ours
            && self.columns.headers.iter().all(|(name, role)| match role {
                Role::Field(field) => name == field.name() || name == "yearOfBirth",
                Role::ReadOnly | Role::Project => true,
                Role::Ignored | Role::Unnamed | Role::Unknown => false,
            })
    }

    /// How the file was understood, in one line.
    pub fn understanding(&self) -> String {
        let (mut fields, mut unused) = (Vec::new(), Vec::new());
        for (name, role) in &self.columns.headers {
            let name = escape_controls(name.trim());
            match role {
                Role::Field(field) => fields.push(format!("{name} = {field}")),
                Role::Project => fields.push(format!("{name} = project")),
                Role::ReadOnly | Role::Ignored => unused.push(name),
                Role::Unnamed | Role::Unknown => {}
            }
        }
        let unused = if unused.is_empty() { String::new() } else { format!("; not used: {}", unused.join(", ")) };
        let fields = fields.join(", ");
        match &self.form {
            Form::Text(guess) => format!("read as {guess} ({fields}{unused})"),
            Form::Sheet(sheet) => {
                format!("read as a workbook, sheet \"{}\" ({fields}{unused})", escape_controls(&sheet.name))
            }
        }
    }
}
