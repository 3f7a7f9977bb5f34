//! Rosters: a file of people (CSV or workbook) becomes rows that are checked before anything is sent.
//!
//! Messages name places and fields. They never quote an e-mail address, a name or a reference id.

mod check;
mod csv_rows;
mod header_words;
mod headers;
mod person;
mod suspicious;
mod text;
mod workbook;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use encoding_rs::Encoding;

use crate::model::person::PersonRef;
use crate::model::show::{shell_word, visible};
use crate::model::verdict::{Failure, Verdict};

use csv_rows::Table;
use headers::Columns;

pub use check::birth_year;
pub use header_words::field_of;
pub use person::Person;
pub use suspicious::lost_zeros;
pub use text::encoding;

/// The largest file that is worth reading, in bytes (our limit): some million rows.
pub const LARGEST: u64 = 256 << 20;

/// A column that means something here: the fields of an enrolment (specification, Create test taker body), and the entry id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    const NAMING: [Self; 3] = [Self::EntryId, Self::ReferenceId, Self::Email];

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

/// What the user said about the file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    pub needs: Needs,
    pub sheet: Option<String>,
    pub encoding: Option<&'static Encoding>,
    /// Which field a header is.
    pub map: Vec<(String, Field)>,
    /// Headers to leave out; `*` is all that are no fields.
    pub ignore: Vec<String>,
    /// The fields in which suspicious values are right.
    pub allow_suspicious: Vec<Field>,
    /// Rows may have the same e-mail address if each has a reference id.
    pub shared_mailboxes: bool,
    /// A header and a value: other rows are left out. Case and white space of the value don't count.
    pub only: Option<(String, String)>,
}

/// A file of people. With a mistake nothing of it should be sent, but `--skip-invalid` can leave out rows with mistakes
/// unless it [`is_blocked`](Self::is_blocked).
#[derive(Debug)]
pub struct Roster {
    /// The file, as messages name it.
    pub name: String,
    /// How the file was understood, in one line.
    pub read_as: String,
    /// The encoding was guessed, which is always said.
    pub is_guessed: bool,
    /// Empty where the file is empty, and in a list without a header.
    pub headers: Vec<Header>,
    /// Without a row the file has nobody; what that means is for the command to say.
    pub rows: Vec<Row>,
    /// All mistakes, in the order of the file.
    pub mistakes: Vec<Mistake>,
    text: String,
    delimiter: u8,
}

impl Roster {
    /// Whether a mistake concerns more than its row: nothing of the file can be trusted.
    pub fn is_blocked(&self) -> bool {
        self.mistakes.iter().any(|mistake| mistake.row.is_none())
    }

    /// What to do about the first mistake for which something can be done.
    pub fn hint(&self) -> Option<&str> {
        self.mistakes.iter().find_map(|mistake| mistake.hint.as_deref())
    }

    /// Whether a column is this field. An empty cell of such a column may clear a value (`--clear-empty`).
    pub fn has(&self, field: Field) -> bool {
        self.headers.iter().any(|header| header.field == Some(field))
    }

    /// The cells of a row as they are in the file.
    pub fn cells(&self, row: &Row) -> Vec<Cow<'_, str>> {
        csv_rows::cells(&self.text[row.at.clone()], self.delimiter)
    }

    /// The values of a row, without outer white space; of a date of birth its year. `None`: there is no column, or the cell is
    /// empty.
    fn values(&self, row: &Row) -> impl Fn(Field) -> Option<String> {
        let cells = self.cells(row);
        move |field| {
            let index = self.headers.iter().position(|header| header.field == Some(field))?;
            let value = check::value_of(cells.get(index)?);
            let value = if field == Field::BirthYear { check::year_of(value) } else { value };
            Some(value.to_owned()).filter(|value| !value.is_empty())
        }
    }

    /// The person of a row; `None` where the row has a mistake.
    pub fn who(&self, row: &Row) -> Option<Person> {
        if !row.is_valid {
            return None;
        }
        if self.headers.is_empty() {
            return self.cells(row)[0].parse::<PersonRef>().ok().map(Person::from);
        }
        let value = self.values(row);
        Some(Person {
            entry_id: value(Field::EntryId).and_then(|id| id.parse().ok()),
            email: value(Field::Email).and_then(|email| email.parse().ok()),
            first_name: value(Field::FirstName).and_then(|name| name.parse().ok()),
            last_name: value(Field::LastName).and_then(|name| name.parse().ok()),
            birth_year: value(Field::BirthYear).and_then(|year| year.parse().ok()),
            reference_id: value(Field::ReferenceId).and_then(|id| id.parse().ok()),
        })
    }
}

/// A column. Without a field it is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// As it is in the file.
    pub name: String,
    pub field: Option<Field>,
}

/// A row that is not blank.
#[derive(Clone, Debug)]
pub struct Row {
    /// The line on which it begins, or its row in the sheet, counted from 1.
    pub line: usize,
    /// Without a mistake of its own.
    pub is_valid: bool,
    at: Range<usize>,
}

/// Something wrong in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line and character, or row and column of the sheet, counted from 1.
    pub at: (usize, usize),
    /// The same with the file (`roster.csv:17:24`) or the sheet (`Sheet1!B17`).
    pub place: String,
    /// The index of the row that is invalid. `None`: the file as a whole is not what it seems, and no row can be skipped.
    pub row: Option<usize>,
    /// Begins with the field it is about.
    pub message: String,
    pub hint: Option<String>,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Where rows come from.
struct Source<'a> {
    /// The file, fit for a terminal.
    file: &'a str,
    /// `None`: it is text.
    sheet: Option<&'a str>,
    delimiter: u8,
    is_guessed: bool,
}

impl Source<'_> {
    /// A mistake at a cell of a row, which blocks the file.
    fn mistake(&self, line: usize, raw: &str, index: usize, message: impl Into<String>) -> Mistake {
        let (at, place) = if let Some(sheet) = self.sheet {
            ((line, index + 1), format!("{}!{}{line}", visible(sheet), workbook::letters(index)))
        } else {
            let (line, column) = csv_rows::place(line, raw, self.delimiter, index);
            ((line, column), format!("{}:{line}:{column}", self.file))
        };
        Mistake { at, place, row: None, message: message.into(), hint: None }
    }

    fn line(&self, line: usize) -> String {
        format!("{} {line}", if self.sheet.is_some() { "row" } else { "line" })
    }
}

fn refused(file: &str, why: &str) -> Failure {
    Failure::new(Verdict::Refused, format!("{file} {why}"))
}

/// A text without outer white space, which includes a stray byte order mark.
fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        // Nearly all values begin and end with a letter or digit.
        [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}'),
    }
}

/// Reads and checks a file of people; the bytes decide whether it is a workbook or text. `name` is what messages call it.
///
/// Fails where the file is no roster (`Refused`), or where an option does not fit it (`Usage`).
pub fn read(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Roster, Failure> {
    let (file, is_workbook) = (&*visible(name), workbook::is_zip(bytes));
    match (is_workbook, &options.sheet, options.encoding) {
        (false, Some(_), _) => Err(Failure::usage(format!("{file} is text and has no sheets: leave out --sheet"))),
        (true, _, Some(_)) => Err(Failure::usage(format!("{file} is a workbook: leave out --encoding"))),
        (false, ..) => read_text(bytes, file, options),
        (true, ..) => read_workbook(bytes, file, options),
    }
}

fn read_text(bytes: &[u8], file: &str, options: &ReadOptions) -> Result<Roster, Failure> {
    let (text, encoding, is_guessed) = text::decode(bytes, file, options.encoding)?;
    let table = Table::of_text(text, |cell| field_of(cell).is_some());
    let source = Source { file, sheet: None, delimiter: table.delimiter, is_guessed };
    let guessed = if is_guessed { " (a guess; --encoding NAME decides)" } else { "" };
    let how = format!("{}{guessed}, separated by {:?}", encoding.name(), char::from(table.delimiter));
    read_table(table, &source, &how, options)
}

fn read_workbook(bytes: &[u8], file: &str, options: &ReadOptions) -> Result<Roster, Failure> {
    let mut book = workbook::Workbook::open(bytes, file)?;
    let (sheet, others) = book.choose(options.sheet.as_deref())?;
    let table = book.read(&sheet)?;
    let has_people = |table: &Table| table.rows().next().is_some_and(|row| headers::has_people(row.cells, options));
    let others = if options.sheet.is_some() || has_people(&table) { Vec::new() } else { others };
    for other in others {
        if has_people(&book.read(&other)?) {
            let why = format!("has no list of people in its first sheet, \"{}\"", visible(&sheet));
            return Err(refused(file, &why).hint(format!("add --sheet {}", shell_word(&other))));
        }
    }
    let source = Source { file, sheet: Some(&sheet), delimiter: table.delimiter, is_guessed: false };
    read_table(table, &source, &format!("sheet \"{}\"", visible(&sheet)), options)
}

/// Finds the header, and checks each row below it.
fn read_table(table: Table, source: &Source, how: &str, options: &ReadOptions) -> Result<Roster, Failure> {
    let (mut columns, mut rows) = (Columns::default(), table.rows());
    if let Some(first) = rows.next() {
        if headers::is_list(first.cells, options) {
            rows = table.rows();
        } else {
            columns = headers::read(&first, source, options)?;
        }
    }
    let mut checker = check::Checker::new(source, options, &columns);
    while let Some(row) = rows.next() {
        checker.take(&row);
    }
    let (rows, mistakes) = checker.finish(&table.text);
    Ok(Roster {
        name: source.file.to_owned(),
        read_as: format!("read as {how}{}", headers::read_as(&columns.headers)),
        is_guessed: source.is_guessed,
        headers: columns.headers,
        rows,
        mistakes,
        delimiter: table.delimiter,
        text: table.text,
    })
}

#[cfg(test)]
mod fixture_tests;
#[cfg(test)]
mod tests;
