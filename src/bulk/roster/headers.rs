//! From header cells to fields: recognises padded, differently cased and differently spelled headers.

use super::error::{ADDRESSES, NAMES, NUMBERS};
use std::str::FromStr;

use crate::model::did_you_mean::nearest;
use crate::model::failure::Failure;
use crate::model::field_rules::Email;
use crate::model::sanitize::escape_controls;
use crate::model::shell_word::shell_word;

use super::csv_record::CsvRecord;
use super::delimiter::Delimiter;
use super::fields::Field;
use super::header_words::{Unmapped, field_beside, field_of, folded, spellings, unmapped};
use super::{About, Mistake, Purpose, Quoting, ReadOptions, RosterError};

/// The field that a header in the form of [`folded`] means.
fn recognise(header: &str) -> Option<Field> {
    let whose = ["employee", "worker", "staff", "person", "user", "work", "testtaker"];
    field_of(header).or_else(|| whose.iter().find_map(|prefix| field_of(header.strip_prefix(prefix)?)))
}

impl FromStr for Field {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        recognise(&folded(text)).ok_or_else(|| {
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
    type Err = Failure;
    fn from_str(text: &str) -> Result<Self, Failure> {
        let cut = text.rsplit_once('=').map(|(header, field)| (header.trim(), field.trim()));
        let (header, field) = cut.ok_or_else(|| Failure::usage(format!("{text:?} is not HEADER=FIELD")))?;
        match (field.parse(), header.parse::<Field>()) {
            (Ok(field), _) => Ok(Self { header: header.to_owned(), field }),
            (Err(why), Ok(meant)) => Err(Failure::usage(why).hint(header_first(field, meant))),
            (Err(why), Err(_)) => Err(Failure::usage(why)),
        }
    }
}

/// What to type where a field stood before its header.
fn header_first(header: &str, field: Field) -> String {
    format!("the header stands first: `--map {}`", shell_word(&format!("{header}={field}")))
}

/// One `--map`, or several with commas between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnMaps(pub Vec<ColumnMap>);

impl FromStr for ColumnMaps {
    type Err = Failure;
    fn from_str(text: &str) -> Result<Self, Failure> {
        // A comma may also be part of a header.
        let is_list = text.split(',').all(|part| part.contains('='));
        let parts = if is_list { text.split(',').collect() } else { vec![text] };
        parts.into_iter().map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

/// The columns of our own lists and reports that no enrolment needs, spelled exactly as we write them.
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
    /// Names the project of each row (`--project-column`).
    Project,
    /// A column of our own lists or reports; not used.
    ReadOnly,
    /// Named by `--ignore-column`.
    Ignored,
    /// No header: its cells must be empty.
    Unnamed,
    /// Not recognised: a mistake.
    Unknown,
}

#[derive(Clone, Debug)]
pub struct RosterColumns {
    /// The headers as they were, with the role of each.
    pub headers: Vec<(String, Role)>,
    places: [Option<usize>; 6],
    /// Which cell of a row names its project (`--project-column`).
    pub(super) project: Option<usize>,
    /// The year of birth stands in whole dates (`--birth-date`).
    pub(super) from_birth_date: bool,
    /// No message repeats a header that is not known.
    hides_text: bool,
}

impl RosterColumns {
    /// A column for each of these fields, under its own name.
    pub(super) fn of(fields: &[Field]) -> Self {
        let mut places = [None; 6];
        for (place, field) in fields.iter().enumerate() {
            places[*field as usize] = Some(place);
        }
        let headers = fields.iter().map(|field| (field.name().to_owned(), Role::Field(*field))).collect();
        Self { headers, places, project: None, from_birth_date: false, hides_text: false }
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

/// Whether a cell is a header that we know.
pub(super) fn is_known(cell: &str) -> bool {
    recognise(&folded(cell)).is_some() || READ_ONLY.contains(&cell.trim())
}

/// Whether a header is the one that a flag names.
fn is_named(header: &str, name: &str) -> bool {
    header.trim() == name.trim() || (!folded(name).is_empty() && folded(header) == folded(name))
}

fn no_header(record: &CsvRecord, why: &'static str, purpose: Purpose) -> RosterError {
    let hint = match purpose {
        Purpose::Enrol => {
            "if this is the header, name its columns with --map HEADER=email; else put a line such as \
             email,firstName,lastName,birthYear,referenceId on top"
        }
        Purpose::Name => match record.texts().next().unwrap_or_default().trim() {
            first if first.contains('@') => ADDRESSES,
            first if !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit()) => NUMBERS,
            _ => NAMES,
        },
        Purpose::NameByReference => "put a line such as referenceId on top",
    };
    RosterError::NoHeader { unit: record.unit(), line: record.place().line, why, hint: hint.to_owned() }
}

/// Whether a record names a field, whatever stands between its cells.
pub(super) fn names_a_field(record: &CsvRecord) -> bool {
    let mut parts = record.texts().flat_map(|cell| cell.split(Delimiter::ALL.map(Delimiter::char)));
    parts.any(|part| recognise(&folded(part)).is_some())
}

/// Gives each column its role; what is wrong with the headers is added to the mistakes.
pub(super) fn read_headers(
    record: &CsvRecord,
    options: &ReadOptions,
    mistakes: &mut Vec<Mistake>,
) -> Result<RosterColumns, RosterError> {
    if record.texts().any(|cell| Email::check(cell.trim()).is_ok()) {
        return Err(no_header(record, "holds an e-mail address", options.purpose));
    }
    all_named_exist(record, options)?;
    let ours = record.texts().any(|cell| cell.trim() == "fullName");
    let mut headers: Vec<_> = record.texts().map(|cell| (cell.to_owned(), role(cell, options, ours))).collect();
    parts_of_names(&mut headers);
    let are_unknown = headers.iter().all(|(_, role)| matches!(role, Role::Unknown | Role::Unnamed));
    if are_unknown && record.texts().all(|cell| did_you_mean(cell).is_none()) {
        return Err(no_header(record, "names none of the fields", options.purpose));
    }
    let project = headers.iter().position(|(_, role)| *role == Role::Project);
    let from_birth_date = options.birth_date.is_some();
    let hides_text = options.quoting == Quoting::Nothing;
    let mut columns = RosterColumns { headers, places: [None; 6], project, from_birth_date, hides_text };
    unknown_headers(&columns, record, mistakes);
    place_fields(&mut columns, options.purpose, record, mistakes);
    Ok(columns)
}

fn all_named_exist(record: &CsvRecord, options: &ReadOptions) -> Result<(), RosterError> {
    let mapped = options.map.iter().map(|map| ("--map", map.header.as_str()));
    let ignored = options.ignore.iter().map(|name| ("--ignore-column", name.as_str()));
    let dated = options.birth_date.iter().map(|name| ("--birth-date", name.as_str()));
    let parted = options.project_column.iter().map(|name| ("--project-column", name.as_str()));
    let mut wanted = mapped.chain(ignored).chain(dated).chain(parted);
    let absent = wanted.find(|(_, name)| record.texts().all(|cell| !is_named(cell, name)));
    let Some((flag, name)) = absent else { return Ok(()) };
    let headers = shown_headers(record, options);
    let map = options.map.iter().find(|map| flag == "--map" && map.header == name);
    let turned = map.and_then(|map| turned(map, &headers));
    let headers = (options.quoting == Quoting::Usual).then_some(headers);
    Err(RosterError::NoSuchColumn { flag, name: name.to_owned(), headers, turned })
}

/// What to type instead of a map whose header is a field's name, and whose field is a header of the file.
fn turned(map: &ColumnMap, headers: &[String]) -> Option<String> {
    let field = map.header.parse().ok()?;
    let header = headers.iter().find(|header| recognise(&folded(header)) == Some(map.field))?;
    Some(header_first(header, field))
}

/// The headers as a message shows them; none where the line may be a person's, because nothing says what a cell is.
fn shown_headers(record: &CsvRecord, options: &ReadOptions) -> Vec<String> {
    let cells: Vec<String> =
        record.texts().map(|cell| cell.trim().to_owned()).filter(|cell| !cell.is_empty()).collect();
    let is_header = cells.iter().any(|cell| means_a_field(cell, options) || did_you_mean(cell).is_some());
    if is_header { cells } else { Vec::new() }
}

/// `ours` says that the file looks like one of our own lists: only there is a bare `id` the service's and not the
/// employee's.
fn role(header: &str, options: &ReadOptions, ours: bool) -> Role {
    if options.project_column.as_ref().is_some_and(|name| is_named(header, name)) {
        return Role::Project;
    }
    if options.ignore.iter().any(|name| is_named(header, name)) {
        return Role::Ignored;
    }
    if let Some(map) = options.map.iter().find(|map| is_named(header, &map.header)) {
        return Role::Field(map.field);
    }
    if options.birth_date.as_ref().is_some_and(|name| is_named(header, name)) {
        return Role::Field(Field::BirthYear);
    }
    match header.trim() {
        "" => Role::Unnamed,
        name if options.purpose != Purpose::Enrol && is_entry_id(name) => Role::Field(Field::EntryId),
        "id" if !ours => Role::Unknown,
        name if READ_ONLY.contains(&name) => Role::ReadOnly,
        name => recognise(&folded(name)).map_or(Role::Unknown, Role::Field),
    }
}

fn is_entry_id(header: &str) -> bool {
    spellings(Field::EntryId).any(|word| word == folded(header))
}

/// Whether a header says what stands below it, by itself or by a flag.
pub(super) fn means_a_field(header: &str, options: &ReadOptions) -> bool {
    role(header, options, false) != Role::Unknown
}

/// Takes words such as `Nom` for a part of a name, where a column for the other part stands beside them.
fn parts_of_names(headers: &mut [(String, Role)]) {
    let known: Vec<Role> = headers.iter().map(|(_, role)| *role).collect();
    for (header, role) in headers.iter_mut().filter(|(_, role)| *role == Role::Unknown) {
        let meant = field_beside(&folded(header), |field| known.contains(&Role::Field(field)));
        *role = meant.map_or(Role::Unknown, Role::Field);
    }
}

/// One mistake that names all unknown headers together.
fn unknown_headers(columns: &RosterColumns, record: &CsvRecord, mistakes: &mut Vec<Mistake>) {
    let cells = (1..).zip(record.cells()).zip(&columns.headers);
    let unknown: Vec<_> = cells.filter(|(_, (_, role))| *role == Role::Unknown).map(|(cell, _)| cell).collect();
    let Some((_, (_, place))) = unknown.first().copied() else { return };
    let names = unknown.iter().map(|(number, (cell, _))| named(cell.trim(), *number, columns.hides_text));
    let names: Vec<String> = names.collect();
    let kind = if names.len() == 1 { "unknown header" } else { "unknown headers" };
    mistakes.push(Mistake::new(place, None, About::Header, format!("{kind} {}", names.join(", "))));
}

/// A header in a message, or its number among the columns.
fn named(header: &str, number: usize, hidden: bool) -> String {
    let shown = if hidden { format!("#{number}") } else { format!("\"{}\"", escape_controls(header)) };
    match did_you_mean(header) {
        Some(field) => format!("{shown} (did you mean {field}?)"),
        None => shown,
    }
}

fn did_you_mean(header: &str) -> Option<Field> {
    if folded(header) == "id" {
        return Some(Field::ReferenceId);
    }
    // A first name such as Ann is the beginning of many a word.
    if unmapped(&folded(header)).is_some() || folded(header).chars().count() < 4 {
        return None;
    }
    nearest(header, Field::ALL.into_iter().flat_map(spellings)).and_then(recognise)
}

/// The fields that say which person a row means.
const NAMING: [Field; 3] = [Field::EntryId, Field::ReferenceId, Field::Email];

/// Notes where each field stands: two headers for one field, and none for the e-mail, are mistakes.
fn place_fields(columns: &mut RosterColumns, purpose: Purpose, record: &CsvRecord, mistakes: &mut Vec<Mistake>) {
    for (index, (cell, place)) in record.cells().enumerate() {
        if columns.headers[index].1 == Role::Project && columns.project != Some(index) {
            let shown = escape_controls(cell.trim()).into_owned();
            mistakes.push(Mistake::new(place, None, About::Header, format!("two columns are named \"{shown}\"")));
        }
        let Role::Field(field) = columns.headers[index].1 else { continue };
        match columns.places[field as usize] {
            None => columns.places[field as usize] = Some(index),
            Some(first) => {
                let (first, second) = (escape_controls(columns.headers[first].0.trim()), escape_controls(cell.trim()));
                let message = format!("\"{first}\" and \"{second}\" are both {field}");
                mistakes.push(Mistake::new(place, None, About::Header, message));
            }
        }
    }
    let message = match purpose {
        Purpose::Enrol if columns.index_of(Field::Email).is_none() => {
            "no column is the e-mail address, which every test taker needs"
        }
        Purpose::Name if NAMING.into_iter().all(|field| columns.index_of(field).is_none()) => {
            "no column says which person a row means: an entry id, a reference id or an e-mail address"
        }
        Purpose::NameByReference if columns.index_of(Field::ReferenceId).is_none() => {
            "no column is the reference id, by which a result is read"
        }
        _ => return,
    };
    mistakes.push(Mistake::new(record.place(), None, About::Header, message.to_owned()));
}

/// The flags that help with the mistakes of the header: one line to paste that has a place for every unknown column.
pub(super) fn hint(columns: &RosterColumns) -> Option<String> {
    let unknown = columns.headers.iter().filter(|(_, role)| *role == Role::Unknown).map(|(name, _)| name.trim());
    if columns.hides_text && unknown.clone().next().is_some() {
        return Some("without --mask it is said what to add: --map HEADER=FIELD or --ignore-column HEADER".to_owned());
    }
    let (mut meant, mut ignored, mut remarks): (Vec<(&str, Field)>, _, _) = (Vec::new(), Vec::new(), Vec::new());
    let mut dated = None;
    for header in unknown {
        match (unmapped(&folded(header)), did_you_mean(header)) {
            (Some(Unmapped::BirthDate), _) if dated.is_none() && is_free(columns, &meant, Field::BirthYear) => {
                dated = Some(header);
            }
            (_, Some(field)) if is_free(columns, &meant, field) => meant.push((header, field)),
            (kind, _) => {
                ignored.push(header);
                remarks.extend(kind.and_then(|kind| remark(kind, header)));
            }
        }
    }
    let mut flags: Vec<String> = meant
        .iter()
        .map(|(header, field)| format!("--map {}", shell_word(&escape_controls(&format!("{header}={field}")))))
        .collect();
    flags.extend(dated.map(|header| format!("--birth-date {}", shell_word(&escape_controls(header)))));
    if !ignored.is_empty() {
        flags.push(format!("--ignore-column {}", shell_word(&escape_controls(&ignored.join(",")))));
        remarks.push("--map HEADER=FIELD keeps a column instead".to_owned());
    }
    if !flags.is_empty() {
        remarks.insert(0, format!("add {}", flags.join(" ")));
        return Some(remarks.join("; "));
    }
    let lacks_email = columns.index_of(Field::Email).is_none();
    lacks_email.then(|| "add --map HEADER=email to name the column of the e-mail address".to_owned())
}

/// Whether no column is this field, nor would be by what is suggested so far.
fn is_free(columns: &RosterColumns, meant: &[(&str, Field)], field: Field) -> bool {
    columns.index_of(field).is_none() && meant.iter().all(|(_, other)| *other != field)
}

/// Why a column is left out that seems to identify a person.
fn remark(kind: Unmapped, header: &str) -> Option<String> {
    let shown = escape_controls(header);
    match kind {
        Unmapped::WholeName => {
            Some(format!("\"{shown}\" is a name as a whole: put first and last name into two columns"))
        }
        Unmapped::NationalId => Some(format!("\"{shown}\" is a national id, which a test does not need")),
        Unmapped::BirthDate => None,
    }
}
