//! Whom a command is about, as arguments or as the lines of a file, and which of them are ambiguous or only not listed yet.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use jiff::Timestamp;

use super::person::{everybody, records};
use super::session::Session;
use crate::api::Read;
use crate::bulk::each_row::Planned;
use crate::bulk::find_people::{Others, PeopleIndex};
use crate::bulk::outcome::{Outcome, RowEnd, Run};
use crate::bulk::person::Person;
use crate::journal::people::{Identity, Known, People, State};
use crate::model::people::{EntryId, TestTaker};
use crate::model::person::PersonRef;
use crate::model::projects::ProjectId;
use crate::model::settle::SETTLE;
use crate::model::text::counted;
use crate::model::verdict::{Failure, Verdict};
use crate::output::Shape;
use crate::roster::{Field, Needs, ReadOptions, Roster, Row, SuspiciousArgs, suspicion};

/// People as arguments or by `--file`.
#[derive(Args, Clone, Debug)]
pub struct PeopleArgs {
    /// Reference id or e-mail; or ref:ID, email:ADDRESS, id:ENTRY_ID
    #[arg(value_name = "PERSON", conflicts_with = "file")]
    pub people: Vec<PersonRow>,
    /// CSV, Excel or one person a line; - is stdin
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Leave out rows with mistakes
    #[arg(long, requires = "file", conflicts_with = "people")]
    pub skip_invalid: bool,
    #[command(flatten)]
    pub roster: ReadOptions,
}

/// Said of an option that means nothing without a file of people.
pub const FILE_IS_MISSING: &str = "options such as --by, --map and --sheet only work with --file";

/// `--by`: the field that identifies the person of a row.
#[derive(Args, Clone, Copy, Debug)]
pub struct ByArgs {
    /// Match people by this field
    #[arg(long, value_name = "FIELD", value_parser = by, requires = "file", conflicts_with = "people")]
    pub by: Option<Field>,
}

fn by(text: &str) -> Result<Field, &'static str> {
    let field = text.parse().ok().filter(|field| Field::NAMING.contains(field));
    field.ok_or("must be projectEntryId, referenceId or email")
}

/// A row of a command: a line of a file, or an argument.
#[derive(Clone, Debug, Default)]
pub struct PersonRow {
    /// Its line in the file; `None` where there is no file.
    pub line: Option<usize>,
    pub person: Person,
    /// What it could mean as an entry id, where it is an argument without `id:` or `ref:`.
    pub number: Option<EntryId>,
    /// Its end, where it has a mistake.
    pub invalid: Option<RowEnd>,
}

/// A person as an argument.
impl FromStr for PersonRow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim().parse().ok().filter(|number: &EntryId| number.to_string() == text.trim());
        Ok(Self { person: text.parse::<PersonRef>()?.into(), number, ..Self::default() })
    }
}

impl PersonRow {
    /// The key under which the journal knows its person.
    pub fn identity(&self, people: &People<'_>) -> Identity {
        people.identity(self.person.reference_id.as_deref(), self.person.email.as_deref().unwrap_or_default())
    }
}

/// The people of a command, a row each.
#[derive(Default)]
pub struct Named {
    pub rows: Vec<PersonRow>,
    /// The file that they come from.
    pub roster: Option<Roster>,
}

impl From<Roster> for Named {
    fn from(roster: Roster) -> Self {
        let row =
            |row: &Row| PersonRow { person: Person::of(&roster, row), line: Some(row.line), ..PersonRow::default() };
        let mut rows: Vec<PersonRow> = roster.rows.iter().map(row).collect();
        for (row, mistake) in roster.mistakes.iter().filter_map(|mistake| Some((mistake.row?, mistake))) {
            let invalid = Some(RowEnd::new(Outcome::Invalid).message(&mistake.message));
            rows[row] = PersonRow { person: Person::default(), invalid, ..rows[row] };
        }
        Self { rows, roster: Some(roster) }
    }
}

impl PeopleArgs {
    /// One person, or a list of them.
    pub fn shape(&self) -> Shape {
        if self.file.is_none() && self.people.len() == 1 { Shape::One } else { Shape::Many }
    }

    /// Reads the people. A file with a mistake is refused as a whole, unless such rows are skipped, and so is one that `to`
    /// would replace.
    pub fn read(&self, session: &Session, needs: Needs, to: Option<&Path>) -> Result<Named, Failure> {
        if let Some(file) = &self.file {
            let options = ReadOptions { needs, ..self.roster.clone() };
            return Ok(session.read_roster(file, &options, Some(self.skip_invalid), &[to])?.into());
        }
        if self.people.is_empty() {
            let hint = "name a person by reference id or e-mail, such as EMP-00017";
            return Err(Failure::usage("no person was given").hint(hint));
        }
        // New values are judged as in a file.
        let judged = Some(self.roster.suspicious.clone()).filter(|_| needs == Needs::Update);
        if self.roster != (ReadOptions { suspicious: judged.unwrap_or_default(), ..ReadOptions::default() }) {
            return Err(Failure::usage(FILE_IS_MISSING));
        }
        Ok(Named { rows: self.people.clone(), roster: None })
    }
}

/// Refuses typed values that are probably not meant, as in a file.
pub fn judge_typed(values: &[(Field, Option<&str>)], suspicious: &SuspiciousArgs) -> Result<(), Failure> {
    let mut judged = values.iter().filter(|(field, _)| !suspicious.allowed.contains(field));
    let doubt = judged.find_map(|(field, value)| Some((field.name(), suspicion(*field, (*value)?)?)));
    let Some((field, why)) = doubt else { return Ok(()) };
    let hint = format!("if this value is right: add --allow-suspicious={field}");
    Err(Failure::new(Verdict::Refused, format!("the value of {field} {why}")).hint(hint))
}

impl Named {
    /// The file, as messages name it.
    pub fn file_name(&self) -> &str {
        self.roster.as_ref().map_or("", |roster| &roster.table.file)
    }

    /// The people of the rows.
    pub fn people(&self) -> impl Iterator<Item = &Person> {
        self.rows.iter().map(|row| &row.person)
    }

    /// The rows without a mistake, each with what names its person.
    pub fn references(&self) -> impl Iterator<Item = (&PersonRow, PersonRef)> {
        self.rows.iter().filter_map(|row| Some((row, row.person.named_by(None)?)))
    }

    /// How a command ends that left out rows with mistakes.
    pub fn verdict(&self) -> Verdict {
        let has_invalid = self.rows.iter().any(|row| row.invalid.is_some());
        if has_invalid { Verdict::RowsToFix } else { Verdict::Done }
    }

    /// How a command ends that asked for these people when `missing` of them are not there: 4 if none is there, 10 if some
    /// are missing or rows were left out. An empty list is nothing to do. `of_results`: finished results were asked for.
    pub fn absent(&self, session: &Session, missing: usize, of_results: bool, place: &str) -> Result<Verdict, Failure> {
        let (is, is_not, are_not) = if of_results {
            ("has a finished result", "has no finished result", "have no finished result")
        } else {
            ("is a test taker", "is not a test taker", "are not test takers")
        };
        let none = |cause: String| Failure::new(Verdict::NotFound, cause);
        let people: Vec<PersonRef> = self.references().map(|(_, person)| person).collect();
        match (missing, &people[..]) {
            (0, _) => Ok(self.verdict()),
            (all, _) if all == people.len() && self.verdict() != Verdict::Done => {
                Err(Failure::new(self.verdict(), format!("nobody in the other rows {is} in {place}")))
            }
            (_, [_]) if self.rows.iter().any(|row| row.number.is_some()) => {
                Err(none(format!("this person {is_not} in {place}")).hint("if this is an entry id: write id:NUMBER"))
            }
            (_, [_]) => Err(none(format!("this person {is_not} in {place}"))),
            (all, _) if all == people.len() => Err(none(format!("none of the {all} people {is} in {place}"))),
            (some, _) => {
                let not = if some == 1 { is_not } else { are_not };
                session.console.warn(&format!("{some} of the {} people {not} in {place}", people.len()));
                Ok(Verdict::RowsToFix)
            }
        }
    }

    /// A run over the rows without a mistake as one over all.
    pub fn over_all(&self, run: Run) -> Run {
        let mut ends = run.ends.into_iter();
        let ends = self.rows.iter().filter_map(|row| row.invalid.clone().or_else(|| ends.next())).collect();
        Run { ends, ..run }
    }

    /// The project's records that may be of these people; `more` are looked up as well. Where nobody is named, all records.
    pub async fn records(
        &self,
        session: &Session,
        project: ProjectId,
        more: &[PersonRef],
    ) -> anyhow::Result<Vec<Read<TestTaker>>> {
        let may_be_an_entry = self.rows.iter().any(|row| row.number.is_some());
        if self.roster.is_some() || self.rows.is_empty() || may_be_an_entry {
            return everybody(session, project).await;
        }
        let people = self.references().map(|(_, person)| person).chain(more.iter().cloned());
        records(session, project, &people.collect::<Vec<_>>()).await
    }

    /// The record of each row, or how the row ends without one. An argument that fits several people is refused.
    pub fn find<'l>(
        &self,
        session: &Session,
        project: ProjectId,
        index: &PeopleIndex<'l>,
        by: Option<Field>,
        others: Others,
    ) -> Result<Vec<Planned<'l>>, Failure> {
        self.refuse_ambiguous(index)?;
        self.refuse_lost_zeros(index)?;
        let mut rows = index.find(self.people(), by, others);
        let several = |end: &&RowEnd| self.roster.is_none() && end.outcome == Outcome::Conflict && end.entry.is_none();
        if let Some(end) = rows.iter().filter_map(|row| row.as_ref().err()).find(several) {
            return Err(Failure::usage(end.message.clone()).hint("name one by its entry id, such as id:4711"));
        }
        self.excuse_fresh(session, project, by, &mut rows)?;
        let invalid = |(row, found): (&PersonRow, Planned<'l>)| row.invalid.clone().map_or(found, Err);
        Ok(self.rows.iter().zip(rows).map(invalid).collect())
    }

    /// Refuses a file whose reference ids lost their zeros.
    fn refuse_lost_zeros(&self, index: &PeopleIndex<'_>) -> Result<(), Failure> {
        let lost = index.lost_zeros(self.people());
        if self.roster.is_none() || lost == 0 {
            return Ok(());
        }
        let ids = counted(lost, "reference id", "reference ids");
        let cause = format!("nothing was changed: a spreadsheet dropped the leading zeros of {ids}");
        Err(Failure::new(Verdict::Refused, cause).hint("format the column as text, and fill in the ids again"))
    }

    /// Refuses a bare number that is a reference id and somebody else's entry id.
    fn refuse_ambiguous(&self, index: &PeopleIndex<'_>) -> Result<(), Failure> {
        for (person, number) in self.rows.iter().filter_map(|row| row.person.named_by(None).zip(row.number)) {
            let (with_entry, with_id) = (index.of(&PersonRef::Id(number)), index.of(&person));
            if !with_id.is_empty() && with_entry.iter().any(|one| with_id.iter().all(|other| other.id != one.id)) {
                let cause = format!("\"{number}\" is the entry id of one person, and the reference id of another");
                return Err(Failure::usage(cause).hint(format!("write id:{number} or ref:{number}")));
            }
        }
        Ok(())
    }

    /// People enrolled from here a moment ago are not absent: a list may lag.
    pub fn excuse_fresh(
        &self,
        session: &Session,
        project: ProjectId,
        by: Option<Field>,
        rows: &mut [Planned<'_>],
    ) -> Result<(), Failure> {
        let is_absent = |row: &Planned<'_>| row.as_ref().is_err_and(|end| end.outcome == Outcome::Absent);
        if !rows.iter().any(is_absent) {
            return Ok(());
        }
        let journal = session.journal_to_read()?;
        let people = journal.people(project);
        let fresh = fresh(people)?;
        let entries: HashSet<_> = fresh.iter().filter_map(|known| known.state.entry()).collect();
        let keys: HashSet<_> = fresh.iter().flat_map(|known| [known.identity.key, known.identity.email]).collect();
        let is_fresh = |person| match person {
            PersonRef::Id(entry) => entries.contains(&entry),
            PersonRef::Reference(id) => keys.contains(&people.identity(Some(&id), "").key),
            PersonRef::Email(email) => keys.contains(&people.identity(None, &email).key),
        };
        for (person, row) in self.people().zip(rows).filter(|(_, row)| is_absent(row)) {
            if person.named_by(by).is_some_and(is_fresh) {
                *row = Err(not_listed());
            }
        }
        Ok(())
    }
}

/// Everybody whom this machine enrolled so lately that a list may lack them.
pub fn fresh(people: People<'_>) -> Result<Vec<Known>, Failure> {
    let now = Timestamp::now();
    let mut fresh = people.load(now)?;
    fresh.retain(|known| matches!(known.state, State::Enrolled { at, .. } if at.saturating_add(SETTLE).is_ok_and(|settled| now < settled)));
    Ok(fresh)
}

/// How the row of such a person ends.
pub fn not_listed() -> RowEnd {
    let why = "enrolled a moment ago and not listed yet: try again in a few minutes";
    RowEnd::new(Outcome::NotAttempted).message(why)
}
