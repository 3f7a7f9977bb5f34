//! Several people of a command: as arguments, or as the lines of a file.

use std::collections::HashSet;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use jiff::{SignedDuration, Timestamp};

use super::account::AccountRow;
use super::person::{LOOK_UPS, find};
use super::roster_args::{RosterArgs, check};
use super::session::Session;
use crate::bulk::outcome::{Outcome, RowEnd};
use crate::journal::database::Journal;
use crate::journal::people::State;
use crate::model::people::{EntryId, TestTaker, TestTakerQuery};
use crate::model::person::PersonRef;
use crate::model::projects::{ProjectId, ProjectRef};
use crate::model::text::counted;
use crate::model::verdict::Failure;
use crate::output::Shape;
use crate::roster::{Field, Needs, Person, Roster};

/// How long a list may not show somebody who was enrolled from here (design §7, Settle).
const SETTLE: SignedDuration = SignedDuration::from_mins(5);

/// A person as an argument.
#[derive(Clone, Debug)]
pub struct NamedPerson {
    pub person: PersonRef,
    /// A number without `id:` or `ref:`, which could be meant as an entry id.
    number: Option<EntryId>,
}

impl FromStr for NamedPerson {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self { person: text.parse()?, number: text.trim().parse().ok() })
    }
}

/// People as arguments or by `--file`.
#[derive(Args, Clone, Debug)]
pub struct PeopleArgs {
    /// People: id:ENTRY_ID, ref:REFERENCE_ID or email:ADDRESS
    #[arg(value_name = "PERSON", conflicts_with = "file")]
    pub people: Vec<NamedPerson>,
    /// Roster, export or list of people; - is stdin
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub roster: RosterArgs,
}

/// `--by`: the column that says who a row is.
#[derive(Args, Clone, Copy, Debug)]
pub struct ByArgs {
    /// Find by projectEntryId, referenceId or email
    #[arg(long, value_name = "COLUMN", value_parser = by, requires = "file")]
    pub by: Option<Field>,
}

fn by(text: &str) -> Result<Field, &'static str> {
    match crate::roster::field_of(text) {
        Some(field @ (Field::EntryId | Field::ReferenceId | Field::Email)) => Ok(field),
        _ => Err("a column is projectEntryId, referenceId or email"),
    }
}

/// The people of a command.
#[derive(Default)]
pub struct Named {
    pub rows: Vec<AccountRow>,
    /// The file that they come from.
    pub roster: Option<Roster>,
    numbers: Vec<EntryId>,
}

impl PeopleArgs {
    /// One person, or a list of them.
    pub fn shape(&self) -> Shape {
        if self.file.is_none() && self.people.len() == 1 { Shape::One } else { Shape::Many }
    }

    /// How each person is named, for commands that only read.
    pub fn named(&self, session: &Session) -> Result<Vec<PersonRef>, Failure> {
        let named = self.read(session, Needs::Person)?;
        Ok(named.rows.iter().filter_map(|row| row.person.named_by(None)).collect())
    }

    /// Reads the people. A file with a mistake is refused as a whole.
    pub fn read(&self, session: &Session, needs: Needs) -> Result<Named, Failure> {
        let Some(file) = &self.file else {
            if self.people.is_empty() {
                return Err(Failure::usage("nobody is named").hint("name people, or give --file FILE"));
            }
            let rows = self.people.iter().map(|named| AccountRow { line: None, person: named.person.clone().into() });
            let numbers = self.people.iter().filter_map(|named| named.number).collect();
            return Ok(Named { rows: rows.collect(), roster: None, numbers });
        };
        let roster = self.roster.read(session, file, needs, None)?;
        check(session, &roster, false)?;
        if roster.rows.is_empty() {
            session.console.say("nothing to do: the file names nobody");
        }
        Ok(Named { rows: super::account::rows(&roster), roster: Some(roster), numbers: Vec::new() })
    }
}

impl Named {
    /// Everybody in a project.
    pub async fn everybody(session: &Session, project: ProjectId) -> anyhow::Result<Vec<TestTaker>> {
        let _progress = session.count_answers("reading, answers");
        let list = session.client().await?.test_takers(project, &TestTakerQuery::default()).whole().await?;
        Ok(list.into_iter().map(|read| read.record).collect())
    }

    pub fn people(&self) -> Vec<Person> {
        self.rows.iter().map(|row| row.person.clone()).collect()
    }

    /// The project's records that may be of these people; `more` are looked up as well. All of them, where that takes fewer
    /// requests.
    pub async fn records(
        &self,
        session: &Session,
        project: &ProjectRef,
        more: &[PersonRef],
    ) -> anyhow::Result<Vec<TestTaker>> {
        if self.rows.is_empty() {
            return Ok(Vec::new());
        }
        if self.roster.is_some() || !self.numbers.is_empty() || self.rows.len() + more.len() > LOOK_UPS {
            return Self::everybody(session, project.id).await;
        }
        let named = self.rows.iter().filter_map(|row| row.person.named_by(None));
        let people: Vec<PersonRef> = named.chain(more.iter().cloned()).collect();
        let found = find(session, project.id, &people).await?.into_iter().flatten();
        let mut met = HashSet::new();
        Ok(found.map(|read| read.record).filter(|record| met.insert(record.id)).collect())
    }

    /// Refuses a bare number that is a reference id and somebody else's entry id.
    pub fn refuse_ambiguous(&self, records: &[TestTaker]) -> Result<(), Failure> {
        for number in &self.numbers {
            let text = number.to_string();
            let with_id = records.iter().find(|record| record.reference_id.as_deref() == Some(text.as_str()));
            let is_entry = records.iter().any(|record| record.entry_id() == Some(*number));
            if is_entry && with_id.is_none_or(|record| record.entry_id() != Some(*number)) {
                let cause = "a number is the entry id of one person, and may be the reference id of another";
                return Err(Failure::usage(cause).hint(format!("write id:{number} or ref:{number}")));
            }
        }
        Ok(())
    }

    /// Refuses a person of the command line who is several people.
    pub fn refuse_several(&self, found: &[Result<&TestTaker, RowEnd>]) -> Result<(), Failure> {
        let several = |end: &&RowEnd| self.roster.is_none() && end.outcome == Outcome::Conflict;
        let several = found.iter().filter_map(|found| found.as_ref().err()).find(several);
        several.map_or(Ok(()), |end| Err(Failure::usage(end.message.clone()).hint("write id:ENTRY_ID")))
    }

    /// Whoever was enrolled from here a moment ago is not absent: a list may lag.
    pub fn excuse_fresh(
        &self,
        session: &Session,
        project: &ProjectRef,
        ends: &mut [Option<RowEnd>],
    ) -> Result<(), Failure> {
        let is_absent = |end: &Option<RowEnd>| end.as_ref().is_some_and(|end| end.outcome == Outcome::Absent);
        if !ends.iter().any(is_absent) {
            return Ok(());
        }
        let (journal, now) = (Journal::open_to_read(&session.settings()?.state_dir)?, Timestamp::now());
        let people = journal.people(project.id);
        let known = people.load(now)?;
        let is_fresh = |at: Timestamp| now.duration_since(at) < SETTLE;
        let fresh: Vec<_> =
            known.iter().filter(|known| matches!(known.state, State::Enrolled { at, .. } if is_fresh(at))).collect();
        for (row, end) in self.rows.iter().zip(ends).filter(|(_, end)| is_absent(end)) {
            let person = &row.person;
            let identity = people.identity(person.reference_id.as_deref(), person.email.as_deref().unwrap_or_default());
            let is_this = |known: &&&crate::journal::people::Known| {
                known.identity.key == identity.key
                    || (person.reference_id.is_none() && known.identity.email == identity.email)
                    || person.entry_id.is_some() && known.state.entry() == person.entry_id
            };
            if fresh.iter().any(|known| is_this(&known)) {
                let why = "enrolled a moment ago, and not shown yet: try again in a few minutes";
                *end = Some(RowEnd::new(Outcome::NotAttempted).message(why));
            }
        }
        Ok(())
    }
}

/// What a question names: `3 people in Demo (sandbox)`.
pub fn people_in(count: usize, place: &str) -> String {
    format!("{}{place}", counted(count, "person", "people"))
}
