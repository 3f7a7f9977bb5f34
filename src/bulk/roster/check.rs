//! The rules for rows: everything is checked before anything is sent, and all mistakes are told at once.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;
use std::ops::RangeInclusive;
use std::thread::{self, Builder};

use crate::model::sanitize::escape_controls;
use crate::model::text::{BirthYear, Email, PersonName, ReferenceId, TextError, fold_email};

use super::headers::{Columns, Field, Role};
use super::records::{Flaw, Record};
use super::rows::Rows;
use super::types::Place;
use super::{About, Mistake, Purpose, ReadOptions};

/// So many values take longer to sort than a thread takes to start.
const MANY: usize = 100_000;
/// Characters of a value that a message quotes.
const QUOTED: usize = 24;

/// Checks the rows one by one, then what only shows over all of them.
pub(super) struct Checker<'a> {
    options: &'a ReadOptions,
    mistakes: Vec<Mistake>,
    /// A secret start for the hashes, so that no file can be made to slow the search for doubles down.
    hashes: RandomState,
    /// Used again for each address.
    folded: String,
    emails: Seen,
    references: Seen,
}

/// The values of a column by their places and by hashes, and nothing of the values themselves: doubles are found by
/// sorting these.
#[derive(Default)]
struct Seen {
    places: Vec<Place>,
    /// Half a hash, then the number of its place: one number sorts in half the time of a pair.
    hashes: Vec<u64>,
}

impl Seen {
    fn push(&mut self, hash: u64, place: Place) {
        let number = u32::try_from(self.places.len()).expect("lines are counted in 32 bits");
        self.hashes.push(hash >> 32 << 32 | u64::from(number));
        self.places.push(place);
    }

    fn place(&self, hash: u64) -> Place {
        let number = u32::try_from(hash & u64::from(u32::MAX)).expect("half of 64 bits");
        self.places[number as usize]
    }
}

impl<'a> Checker<'a> {
    /// Starts with the mistakes of the header.
    pub(super) fn new(options: &'a ReadOptions, mistakes: Vec<Mistake>) -> Self {
        let (hashes, folded) = (RandomState::new(), String::new());
        Self { options, mistakes, hashes, folded, emails: Seen::default(), references: Seen::default() }
    }

    /// Checks one row.
    pub(super) fn row(&mut self, record: &Record, row: usize, columns: &Columns) {
        if let Some(mistake) = misshapen(record, row, columns) {
            // Its cells may stand under the wrong headers: what they say is not judged.
            self.mistakes.push(mistake);
            return;
        }
        for (index, (cell, place)) in record.cells().enumerate() {
            let value = cell.trim();
            let Some((_, role)) = columns.headers.get(index) else { continue };
            match role {
                Role::Field(field) => self.value(*field, value, place, row),
                Role::Unnamed if !value.is_empty() => {
                    self.mistakes.push(Mistake::of_row(place, row, "no header stands above this cell"));
                }
                _ => {}
            }
        }
    }

    fn value(&mut self, field: Field, value: &str, place: Place, row: usize) {
        if value.is_empty() && (field != Field::Email || self.options.purpose == Purpose::Name) {
            return;
        }
        let damage =
            if self.options.allow_suspicious { None } else { damage(value).or_else(|| unlikely(field, value)) };
        if let Some(message) = damage.or_else(|| refusal(field, value)) {
            self.mistakes.push(Mistake::of_value(place, row, field, message));
            return;
        }
        if self.options.allow_doubles {
            return;
        }
        match field {
            Field::Email => {
                let hash = if value.is_ascii() {
                    self.folded.clear();
                    self.folded.push_str(value);
                    self.folded.make_ascii_lowercase();
                    self.hashes.hash_one(&self.folded)
                } else {
                    self.hashes.hash_one(fold_email(value))
                };
                self.emails.push(hash, place);
            }
            Field::ReferenceId => self.references.push(self.hashes.hash_one(value), place),
            Field::FirstName | Field::LastName | Field::BirthYear | Field::EntryId => {}
        }
    }

    /// Adds the doubles; all mistakes, sorted by place.
    pub(super) fn finish(mut self, rows: &Rows, columns: &Columns) -> Vec<Mistake> {
        let (mut emails, mut references) = (std::mem::take(&mut self.emails), std::mem::take(&mut self.references));
        if references.hashes.len() > MANY {
            // Side by side. Where no thread is to be had, they are sorted one after the other below.
            thread::scope(|scope| {
                let _ = Builder::new().spawn_scoped(scope, || references.hashes.sort_unstable());
                emails.hashes.sort_unstable();
            });
        }
        self.doubles(emails, Field::Email, rows, columns);
        self.doubles(references, Field::ReferenceId, rows, columns);
        self.mistakes.sort_by_key(|mistake| (mistake.line, mistake.column));
        self.mistakes
    }

    /// The first of equal values is right, each later one is a mistake that names the first one's line.
    fn doubles(&mut self, mut seen: Seen, field: Field, rows: &Rows, columns: &Columns) {
        let Some(column) = columns.index_of(field) else { return };
        seen.hashes.sort_unstable();
        let value = |place: Place| {
            let cell = rows.cells(rows.at_line(place.line)).nth(column).unwrap_or_default().trim();
            if field == Field::Email { fold_email(cell) } else { cell.to_owned() }
        };
        // Numbers of places, as those of lines, grow with the file: each group is in its order.
        for group in seen.hashes.chunk_by(|one, other| one >> 32 == other >> 32).filter(|group| group.len() > 1) {
            let mut firsts: HashMap<String, Place> = HashMap::new();
            for place in group.iter().map(|hash| seen.place(*hash)) {
                let first = match firsts.entry(value(place)) {
                    Entry::Vacant(vacant) => {
                        vacant.insert(place);
                        continue;
                    }
                    Entry::Occupied(first) => *first.get(),
                };
                let line = rows.line(rows.at_line(first.line));
                let case = if field == Field::Email { ", ignoring case" } else { "" };
                let message = format!("the same as in line {line}{case}");
                self.mistakes.push(Mistake::of_value(place, rows.at_line(place.line), field, message));
            }
        }
    }
}

/// What is wrong with the row as a whole.
fn misshapen(record: &Record, row: usize, columns: &Columns) -> Option<Mistake> {
    match record.flaw() {
        // Which rows the open quote swallowed is not known: this cannot be skipped as one invalid row.
        Some(Flaw::Unclosed(place)) => return Some(Mistake::of_file(place, "this quote is never closed")),
        Some(Flaw::AfterQuote(place)) => {
            return Some(Mistake::of_row(place, row, "text stands after the quote that closes this one"));
        }
        None => {}
    }
    let (has, wanted) = (record.len(), columns.headers.len());
    let counted = || format!("{has} cells, but the header has {wanted}");
    if has < columns.least() {
        return Some(Mistake::of_row(record.place(), row, counted()));
    }
    let extra = record.cells().skip(wanted).find(|(cell, _)| !cell.trim().is_empty())?;
    Some(Mistake::of_row(extra.1, row, counted()))
}

/// What the specification's rule for the field says against a value.
fn refusal(field: Field, value: &str) -> Option<String> {
    let error = match field {
        Field::Email => Email::check(value),
        Field::FirstName | Field::LastName => PersonName::check(value),
        Field::ReferenceId => ReferenceId::check(value),
        Field::BirthYear | Field::EntryId => value.parse::<BirthYear>().map(|_| ()),
    };
    error.err().map(|error| match error {
        TextError::WholeNumber | TextError::NumberRange => number_error(value, error),
        _ => error.to_string(),
    })
}

/// A number is quoted; what stands in its place by accident may be a name or an address and is not.
fn number_error(value: &str, error: TextError) -> String {
    let is_number = value.contains(|c: char| c.is_ascii_digit()) && !value.contains('@');
    if is_number { format!("{} {error}", quoted(value)) } else { error.to_string() }
}

fn quoted(value: &str) -> String {
    let shown: String = value.chars().take(QUOTED).collect();
    let cut = if value.chars().count() > QUOTED { "…" } else { "" };
    format!("\"{}{cut}\"", escape_controls(&shown))
}

/// What spreadsheets and wrong conversions leave behind (our rule; `--allow-suspicious` switches it off).
fn damage(value: &str) -> Option<String> {
    if is_scientific(value) || is_spreadsheet_error(value) {
        return Some(format!("{} looks damaged by a spreadsheet", quoted(value)));
    }
    // A million rows have five million values, most of them ASCII: looking for a text in each would be dear.
    let lost = !value.is_ascii() && value.as_bytes().windows(3).any(|bytes| bytes == [0xEF, 0xBF, 0xBD]);
    lost.then(|| "has U+FFFD, which stands where a character was lost".to_owned())
}

/// Years in which people are born whom somebody tests (our rule; `--allow-suspicious` switches it off). A year of two
/// digits would be enrolled as it is, and the API cannot change it.
const BORN: RangeInclusive<i32> = 1900..=2099;

/// What is a number and hardly a year of birth.
fn unlikely(field: Field, value: &str) -> Option<String> {
    let year = if field == Field::BirthYear { value.parse::<i32>().ok()? } else { return None };
    (!BORN.contains(&year))
        .then(|| format!("{} is an unlikely year of birth; --allow-suspicious accepts it", quoted(value)))
}

/// `1.2E+16`: a long number that Excel shortened, digits lost.
fn is_scientific(value: &str) -> bool {
    if !value.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let Some(at) = value.as_bytes().windows(2).position(|pair| pair == b"E+") else { return false };
    let (mantissa, exponent) = (&value[..at], &value[at + 2..]);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, "0"));
    digits(whole) && digits(fraction) && digits(exponent)
}

/// `#REF!`, `#NAME?`, `#N/A`, `#DIV/0!`, in other languages too, and `####` of a narrow column.
fn is_spreadsheet_error(value: &str) -> bool {
    // Asked of every value: a comparison of bytes is all that most of them may cost.
    if value.as_bytes().first() != Some(&b'#') {
        return false;
    }
    let rest = &value[1..];
    if matches!(rest, "N/A" | "NV") || (rest.len() > 1 && rest.bytes().all(|b| b == b'#')) {
        return true;
    }
    let inner = rest.strip_suffix(['!', '?']).unwrap_or_default();
    inner.chars().count() > 1 && inner.chars().all(|c| c.is_uppercase() || matches!(c, '/' | '0'))
}

impl Mistake {
    pub(super) fn of_header(place: Place, message: impl Into<String>) -> Self {
        Self::new(place, None, About::Header, message)
    }

    fn of_file(place: Place, message: impl Into<String>) -> Self {
        Self::new(place, None, About::Row, message)
    }

    fn of_row(place: Place, row: usize, message: impl Into<String>) -> Self {
        Self::new(place, Some(row), About::Row, message)
    }

    fn of_value(place: Place, row: usize, field: Field, message: impl Into<String>) -> Self {
        Self::new(place, Some(row), About::Field(field), message)
    }

    fn new(place: Place, row: Option<usize>, about: About, message: impl Into<String>) -> Self {
        Self { line: place.line, column: place.column, row, about, message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_excel_leaves_behind_is_recognised() {
        for damaged in ["1.2E+16", "1,23457E+11", "1E+16", "#REF!", "#N/A", "#NAME?", "#DIV/0!", "#BEZUG!", "####"] {
            assert!(damage(damaged).is_some(), "{damaged}");
        }
        for fine in ["EMP-1E+2", "1.2e+16", "E+16", "#1", "#", "# 5", "#Ann!", "+1.2E16", "@SUM(A1)"] {
            assert!(damage(fine).is_none(), "{fine}");
        }
        assert!(damage("Zo\u{FFFD}").is_some());
        for (year, is_likely) in [("85", false), ("1899", false), ("1985", true), ("2100", false), ("x", true)] {
            assert_eq!(unlikely(Field::BirthYear, year).is_none(), is_likely, "{year}");
        }
        assert_eq!(unlikely(Field::LastName, "85"), None);
    }

    #[test]
    fn a_number_is_quoted_and_what_is_no_number_is_not() {
        assert_eq!(refusal(Field::BirthYear, "19x4").as_deref(), Some("\"19x4\" is not a whole number"));
        assert_eq!(refusal(Field::BirthYear, "Zoë").as_deref(), Some("is not a whole number"));
        assert_eq!(refusal(Field::BirthYear, "z1@example.com").as_deref(), Some("is not a whole number"));
        let control = refusal(Field::BirthYear, "1\u{1b}[31m").expect("not a number");
        assert!(!control.contains('\u{1b}'), "{control}");
    }
}
