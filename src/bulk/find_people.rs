//! Finds the people of a project whom the rows of a file name.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::compare::{bare, several_entries};
use super::each_row::Planned;
use super::outcome::{Outcome, RowEnd};
use super::person::Person;
use super::rules::Reading;
use crate::journal::people::{Known, State};
use crate::model::people::{EntryId, TestTaker};
use crate::model::person::PersonRef;
use crate::model::text::fold_email;
use crate::roster::Field;

/// What the other columns of a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// New values, but for the e-mail, which nothing changes: it is one more name of the person.
    Values,
    /// More of the same person. Where they name somebody else, columns may have shifted: a conflict.
    Names,
}

/// The records of a project's list, by what names them.
#[derive(Default)]
pub struct PeopleIndex<'l> {
    by_entry: HashMap<EntryId, Vec<&'l TestTaker>>,
    holders: HashMap<&'l str, Vec<&'l TestTaker>>,
    bare_ids: HashSet<String>,
    mailboxes: HashMap<Cow<'l, str>, Vec<&'l TestTaker>>,
}

impl<'l> PeopleIndex<'l> {
    pub fn new(records: impl IntoIterator<Item = &'l TestTaker>) -> Self {
        let mut listed = Self::default();
        for record in records {
            listed.by_entry.extend(record.entry_id().map(|entry| (entry, vec![record])));
            if let Some(id) = record.reference_id.as_deref() {
                listed.holders.entry(id).or_default().push(record);
                listed.bare_ids.insert(bare(id));
            }
            if let Some(email) = record.email.as_deref() {
                listed.mailboxes.entry(fold_email(email)).or_default().push(record);
            }
        }
        listed
    }

    /// All records of a person.
    pub fn of(&self, person: &PersonRef) -> &[&'l TestTaker] {
        let found = match person {
            PersonRef::Id(id) => self.by_entry.get(id),
            PersonRef::Reference(id) => self.holders.get(&**id),
            PersonRef::Email(email) => self.mailboxes.get(&*fold_email(email)),
        };
        found.map_or(&[], Vec::as_slice)
    }

    /// The record that each row names, or how the row ends without one. `by`: the column that counts.
    pub fn find<'p>(
        &self,
        rows: impl IntoIterator<Item = &'p Person>,
        by: Option<Field>,
        others: Others,
    ) -> Vec<Planned<'l>> {
        let mut met = HashSet::new();
        let find = |row: &Person| {
            let record = self.find_one(row, by, others)?;
            if met.insert(record.id) {
                return Ok(record);
            }
            Err(conflict("an earlier row names the same person").entry(record.entry_id()))
        };
        rows.into_iter().map(find).collect()
    }

    /// The record of a row's person whom this machine enrolled, or how the row ends without one. `own`: what it knows under
    /// the row's keys. `answered`: the entries of everybody whom it enrolled. `reading`: of these records.
    pub fn answered(
        &self,
        row: &Person,
        own: Option<&Known>,
        answered: &HashSet<EntryId>,
        reading: &Reading,
    ) -> Planned<'l> {
        // Whichever reference id they were enrolled with.
        let named = self.find_one(row, None, Others::Names);
        if let Some(State::Open { since, .. }) = own.map(|known| known.state) {
            let unanswered = |outcome| RowEnd::new(outcome).message("their enrolment had no answer");
            return Err(match named {
                _ if !reading.proves_absence(since) => unanswered(Outcome::InDoubt),
                Ok(record) => unanswered(Outcome::Conflict).entry(record.entry_id()),
                Err(end) => end,
            });
        }
        if let Ok(record) = named
            && record.entry_id().is_some_and(|entry| answered.contains(&entry))
        {
            return Ok(record);
        }
        let Some(entry) = own.and_then(|known| known.state.entry()).filter(|entry| answered.contains(entry)) else {
            let several = named.err().filter(|end| end.outcome == Outcome::Conflict && row.reference_id.is_none());
            let mailbox = row.email.clone().map(PersonRef::Email).map_or(&[][..], |email| self.of(&email));
            let other_id = mailbox.iter().filter_map(|one| one.entry_id()).find(|entry| answered.contains(entry));
            let other_id = other_id.filter(|_| mailbox.len() == 1).map(|entry| conflict(ANOTHER).entry(entry));
            let not_ours = || RowEnd::new(Outcome::Existing).message("not enrolled from here, or its answer was lost");
            return Err(several.or(other_id).unwrap_or_else(not_ours));
        };
        match self.of(&PersonRef::Id(entry)) {
            [] => Err(RowEnd::new(Outcome::Absent).entry(entry)),
            [record, ..] if row.fits(record) => Ok(record),
            _ => Err(conflict(ANOTHER).entry(entry)),
        }
    }

    fn find_one(&self, row: &Person, by: Option<Field>, others: Others) -> Planned<'l> {
        let Some(person) = row.named_by(by) else { return Err(conflict("the row names no person")) };
        let email = row.email.clone().map(PersonRef::Email);
        match *self.of(&person) {
            [] if by.is_none() && email.is_some_and(|email| !self.of(&email).is_empty()) => {
                Err(conflict("nobody has this id, but somebody has this e-mail: for new ids add --by email"))
            }
            [] if matches!(&person, PersonRef::Reference(id) if self.bare_ids.contains(&bare(id))) => Err(conflict(
                "nobody has this id, but somebody has nearly this id: only capitals or leading zeros differ",
            )),
            [] => Err(RowEnd::new(Outcome::Absent)),
            [record] => match contradiction(row, record, others).filter(|_| by.is_none()) {
                Some(why) => Err(conflict(&format!("{why}: add --by with the right field")).entry(record.entry_id())),
                None => Ok(record),
            },
            ref several => {
                let entries: Vec<EntryId> = several.iter().filter_map(|record| record.entry_id()).collect();
                Err(conflict(&several_entries(&entries)))
            }
        }
    }

    /// How many rows have a reference id that only lacks the zeros of one in the list: a spreadsheet ate them.
    pub fn lost_zeros<'p>(&self, rows: impl IntoIterator<Item = &'p Person>) -> usize {
        let is_bare = |id: &str| !id.starts_with('0') && id.bytes().all(|byte| byte.is_ascii_digit());
        let has_lost = |id: &&str| is_bare(id) && self.bare_ids.contains(*id) && !self.holders.contains_key(id);
        rows.into_iter().filter_map(|row| row.reference_id.as_deref()).filter(has_lost).count()
    }
}

const ANOTHER: &str = "the project has a different reference id or e-mail for this person";

fn conflict(why: &str) -> RowEnd {
    RowEnd::new(Outcome::Conflict).message(why)
}

/// In what a record contradicts a row that names it by an id.
pub fn contradiction(row: &Person, record: &TestTaker, others: Others) -> Option<&'static str> {
    let emails = row.email.as_deref().zip(record.email.as_deref());
    let is_other_email = emails.is_some_and(|(ours, theirs)| fold_email(ours) != fold_email(theirs));
    let is_other_id = row.reference_id.is_some() && row.reference_id.as_deref() != record.reference_id.as_deref();
    let id = (is_other_id && others == Others::Names).then_some("the project has no such reference id for this entry");
    if is_other_email { Some("the project has a different e-mail for this id") } else { id }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::journal::people::Identity;
    use crate::model::settle::SETTLE;

    fn record(id: i32, reference: Option<&str>, email: &str) -> TestTaker {
        let reference_id = reference.map(str::to_owned);
        TestTaker { id: Some(id), reference_id, email: Some(email.to_owned()), ..TestTaker::default() }
    }

    fn row(reference: Option<&str>, email: Option<&str>) -> Person {
        let reference_id = reference.map(|id| id.parse().expect("an id"));
        Person { reference_id, email: email.map(|email| email.parse().expect("an address")), ..Person::default() }
    }

    #[test]
    fn a_row_names_one_person_or_says_why_not() {
        let list = [
            record(1, Some("A"), "a@x.example"),
            record(2, Some("B"), "b@x.example"),
            record(3, Some("B"), "c@x.example"),
            record(4, None, "D@x.example"),
        ];
        let listed = PeopleIndex::new(&list);
        let ends = |rows: &[Person], by, others| {
            let found = listed.find(rows, by, others).into_iter();
            found
                .map(|found| found.map(|record| record.id.unwrap_or_default()).map_err(|end| end.outcome))
                .collect::<Vec<_>>()
        };
        let (absent, conflict) = (Err(Outcome::Absent), Err(Outcome::Conflict));
        let old_id = [row(Some("OLD"), Some("a@x.example"))];
        assert_eq!(ends(&old_id, None, Others::Names), [conflict], "a removal must not take them for gone");
        assert_eq!(ends(&old_id, Some(Field::ReferenceId), Others::Names), [absent]);
        let rows = [row(Some("A"), None), row(None, Some("d@X.example")), row(Some("Z"), None), row(Some("B"), None)];
        assert_eq!(ends(&rows, None, Others::Names), [Ok(1), Ok(4), absent, conflict]);
        let shifted = [row(Some("A"), Some("b@x.example"))];
        assert_eq!(ends(&shifted, None, Others::Names), [conflict]);
        assert_eq!(ends(&shifted, Some(Field::ReferenceId), Others::Names), [Ok(1)]);
        assert_eq!(ends(&shifted, None, Others::Values), [conflict], "no update changes an e-mail");
        assert_eq!(ends(&[row(Some("NEW"), Some("a@x.example"))], None, Others::Values), [conflict]);
        assert_eq!(ends(&[row(Some("NEW"), Some("a@x.example"))], Some(Field::Email), Others::Values), [Ok(1)]);
        assert_eq!(
            ends(&[row(Some("A"), None), row(None, Some("a@x.example"))], None, Others::Names),
            [Ok(1), conflict]
        );
    }

    #[test]
    fn whoever_was_enrolled_from_here_with_another_id_is_a_conflict() {
        let list = [record(1, Some("00017"), "a@x.example"), record(2, Some("B"), "b@x.example")];
        let listed = PeopleIndex::new(&list);
        let reading = Reading { began: Timestamp::now(), is_whole: true, settle: SETTLE, again: false };
        let outcome =
            |email| listed.answered(&row(Some("17"), Some(email)), None, &[EntryId(1)].into(), &reading).err();
        let outcomes = ["a@x.example", "b@x.example"].map(|email| outcome(email).map(|end| end.outcome));
        assert_eq!(outcomes, [Some(Outcome::Conflict), Some(Outcome::Existing)]);
    }

    #[test]
    fn whose_enrolment_had_no_answer_is_told_once_it_is_settled_and_not_taken_for_ours() {
        let list = [record(1, Some("A"), "a@x.example")];
        let began = Timestamp::now();
        let reading = Reading { began, is_whole: true, settle: SETTLE, again: false };
        let outcome = |id: &str, since| {
            let identity = Identity { key: [7; 16], email: [8; 16] };
            let own = Known { identity, state: State::Open { since, before: None } };
            let row = row(Some(id), None);
            PeopleIndex::new(&list).answered(&row, Some(&own), &HashSet::new(), &reading).err().map(|end| end.outcome)
        };
        assert_eq!([outcome("A", began), outcome("Z", began)], [Some(Outcome::InDoubt); 2]);
        let long_ago = began - SETTLE;
        assert_eq!([outcome("A", long_ago), outcome("Z", long_ago)], [Some(Outcome::Conflict), Some(Outcome::Absent)]);
    }

    #[test]
    fn ids_that_lost_their_zeros_are_seen() {
        let list =
            [("00017", 1), ("18", 2), ("117", 3), ("0E17", 4)].map(|(id, at)| record(at, Some(id), "a@x.example"));
        for (id, lost) in [("17", 1), ("18", 0), ("19", 0), ("017", 0), ("E17", 0)] {
            assert_eq!(PeopleIndex::new(&list).lost_zeros(&[row(Some(id), None)]), lost, "{id}");
        }
    }
}
