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
    pub fn of_entry(&self, entry: EntryId) -> impl Iterator<Item = &Known> {
        let known = self.keys_of_entry.get(&entry).into_iter().flatten().filter_map(|key| self.by_key.get(key));
        known.filter(move |known| known.state.entry() == Some(entry) && !matches!(known.state, State::Open { .. }))
    }

    /// Whoever is enrolled by an entry.
    pub fn enrolled_by(&self, entry: EntryId) -> impl Iterator<Item = &Known> {
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

    /// The entries that have or had a row's reference id or e-mail, and whether both. One that a person had before they were
    /// sent again is none.
    pub fn owners(&self, row: Identity, shared_mailboxes: bool) -> Vec<(EntryId, bool)> {
        let known = |key: &Hash| self.by_key.get(key).filter(|known| !matches!(known.state, State::Open { .. }));
        let has_email = |known: &&Known| known.identity.email == row.email;
        // Where mailboxes are shared, people with reference ids are others.
        let with_email = self.keys_by_email.get(&row.email);
        let with_email = with_email.filter(|_| !shared_mailboxes || row.reference().is_none()).into_iter().flatten();
        let with_email = with_email.filter_map(known).filter(has_email);
        let mut owners: Vec<(EntryId, bool)> =
            with_email.filter_map(|known| Some((known.state.entry()?, false))).collect();
        if let Some((by_key, entry)) = known(&row.key).and_then(|known| Some((known, known.state.entry()?))) {
            let of_email = known(&row.email).and_then(|known| known.state.entry());
            owners.retain(|(of, _)| *of != entry);
            owners.push((entry, has_email(&by_key) || of_email == Some(entry)));
        }
        owners
    }

    /// What is to be known from now on of an entry that a row was found to be, and which looks like `face`: the reference ids
    /// and e-mails of both, and the e-mail that the row had before.
    pub fn agreeing(
        &self,
        state: State,
        entry: EntryId,
        row: Identity,
        face: Identity,
        reading: &Reading,
    ) -> Vec<Known> {
        let of_email = |email| Identity { key: email, email };
        let before = self.by_key.get(&row.key).filter(|known| known.state.entry() == Some(entry));
        let emails = before.map(|known| known.identity.email).into_iter().chain([face.email]);
        let emails = emails.filter(|email| *email != row.email).map(of_email);
        let id = Some(Identity { key: face.key, email: row.email }).filter(|_| face.reference().is_some());
        let is_new = |one: &Identity| match self.by_key.get(&one.key).map(|known| (known.identity, known.state)) {
            None => true,
            Some((_, State::Open { .. })) => false,
            Some((known, State::Enrolled { entry: of, .. })) => of != entry || (*one == row && known != row),
            Some((_, State::Removed { at, .. })) => reading.is_after(at),
        };
        let new = [row].into_iter().chain(id.filter(|id| id.key != row.key)).chain(emails).filter(is_new);
        new.map(|identity| Known { identity, state }).collect()
    }

    /// The entries of everybody whose enrolment was answered to this machine.
    pub fn answered(&self) -> HashSet<EntryId> {
        self.by_key.values().filter_map(|known| known.state.enrolment().and(known.state.entry())).collect()
    }

    /// The keys of everybody who was enrolled from here, perhaps, so lately that a list may lack them.
    pub fn fresh(&self, reading: &Reading) -> impl Iterator<Item = Hash> {
        let fresh = self.by_key.values().filter(|known| match known.state {
            State::Enrolled { at, .. } | State::Open { since: at, .. } => !reading.is_after(at),
            State::Removed { .. } => false,
        });
        fresh.flat_map(|known| {
            let Identity { key, email } = known.identity;
            [Some(key), Some(email), known.state.entry().map(entry_key)].into_iter().flatten()
        })
    }

    /// Whether time changes nothing of what is known: all of it is older than the settle time, and nobody is open.
    pub fn is_settled(&self, reading: &Reading) -> bool {
        self.by_key.values().all(|known| match known.state {
            State::Enrolled { at, .. } | State::Removed { at, .. } => reading.is_after(at),
            State::Open { .. } => false,
        })
    }

    /// Entries that people had before, and that a list may show still: it proves nothing then.
    pub fn left_entries(&self, reading: &Reading) -> HashSet<EntryId> {
        let left = self.by_key.values().filter_map(|known| match known.state {
            State::Removed { entry, at, .. } if !reading.is_after(at) => Some(entry),
            State::Open { before, .. } => before,
            _ => None,
        });
        left.collect()
    }

    /// Refuses a list that shows none of the people who were enrolled from here (enrolling, rule 5).
    pub fn believe(&self, records: &[TestTaker], reading: &Reading) -> Result<(), Failure> {
        let shown: HashSet<EntryId> = records.iter().filter_map(TestTaker::entry_id).collect();
        let enrolled = self.by_key.values().filter_map(|known| match known.state {
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
        let is_any_open = self.by_key.values().any(|known| matches!(known.state, State::Open { .. }));
        let left = self.left_entries(reading);
        let entry = |record: &TestTaker| record.entry_id().filter(|entry| !left.contains(entry));
        let shown = records.iter().filter(|_| is_any_open).filter_map(|record| Some((entry(record)?, record)));
        let shown: HashMap<Identity, EntryId> = shown.map(|(entry, record)| (identity(record), entry)).collect();
        let settled = self.by_key.values().filter_map(|Known { identity, state }| {
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
            let state = State::Removed { entry, enrolment: None, at: now, is_certain: true };
            self.put(Known { identity: person, state });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn time_changes_something_while_anything_is_younger_than_the_settle_time() {
        let second = |second| Timestamp::from_second(second).expect("a time");
        let reading = Reading { began: second(300), is_whole: true, settle: Duration::from_mins(5), again: false };
        let is_settled = |state| {
            let identity = Identity { key: [1; 16], email: [2; 16] };
            KnownPeople::new(vec![Known { identity, state }]).is_settled(&reading)
        };
        let (entry, enrolment) = (EntryId(7), None);
        for (at, settled) in [(0, true), (1, false)] {
            assert_eq!(is_settled(State::Enrolled { entry, enrolment, at: second(at) }), settled);
            assert_eq!(is_settled(State::Removed { entry, enrolment, at: second(at), is_certain: true }), settled);
        }
        assert!(!is_settled(State::Open { since: second(0), before: None }));
    }
}
