//! The people of a run, beside what this machine knows of them and what is read of them.

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::Timestamp;

use super::compare::{Comparison, Found, Relation};
use super::known::KnownPeople;
use super::rules::{Reading, Related};
use crate::journal::people::{Identity, Known, People, State};
use crate::model::people::{EntryId, NewTestTaker, TestTaker};
use crate::model::verdict::Failure;

/// The people of a run, each of them once (enrolling, rule 1). A row is its place among them.
pub struct Rows<'a> {
    pub people: &'a [NewTestTaker],
    pub identities: Rc<[Identity]>,
    pub known: KnownPeople,
    shared_mailboxes: bool,
}

impl<'a> Rows<'a> {
    /// The caller holds the project's lock, but for a dry run.
    pub fn new(
        journal: People<'_>,
        people: &'a [NewTestTaker],
        shared_mailboxes: bool,
        now: Timestamp,
    ) -> Result<Self, Failure> {
        let known = KnownPeople::new(journal.load(now)?);
        let identity = |person: &NewTestTaker| journal.identity(person.reference_id.as_deref(), &person.email);
        Ok(Self { people, identities: people.iter().map(identity).collect(), known, shared_mailboxes })
    }

    /// What the records of a reading show of each of these rows.
    pub fn compare(&self, rows: &[usize], records: &[TestTaker], reading: &Reading) -> Vec<Found> {
        let owners = |row: usize| self.known.owners(self.identities[row], self.shared_mailboxes);
        let mut comparison = Comparison::new(self.people, rows.iter().copied(), owners, self.shared_mailboxes);
        let left = self.known.left_entries(reading);
        let records: BTreeMap<_, _> = records.iter().filter_map(|record| Some((record.entry_id()?, record))).collect();
        for (entry, record) in records {
            comparison.add(record, entry, left.contains(&entry));
        }
        let found = |row: &usize| {
            let mut found = comparison.found(*row);
            if let Some(best) = found.best.as_mut().filter(|best| best.relation == Relation::SameEmail)
                && self.known.is_another(self.identities[*row], best.entries[0])
            {
                best.relation = Relation::SharedEmail;
            }
            found
        };
        rows.iter().map(found).collect()
    }

    /// What a row that was found to be an entry teaches of it. Where mailboxes are shared, an e-mail is nobody's.
    /// `learns`: also where nothing was known of the entry.
    pub fn agreeing(&self, row: usize, entry: EntryId, face: Identity, reading: &Reading, learns: bool) -> Vec<Known> {
        let known = self.known.enrolled_by(entry).next().map(|known| known.state);
        let new = || learns.then_some(State::Enrolled { entry, enrolment: None, at: reading.began });
        let Some(state) = known.or_else(new) else { return Vec::new() };
        let mut agreeing = self.known.agreeing(state, entry, self.identities[row], face, reading);
        agreeing.retain(|known| !self.shared_mailboxes || known.identity.reference().is_some());
        agreeing
    }

    /// Everybody of the journal who may be the person of a row.
    pub fn related(&self, row: usize) -> Vec<Related> {
        self.known.related(self.identities[row], self.shared_mailboxes)
    }
}
