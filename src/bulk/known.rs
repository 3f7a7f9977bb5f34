//! What the journal knows of a project's people, in memory while a run adds to it.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::compare::relation;
use super::rules::{Reading, Related};
use crate::journal::database::Hash;
use crate::journal::people::{Identity, Known, State};
use crate::journal::rosters::entry_key;
use crate::model::people::{EntryId, TestTaker};
use crate::model::text::counted;
use crate::model::verdict::{Failure, Verdict};

/// If this many people were enrolled from here and a list shows none of them, the list is not believed.
const BLIND: usize = 5;

/// The people of the journal, by identity.
#[derive(Clone, Debug, Default)]
pub struct KnownPeople {
    by_key: HashMap<Hash, Known>,
    keys_of_entry: HashMap<EntryId, Vec<Hash>>,
    keys_by_email: HashMap<Hash, Vec<Hash>>,
}

impl KnownPeople {
    pub fn new(known: Vec<Known>) -> Self {
        let mut people = Self::default();
        for known in known {
            people.put(known);
        }
        people
    }

    pub fn put(&mut self, known: Known) {
        let Known { identity, state } = known;
        if let State::Enrolled { entry, .. } | State::Removed { entry, .. } = state {
            self.keys_of_entry.entry(entry).or_default().push(identity.key);
        }
        let before = self.by_key.insert(identity.key, known);
        if before.is_none_or(|before| before.identity.email != identity.email) {
            self.keys_by_email.entry(identity.email).or_default().push(identity.key);
        }
    }

    /// Whoever is or was enrolled by an entry: one person, by each row that agreed with it.
    fn of_entry(&self, entry: EntryId) -> impl Iterator<Item = &Known> {
        let known = self.keys_of_entry.get(&entry).into_iter().flatten().filter_map(|key| self.by_key.get(key));
        known.filter(move |known| known.state.entry() == Some(entry) && !matches!(known.state, State::Open { .. }))
    }

    /// Whoever is enrolled by an entry.
    fn enrolled_by(&self, entry: EntryId) -> impl Iterator<Item = &Known> {
        self.of_entry(entry).filter(|known| matches!(known.state, State::Enrolled { .. }))
    }

    /// Whether an entry is known as the one that somebody else is enrolled by.
    pub fn is_of_other(&self, entry: EntryId, person: Identity) -> bool {
        let mut keys = self.enrolled_by(entry).map(|known| known.identity.key).peekable();
        keys.peek().is_some() && keys.all(|key| key != person.key)
    }

    /// Whether a row and an entry of the same e-mail, of which one has no reference id, are known to be two people: the row by
    /// another entry, or the entry by another reference id.
    pub fn is_another(&self, row: Identity, entry: EntryId) -> bool {
        let has_other_id = |known: &Known| known.identity.reference().is_some_and(|id| *id != row.key);
        self.of(row).is_some_and(|known| known.state.entry() != Some(entry))
            || (row.reference().is_some() && self.of_entry(entry).any(has_other_id))
    }

    /// What is known of exactly this person.
    pub fn of(&self, person: Identity) -> Option<&Known> {
        self.by_key.get(&person.key)
    }

    pub fn all(&self) -> impl Iterator<Item = &Known> {
        self.by_key.values()
    }

    /// Everybody who may be the person of a row: by the same table as records, so that a row that was edited since is known
    /// again.
    pub fn related(&self, row: Identity, shared_mailboxes: bool) -> Vec<Related> {
        // Where mailboxes are shared, people with reference ids are others.
        let with_email = self.keys_by_email.get(&row.email);
        let with_email = with_email.filter(|_| !shared_mailboxes || row.reference().is_none());
        let keys: HashSet<&Hash> = with_email.into_iter().flatten().chain([&row.key, &row.email]).collect();
        let known = keys.into_iter().filter_map(|key| self.by_key.get(key));
        let related = known.filter_map(|Known { identity, state }| {
            let references = (row.reference(), identity.reference());
            let relation = relation(references, row.email == identity.email, shared_mailboxes)?;
            Some(Related { relation, state: *state })
        });
        let mut related: Vec<Related> = related.collect();
        related.sort_by_key(|known| known.relation);
        related
    }

    /// The entry that is known by a row's key, and whether it is so by its e-mail too. One that a person had before they were
    /// sent again is none.
    pub fn own_entry(&self, row: Identity) -> Option<(EntryId, bool)> {
        let known = self.by_key.get(&row.key).filter(|known| !matches!(known.state, State::Open { .. }))?;
        Some((known.state.entry()?, known.identity == row))
    }

    /// What is to be known of a row that agrees with an entry, where that is new. Whoever has another reference id and another
    /// e-mail at once may be somebody else.
    pub fn agreeing(&self, entry: EntryId, row: Identity, reading: &Reading) -> Option<Known> {
        let known = self.enrolled_by(entry).find(|known| known.identity.is_near(&row))?;
        let is_free = self.by_key.get(&row.key).is_none_or(|holder| match holder.state {
            State::Open { .. } => false,
            State::Enrolled { .. } => true,
            State::Removed { at, is_certain, .. } => is_certain && reading.is_after(at),
        });
        let is_known = self.enrolled_by(entry).any(|known| known.identity == row);
        (is_free && !is_known).then_some(Known { identity: row, state: known.state })
    }

    /// A reference id is somebody else's from now on: who had it is known by their entry. Returns that key.
    pub fn pass_on(&mut self, entry: EntryId, row: Identity) -> Hash {
        let key = entry_key(entry);
        if let Some(known) = self.by_key.remove(&row.key) {
            self.put(Known { identity: Identity { key, ..known.identity }, ..known });
        }
        key
    }

    /// What is known of a row's person, who may have been known by their e-mail alone.
    pub fn of_row(&self, row: Identity) -> Option<&Known> {
        self.of(row).or_else(|| self.by_key.get(&row.email))
    }

    /// Everybody who has or had an entry, by each of their rows.
    pub fn by_entry(&self) -> HashMap<EntryId, Vec<Identity>> {
        let mut people: HashMap<EntryId, Vec<Identity>> = HashMap::new();
        for (entry, identity) in self.all().filter_map(|known| Some((known.state.entry()?, known.identity))) {
            people.entry(entry).or_default().push(identity);
        }
        people
    }

    /// The entries of everybody whose enrolment was answered to this machine.
    pub fn answered(&self) -> HashSet<EntryId> {
        self.all().filter_map(|known| known.state.enrolment().and(known.state.entry())).collect()
    }

    /// The entries of everybody who is enrolled.
    pub fn enrolled(&self) -> HashSet<EntryId> {
        let enrolled = self.all().filter(|known| matches!(known.state, State::Enrolled { .. }));
        enrolled.filter_map(|known| known.state.entry()).collect()
    }

    /// The keys of everybody who was enrolled from here, perhaps, so lately that a list may lack them.
    pub fn fresh(&self, reading: &Reading) -> impl Iterator<Item = Hash> {
        let fresh = self.all().filter(|known| match known.state {
            State::Enrolled { at, .. } | State::Open { since: at, .. } => !reading.is_after(at),
            State::Removed { .. } => false,
        });
        fresh.flat_map(|known| {
            let Identity { key, email } = known.identity;
            [Some(key), Some(email), known.state.entry().map(entry_key)].into_iter().flatten()
        })
    }

    /// Entries that people had before, and that a list may show still: it proves nothing then.
    pub fn left_entries(&self, reading: &Reading) -> HashSet<EntryId> {
        let left = self.all().filter_map(|known| match known.state {
            State::Removed { entry, at, .. } if !reading.is_after(at) => Some(entry),
            State::Open { before, .. } => before,
            _ => None,
        });
        left.collect()
    }

    /// Refuses a list that shows none of the people who were enrolled from here (enrolling, rule 5).
    pub fn believe(&self, records: &[TestTaker], reading: &Reading) -> Result<(), Failure> {
        let shown: HashSet<EntryId> = records.iter().filter_map(TestTaker::entry_id).collect();
        let enrolled = self.all().filter_map(|known| match known.state {
            State::Enrolled { entry, at, .. } if reading.is_after(at) => Some(entry),
            _ => None,
        });
        let enrolled: HashSet<EntryId> = enrolled.collect();
        if !reading.is_whole || enrolled.len() < BLIND || enrolled.iter().any(|entry| shown.contains(entry)) {
            return Ok(());
        }
        let cause = format!(
            "the service lists none of {} enrolled from here, which is probably wrong: nothing was sent",
            counted(enrolled.len(), "person", "people")
        );
        let hint = "if all of them were removed in the portal: assessctl journal forget -p NAME";
        Err(Failure::new(Verdict::Unfinished, cause).hint(hint))
    }

    /// All open people whom a reading settles: with their entry where it shows them, `None` where they are absent.
    pub fn settled(
        &self,
        records: &[TestTaker],
        reading: &Reading,
        identity: impl Fn(&TestTaker) -> Identity,
    ) -> Vec<(Identity, Option<EntryId>)> {
        let is_any_open = self.all().any(|known| matches!(known.state, State::Open { .. }));
        let left = self.left_entries(reading);
        let entry = |record: &TestTaker| record.entry_id().filter(|entry| !left.contains(entry));
        let shown = records.iter().filter(|_| is_any_open).filter_map(|record| Some((entry(record)?, record)));
        let shown: HashMap<Identity, EntryId> = shown.map(|(entry, record)| (identity(record), entry)).collect();
        let settled = self.all().filter_map(|Known { identity, state }| {
            let State::Open { since, .. } = *state else { return None };
            let entry = shown.get(identity).copied();
            (entry.is_some() || reading.proves_absence(since)).then_some((*identity, entry))
        });
        settled.collect()
    }

    /// Nothing was done to an open person.
    pub fn free(&mut self, person: Identity, now: Timestamp) {
        let before = self.by_key.remove(&person.key).and_then(|known| known.state.entry());
        if let Some(entry) = before {
            self.put(Known {
                identity: person,
                state: State::Removed { entry, enrolment: None, at: now, is_certain: true },
            });
        }
    }
}
