//! From a file to a checked roster: text or workbook, header, rows.

use std::fs::File;
use std::io::{Read, Seek as _};

use super::bare_list;
use super::check::Checker;
use super::compact_rows::Rows;
use super::csv_cells::{Dialect, Records};
use super::csv_record::{CsvRecord, RecordSource};
use super::delimiter::{Delimiter, declared};
use super::headers;
use super::row_estimate::RowEstimate;
use super::text_encoding::{Evidence, Input, Text, begins_as_utf8};
use super::{Encoding, Form, Guess, Keep, ReadOptions, Roster, RosterError};

/// How many lines below one that is no header are looked at for a header.
const TITLE_LINES: usize = 10;
/// How many first bytes tell a workbook or UTF-16 from a text.
const HEAD: u64 = 64;

/// Reads and checks a roster. `name` is how the user named the source; messages call it so. A workbook is known by its
/// content, whatever the file is called.
pub fn read(source: impl Read, name: &str, options: &ReadOptions) -> Result<Roster, RosterError> {
    let input = Input::spool(source)?;
    if input.is_zip() {
        return read_workbook(input, name, options);
    }
    if let Some(kind) = input.container() {
        return Err(RosterError::Container(kind));
    }
    if options.sheet.is_some() {
        return Err(RosterError::NotFor { option: "--sheet", is: "a text, which has no sheets" });
    }
    let (encoding, evidence) = input.encoding(options.encoding);
    let size = input.size();
    read_text(input.text(encoding)?, evidence, size, name, options)
}

/// As [`read`], of a file: one of UTF-8 is read where it lies, and once.
pub fn read_file(mut file: File, name: &str, options: &ReadOptions) -> Result<Roster, RosterError> {
    let metadata = file.metadata()?;
    if metadata.is_file() && options.encoding.is_none() && options.sheet.is_none() {
        let mut head = Vec::new();
        (&file).take(HEAD).read_to_end(&mut head)?;
        file.rewind()?;
        if let Some(evidence) = begins_as_utf8(&head) {
            let text = Text::of_file(file.try_clone()?, Encoding::UTF_8);
            match read_text(text, evidence, metadata.len(), name, options) {
                // Which encoding it is, is found out over the whole of it.
                Err(RosterError::Malformed { .. } | RosterError::CutCharacter { .. }) => file.rewind()?,
                roster => return roster,
            }
        }
    }
    read(file, name, options)
}

fn read_text(
    text: Text,
    evidence: Evidence,
    size: u64,
    name: &str,
    options: &ReadOptions,
) -> Result<Roster, RosterError> {
    let encoding = text.encoding();
    let (mut records, delimiter) = open(text, options)?;
    let form = Form::Text(Guess { encoding, evidence, delimiter });
    let rows = match options.keep {
        Keep::Rows => Rows::of_file(size),
        Keep::Mistakes => Rows::without_cells(),
    };
    read_records(&mut records, (rows, RowEstimate::of_file(size)), (name, form), options)
}

#[cfg(feature = "xlsx")]
fn read_workbook(input: Input, name: &str, options: &ReadOptions) -> Result<Roster, RosterError> {
    use super::workbook::Workbook;
    use super::workbook_limits::WorkbookLimits;
    let given = [("--encoding", options.encoding.is_some()), ("--delimiter", options.delimiter.is_some())];
    if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
        return Err(RosterError::NotFor { option, is: "a workbook, which is no text" });
    }
    let mut workbook = Workbook::open(input.spool, options, &WorkbookLimits::OURS)?;
    let form = Form::Sheet(workbook.source.clone());
    let rows = (Rows::default(), RowEstimate::default());
    read_records(&mut workbook.rows(options)?, rows, (name, form), options)
}

#[cfg(not(feature = "xlsx"))]
fn read_workbook(_: Input, _: &str, _: &ReadOptions) -> Result<Roster, RosterError> {
    Err(RosterError::Container("a workbook, which this build of assessctl does not read"))
}

fn read_records(
    records: &mut dyn RecordSource,
    (mut rows, mut estimate): (Rows, RowEstimate),
    (name, form): (&str, Form),
    options: &ReadOptions,
) -> Result<Roster, RosterError> {
    let mut record = CsvRecord::default();
    if !records.read(&mut record)? {
        return Err(RosterError::Blank);
    }
    let name = name.to_owned();
    if bare_list::begins_with(&record, options) {
        let mut checker = Checker::new(options, record.unit(), Vec::new());
        let (columns, rows) = bare_list::read(records, &mut record, &mut checker, options.purpose)?;
        let (mistakes, projects) = checker.finish(&rows);
        return Ok(Roster { mistakes, projects, ..Roster::of_file(name, columns, form, rows) });
    }
    let mut mistakes = Vec::new();
    let columns = match headers::read_headers(&record, options, &mut mistakes) {
        Err(RosterError::NoHeader { unit, line, why, hint }) => {
            let hint = instead(records, options).unwrap_or(hint);
            return Err(RosterError::NoHeader { unit, line, why, hint });
        }
        columns => columns?,
    };
    let mut checker = Checker::new(options, record.unit(), mistakes);
    while records.read(&mut record)? {
        let row = rows.push(record.place().line, record.texts());
        checker.row(&record, row, &columns);
        if let Some(more) = estimate.after(row, record.texts()) {
            rows.expect(more);
            checker.expect(more);
        }
    }
    rows.shrink();
    let (mistakes, projects) = checker.finish(&rows);
    if rows.len() == 0 && mistakes.is_empty() {
        return Err(RosterError::NoRows);
    }
    Ok(Roster { mistakes, projects, ..Roster::of_file(name, columns, form, rows) })
}

/// What to do about a first line that is no header: it may be a title, or taken apart at the wrong character.
fn instead(records: &mut dyn RecordSource, options: &ReadOptions) -> Option<String> {
    let mut record = CsvRecord::default();
    for _ in 0..TITLE_LINES {
        if records.read(&mut record).ok()? && headers::names_a_field(&record) {
            let (unit, line) = (record.unit(), record.place().line);
            return Some(format!("{unit} {line} looks like the header: delete what stands above it"));
        }
    }
    options.delimiter.map(|_| "leave --delimiter out: what stands between the cells is found by itself".to_owned())
}

/// Finds the delimiter and stands before the header line.
fn open(mut text: Text, options: &ReadOptions) -> Result<(Records, Delimiter), RosterError> {
    let mut piece = String::new();
    let malformed = text.next(&mut piece)?;
    let delimiter = Delimiter::of(&piece, options.delimiter, headers::is_known);
    let is_declared = declared(&piece).is_some();
    let mut records = Records::new(text, piece, malformed, Dialect { delimiter, escaped: options.excel });
    if is_declared {
        records.read(&mut CsvRecord::default())?;
    }
    Ok((records, delimiter))
}
