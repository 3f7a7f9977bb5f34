//! The journal as a run sees it: what is known of each row, and what is to be written.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::journal::rows::{Fact, Intent, JournalRows, KeyState, KnownRow, Millis, Writer};
use crate::journal::store::Hash;
use crate::model::testtakers::EntryId;
use crate::model::text::fold_email;
use crate::model::verdict::Failure;

use super::compare::Comparison;
use super::outcome::{Outcome, RowResult};
use super::plan::RowState;
use super::roster::{Field, Roster};

/// What the user decided about people who were enrolled before.
#[derive(Clone, Copy, Debug)]
pub struct JournalPolicy {
    /// Enrol again whom this machine enrolled and somebody removed.
    pub again: bool,
    /// Change those who are enrolled with other values.
    pub update: bool,
    /// How long reads may lag behind.
    pub settle: Duration,
    /// How long a request lasts at most.
    pub patience: Duration,
    /// Whether this run holds the project's lock.
    pub locked: bool,
}

/// Rows of a roster by what the journal knows of them.
pub struct JournalView<'r> {
    roster: &'r Roster,
    rows: Arc<Mutex<JournalRows>>,
    policy: JournalPolicy,
    /// The number among identical rows, for those that are not the first.
    ordinals: HashMap<usize, u32>,
    /// Entries that were there before a row was first sent, for rows that the journal knows.
    before: HashMap<usize, Vec<EntryId>>,
    /// Rows in doubt of other rosters, by the hashes of their e-mail and reference id.
    others: HashMap<Hash, KnownRow>,
    /// Which of those holds a row up.
    held: HashMap<usize, Hash>,
    /// Rows that were enrolled, are gone, and are to be enrolled anew.
    anew: HashSet<usize>,
    pending: Vec<(Hash, Fact, Millis)>,
    is_empty: bool,
}

fn millis(time: Duration) -> Millis {
    Millis::try_from(time.as_millis()).unwrap_or(Millis::MAX)
}

fn time(millis: Millis) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

impl<'r> JournalView<'r> {
    /// Prepares for the rows of a roster; `groups` are those that share an e-mail or reference id.
    pub fn new(
        roster: &'r Roster,
        rows: JournalRows,
        policy: JournalPolicy,
        groups: &HashMap<usize, usize>,
    ) -> Result<Self, Failure> {
        let is_empty = rows.is_empty()?;
        let rows = Arc::new(Mutex::new(rows));
        let ordinals = ordinals(roster, groups);
        Ok(Self {
            roster,
            rows,
            policy,
            ordinals,
            before: HashMap::new(),
            others: HashMap::new(),
            held: HashMap::new(),
            anew: HashSet::new(),
            pending: Vec::new(),
            is_empty,
        })
    }

    fn rows(&self) -> MutexGuard<'_, JournalRows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn email(&self, row: usize) -> String {
        fold_email(self.roster.value(row, Field::Email).unwrap_or_default())
    }

    fn key(&self, row: usize) -> Hash {
        let ordinal = self.ordinals.get(&row).copied().unwrap_or_default();
        key_of(&self.rows(), self.roster, row, ordinal)
    }

    fn known(&self, row: usize) -> Result<Option<KnownRow>, Failure> {
        if self.is_empty {
            return Ok(None);
        }
        let key = self.key(row);
        self.rows().known(&key)
    }

    /// Tells the comparison which entries are rows' already, and finds the doubts of other rosters.
    pub fn recall(
        &mut self,
        comparison: &mut Comparison<'r>,
        rows: impl Iterator<Item = usize>,
    ) -> Result<(), Failure> {
        let mut own = HashSet::new();
        for row in rows {
            let Some(known) = self.known(row)? else { continue };
            match known.state {
                KeyState::Enrolled { entry, .. } => comparison.reserve(row, entry),
                KeyState::Open { .. } => {
                    own.insert(known.key);
                }
                KeyState::Free | KeyState::Refused => {}
            }
        }
        let doubtful = if self.is_empty { Vec::new() } else { self.rows().all(true)? };
        for other in doubtful.into_iter().filter(|known| !own.contains(&known.key)) {
            self.others.extend(other.reference.map(|hash| (hash, other.clone())));
            self.others.insert(other.email, other);
        }
        Ok(())
    }

    /// How a row stands. `whole` says that the comparison has seen the whole list.
    pub fn start(
        &mut self,
        row: usize,
        comparison: &Comparison<'r>,
        whole: bool,
        now: Duration,
    ) -> Result<RowState, Failure> {
        let Some(known) = self.known(row)? else { return Ok(self.unknown(row, comparison, now)) };
        self.before.insert(row, known.before.clone());
        Ok(match known.state {
            KeyState::Free | KeyState::Refused => self.unknown(row, comparison, now),
            KeyState::Open { given_up, until, locked } => {
                let since = self.since(known.key, (given_up, until, locked), now);
                RowState::Doubt { since }
            }
            KeyState::Enrolled { entry, enrolment, known: when } => {
                let mut ended = RowResult::new(Outcome::Enrolled).with_entry(entry);
                (ended.earlier, ended.enrolment) = (true, enrolment);
                let recent = now < time(when) + self.policy.settle;
                self.enrolled(row, comparison, ended, whole && !recent)
            }
        })
    }

    /// A row that was never sent, or of which it is certain that nothing was done.
    fn unknown(&mut self, row: usize, comparison: &Comparison<'r>, now: Duration) -> RowState {
        if let Some(ended) = comparison.standing(row) {
            return match comparison.differs(row) {
                Some(entry) if self.policy.update => RowState::Differs(entry),
                _ => RowState::Ended(ended),
            };
        }
        self.held_up(row, now).unwrap_or(RowState::New)
    }

    /// A row that this machine enrolled. `certain`: if the list does not have it, it is gone.
    fn enrolled(&mut self, row: usize, comparison: &Comparison<'r>, ended: RowResult, certain: bool) -> RowState {
        let extra = |entry: &EntryId| !self.before.get(&row).is_some_and(|before| before.contains(entry));
        let duplicates: Vec<EntryId> = comparison
            .duplicates()
            .iter()
            .filter(|(of, _)| *of == row)
            .map(|(_, entry)| *entry)
            .filter(extra)
            .collect();
        if let Some(seen) = comparison.standing(row) {
            if !duplicates.is_empty() {
                let others: Vec<String> = duplicates.iter().map(ToString::to_string).collect();
                let words = format!("enrolled more than once, also as entry {}", others.join(", "));
                return RowState::Ended(RowResult { outcome: Outcome::Duplicate, ..ended }.with_message(words));
            }
            return match comparison.differs(row) {
                Some(entry) if self.policy.update => RowState::Differs(entry),
                _ if seen.outcome == Outcome::Existing => RowState::Ended(RowResult { message: seen.message, ..ended }),
                _ => RowState::Ended(RowResult { earlier: true, ..seen }),
            };
        }
        if !certain {
            return RowState::Unseen(ended);
        }
        if let Some(other) = duplicates.first() {
            let words = "was enrolled by this machine as another entry, which is gone";
            return RowState::Ended(RowResult::new(Outcome::Existing).with_entry(*other).with_message(words));
        }
        if self.policy.again {
            self.before.entry(row).or_default().extend(ended.entry);
            self.anew.insert(row);
            return RowState::New;
        }
        let words = "was enrolled by this machine and removed since (--again enrols it anew)";
        RowState::Ended(RowResult { outcome: Outcome::Gone, ..ended }.with_message(words))
    }

    /// Whether a row of another roster that is in doubt shares the e-mail or reference id.
    fn held_up(&mut self, row: usize, now: Duration) -> Option<RowState> {
        if self.others.is_empty() {
            return None;
        }
        let reference = self.roster.value(row, Field::ReferenceId).map(|id| self.rows().reference_hash(id));
        let email = self.rows().email_hash(&self.email(row));
        let by_reference =
            reference.and_then(|hash| self.others.get(&hash)).filter(|other| other.reference == reference);
        let other = by_reference.or_else(|| self.others.get(&email))?.clone();
        let by_reference = reference.is_some() && other.reference == reference;
        let KeyState::Open { given_up, until, locked } = other.state else { return None };
        let since = self.since(other.key, (given_up, until, locked), now);
        self.held.insert(row, other.key);
        Some(RowState::Held { since, by_reference })
    }

    /// When an answer was given up. Where that was not written down, it is now, if whoever waited for it is gone, and
    /// else when their patience ends.
    fn since(&mut self, key: Hash, open: (Option<Millis>, Millis, bool), now: Duration) -> Duration {
        match open {
            (Some(given_up), ..) => time(given_up),
            (None, _, true) if self.policy.locked => {
                self.pending.push((key, Fact::GivenUp, millis(now)));
                now
            }
            (None, until, _) => now.max(time(until)),
        }
    }

    /// Whether an entry cannot be what came of a row: it was there before, or is another row's by the journal.
    pub fn is_anothers(&self, row: usize, entry: EntryId, comparison: &Comparison<'r>) -> Result<bool, Failure> {
        let was_there = match self.before.get(&row) {
            Some(before) => before.contains(&entry),
            None => comparison.was_there(entry),
        };
        if was_there {
            return Ok(true);
        }
        let key = self.key(row);
        self.rows().is_claimed(entry, &key)
    }

    /// Whether a row waits for another one of the journal.
    pub fn is_held(&self, row: usize) -> bool {
        self.held.contains_key(&row)
    }

    /// The other row that held this one up is this entry.
    pub fn other_found(&mut self, row: usize, entry: EntryId, now: Duration) {
        self.pending.extend(self.held.get(&row).map(|key| (*key, Fact::Enrolled(entry, None), millis(now))));
    }

    /// Takes what is to be remembered; it is written with the next intents or by [`flush`](Self::flush).
    pub fn note(&mut self, row: usize, fact: Fact, now: Duration) {
        self.pending.push((self.key(row), fact, millis(now)));
    }

    /// The other row, which held this one up, was found absent.
    pub fn release(&mut self, row: usize, now: Duration) {
        self.pending.extend(self.held.remove(&row).map(|key| (key, Fact::Free, millis(now))));
    }

    /// How much is to be written.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Writes what is to be remembered.
    pub fn flush(&mut self) -> Result<(), Failure> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        self.rows().note(&pending)
    }

    /// The intents of rows, with all that is to be remembered, as one write for another thread. The answer tells of the
    /// rows whose key another process had claimed.
    pub fn commit(
        &mut self,
        rows: &[usize],
        comparison: &Comparison<'r>,
        now: Duration,
    ) -> impl FnOnce() -> Result<Vec<KnownRow>, Failure> + Send + 'static {
        let facts = std::mem::take(&mut self.pending);
        let intents: Vec<Intent> = rows.iter().map(|row| self.intent(*row, comparison)).collect();
        let patience = millis(self.policy.patience);
        let writer = Writer { now: millis(now), patience, locked: self.policy.locked };
        let journal = Arc::clone(&self.rows);
        move || journal.lock().unwrap_or_else(PoisonError::into_inner).commit(&facts, &intents, writer)
    }

    fn intent(&self, row: usize, comparison: &Comparison<'r>) -> Intent {
        let rows = self.rows();
        let ordinal = self.ordinals.get(&row).copied().unwrap_or_default();
        Intent {
            key: key_of(&rows, self.roster, row, ordinal),
            email: rows.email_hash(&self.email(row)),
            reference: self.roster.value(row, Field::ReferenceId).map(|id| rows.reference_hash(id)),
            before: self.before.get(&row).cloned().unwrap_or_else(|| comparison.foreign_matches(row).to_vec()),
            again: self.anew.contains(&row),
            line: self.roster.line(row),
        }
    }

    /// How the rows stand whose key another process had claimed.
    pub fn contested(&mut self, rows: &[usize], claimed: Vec<KnownRow>, now: Duration) -> Vec<(usize, RowState)> {
        let by_key: HashMap<Hash, usize> = rows.iter().map(|row| (self.key(*row), *row)).collect();
        let start = |known: KnownRow| {
            let row = *by_key.get(&known.key)?;
            self.is_empty = false;
            self.before.insert(row, known.before);
            let start = match known.state {
                KeyState::Enrolled { entry, enrolment, .. } => {
                    RowState::Ended(RowResult { enrolment, ..RowResult::new(Outcome::Enrolled).with_entry(entry) })
                }
                KeyState::Open { given_up, until, locked } => {
                    RowState::Doubt { since: self.since(known.key, (given_up, until, locked), now) }
                }
                KeyState::Free | KeyState::Refused => RowState::Ended(RowResult::new(Outcome::NotAttempted)),
            };
            Some((row, start))
        };
        claimed.into_iter().filter_map(start).collect()
    }
}

/// The key of a row of a roster.
pub fn key_of(rows: &JournalRows, roster: &Roster, row: usize, ordinal: u32) -> Hash {
    let value = |field| roster.value(row, field).unwrap_or_default();
    let content = [value(Field::FirstName), value(Field::LastName), value(Field::BirthYear)];
    rows.key(roster.value(row, Field::ReferenceId), &fold_email(value(Field::Email)), &content, ordinal)
}

/// Numbers identical rows: the first has none. Only rows of one group can be identical.
pub fn ordinals(roster: &Roster, groups: &HashMap<usize, usize>) -> HashMap<usize, u32> {
    let mut rows: Vec<usize> = groups.keys().copied().collect();
    rows.sort_unstable();
    let mut seen: HashMap<Vec<String>, u32> = HashMap::new();
    let mut ordinals = HashMap::new();
    for row in rows {
        let value = |field| roster.value(row, field).unwrap_or_default().to_owned();
        let reference = value(Field::ReferenceId);
        let mut said = vec![fold_email(&value(Field::Email)), reference.clone()];
        if reference.is_empty() {
            said.extend([Field::FirstName, Field::LastName, Field::BirthYear].map(value));
        }
        let count = seen.entry(said).or_default();
        if *count > 0 {
            ordinals.insert(row, *count);
        }
        *count += 1;
    }
    ordinals
}
