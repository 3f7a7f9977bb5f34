//! The journal as a run sees it: what is known of each row, and what is to be written. It knows no disk and no clock: what
//! keeps the rows is behind [`RowStore`], and the time is told.

mod blind_list;
mod gone;
#[cfg(test)]
pub(super) mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::journal::clock::{Millis, Moment, millis};
use crate::journal::keyed_hash::Hash;
use crate::journal::row_store::{Fact, Intent, KeyState, KnownRow, RowHasher, RowStore, Writer};
use crate::model::failure::Failure;
use crate::model::field_rules::fold_email;
use crate::model::testtakers::EntryId;

use super::compare::Comparison;
use super::journal_policy::JournalPolicy;
use super::outcome::{Outcome, RowResult};
use super::plan::RowState;
use super::roster::{Field, Roster};
use super::row_key::{key_of, ordinals};
use super::run_start::Beginning;

/// Rows of the journal that are no rows of this roster and have something in common with one.
#[derive(Clone, Copy, Debug)]
struct Other {
    key: Hash,
    /// Its entry, where one is known: once that is seen, it holds no row up.
    entry: Option<EntryId>,
    /// When its answer came, or was given up.
    since: Duration,
    /// It was answered 2xx, and it is not known as which entry.
    answered: bool,
}

/// Rows of a roster by what the journal knows of them.
pub struct JournalView<'r, S> {
    roster: &'r Roster,
    store: Arc<Mutex<S>>,
    hasher: RowHasher,
    policy: JournalPolicy,
    beginning: Beginning,
    /// The number among identical rows, for those that are not the first.
    ordinals: HashMap<usize, u32>,
    /// Keys of all rows where the journal knows any, else of those under way: each is hashed once.
    keys: Vec<Hash>,
    keys_under_way: HashMap<usize, Hash>,
    /// Entries that were there before a row was first sent, for rows that the journal knows.
    before: HashMap<usize, Vec<EntryId>>,
    /// Rows in doubt, or enrolled a short while ago, of other rosters, by the hashes of their e-mail and reference id.
    others: HashMap<Hash, Vec<Other>>,
    /// Rows of other rosters that the service stores otherwise than sent, by the same hashes: records do not tell of them.
    respelt: HashMap<Hash, KnownRow>,
    /// People who were enrolled from here and are not there any more, by the same hashes, but for rows of this roster.
    vanished: HashMap<Hash, KnownRow>,
    /// Which of the others hold a row up.
    held: HashMap<usize, Vec<Other>>,
    /// Rows that were enrolled, are gone, and are to be enrolled anew.
    anew: HashSet<usize>,
    /// Entries that this machine was about to remove.
    removing: HashSet<EntryId>,
    /// Rows of this roster that are in doubt, as long as nothing was found out about them.
    doubtful: BTreeSet<usize>,
    pending: Vec<(Hash, Fact, Moment)>,
    /// Whether what is pending can't wait.
    pub is_urgent: bool,
    is_empty: bool,
}

fn time(millis: Millis) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

impl<'r, S: RowStore> JournalView<'r, S> {
    /// Prepares for the rows of a roster; `groups` are those that share an e-mail or reference id.
    pub fn new(
        roster: &'r Roster,
        store: S,
        hasher: RowHasher,
        policy: JournalPolicy,
        groups: &HashMap<usize, usize>,
        beginning: Beginning,
    ) -> Result<Self, Failure> {
        let is_empty = store.is_empty()?;
        let removing = store.removing()?.into_iter().collect();
        let ordinals = ordinals(roster, groups);
        let mut view = Self {
            roster,
            store: Arc::new(Mutex::new(store)),
            hasher,
            policy,
            beginning,
            ordinals,
            keys: Vec::new(),
            keys_under_way: HashMap::new(),
            before: HashMap::new(),
            others: HashMap::new(),
            respelt: HashMap::new(),
            vanished: HashMap::new(),
            held: HashMap::new(),
            anew: HashSet::new(),
            removing,
            doubtful: BTreeSet::new(),
            pending: Vec::new(),
            is_urgent: false,
            is_empty,
        };
        if !is_empty {
            view.keys = (0..roster.row_count()).map(|row| view.hash(row)).collect();
        }
        Ok(view)
    }

    fn store(&self) -> MutexGuard<'_, S> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The hashes of a row's reference id, if it has one, and of its e-mail.
    fn name_hashes(&self, row: usize) -> (Option<Hash>, Hash) {
        let reference = self.roster.value(row, Field::ReferenceId).map(|id| self.hasher.reference(id));
        let email = fold_email(self.roster.value(row, Field::Email).unwrap_or_default());
        (reference, self.hasher.email(&email))
    }

    fn hash(&self, row: usize) -> Hash {
        let ordinal = self.ordinals.get(&row).copied().unwrap_or_default();
        key_of(&self.hasher, self.roster, row, ordinal)
    }

    fn key(&self, row: usize) -> Hash {
        let known = self.keys.get(row).or_else(|| self.keys_under_way.get(&row));
        known.copied().unwrap_or_else(|| self.hash(row))
    }

    fn known(&self, row: usize) -> Result<Option<KnownRow>, Failure> {
        if self.is_empty {
            return Ok(None);
        }
        self.store().known(&self.key(row))
    }

    /// Tells the comparison which entries are rows' already, and finds the rows of other rosters that may hold one up.
    pub fn prepare(
        &mut self,
        comparison: &mut Comparison<'r>,
        rows: impl Iterator<Item = usize>,
    ) -> Result<(), Failure> {
        if self.is_empty {
            return Ok(());
        }
        let mut own = HashSet::new();
        for row in rows {
            let Some(known) = self.known(row)? else { continue };
            own.insert(known.key);
            if matches!(known.state, KeyState::Open { .. }) {
                self.doubtful.insert(row);
            }
            if let KeyState::Enrolled { entry, .. } = known.state {
                comparison.reserve(row, entry);
            }
        }
        let unsettled = self.store().unsettled(&self.beginning.moment, millis(self.policy.settle))?;
        for other in unsettled.into_iter().filter(|known| !own.contains(&known.key)) {
            if other.respelt && matches!(other.state, KeyState::Enrolled { .. }) {
                self.respelt.extend(other.reference.map(|hash| (hash, other.clone())));
                self.respelt.insert(other.email, other);
                continue;
            }
            let since = self.since(&other, self.beginning.at);
            let answered = matches!(other.state, KeyState::Open { answered: true, .. });
            let entry = match other.state {
                KeyState::Enrolled { entry, .. } => Some(entry),
                _ => None,
            };
            for hash in other.reference.into_iter().chain([other.email]) {
                self.others.entry(hash).or_default().push(Other { key: other.key, entry, since, answered });
            }
        }
        Ok(())
    }

    /// Rows whose entries were seen hold no other row up: the comparison tells of them.
    pub fn forget_seen(&mut self, comparison: &Comparison<'r>) {
        self.others.retain(|_, others| {
            others.retain(|other| !other.entry.is_some_and(|entry| comparison.was_there(entry)));
            !others.is_empty()
        });
    }

    /// Whether every row that a row waits for is seen now.
    pub fn sees_all(&self, row: usize, found: &Comparison<'r>) -> bool {
        let others = self.held.get(&row);
        others.is_some_and(|others| others.iter().all(|other| other.entry.is_some_and(|entry| found.was_there(entry))))
    }

    /// How a row stands, once the comparison is judged.
    pub fn start(&mut self, row: usize, comparison: &Comparison<'r>, now: Duration) -> Result<RowState, Failure> {
        let Some(known) = self.known(row)? else { return Ok(self.unknown(row, comparison)) };
        self.before.insert(row, known.before.clone());
        Ok(match known.state {
            KeyState::Free | KeyState::Refused => self.unknown(row, comparison),
            KeyState::Open { answered, .. } => RowState::Doubt { since: self.since(&known, now), answered },
            KeyState::Enrolled { entry, enrolment, .. } => {
                let mut ended = RowResult::new(Outcome::Enrolled).with_entry(entry);
                (ended.earlier, ended.enrolment) = (true, enrolment);
                let is_forced = known.respelt && enrolment.is_none();
                if let Some(ended) = comparison.with_another_person(row, &ended, is_forced) {
                    return Ok(RowState::Ended(ended));
                }
                let since = self.since(&known, now);
                self.enrolled(row, comparison, ended, since)
            }
        })
    }

    /// A row that was never sent, or of which it is certain that nothing was done.
    fn unknown(&mut self, row: usize, comparison: &Comparison<'r>) -> RowState {
        if let Some(ended) = comparison.result_of(row) {
            return match comparison.differs(row) {
                Some(entry) if self.policy.on_existing.updates() => RowState::Differs(entry),
                _ => RowState::Ended(ended),
            };
        }
        if let Some((entry, removed)) = comparison.removed_and_shown(row) {
            let left = millis(self.policy.settle) - (self.beginning.moment.wall - removed);
            return RowState::StillShown { entry, left: time(left) };
        }
        let of_journal = self.respelt(row, comparison).or_else(|| self.held_up(row));
        of_journal.or_else(|| self.gone_as_another(row, comparison)).unwrap_or(RowState::New)
    }

    /// Whether this machine enrolled a row that shares the e-mail or reference id, and the service spells it otherwise, so
    /// that its record does not tell.
    fn respelt(&self, row: usize, comparison: &Comparison<'r>) -> Option<RowState> {
        if self.respelt.is_empty() {
            return None;
        }
        let (reference, email) = self.name_hashes(row);
        let by_reference = reference.and_then(|hash| self.respelt.get(&hash));
        let other = by_reference.or_else(|| self.respelt.get(&email))?;
        let KeyState::Enrolled { entry, .. } = other.state else { return None };
        let is_fresh = self.beginning.at < time(other.since(&self.beginning.moment)) + self.policy.settle;
        if comparison.is_list_complete() && !is_fresh && !comparison.was_there(entry) {
            return None;
        }
        let same_reference = reference.is_some() && other.reference == reference;
        let contradicts = match (same_reference, other.email == email) {
            (true, false) if comparison.allows_duplicates() => return None,
            (true, same_email) => !same_email,
            (false, _) => reference.is_some() && other.reference.is_some(),
        };
        let outcome = if contradicts { Outcome::Conflict } else { Outcome::Existing };
        let field = if same_reference { Field::ReferenceId } else { Field::Email };
        let words = format!("entry {entry} was enrolled from here with this {field}");
        Some(RowState::Ended(RowResult::new(outcome).with_entry(entry).with_message(words)))
    }

    /// A row that this machine enrolled then.
    fn enrolled(&mut self, row: usize, comparison: &Comparison<'r>, ended: RowResult, since: Duration) -> RowState {
        let before = self.before.get(&row).map_or(&[][..], Vec::as_slice);
        if let Some(seen) = comparison.result_of(row) {
            if let Some((outcome, words)) = comparison.joined_by(row, before) {
                return RowState::Ended(RowResult { outcome, ..ended }.with_message(words));
            }
            let contradicted = comparison.contradicted(row).filter(|_| self.policy.on_existing.updates());
            if let Some(conflict) = contradicted {
                return RowState::Ended(RowResult { earlier: true, ..conflict });
            }
            return match comparison.differs(row) {
                Some(entry) if self.policy.on_existing.updates() => RowState::Differs(entry),
                _ if seen.outcome == Outcome::Existing => RowState::Ended(RowResult { message: seen.message, ..ended }),
                _ => RowState::Ended(RowResult { earlier: true, ..seen }),
            };
        }
        let entry = ended.entry;
        let removed_by_us = entry.is_some_and(|entry| self.removing.contains(&entry));
        if self.policy.again || removed_by_us {
            self.before.entry(row).or_default().extend(entry);
            self.anew.insert(row);
        }
        if self.beginning.at < since + self.policy.settle {
            return RowState::Unseen { result: ended, since };
        }
        RowState::Missing { result: ended, again: self.policy.again || removed_by_us }
    }

    /// Whether a row of another roster that is in doubt, or was enrolled a short while ago, shares the e-mail or reference
    /// id.
    fn held_up(&mut self, row: usize) -> Option<RowState> {
        if self.others.is_empty() {
            return None;
        }
        let (reference, email) = self.name_hashes(row);
        let mut others: Vec<Other> = Vec::new();
        for other in reference.into_iter().chain([email]).filter_map(|hash| self.others.get(&hash)).flatten() {
            if others.iter().all(|known| known.key != other.key) {
                others.push(*other);
            }
        }
        let since = others.iter().map(|other| other.since).max()?;
        let answered = others.iter().any(|other| other.answered);
        self.held.insert(row, others);
        Some(RowState::Held { since, answered })
    }

    /// When an answer came or was given up. Where neither was written down, it is now, if the run that waited for it is gone,
    /// and else when their patience ends.
    fn since(&mut self, known: &KnownRow, now: Duration) -> Duration {
        let moment = self.beginning.moment(now);
        let noted = time(known.since(&moment));
        match known.state {
            KeyState::Open { given_up: None, locked: true, .. } if self.policy.locked => {
                self.pending.push((known.key, Fact::GivenUp, moment));
                now
            }
            KeyState::Open { given_up: None, until, .. } => now.max(noted + time(until.saturating_sub(known.intended))),
            _ => noted,
        }
    }

    /// Whether an entry cannot be what came of a row: it was there before, or is another row's by the journal.
    pub fn is_anothers(&self, row: usize, entry: EntryId, comparison: &Comparison<'r>) -> Result<bool, Failure> {
        let was_there = match self.before.get(&row) {
            Some(before) => before.contains(&entry),
            None => comparison.was_there(entry),
        };
        Ok(was_there || self.is_claimed(row, entry)?)
    }

    /// Whether an entry is another row's by the journal.
    pub fn is_claimed(&self, row: usize, entry: EntryId) -> Result<bool, Failure> {
        self.store().is_claimed(entry, &self.key(row))
    }

    /// Whether a row waits for others of the journal.
    pub fn is_held(&self, row: usize) -> bool {
        self.held.contains_key(&row)
    }

    /// A row is no longer held up: what it waited for is this entry.
    pub fn other_found(&mut self, row: usize, entry: Option<EntryId>, now: Duration) {
        let others = self.held.remove(&row).unwrap_or_default();
        // With several it is not known whose it is.
        if let ([Other { key, entry: None, .. }], Some(entry)) = (others.as_slice(), entry) {
            self.pending.push((*key, Fact::Enrolled(entry, None), self.beginning.moment(now)));
        }
    }

    /// A row is no longer held up: what it waited for was found absent.
    pub fn release(&mut self, row: usize, now: Duration) {
        let moment = self.beginning.moment(now);
        let others = self.held.remove(&row).unwrap_or_default();
        self.pending.extend(others.into_iter().map(|other| (other.key, Fact::Free, moment)));
    }

    /// Takes what is to be remembered; it is written with the next intents or by [`flush`](Self::flush).
    pub fn note(&mut self, row: usize, fact: Fact, now: Duration) {
        // No look-up would find these out again.
        self.is_urgent |= matches!(fact, Fact::Answered | Fact::Respelt);
        self.pending.push((self.key(row), fact, self.beginning.moment(now)));
        if matches!(fact, Fact::Enrolled(..) | Fact::Refused | Fact::Free) {
            self.doubtful.remove(&row);
        }
        if matches!(fact, Fact::Enrolled(..) | Fact::Refused) {
            self.keys_under_way.remove(&row);
        }
    }

    /// The rows of this roster that an earlier run left in doubt, and of which nothing was found out since.
    pub fn doubtful(&self) -> &BTreeSet<usize> {
        &self.doubtful
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
        let durable = std::mem::take(&mut self.is_urgent);
        self.store().note(&pending, durable)
    }

    /// The intents of rows, with all that is to be remembered, as one write for another thread. The answer tells of the
    /// rows whose key another process had claimed.
    pub fn commit(
        &mut self,
        rows: &[usize],
        comparison: &Comparison<'r>,
        now: Duration,
    ) -> impl FnOnce() -> Result<Vec<KnownRow>, Failure> + use<S> {
        let facts = std::mem::take(&mut self.pending);
        self.is_urgent = false;
        let intents: Vec<Intent> = rows.iter().map(|row| self.intent(*row, comparison)).collect();
        let patience = millis(self.policy.patience);
        let writer = Writer { now: self.beginning.moment(now), patience, locked: self.policy.locked };
        let store = Arc::clone(&self.store);
        move || store.lock().unwrap_or_else(PoisonError::into_inner).commit(&facts, &intents, writer)
    }

    fn intent(&mut self, row: usize, comparison: &Comparison<'r>) -> Intent {
        let key = self.key(row);
        if self.keys.is_empty() {
            self.keys_under_way.insert(row, key);
        }
        let (reference, email) = self.name_hashes(row);
        Intent {
            key,
            email,
            reference,
            before: self.before.get(&row).cloned().unwrap_or_else(|| comparison.foreign_matches(row).to_vec()),
            again: self.anew.contains(&row),
            line: self.roster.line(row),
        }
    }

    /// How the rows stand whose key another process had claimed.
    pub fn contested(&mut self, rows: &[usize], claimed: Vec<KnownRow>, now: Duration) -> Vec<(usize, RowState)> {
        let by_key: HashMap<Hash, usize> = rows.iter().map(|row| (self.key(*row), *row)).collect();
        let mut states = Vec::new();
        for known in claimed {
            let Some(row) = by_key.get(&known.key).copied() else { continue };
            self.is_empty = false;
            let state = match known.state {
                KeyState::Enrolled { entry, enrolment, .. } => {
                    RowState::Ended(RowResult { enrolment, ..RowResult::new(Outcome::Enrolled).with_entry(entry) })
                }
                KeyState::Open { answered, .. } => RowState::Doubt { since: self.since(&known, now), answered },
                KeyState::Free | KeyState::Refused => RowState::Ended(RowResult::new(Outcome::NotAttempted)),
            };
            self.before.insert(row, known.before);
            states.push((row, state));
        }
        states
    }
}
