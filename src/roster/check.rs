//! The rules for rows: each is checked, and all mistakes are collected before anything is sent.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::num::IntErrorKind;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::csv_rows::{QUOTED, RawRow, Table, cells, has_address, is_quoted, walk};
use super::headers::{Columns, index_of};
use super::suspicious::{loss, suspicion};
use super::{Field, Mistake, Needs, ReadOptions, Row, trimmed};
use crate::model::people::EntryId;
use crate::model::person::PersonRef;
use crate::model::show::is_hidden;
use crate::model::spreadsheet::unescape;
use crate::model::text::{Email, PersonName, ReferenceId, counted, fold_email, plain_name};

/// The earliest year of birth that is plausible (our rule). A year that a spreadsheet took for a date is in 1905.
const EARLIEST: i32 = 1910;
static THIS_YEAR: LazyLock<i32> = LazyLock::new(|| Timestamp::now().to_zoned_datetime(TimeZone::UTC).year().into());

/// Checks the rows of a file one after the other.
struct Checker<'a> {
    table: &'a Table,
    options: &'a ReadOptions,
    columns: &'a Columns,
    /// How many cells have a header.
    wanted: usize,
    /// How many cells a row may have, as the first one has them: a separator at its end makes one more, which must be empty and
    /// in each row, for a name with a comma and without quotes moves all cells behind it.
    sound: Option<RangeInclusive<usize>>,
    seen: Vec<Seen>,
    hasher: RandomState,
    rows: Vec<Row>,
    mistakes: Vec<Mistake>,
}

/// A value that only one row may have, by a hash that no file can foresee. Equal ones are found by sorting, which is quicker
/// than a table of a hundred thousand; a file of 256 MiB has fewer rows than `u32` counts.
struct Seen {
    hash: u64,
    row: u32,
    field: Field,
    /// Whether the row has an id besides.
    has_id: bool,
}

/// The rows below the header that `--only` keeps, all mistakes in the order of the file, and how many rows were left out
/// because an earlier one says the same. Without columns, each row is one person.
pub(super) fn check(table: &Table, options: &ReadOptions, columns: &Columns) -> (Vec<Row>, Vec<Mistake>, usize) {
    let last = columns.headers.iter().rposition(|header| !trimmed(&header.name).is_empty());
    let mut checker = Checker {
        table,
        options,
        columns,
        wanted: last.map_or(1, |last| last + 1),
        sound: None,
        seen: Vec::new(),
        hasher: RandomState::new(),
        rows: Vec::new(),
        mistakes: columns.mistakes.clone(),
    };
    let mut is_header = !columns.headers.is_empty();
    table.find_row::<()>(|row| {
        if !std::mem::take(&mut is_header) {
            checker.take(row);
        }
        None
    });
    let repeats = checker.judge_doubles();
    checker.mistakes.sort_by_key(|mistake| mistake.at);
    (checker.rows, checker.mistakes, repeats)
}

impl Checker<'_> {
    /// Checks a row, and keeps it unless `--only` leaves it out.
    fn take(&mut self, raw: &RawRow) {
        let only = self.columns.only.map(|index| (index, trimmed(raw.cells.get(index).unwrap_or_default())));
        if let Some(mistake) = self.misquoted(raw).or_else(|| self.miscounted(raw)).or_else(|| self.lost(raw, only)) {
            self.mistakes.push(mistake);
        } else if only.is_some_and(|(_, value)| !self.is_wanted(value)) {
            return;
        } else if !self.columns.headers.is_empty() {
            self.check_values(raw);
        } else {
            // One person a line.
            let is_judged = self.options.suspicious.allowed.is_empty();
            let doubt = suspicion(Field::ReferenceId, &raw.cells[0]).filter(|_| is_judged);
            let why = raw.cells[0].parse::<PersonRef>().err().or(doubt);
            self.mistakes.extend(why.map(|why| self.mistake(raw, 0, why)));
        }
        self.rows.push(raw.row.clone());
    }

    /// A mistake of the row that is being checked, which can be left out.
    fn mistake(&self, raw: &RawRow, index: usize, message: String) -> Mistake {
        Mistake { row: Some(self.rows.len()), ..self.table.mistake(&raw.row, index, message) }
    }

    /// A quote that is not sound, or that was opened by mistake and swallows the rows up to the next one. It blocks the file.
    fn misquoted(&self, raw: &RawRow) -> Option<Mistake> {
        let blocking = |index, message: String| Some(self.table.mistake(&raw.row, index, message));
        if !raw.raw.contains('"') {
            return None;
        }
        if let (starts, Some(flaw)) = walk(raw.raw, self.table.delimiter) {
            return blocking(starts.len() - 1, flaw.to_owned());
        }
        let (delimiter, separators) = (char::from(self.table.delimiter), self.columns.headers.len().max(2) - 1);
        let is_row = |line: &str| has_address(line) || line.matches(delimiter).count() >= separators;
        let mut broken = raw.cells.iter().enumerate().filter(|(_, cell)| cell.contains('\n'));
        broken.find_map(|(index, cell)| match self.columns.headers.get(index).and_then(|header| header.field) {
            Some(_) if !cell.trim_end().contains('\n') && !cell.contains(delimiter) => None,
            Some(field) => blocking(index, format!("{}: has a line break in the quotes that open here", field.name())),
            None if cell.lines().any(is_row) => blocking(index, "a line in these quotes looks like a row".into()),
            None => None,
        })
    }

    /// A row whose cells may not be under their headers.
    fn miscounted(&mut self, raw: &RawRow) -> Option<Mistake> {
        let (has, headers, mut wanted) = (raw.cells.len(), self.columns.headers.len(), self.wanted);
        let extra = (wanted..has).find(|index| !trimmed(&raw.cells[*index]).is_empty());
        if extra.is_none() {
            let sound = self.sound.get_or_insert(if has > headers { has..=has } else { wanted..=headers });
            if sound.contains(&has) {
                return None;
            }
            wanted = *sound.start();
        }
        let cells = counted(has, "cell", "cells");
        if is_quoted(raw) {
            return Some(self.mistake(raw, 0, QUOTED.to_owned()));
        }
        if has < wanted && !raw.raw.ends_with('\n') {
            let message = format!("the file ends here, after {cells} instead of {wanted}");
            return Some(self.table.mistake(&raw.row, 0, message));
        }
        Some(self.mistake(raw, extra.unwrap_or_default(), format!("this row has {cells} instead of {wanted}")))
    }

    /// A row of which nobody knows whether `--only` keeps it.
    fn lost(&self, raw: &RawRow, only: Option<(usize, &str)>) -> Option<Mistake> {
        let (index, value) = only.filter(|(_, value)| value.starts_with('#'))?;
        let why = suspicion(Field::ReferenceId, value)?;
        Some(self.mistake(raw, index, format!("the column of --only {why}")))
    }

    /// Whether `--only` keeps the rows of this value.
    fn is_wanted(&self, value: &str) -> bool {
        let plain = |text: &str| plain_name(&text.to_lowercase().replace(is_hidden, "")).into_owned();
        self.options.only.as_ref().is_none_or(|(_, wanted)| plain(wanted) == plain(value))
    }

    fn check_values(&mut self, raw: &RawRow) {
        let (columns, mut values) = (self.columns, [""; Field::ALL.len()]);
        for (field, index) in &columns.fields {
            // Without the mark that `--excel` puts before what a spreadsheet would run as a formula.
            values[*field as usize] = unescape(trimmed(raw.cells.get(*index).unwrap_or_default()));
        }
        let has = |field: Field| !values[field as usize].is_empty();
        let (needs, before) = (self.options.needs, self.mistakes.len());
        let has_id = has(Field::EntryId) || has(Field::ReferenceId);
        for (field, index) in columns.fields.iter().copied() {
            let value = values[field as usize];
            // An entry id names the person: what else a list of ours says of them need not be fit for sending.
            let is_other = field == Field::Email || (field == Field::ReferenceId && needs == Needs::Person);
            if is_other && has(Field::EntryId) {
                continue;
            }
            if let Some(mistake) = self.check_value(raw, field, index, value) {
                self.mistakes.push(mistake);
            } else if Field::NAMING.contains(&field) && has(field) {
                let of = |key: &str| self.hasher.hash_one((field, key));
                let hash =
                    if field == Field::Email { of(&fold_email(value)) } else { of(value.trim_start_matches('0')) };
                self.seen.push(Seen { hash, row: u32::try_from(self.rows.len()).unwrap_or(u32::MAX), field, has_id });
            }
        }
        let is_nobody = needs != Needs::Enrolment && !has_id && !has(Field::Email);
        // Where the header has a mistake, that may be why.
        if is_nobody && columns.mistakes.is_empty() && self.mistakes.len() == before {
            self.mistakes.push(self.mistake(raw, 0, "this row names no person".to_owned()));
        }
    }

    /// The first of equal values is right, and each later one is a mistake. A row with an id that says the same as the first one
    /// is left out: somebody with two contracts, as HR systems write them. Returns how many those are.
    fn judge_doubles(&mut self) -> usize {
        let mut repeats = BTreeSet::new();
        self.seen.sort_unstable_by_key(|seen| (seen.hash, seen.row));
        let (needs, may_share) = (self.options.needs, self.options.shared_mailboxes);
        for same in self.seen.chunk_by(|one, next| one.hash == next.hash).filter(|same| same.len() > 1) {
            let first = same[0].row as usize;
            let of_first = self.values(first);
            for Seen { row, field, has_id, .. } in &same[1..] {
                let (row, have_ids) = (*row as usize, *field == Field::Email && same[0].has_id && *has_id);
                if *has_id && self.values(row) == of_first {
                    repeats.insert(row);
                    continue;
                }
                if needs == Needs::Person || (have_ids && (may_share || needs == Needs::Update)) {
                    continue;
                }
                let index = index_of(&self.columns.headers, *field).unwrap_or_default();
                let first = self.table.line(self.rows[first].line);
                let aside = if *field == Field::ReferenceId { " (zeros in front aside)" } else { "" };
                let message = format!("{}: the same as in {first}{aside}", field.name());
                let mistake = self.table.mistake(&self.rows[row], index, message);
                let hint = have_ids.then(|| "if people share this address: add --shared-mailboxes".to_owned());
                self.mistakes.push(Mistake { row: Some(row), hint, ..mistake });
            }
        }
        let mut at = 0..;
        self.rows.retain(|_| at.next().is_none_or(|row| !repeats.contains(&row)));
        self.mistakes.retain(|mistake| mistake.row.is_none_or(|row| !repeats.contains(&row)));
        for row in self.mistakes.iter_mut().filter_map(|mistake| mistake.row.as_mut()) {
            *row -= repeats.range(..*row).count();
        }
        repeats.len()
    }

    /// What is read of a row.
    fn values(&self, row: usize) -> Vec<String> {
        let cells = cells(&self.table.text[self.rows[row].at.clone()], self.table.delimiter);
        let value = |(_, index): &(Field, usize)| trimmed(cells.get(*index).unwrap_or_default()).to_owned();
        self.columns.fields.iter().map(value).collect()
    }

    /// What is wrong with a value.
    fn check_value(&self, raw: &RawRow, field: Field, index: usize, value: &str) -> Option<Mistake> {
        if value.is_empty() && !(field == Field::Email && self.options.needs == Needs::Enrolment) {
            return None;
        }
        let is_judged = !self.options.suspicious.allowed.contains(&field);
        let doubt = is_judged.then(|| suspicion(field, value)).flatten();
        let refusal = rule(field, value).err();
        let loss = loss(value).map(str::to_owned);
        // An option lets through what is only suspicious.
        let (has_option, why) = (loss.is_none() && refusal.is_none(), loss.or(doubt).or(refusal)?);
        let hint = if self.table.is_guessed && !value.is_ascii() {
            "if the encoding was guessed wrongly: add --encoding NAME".to_owned()
        } else {
            format!("if the values of {0} are right: add --allow-suspicious={0}", field.name())
        };
        let message = format!("{}: {why}", field.name());
        Some(Mistake { hint: has_option.then_some(hint), ..self.mistake(raw, index, message) })
    }
}

/// Whether a value keeps the rule of its field.
fn rule(field: Field, value: &str) -> Result<(), String> {
    let text = match field {
        Field::Email => Email::check(value),
        Field::FirstName | Field::LastName => PersonName::check(value),
        Field::ReferenceId => ReferenceId::check(value),
        Field::EntryId => return value.parse::<EntryId>().map(drop).map_err(|_| "is not a whole number".to_owned()),
        Field::BirthYear => return birth_year(value).map(drop),
    };
    text.map_err(|error| error.to_string())
}

/// Reads a year of birth, or the year of a date. Only what looks like a year is quoted.
pub fn birth_year(text: &str) -> Result<i32, String> {
    let year = year_of(text);
    let why = match year.parse::<i32>().map_err(|error| *error.kind()) {
        Ok(number) if (EARLIEST..=*THIS_YEAR).contains(&number) => return Ok(number),
        Err(IntErrorKind::InvalidDigit | IntErrorKind::Empty) => "is not a whole number".to_owned(),
        _ => format!("is not a year from {EARLIEST} to {}", *THIS_YEAR),
    };
    let is_short = year.len() <= 4 && year.starts_with(|c: char| c.is_ascii_digit());
    Err(if is_short && year.chars().all(char::is_alphanumeric) { format!("\"{year}\" {why}") } else { why })
}

/// The year in a whole date (`1984-03-01`, `1.3.1984`, `03/01/1984`, `1-MAR-1984`, `19840301`, with a time or without), or in
/// what programs make of a column in which one is missing (`1984.0`); else the text.
pub(super) fn year_of(text: &str) -> &str {
    if text.len() == 4 {
        return text;
    }
    // An empty cell that a spreadsheet took for a date is `00.01.1900`.
    let is_part = |part: &str| matches!(part.len(), 1 | 2) && part.contains(|c| c != '0');
    let has_month = text.contains(|c: char| c.is_ascii_alphabetic());
    match text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect::<Vec<_>>()[..] {
        [year, one, two, ..] | [one, two, year, ..] if year.len() == 4 && is_part(one) && is_part(two) => year,
        [year, "0"] if year.len() == 4 => year,
        [day, year, ..] if has_month && year.len() == 4 && is_part(day) => year,
        // Not `20031984`, whose day comes first.
        [date] if date.len() == 8 && ("01"..="12").contains(&&date[4..6]) => &date[..4],
        _ => text,
    }
}
