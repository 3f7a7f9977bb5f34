//! What a run needs of the journal: rows under way, facts about them, and intents, whatever keeps them.

use std::collections::HashMap;

use uuid::Uuid;

use super::clock::{Millis, Moment};
use super::keyed_hash::{Hash, KeyHasher};
use crate::model::failure::Failure;
use crate::model::testtakers::EntryId;

/// What is known of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// An attempt was to be made, and its end is not known.
    Open {
        /// When its answer was given up, where that was written down.
        given_up: Option<Millis>,
        /// When its request was over at the latest, by the time limit of the run that sent it.
        until: Millis,
        /// The run that sent it held the project's lock, so the lock's present holder knows that it is over.
        locked: bool,
        /// The service answered 2xx and did not say as which entry: it was done, and is never sent again by itself.
        answered: bool,
    },
    /// Nothing was done, for certain.
    Free,
    /// The service said no.
    Refused,
    /// Enrolled, as a fact about the past.
    Enrolled {
        /// Its entry.
        entry: EntryId,
        /// The uuid that the service answered; `None` where the entry was found by looking it up, or told by the user:
        /// that it is ours is likely, and not certain.
        enrolment: Option<Uuid>,
        /// When that became known.
        known: Millis,
    },
}

/// A key of the journal with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownRow {
    /// The number that `journal show` prints.
    pub number: i64,
    /// The row's key.
    pub key: Hash,
    /// The hash of its e-mail.
    pub email: Hash,
    /// The hash of its reference id, where it has one.
    pub reference: Option<Hash>,
    /// What is known.
    pub state: KeyState,
    /// Entries that look like the row and were there before it was first sent.
    pub before: Vec<EntryId>,
    /// Attempts so far.
    pub attempts: u32,
    /// When the last one was meant to be made.
    pub intended: Millis,
    /// The line of the roster that it stood on then.
    pub line: u32,
    /// When the state became what it is, by both clocks.
    pub noted: Moment,
    /// The service stores its e-mail or reference id otherwise than sent.
    pub respelt: bool,
}

impl KnownRow {
    /// When the state became what it is, by the wall clock of `now`.
    pub fn since(&self, now: &Moment) -> Millis {
        now.dates(&self.noted)
    }

    /// Whether an attempt whose end is not known may still enrol a person: its request may be under way, or is over for less
    /// than so many milliseconds (our assumption), or the service said that it was done.
    pub fn may_take_effect(&self, now: &Moment, settle: Millis) -> bool {
        let KeyState::Open { given_up, until, answered, .. } = self.state else { return false };
        let patience = if given_up.is_some() { 0 } else { until.saturating_sub(self.intended) };
        answered || self.since(now).saturating_add(patience).saturating_add(settle) > now.wall
    }
}

/// What is written before a row is sent.
#[derive(Clone, Debug)]
pub struct Intent {
    /// The row's key.
    pub key: Hash,
    /// The hash of its e-mail.
    pub email: Hash,
    /// The hash of its reference id.
    pub reference: Option<Hash>,
    /// Entries that look like it and are there already.
    pub before: Vec<EntryId>,
    /// It was enrolled once, is gone, and is to be enrolled anew.
    pub again: bool,
    /// The line of the roster.
    pub line: u32,
}

/// What came of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Enrolled.
    Enrolled(EntryId, Option<Uuid>),
    /// The service said no.
    Refused,
    /// Nothing was done, for certain.
    Free,
    /// Its answer was given up.
    GivenUp,
    /// The service answered 2xx and did not say as which entry.
    Answered,
    /// The service stores the e-mail or reference id otherwise than sent.
    Respelt,
}

/// The run that writes: when, how long its requests last at most, and whether it holds the project's lock.
#[derive(Clone, Copy, Debug)]
pub struct Writer {
    pub now: Moment,
    /// Milliseconds until a request is given up.
    pub patience: Millis,
    /// Whether no other import into the project is running.
    pub locked: bool,
}

/// Makes the hashes by which rows are known.
#[derive(Clone, Debug)]
pub struct RowHasher(pub(super) KeyHasher);

impl RowHasher {
    /// Keyed with a secret of its own: for tests.
    #[cfg(test)]
    pub fn new(secret: &[u8]) -> Self {
        Self(KeyHasher::new(secret))
    }

    /// The key of a row: of its reference id and e-mail, or else of its whole content, and its number among equals.
    pub fn key(&self, reference: Option<&str>, email: &str, content: &[&str], ordinal: u32) -> Hash {
        let ordinal = ordinal.to_string();
        if let Some(reference) = reference {
            return self.0.hash("row", &[reference, email, &ordinal]);
        }
        let texts: Vec<&str> = [email].iter().chain(content).copied().chain([ordinal.as_str()]).collect();
        self.0.hash("row without reference id", &texts)
    }

    /// The hash of an e-mail address alone, in the form by which addresses are compared.
    pub fn email(&self, email: &str) -> Hash {
        self.0.hash("email", &[email])
    }

    /// The hash of a reference id alone.
    pub fn reference(&self, reference: &str) -> Hash {
        self.0.hash("reference id", &[reference])
    }
}

/// What a run needs of the journal's rows.
pub trait RowStore {
    /// Whether nothing is known of the project.
    fn is_empty(&self) -> Result<bool, Failure>;

    /// What is known of a key.
    fn known(&self, key: &Hash) -> Result<Option<KnownRow>, Failure>;

    /// What is in doubt, was enrolled less than so many milliseconds ago, or is stored otherwise than it was sent.
    fn unsettled(&self, now: &Moment, settle: Millis) -> Result<Vec<KnownRow>, Failure>;

    /// Whether an entry is known to be another row's.
    fn is_claimed(&self, entry: EntryId, by_other_than: &Hash) -> Result<bool, Failure>;

    /// Entries that this machine was about to remove, and of which it is not noted that it did.
    fn removing(&self) -> Result<Vec<EntryId>, Failure>;

    /// Entries that this machine removed less than so many milliseconds ago, each with when that was by the clock of `now`.
    fn removed_within(&self, now: &Moment, age: Millis) -> Result<HashMap<EntryId, Millis>, Failure>;

    /// The enrolled rows that are wanted by their entry and the hashes of their e-mail and reference id.
    fn enrolled(&self, wanted: &dyn Fn(EntryId, &Hash, Option<&Hash>) -> bool) -> Result<Vec<KnownRow>, Failure>;

    /// At most so many of the entries that are known to have been enrolled from here, and not after that time of the
    /// wall clock: the last ones first.
    fn last_enrolled(&self, until: Millis, most: u32) -> Result<Vec<EntryId>, Failure>;

    /// Writes what came of rows. Losing it in a power cut costs look-ups, so it is not waited for, unless `durable`.
    fn note(&mut self, facts: &[(Hash, Fact, Moment)], durable: bool) -> Result<(), Failure>;

    /// Writes what came of rows and then the intents, all of it durable when this returns. The answer tells of the
    /// intents that found their key claimed already: those rows must not be sent.
    fn commit(
        &mut self,
        facts: &[(Hash, Fact, Moment)],
        intents: &[Intent],
        writer: Writer,
    ) -> Result<Vec<KnownRow>, Failure>;
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTLE: Millis = 300;

    /// A row whose attempt was meant to be made at 1000, to be over at 1050, and noted so at that time.
    fn row(state: KeyState, noted: Millis) -> KnownRow {
        KnownRow {
            number: 1,
            key: Hash::default(),
            email: Hash::default(),
            reference: None,
            state,
            before: Vec::new(),
            attempts: 1,
            intended: 1000,
            line: 2,
            noted: Moment { wall: noted, boot: None },
            respelt: false,
        }
    }

    #[test]
    fn an_attempt_may_take_effect_until_its_time_limit_or_its_end_and_a_while_longer() {
        let open = |given_up, answered| KeyState::Open { given_up, until: 1050, locked: true, answered };
        let effect = |state, noted, now| row(state, noted).may_take_effect(&Moment { wall: now, boot: None }, SETTLE);
        for (now, may) in [(1000, true), (1349, true), (1350, false), (1351, false), (9000, false)] {
            assert_eq!(effect(open(None, false), 1000, now), may, "under way, at {now}");
        }
        for (now, may) in [(1020, true), (1319, true), (1320, false), (1321, false)] {
            assert_eq!(effect(open(Some(1020), false), 1020, now), may, "given up, at {now}");
        }
        assert!(effect(open(Some(1020), true), 1020, 900_000), "the service said that it was done");
    }

    #[test]
    fn an_attempt_whose_end_is_known_takes_no_effect_any_more() {
        let enrolled = KeyState::Enrolled { entry: EntryId(7), enrolment: None, known: 1020 };
        for state in [KeyState::Free, KeyState::Refused, enrolled] {
            assert!(!row(state, 1020).may_take_effect(&Moment { wall: 1021, boot: None }, SETTLE), "{state:?}");
        }
    }
}
