//! The rules for rows: each is checked, and all mistakes are collected before anything is sent.

use std::hash::{BuildHasher as _, RandomState};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::csv_rows::{QUOTED, RawRow, has_address, is_quoted_line, walk};
use super::headers::Columns;
use super::suspicious::suspicion;
use super::{Field, Mistake, Needs, ReadOptions, Row, Source, trimmed};
use crate::model::people::EntryId;
use crate::model::person::PersonRef;
use crate::model::spreadsheet::unescape;
use crate::model::text::{Email, PersonName, ReferenceId, counted, fold_email};

/// The earliest year of birth that is plausible (our rule).
const EARLIEST: i64 = 1900;

/// Checks the rows of a file one after the other.
pub(super) struct Checker<'a> {
    source: &'a Source<'a>,
    options: &'a ReadOptions,
    columns: &'a Columns,
    /// The fields that are read, each with its column.
    fields: Vec<(Field, usize)>,
    /// How many cells a row has.
    wanted: usize,
    /// As the first sound row has them. A separator at its end makes one more, which must be empty and in each row: a name
    /// with a comma and without quotes moves all cells behind it.
    most: Option<usize>,
    this_year: i64,
    seen: Vec<Seen>,
    hasher: RandomState,
    rows: Vec<Row>,
    mistakes: Vec<Mistake>,
}

/// A value that only one row may have, by a hash that no file can foresee. Equal ones are found by sorting, which is quicker
/// than a table of a hundred thousand.
struct Seen {
    hash: u64,
    row: usize,
    field: Field,
    /// Whether the row has an id besides.
    has_id: bool,
}

impl<'a> Checker<'a> {
    /// Begins with the mistakes of the header. Without columns, each row is one person.
    pub(super) fn new(source: &'a Source<'a>, options: &'a ReadOptions, columns: &'a Columns) -> Self {
        let place = |field: &Field| Some((*field, columns.index_of(*field)?));
        let last = columns.headers.iter().rposition(|header| !trimmed(&header.name).is_empty());
        Self {
            source,
            options,
            columns,
            fields: options.needs.fields().iter().filter_map(place).collect(),
            wanted: last.map_or(1, |last| last + 1),
            most: None,
            this_year: Timestamp::now().to_zoned_datetime(TimeZone::UTC).year().into(),
            seen: Vec::new(),
            hasher: RandomState::new(),
            rows: Vec::new(),
            mistakes: columns.mistakes.clone(),
        }
    }

    /// Checks a row, and keeps it unless `--only` leaves it out.
    pub(super) fn take(&mut self, raw: &RawRow) {
        let before = self.mistakes.len();
        if let Some((index, message, is_blocked)) = self.misshapen(raw) {
            let mistake = self.mistake(raw, index, message);
            self.mistakes.push(Mistake { row: mistake.row.filter(|_| !is_blocked), ..mistake });
        } else if !self.is_wanted(raw) {
            return;
        } else if !self.columns.headers.is_empty() {
            self.check_values(raw);
        } else if let Err(why) = raw.cells[0].parse::<PersonRef>() {
            self.mistakes.push(self.mistake(raw, 0, why));
        }
        let is_valid = self.mistakes.len() == before;
        self.rows.push(Row { line: raw.line, is_valid, at: raw.at..raw.at + raw.raw.len() });
    }

    /// All rows, and all mistakes in the order of the file. `text` is that of the rows.
    pub(super) fn finish(mut self, text: &str) -> (Vec<Row>, Vec<Mistake>) {
        self.check_doubles(text);
        self.mistakes.sort_by_key(|mistake| mistake.at);
        (self.rows, self.mistakes)
    }

    /// A mistake of the row that is being checked.
    fn mistake(&self, raw: &RawRow, index: usize, message: String) -> Mistake {
        Mistake { row: Some(self.rows.len()), ..self.source.mistake(raw.line, raw.raw, index, message) }
    }

    /// What is wrong with a row whose cells may not be under their headers: at which cell, and whether it concerns other rows.
    fn misshapen(&mut self, raw: &RawRow) -> Option<(usize, String, bool)> {
        if raw.raw.contains('"') {
            if let (starts, Some(flaw)) = walk(raw.raw, self.source.delimiter) {
                return Some((starts.len() - 1, format!("row: {flaw}"), true));
            }
            if let Some((index, message)) = self.broken_cell(raw) {
                return Some((index, message, true));
            }
        }
        let (has, mut wanted, headers) = (raw.cells.len(), self.wanted, self.columns.headers.len());
        let extra = (wanted..has).find(|index| !trimmed(&raw.cells[*index]).is_empty());
        if extra.is_none() {
            let most = *self.most.get_or_insert(has.max(headers));
            wanted = if most > headers { most } else { wanted };
            if self.source.sheet.is_some() || (wanted..=most).contains(&has) {
                return None;
            }
        }
        let is_short = has < wanted;
        let cells = counted(has, "cell", "cells");
        Some(if is_quoted_line(raw, self.source.delimiter.into()) {
            (0, format!("row: {QUOTED}"), false)
        } else if is_short && !raw.raw.ends_with('\n') {
            (0, format!("row: the file ends here, after {cells} instead of {wanted}"), true)
        } else {
            (extra.unwrap_or_default(), format!("row: has {cells} instead of {wanted}"), false)
        })
    }

    /// A cell with a line break that no value has: a quote that was opened by mistake swallows the rows up to the next one.
    fn broken_cell(&self, raw: &RawRow) -> Option<(usize, String)> {
        let (delimiter, separators) = (char::from(self.source.delimiter), self.columns.headers.len().max(2) - 1);
        let is_row = |line: &str| has_address(line) || line.matches(delimiter).count() >= separators;
        let broken = raw.cells.iter().map(str::trim_end).enumerate().filter(|(_, cell)| cell.contains('\n'));
        let mut messages = broken.map(|(index, cell)| {
            let message = match self.columns.headers.get(index).and_then(|header| header.field) {
                Some(field) => format!("{}: has a line break in the quotes that open here", field.name()),
                None => cell.lines().any(is_row).then(|| "row: a line in these quotes looks like a row".to_owned())?,
            };
            Some((index, message))
        });
        messages.find_map(|message| message)
    }

    /// Whether `--only` keeps a row.
    fn is_wanted(&self, raw: &RawRow) -> bool {
        let (Some((_, value)), Some(index)) = (&self.options.only, self.columns.only) else { return true };
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        plain(value) == plain(trimmed(raw.cells.get(index).unwrap_or_default()))
    }

    fn check_values(&mut self, raw: &RawRow) {
        let cell = |index: usize| value_of(raw.cells.get(index).unwrap_or_default());
        let has = |field| self.fields.iter().any(|(known, index)| *known == field && !cell(*index).is_empty());
        let (needs, row, before) = (self.options.needs, self.rows.len(), self.mistakes.len());
        let (has_entry, has_reference) = (has(Field::EntryId), has(Field::ReferenceId));
        let is_named = has_entry || has_reference || has(Field::Email);
        for at in 0..self.fields.len() {
            let (field, index) = self.fields[at];
            let value = cell(index);
            // An entry id names the person: what else a list of ours says of them need not be fit for sending.
            if has_entry && (field == Field::Email || (field == Field::ReferenceId && needs == Needs::Person)) {
                continue;
            }
            if let Some(mistake) = self.check_value(raw, field, index, value) {
                self.mistakes.push(mistake);
            } else if needs != Needs::Person && Field::NAMING.contains(&field) && !value.is_empty() {
                let hash = |value: &str| self.hasher.hash_one((field as u8, value));
                let hash = if field == Field::Email { hash(&fold_email(value)) } else { hash(value) };
                self.seen.push(Seen { hash, row, field, has_id: has_entry || has_reference });
            }
        }
        let can_be = self.fields.iter().any(|(field, _)| Field::NAMING.contains(field));
        if needs != Needs::Enrolment && !is_named && can_be && self.mistakes.len() == before {
            self.mistakes.push(self.mistake(raw, 0, "row: names no person".to_owned()));
        }
    }

    /// What is wrong with a value. One that no option lets through has no hint.
    fn check_value(&self, raw: &RawRow, field: Field, index: usize, value: &str) -> Option<Mistake> {
        let needs = self.options.needs;
        if value.is_empty() && !(field == Field::Email && needs == Needs::Enrolment) {
            return None;
        }
        let is_judged = needs != Needs::Person && !self.options.allow_suspicious.contains(&field);
        let doubt = is_judged.then(|| suspicion(field, value)).flatten();
        let refusal = rule(field, value, self.this_year).err();
        let is_misread = self.source.is_guessed && !value.is_ascii();
        let hint = match &refusal {
            None if doubt.is_none() => return None,
            Some(_) => None,
            None if is_misread => Some("if the encoding was guessed wrongly: add --encoding NAME".to_owned()),
            None => Some(format!("if the values of {0} are right: add --allow-suspicious={0}", field.name())),
        };
        let message = format!("{}: {}", field.name(), doubt.or(refusal)?);
        Some(Mistake { hint, ..self.mistake(raw, index, message) })
    }

    /// The first of equal values is right, and each later one is a mistake.
    fn check_doubles(&mut self, text: &str) {
        self.seen.sort_unstable_by_key(|seen| seen.hash);
        let shares = self.options.shared_mailboxes || self.options.needs == Needs::Update;
        for group in self.seen.chunk_by_mut(|one, next| one.hash == next.hash) {
            group.sort_unstable_by_key(|seen| seen.row);
            for double in &group[1..] {
                let have_ids = double.field == Field::Email && group[0].has_id && double.has_id;
                if have_ids && shares {
                    continue;
                }
                let first = self.source.line(self.rows[group[0].row].line);
                let row = &mut self.rows[double.row];
                row.is_valid = false;
                let index = self.columns.index_of(double.field).unwrap_or_default();
                let message = format!("{}: the same as in {first}", double.field.name());
                let mistake = self.source.mistake(row.line, &text[row.at.clone()], index, message);
                let hint = have_ids.then(|| "if people share this address: add --shared-mailboxes".to_owned());
                self.mistakes.push(Mistake { row: Some(double.row), hint, ..mistake });
            }
        }
    }
}

/// The value of a cell: without outer white space, and without the mark that `--excel` puts before what a spreadsheet would
/// run as a formula.
pub(super) fn value_of(cell: &str) -> &str {
    unescape(trimmed(cell))
}

/// Whether a value keeps the rule of its field. Of a year only what looks like a number is quoted.
fn rule(field: Field, value: &str, this_year: i64) -> Result<(), String> {
    let text = match field {
        Field::Email => Email::check(value),
        Field::FirstName | Field::LastName => PersonName::check(value),
        Field::ReferenceId => ReferenceId::check(value),
        Field::EntryId => return value.parse::<EntryId>().map(drop).map_err(|_| "is not a whole number".to_owned()),
        Field::BirthYear => {
            let year = year_of(value);
            let why = match year.parse::<i64>() {
                Ok(year) if (EARLIEST..=this_year).contains(&year) => return Ok(()),
                Ok(_) => format!("is not a year from {EARLIEST} to {this_year}"),
                Err(_) => "is not a whole number".to_owned(),
            };
            let is_number = year.starts_with(|c: char| c.is_ascii_digit()) && year.chars().all(char::is_alphanumeric);
            return Err(if is_number { format!("\"{year}\" {why}") } else { why });
        }
    };
    text.map_err(|error| error.to_string())
}

/// Reads a year of birth.
pub fn birth_year(text: &str) -> Result<i32, String> {
    let this_year = Timestamp::now().to_zoned_datetime(TimeZone::UTC).year().into();
    rule(Field::BirthYear, text, this_year)?;
    year_of(text).parse().map_err(|_| "is not a year".to_owned())
}

/// The year in a whole date (`1984-03-01`, `1.3.1984`, `03/01/1984`, `19840301`, with a time or without); else the text.
pub(super) fn year_of(text: &str) -> &str {
    if text.len() == 4 {
        return text;
    }
    let is_part = |part: &str| matches!(part.len(), 1 | 2);
    match text.split(|c: char| !c.is_ascii_digit()).collect::<Vec<_>>()[..] {
        [year, one, two, ..] | [one, two, year, ..] if year.len() == 4 && is_part(one) && is_part(two) => year,
        // Not `20031984`, whose day comes first.
        [date] if date.len() == 8 && ("01"..="12").contains(&&date[4..6]) => &date[..4],
        _ => text,
    }
}
