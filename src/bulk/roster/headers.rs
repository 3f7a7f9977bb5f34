//! From header cells to fields: recognises padded, differently cased and differently spelled headers.

use std::fmt;
use std::str::FromStr;

use crate::model::near::nearest;
use crate::model::sanitize::escape_controls;
use crate::model::text::Email;

use super::records::{Delimiter, Record};
use super::{Mistake, Purpose, ReadOptions, RosterError};

/// What a roster says of a person: the fields of the enrolment body (specification, Create test taker body).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// `email`
    Email,
    /// `firstName`
    FirstName,
    /// `lastName`
    LastName,
    /// `birthYear`; a list's `yearOfBirth` is the same.
    BirthYear,
    /// `referenceId`
    ReferenceId,
    /// `projectEntryId`, or the `id` of a list: only where rows name people who are enrolled.
    EntryId,
}

impl Field {
    /// Those of an enrolment, in the order of the specification.
    pub const ALL: [Self; 5] = [Self::Email, Self::FirstName, Self::LastName, Self::BirthYear, Self::ReferenceId];

    /// The specification's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::FirstName => "firstName",
            Self::LastName => "lastName",
            Self::BirthYear => "birthYear",
            Self::ReferenceId => "referenceId",
            Self::EntryId => "projectEntryId",
        }
    }

    /// How headers spell it, in the form of [`plain`].
    fn spellings(self) -> &'static [&'static str] {
        match self {
            Self::Email => &["email", "mail", "emailaddress", "mailaddress", "emailid"],
            Self::FirstName => &["firstname", "first", "givenname", "givennames", "given", "forename", "forenames"],
            Self::LastName => &["lastname", "last", "surname", "familyname", "family"],
            Self::BirthYear => &["birthyear", "yearofbirth", "yearborn", "yob"],
            Self::ReferenceId => &[
                "referenceid",
                "refid",
                "reference",
                "ref",
                "referencenumber",
                "referenceno",
                "refno",
                "externalid",
                "employeeid",
                "employeenumber",
                "employeeno",
                "personnelnumber",
                "staffid",
                "staffnumber",
                "badgeid",
                "badgenumber",
                "driverid",
                "drivernumber",
            ],
            Self::EntryId => &["projectentryid", "entryid", "id"],
        }
    }

    /// The field that a header in the form of [`plain`] means.
    fn recognise(header: &str) -> Option<Self> {
        let spelled = |text: &str| Self::ALL.into_iter().find(|field| field.spellings().contains(&text));
        let whose = ["employee", "worker", "staff", "person", "user", "work", "testtaker"];
        spelled(header).or_else(|| whose.iter().find_map(|prefix| spelled(header.strip_prefix(prefix)?)))
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Field {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::recognise(&plain(text)).ok_or_else(|| {
            format!("{text:?} is not a field: email, firstName, lastName, birthYear and referenceId are")
        })
    }
}

/// `--map HEADER=FIELD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnMap {
    /// The header as it stands in the file; case, white space and punctuation do not count.
    pub header: String,
    /// What it means.
    pub field: Field,
}

impl FromStr for ColumnMap {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (header, field) = text.rsplit_once('=').ok_or_else(|| format!("{text:?} is not HEADER=FIELD"))?;
        Ok(Self { header: header.trim().to_owned(), field: field.trim().parse()? })
    }
}

/// The columns of our own lists and reports that say nothing about whom to enrol, spelled exactly as we write them.
const READ_ONLY: [&str; 14] = [
    "fullName",
    "result",
    "status",
    "dateCompleted",
    "lastTestSentUtc",
    "topPerformer",
    "identityVerified",
    "identityStatus",
    "line",
    "outcome",
    "projectEntryId",
    "enrolmentId",
    "message",
    "id",
];

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A field of the enrolment.
    Field(Field),
    /// A column of our own lists or reports; not used.
    ReadOnly,
    /// Named by `--ignore-column`.
    Ignored,
    /// No header: its cells must be empty.
    Unnamed,
    /// Not recognised: a mistake.
    Unknown,
}

/// The columns of a roster.
#[derive(Clone, Debug)]
pub struct Columns {
    /// The headers as they were, with the role of each.
    pub headers: Vec<(String, Role)>,
    places: [Option<usize>; 6],
}

impl Columns {
    /// One column for each field, under its own name.
    pub(super) fn all() -> Self {
        let headers = Field::ALL.map(|field| (field.name().to_owned(), Role::Field(field))).into();
        Self { headers, places: [Some(0), Some(1), Some(2), Some(3), Some(4), None] }
    }

    /// The columns of a list of people.
    pub(super) fn of_people() -> Self {
        let headers = [Field::ReferenceId, Field::Email].map(|field| (field.name().to_owned(), Role::Field(field)));
        let mut places = [None; 6];
        (places[Field::ReferenceId as usize], places[Field::Email as usize]) = (Some(0), Some(1));
        Self { headers: headers.into(), places }
    }

    /// Which cell of a row holds a field.
    pub fn index_of(&self, field: Field) -> Option<usize> {
        self.places[field as usize]
    }

    /// How many columns have a header: a row may be shorter than the header line only by columns without one.
    pub(super) fn least(&self) -> usize {
        self.headers.iter().rposition(|(_, role)| *role != Role::Unnamed).map_or(0, |index| index + 1)
    }
}

/// A header without case, white space and punctuation.
fn plain(header: &str) -> String {
    header.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a header is the one that a flag names.
fn is_named(header: &str, name: &str) -> bool {
    header.trim() == name.trim() || (!plain(name).is_empty() && plain(header) == plain(name))
}

/// How well a delimiter explains a header line: recognised headers count first, then the number of columns.
fn fit(line: &str, delimiter: Delimiter) -> (usize, usize) {
    let cells: Vec<&str> = line.split(char::from(delimiter.byte())).collect();
    let known =
        cells.iter().filter(|cell| Field::recognise(&plain(cell)).is_some() || READ_ONLY.contains(&cell.trim()));
    (known.count(), cells.len())
}

/// The delimiter that explains the header line best; the comma where none stands in it.
pub(super) fn guess_delimiter(text: &str) -> Delimiter {
    let line = text.split(['\n', '\r']).find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut best = (Delimiter::Comma, fit(line, Delimiter::Comma));
    for delimiter in Delimiter::ALL {
        let fit = fit(line, delimiter);
        if fit > best.1 {
            best = (delimiter, fit);
        }
    }
    best.0
}

/// The delimiter of the line `sep=;` that some files for Excel start with.
pub(super) fn declared_delimiter(text: &str) -> Option<Delimiter> {
    let line = text.split(['\n', '\r']).next()?;
    let declared = line.get(..4).filter(|start| start.eq_ignore_ascii_case("sep="))?;
    line[declared.len()..].parse().ok()
}

fn no_header(record: &Record, why: &'static str) -> RosterError {
    let hint = "put a line such as email,firstName,lastName,birthYear,referenceId on top";
    RosterError::NoHeader { line: record.place().line, why, hint: hint.to_owned() }
}

/// Whether a record names a field, whatever stands between its cells.
pub(super) fn names_a_field(record: &Record) -> bool {
    let is_field = |cell: &str| Field::recognise(&plain(cell)).is_some();
    record.cells().any(|(cell, _)| cell.split([',', ';', '\t', '|']).any(is_field))
}

/// Gives each column its role; what is wrong with the headers is added to the mistakes.
pub(super) fn read_headers(
    record: &Record,
    options: &ReadOptions,
    mistakes: &mut Vec<Mistake>,
) -> Result<Columns, RosterError> {
    if record.cells().any(|(cell, _)| Email::check(cell.trim()).is_ok()) {
        return Err(no_header(record, "holds an e-mail address"));
    }
    all_named_exist(record, options)?;
    let ours = record.cells().any(|(cell, _)| cell.trim() == "fullName");
    let headers: Vec<_> = record.cells().map(|(cell, _)| (cell.to_owned(), role(cell, options, ours))).collect();
    let is_unknown = |(_, role): &(String, Role)| matches!(role, Role::Unknown | Role::Unnamed);
    if headers.iter().all(is_unknown) && record.cells().all(|(cell, _)| did_you_mean(cell).is_none()) {
        return Err(no_header(record, "names none of the fields"));
    }
    let mut columns = Columns { headers, places: [None; 6] };
    unknown_headers(&columns, record, mistakes);
    place_fields(&mut columns, options.purpose, record, mistakes);
    Ok(columns)
}

fn all_named_exist(record: &Record, options: &ReadOptions) -> Result<(), RosterError> {
    let exists = |name: &str| record.cells().any(|(cell, _)| is_named(cell, name));
    let mapped = options.map.iter().map(|map| ("--map", map.header.as_str()));
    let ignored = options.ignore.iter().map(|name| ("--ignore-column", name.as_str()));
    match mapped.chain(ignored).find(|(_, name)| !exists(name)) {
        Some((flag, name)) => Err(RosterError::NoSuchColumn {
            flag,
            name: name.to_owned(),
            headers: record.cells().map(|(cell, _)| cell.trim().to_owned()).filter(|cell| !cell.is_empty()).collect(),
        }),
        None => Ok(()),
    }
}

/// `ours` says that the file looks like one of our own lists: only there is a bare `id` the service's and not the
/// employee's.
fn role(header: &str, options: &ReadOptions, ours: bool) -> Role {
    if options.ignore.iter().any(|name| is_named(header, name)) {
        return Role::Ignored;
    }
    if let Some(map) = options.map.iter().find(|map| is_named(header, &map.header)) {
        return Role::Field(map.field);
    }
    let names_entries = |name: &str| Field::EntryId.spellings().contains(&plain(name).as_str());
    match header.trim() {
        "" => Role::Unnamed,
        name if options.purpose == Purpose::Name && names_entries(name) => Role::Field(Field::EntryId),
        "id" if !ours => Role::Unknown,
        name if READ_ONLY.contains(&name) => Role::ReadOnly,
        name => Field::recognise(&plain(name)).map_or(Role::Unknown, Role::Field),
    }
}

/// One mistake that names all unknown headers together.
fn unknown_headers(columns: &Columns, record: &Record, mistakes: &mut Vec<Mistake>) {
    let unknown = || record.cells().zip(&columns.headers).filter(|(_, (_, role))| *role == Role::Unknown);
    let Some(((_, place), _)) = unknown().next() else { return };
    let names: Vec<String> = unknown().map(|((cell, _), _)| named(cell.trim())).collect();
    let kind = if names.len() == 1 { "unknown header" } else { "unknown headers" };
    mistakes.push(Mistake::of_header(place, format!("{kind} {}", names.join(", "))));
}

fn named(header: &str) -> String {
    let shown = escape_controls(header);
    match did_you_mean(header) {
        Some(field) => format!("\"{shown}\" (did you mean {field}?)"),
        None => format!("\"{shown}\""),
    }
}

fn did_you_mean(header: &str) -> Option<Field> {
    if plain(header) == "id" {
        return Some(Field::ReferenceId);
    }
    let spellings = Field::ALL.into_iter().flat_map(|field| field.spellings().iter().copied());
    nearest(header, spellings).and_then(Field::recognise)
}

/// Notes where each field stands: two headers for one field, and none for the e-mail, are mistakes.
fn place_fields(columns: &mut Columns, purpose: Purpose, record: &Record, mistakes: &mut Vec<Mistake>) {
    for (index, (cell, place)) in record.cells().enumerate() {
        let Role::Field(field) = columns.headers[index].1 else { continue };
        match columns.places[field as usize] {
            None => columns.places[field as usize] = Some(index),
            Some(first) => {
                let (first, second) = (escape_controls(columns.headers[first].0.trim()), escape_controls(cell.trim()));
                let message = format!("\"{first}\" and \"{second}\" are both {field}");
                mistakes.push(Mistake::of_header(place, message));
            }
        }
    }
    let has = |field| columns.index_of(field).is_some();
    let message = match purpose {
        Purpose::Enrol if !has(Field::Email) => "no column is the e-mail address, which every test taker needs",
        Purpose::Name if ![Field::EntryId, Field::ReferenceId, Field::Email].into_iter().any(has) => {
            "no column says which person a row means: an entry id, a reference id or an e-mail address"
        }
        _ => return,
    };
    mistakes.push(Mistake::of_header(record.place(), message.to_owned()));
}

/// The flags that help with the mistakes of the header.
pub(super) fn hint(columns: &Columns) -> Option<String> {
    let unknown = columns.headers.iter().filter(|(_, role)| *role == Role::Unknown).map(|(name, _)| name.trim());
    let mut meant: Vec<(&str, Field)> = Vec::new();
    let mut foreign = Vec::new();
    for header in unknown {
        match did_you_mean(header) {
            Some(field) if columns.index_of(field).is_none() && meant.iter().all(|(_, other)| *other != field) => {
                meant.push((header, field));
            }
            _ => foreign.push(header),
        }
    }
    let mut flags: Vec<String> =
        meant.iter().map(|(header, field)| format!("--map {}", shell_word(&format!("{header}={field}")))).collect();
    if !foreign.is_empty() {
        flags.push(format!("--ignore-column {}", shell_word(&foreign.join(","))));
        return Some(format!("add {}; --map HEADER=FIELD keeps a column instead", flags.join(" ")));
    }
    if !flags.is_empty() {
        return Some(format!("add {}", flags.join(" ")));
    }
    columns
        .index_of(Field::Email)
        .is_none()
        .then(|| "add --map HEADER=email to name the column of the e-mail address".to_owned())
}

/// A word that a shell takes as it is.
fn shell_word(text: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "_-.,:@+/=".contains(c);
    let text = escape_controls(text);
    if text.chars().all(safe) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
