//! Rosters: a file of people (CSV or workbook) becomes rows that are checked before anything is sent.
//!
//! Messages name places and fields. They never quote an e-mail address, a name or a reference id.

mod check;
mod csv_rows;
mod header_words;
mod headers;
mod options;
mod suspicious;
mod text;
mod workbook;

use std::ops::Range;
use std::str::FromStr;

use csv::StringRecord;

use crate::model::show::{shell_word, visible};
use crate::model::spreadsheet::unescape;
use crate::model::verdict::{Failure, Verdict};

use check::{check, year_of};
use csv_rows::Table;
use headers::index_of;

pub use check::birth_year;
pub use options::{ReadOptions, SuspiciousArgs};
pub use suspicious::suspicion;

/// The largest file that is worth reading, in bytes (our limit): some million rows.
pub const LARGEST: u64 = 256 << 20;

/// A column that means something here: the fields of an enrolment (specification, Create test taker body), and the entry id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    Email,
    FirstName,
    LastName,
    BirthYear,
    ReferenceId,
    EntryId,
}

impl Field {
    pub const ALL: [Self; 6] =
        [Self::Email, Self::FirstName, Self::LastName, Self::BirthYear, Self::ReferenceId, Self::EntryId];
    /// The fields that identify an enrolled person, the surest first.
    pub const NAMING: [Self; 3] = [Self::EntryId, Self::ReferenceId, Self::Email];

    /// The specification's name.
    pub fn name(self) -> &'static str {
        ["email", "firstName", "lastName", "birthYear", "referenceId", "projectEntryId"][self as usize]
    }
}

/// What the rows are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Needs {
    /// To enrol: each row needs an e-mail address, and names a person whom no other row names.
    #[default]
    Enrolment,
    /// To update: each row names an enrolled person, whom no other row names; its other values are new ones.
    Update,
    /// To name enrolled people, by entry id, reference id or e-mail address. A file without a header has one person a line.
    Person,
}

impl Needs {
    /// The fields that are read. Columns of other fields are left out.
    fn fields(self) -> &'static [Field] {
        match self {
            Self::Enrolment => &Field::ALL[..5],
            Self::Update => &[Field::EntryId, Field::ReferenceId, Field::Email, Field::FirstName, Field::LastName],
            Self::Person => &Field::NAMING,
        }
    }

    /// The fields of which a file needs one.
    fn naming(self) -> &'static [Field] {
        if self == Self::Enrolment { &[Field::Email] } else { &Field::NAMING }
    }
}

/// A file of people. With a mistake nothing of it should be sent, but `--skip-invalid` can leave out rows with mistakes
/// unless one of them concerns more than its row.
#[derive(Debug)]
pub struct Roster {
    pub table: Table,
    /// How the file was understood, in one line.
    pub read_as: String,
    /// Columns or rows are left out, which scripts should say too.
    pub leaves_out: bool,
    /// Empty where the file is empty, and in a list without a header.
    pub headers: Vec<Header>,
    /// Without a row the file has nobody; what that means is for the command to say.
    pub rows: Vec<Row>,
    /// All mistakes, in the order of the file.
    pub mistakes: Vec<Mistake>,
}

impl Roster {
    /// The cells of a row as they are in the file.
    pub fn cells(&self, row: &Row) -> StringRecord {
        csv_rows::cells(&self.table.text[row.at.clone()], self.table.delimiter)
    }

    /// The value of a field in the cells of a row, if it has a right one.
    pub fn value<T: FromStr>(&self, cells: &StringRecord, field: Field) -> Option<T> {
        let value = unescape(trimmed(cells.get(index_of(&self.headers, field)?)?));
        (if field == Field::BirthYear { year_of(value) } else { value }).parse().ok()
    }
}

/// A column. Without a field it is not read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// As it is in the file.
    pub name: String,
    pub field: Option<Field>,
}

/// A row that is not blank.
#[derive(Clone, Debug, Hash)]
pub struct Row {
    /// The line on which it begins, or its row in the sheet, counted from 1.
    pub line: usize,
    /// Where it is in the text.
    at: Range<usize>,
}

/// Something wrong in the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct Mistake {
    /// Line and character, or row and column of the sheet, counted from 1.
    pub at: (usize, usize),
    /// The same with the file (`roster.csv:17:24`) or the sheet (`Sheet1!B17`).
    pub place: String,
    /// The index of the row that is invalid. `None`: the file as a whole is not what it seems, and no row can be skipped.
    pub row: Option<usize>,
    /// Begins with the field it is about, if it is about one.
    pub message: String,
    pub hint: Option<String>,
}

fn refused(file: &str, why: &str) -> Failure {
    Failure::new(Verdict::Refused, format!("{file} {why}"))
}

/// White space, which includes a stray byte order mark, and the mark with which DOS programs end a file.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{1a}')
}

/// A text without outer white space.
fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        // Nearly all values begin and end with a letter or digit.
        [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim_matches(is_blank),
    }
}

/// Reads and checks a file of people; the bytes decide whether it is a workbook or text. `name` is what messages call it.
///
/// Fails where the file is no roster (`Refused`), or where an option does not fit it (`Usage`).
pub fn read(bytes: Vec<u8>, name: &str, options: &ReadOptions) -> Result<Roster, Failure> {
    let (file, is_workbook) =
        (visible(name).into_owned(), bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06"));
    match (is_workbook, &options.sheet, options.encoding) {
        (false, Some(_), _) => Err(Failure::usage(format!("{file} is text and has no sheets: leave out --sheet"))),
        (true, _, Some(_)) => Err(Failure::usage(format!("{file} is a workbook: leave out --encoding"))),
        (false, ..) => read_text(bytes, file, options),
        (true, ..) => read_workbook(&bytes, &file, options),
    }
}

fn read_text(bytes: Vec<u8>, file: String, options: &ReadOptions) -> Result<Roster, Failure> {
    let (text, encoding, is_guessed) = text::decode(bytes, &file, options.encoding)?;
    let table = Table::of_text(text, file, is_guessed);
    let guessed = if is_guessed { " (a guess; --encoding NAME decides)" } else { "" };
    let how = format!("{}{guessed}, separated by {:?}", encoding.name(), char::from(table.delimiter));
    read_table(table, &how, options)
}

fn read_workbook(bytes: &[u8], file: &str, options: &ReadOptions) -> Result<Roster, Failure> {
    let mut book = workbook::open(bytes, file)?;
    let (sheet, others) = workbook::choose(&book, file, options.sheet.as_deref())?;
    let table = workbook::read(&mut book, file, &sheet)?;
    // There may be titles above the header.
    let has_people = |table: &Table| table.find_row(|row| headers::has_people(row, options).then_some(())).is_some();
    let is_list = |other: &String| workbook::read(&mut book, file, other).is_ok_and(|table| has_people(&table));
    let others: Vec<String> = others.into_iter().filter(is_list).collect();
    match &others[..] {
        [other, ..] if !has_people(&table) => {
            let why = format!("has no list of people in its first sheet, \"{}\"", visible(&sheet));
            Err(refused(file, &why).hint(format!("add --sheet {}", shell_word(other))))
        }
        [] => read_table(table, &format!("sheet \"{}\"", visible(&sheet)), options),
        _ => {
            let how = format!("sheet \"{}\", and not {}", visible(&sheet), visible(&others.join(", ")));
            Ok(Roster { leaves_out: true, ..read_table(table, &how, options)? })
        }
    }
}

/// Finds the header, and checks each row below it.
fn read_table(table: Table, how: &str, options: &ReadOptions) -> Result<Roster, Failure> {
    let columns = table.find_row(|first| Some(headers::read(first, &table, options))).transpose()?.unwrap_or_default();
    let (rows, mistakes, repeats) = check(&table, options, &columns);
    let (columns_as, leaves_out) = headers::read_as(&columns);
    let repeated = if repeats > 0 { format!("; repeated rows left out: {repeats}") } else { String::new() };
    let read_as = format!("read as {how}{columns_as}{repeated}");
    Ok(Roster { table, read_as, leaves_out: leaves_out || repeats > 0, headers: columns.headers, rows, mistakes })
}

#[cfg(test)]
mod fixture_tests;
#[cfg(test)]
mod tests;
