//! Finds the people of a project that the rows of a file name, by entry id, reference id or e-mail address.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use clap::ValueEnum;
use futures_util::StreamExt as _;
use futures_util::stream;

use crate::api::{Client, Error, PeopleQuery, Read};
use crate::model::field_rules::fold_email;
use crate::model::list_query::ReferenceLookup;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{EntryId, TestTaker};

use super::compare::list;
use super::list_or_look_ups::longest_to_find;
use super::outcome::{Outcome, RowResult};
use super::roster::{Field, Roster};

/// Look-ups begun at a time; the client's throttle lets through what the service takes.
pub(super) const AT_A_TIME: usize = 32;

/// Which column identifies the person of a row (`--by`): a reference id byte for byte, an e-mail address ignoring case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum LookupKey {
    /// The entry id
    Id,
    /// The reference id
    ReferenceId,
    /// The e-mail address
    Email,
}

impl LookupKey {
    /// The first of entry id, reference id and e-mail that the file has a column of.
    pub fn of(roster: &Roster) -> Option<Self> {
        [Self::Id, Self::ReferenceId, Self::Email].into_iter().find(|by| by.stands_in(roster))
    }

    /// Whether the file has the column.
    pub fn stands_in(self, roster: &Roster) -> bool {
        roster.columns.index_of(self.field()).is_some()
    }

    /// The column's field.
    pub fn field(self) -> Field {
        match self {
            Self::Id => Field::EntryId,
            Self::ReferenceId => Field::ReferenceId,
            Self::Email => Field::Email,
        }
    }

    /// How a row calls its person, in the form in which names are compared; `None` where it does not.
    pub fn of_row(self, roster: &Roster, row: usize) -> Option<String> {
        self.name(roster.value(row, self.field())?)
    }

    /// A value in the form in which names are compared; `None` where it is none.
    fn name(self, value: &str) -> Option<String> {
        Some(match self {
            Self::Id => value.parse::<EntryId>().ok()?.to_string(),
            Self::ReferenceId => value.to_owned(),
            Self::Email => fold_email(value).into_owned(),
        })
    }

    /// How a record calls its person, in the same form; `None` where it does not.
    pub fn of_record(self, record: &TestTaker) -> Option<String> {
        match self {
            Self::Id => Some(record.entry_id().to_string()),
            Self::ReferenceId => record.reference_id.clone().filter(|id| !id.is_empty()),
            Self::Email => record.email.as_deref().map(|email| fold_email(email).into_owned()),
        }
    }
}

/// A row's person, or why it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The person of the row.
    One(Box<TestTaker>),
    /// The row has ended: no match, several matches, or the person of an earlier row.
    Ended(RowResult),
}

/// The people that were found so far, by what they are called.
struct Finding {
    by: LookupKey,
    wanted: HashMap<String, Vec<TestTaker>>,
}

impl Finding {
    fn new(by: LookupKey, values: &[&str]) -> Self {
        let names = values.iter().filter_map(|value| by.name(value));
        Self { by, wanted: names.map(|name| (name, Vec::new())).collect() }
    }

    fn see(&mut self, record: TestTaker) {
        let Some(found) = self.by.of_record(&record).and_then(|name| self.wanted.get_mut(&name)) else { return };
        match found.iter_mut().find(|known| known.id == record.id) {
            Some(known) => *known = record,
            None => found.push(record),
        }
    }

    /// What the people are called who were not seen.
    fn missing<'v>(&self, values: &[&'v str]) -> Vec<&'v str> {
        let is_unseen = |value: &&str| {
            let name = self.by.name(value);
            name.is_some_and(|name| self.wanted.get(&name).is_some_and(Vec::is_empty))
        };
        values.iter().copied().filter(is_unseen).collect()
    }

    /// The person of a row; `taken` has the line of the row that each person was given to.
    fn resolve(&self, roster: &Roster, row: usize, taken: &mut HashMap<EntryId, u32>) -> Resolved {
        let what = self.by.field();
        let Some(name) = self.by.of_row(roster, row) else {
            let message = format!("{what}: is empty, and says which person the row means (--by takes another column)");
            return ended(Outcome::Invalid, message);
        };
        match self.wanted.get(&name).map(Vec::as_slice).unwrap_or_default() {
            [] => ended(Outcome::Absent, format!("no one in the project has this {what}")),
            [one] => match taken.entry(one.entry_id()) {
                Entry::Vacant(free) => {
                    free.insert(roster.line(row));
                    Resolved::One(Box::new(one.clone()))
                }
                Entry::Occupied(line) => {
                    let message = format!("the same person as in line {}", line.get());
                    Resolved::Ended(RowResult::new(Outcome::Conflict).with_entry(one.entry_id()).with_message(message))
                }
            },
            several => {
                let ids = list(&several.iter().map(TestTaker::entry_id).collect::<Vec<_>>());
                ended(Outcome::Conflict, format!("{} people have this {what}: entries {ids}", several.len()))
            }
        }
    }
}

fn ended(outcome: Outcome, message: String) -> Resolved {
    Resolved::Ended(RowResult::new(outcome).with_message(message))
}

/// Finds the people of these rows, as [`people_called`] does.
pub async fn find(
    client: &Client,
    project: ProjectId,
    roster: &Roster,
    by: LookupKey,
    rows: &[usize],
    tell: impl FnMut(usize),
) -> Result<Vec<Resolved>, Error> {
    let values: Vec<&str> = rows.iter().filter_map(|row| roster.value(*row, by.field())).collect();
    let finding = seek(client, project, by, &values, tell).await?;
    let mut taken = HashMap::new();
    Ok(rows.iter().map(|row| finding.resolve(roster, *row, &mut taken)).collect())
}

/// The people of a project who are called by one of these values, each by it in the form in which names are compared. Reads
/// the project's list, verified, or looks each value up where that takes fewer requests: part of a list would hide that several
/// people have the same reference id. A person that the list lacks is looked up too, because a list may lag behind. `tell`
/// hears how many records were read.
async fn seek(
    client: &Client,
    project: ProjectId,
    by: LookupKey,
    values: &[&str],
    tell: impl FnMut(usize),
) -> Result<Finding, Error> {
    let mut finding = Finding::new(by, values);
    // No operation looks up an entry id: the list alone tells.
    let most = if by == LookupKey::Id { usize::MAX } else { longest_to_find(values.len()) };
    let list = client.test_takers(project, &PeopleQuery::default());
    let unseen = match list.verified_within(most, false, tell).await {
        Ok(Some(people)) => {
            people.each_record(|record| finding.see(record))?;
            finding.missing(values)
        }
        // A list that moves too much, or is too long, is no help.
        Err(Error::Unverified) if by != LookupKey::Id => values.to_vec(),
        other => other.map(|_| values.to_vec())?,
    };
    if by != LookupKey::Id {
        let looks = stream::iter(unseen.into_iter().map(|value| look_up(client, project, by, value)));
        let mut looks = std::pin::pin!(looks.buffer_unordered(AT_A_TIME));
        while let Some(found) = looks.next().await {
            for read in found? {
                finding.see(read.record);
            }
        }
    }
    Ok(finding)
}

async fn look_up(
    client: &Client,
    project: ProjectId,
    by: LookupKey,
    value: &str,
) -> Result<Vec<Read<TestTaker>>, Error> {
    match (by, value.parse::<ReferenceLookup>()) {
        (LookupKey::ReferenceId, Ok(id)) => client.with_reference_id(project, &id).await,
        (LookupKey::Email, _) => client.with_email(project, value).await,
        _ => Ok(Vec::new()),
    }
}

/// The other entries that have the reference ids which updates give to people, by the people's entries. The service lets two
/// people share one; given by mistake it makes each row and look-up by it ambiguous.
pub async fn taken_reference_ids(
    client: &Client,
    project: ProjectId,
    given: &[(EntryId, &str)],
    tell: impl FnMut(usize),
) -> Result<HashMap<EntryId, Vec<EntryId>>, Error> {
    let ids: Vec<&str> = given.iter().map(|(_, id)| *id).collect();
    let found = seek(client, project, LookupKey::ReferenceId, &ids, tell).await?.wanted;
    let others = |(entry, id): &(EntryId, &str)| {
        let holders = found.get(*id).into_iter().flatten().map(TestTaker::entry_id);
        (*entry, holders.filter(|holder| holder != entry).collect())
    };
    Ok(given.iter().map(others).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::roster::{Purpose, ReadOptions, read};

    const PEOPLE: &str = "id,referenceId,email\n7,R1,Ann@x.example\n8,R2,bob@x.example\n9,,cid@x.example\n";

    fn roster(text: &str) -> Roster {
        let options = ReadOptions { allow_doubles: true, purpose: Purpose::Name, ..ReadOptions::default() };
        read(text.as_bytes(), "r", &options).expect("a roster")
    }

    fn record(id: i32, reference: &str, email: &str) -> TestTaker {
        let json = serde_json::json!({ "id": id, "referenceId": reference, "email": email });
        serde_json::from_value(json).expect("a record")
    }

    #[test]
    fn people_are_found_by_the_first_of_id_reference_id_and_email_that_the_file_has() {
        let by = |header: &str| LookupKey::of(&roster(&format!("{header}\n1,2\n")));
        assert_eq!(by("id,referenceId"), Some(LookupKey::Id));
        assert_eq!(by("referenceId,email"), Some(LookupKey::ReferenceId));
        assert_eq!(by("email,firstName"), Some(LookupKey::Email));
    }

    #[test]
    fn a_row_and_a_record_call_their_person_alike_and_only_an_email_ignores_case() {
        let roster = roster(PEOPLE);
        let one = record(7, "R1", "ANN@X.example");
        for (by, name) in [(LookupKey::Id, "7"), (LookupKey::ReferenceId, "R1"), (LookupKey::Email, "ann@x.example")] {
            assert_eq!(by.of_row(&roster, 0).as_deref(), Some(name));
            assert_eq!(by.of_record(&one).as_deref(), Some(name));
        }
        assert_eq!(LookupKey::ReferenceId.of_row(&roster, 2), None);
        assert_eq!(LookupKey::ReferenceId.of_record(&record(9, "", "cid@x.example")), None);
    }

    #[test]
    fn a_person_who_is_seen_again_as_of_later_is_one_and_several_with_one_reference_id_are_nobody() {
        let roster = roster(PEOPLE);
        let mut finding = Finding::new(LookupKey::ReferenceId, &["R1", "R2"]);
        finding.see(record(7, "R1", "old@x.example"));
        finding.see(record(7, "R1", "new@x.example"));
        finding.see(record(6, "R9", "other@x.example"));
        assert_eq!(finding.missing(&["R1", "R2"]), ["R2"]);
        let Resolved::One(person) = finding.resolve(&roster, 0, &mut HashMap::new()) else { panic!("one person") };
        assert_eq!(person.email.as_deref(), Some("new@x.example"));
        finding.see(record(5, "R1", "new@x.example"));
        let Resolved::Ended(several) = finding.resolve(&roster, 0, &mut HashMap::new()) else { panic!("two people") };
        assert_eq!(several.message.as_deref(), Some("2 people have this referenceId: entries 7, 5"));
        assert_eq!(finding.missing(&["R1", "R2"]), ["R2"]);
    }
}
