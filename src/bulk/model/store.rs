//! The journal's rows in memory, with the rules of the tables on disk; each can be switched off.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::Off;
use crate::journal::clock::{Millis, Moment};
use crate::journal::keyed_hash::Hash;
use crate::journal::row_store::{Fact, Intent, KeyState, KnownRow, RowStore, Writer};
use crate::model::failure::Failure;
use crate::model::testtakers::EntryId;

/// A journal that several runs share.
#[derive(Clone, Default)]
pub(super) struct MemoryRows {
    rows: Rc<RefCell<BTreeMap<Hash, KnownRow>>>,
    off: Off,
}

impl MemoryRows {
    pub(super) fn new(off: Off) -> Self {
        Self { off, ..Self::default() }
    }

    /// Everything that is known.
    pub(super) fn all(&self) -> Vec<KnownRow> {
        self.rows.borrow().values().cloned().collect()
    }

    /// Another process of this machine enrolled a row.
    pub(super) fn claimed_elsewhere(&self, row: KnownRow) {
        self.rows.borrow_mut().insert(row.key, row);
    }

    fn claim(&self, intent: &Intent, writer: Writer) -> bool {
        let mut rows = self.rows.borrow_mut();
        let known = rows.get(&intent.key);
        let is_free = match known.map(|known| known.state) {
            None | Some(KeyState::Free | KeyState::Refused) => true,
            Some(KeyState::Enrolled { .. }) => intent.again,
            Some(KeyState::Open { .. }) => false,
        };
        if !is_free && !matches!(self.off, Off::Claims | Off::EnrolledIsFinal) {
            return false;
        }
        let attempts = known.map_or(0, |known| known.attempts) + 1;
        let number = known.map_or_else(|| i64::try_from(rows.len()).unwrap_or(i64::MAX) + 1, |known| known.number);
        let until = writer.now.wall + writer.patience;
        let state = KeyState::Open { given_up: None, until, locked: writer.locked, answered: false };
        let before = if self.off == Off::Baseline { Vec::new() } else { intent.before.clone() };
        let row = KnownRow {
            number,
            key: intent.key,
            email: intent.email,
            reference: intent.reference,
            state,
            before,
            attempts,
            intended: writer.now.wall,
            line: intent.line,
            noted: writer.now,
            respelt: false,
        };
        rows.insert(intent.key, row);
        true
    }

    fn write(&self, facts: &[(Hash, Fact, Moment)]) {
        let mut rows = self.rows.borrow_mut();
        for (key, fact, moment) in facts {
            let Some(row) = rows.get_mut(key) else { continue };
            let now = moment.wall;
            row.respelt |= *fact == Fact::Respelt;
            row.state = match (row.state, *fact) {
                (KeyState::Enrolled { .. }, _) => continue,
                (_, Fact::Enrolled(entry, enrolment)) => KeyState::Enrolled { entry, enrolment, known: now },
                (KeyState::Open { .. }, Fact::Refused) => KeyState::Refused,
                (KeyState::Open { answered: false, .. }, Fact::Free) => KeyState::Free,
                (KeyState::Open { until, locked, answered, .. }, Fact::GivenUp) => {
                    KeyState::Open { given_up: Some(now), until, locked, answered }
                }
                (KeyState::Open { until, locked, .. }, Fact::Answered) => {
                    let answered = self.off != Off::AnsweredIsKept;
                    KeyState::Open { given_up: Some(now), until, locked, answered }
                }
                _ => continue,
            };
            row.noted = *moment;
        }
    }

    fn seen(&self, row: &KnownRow) -> KnownRow {
        let mut row = row.clone();
        if self.off == Off::BootClock {
            row.noted.boot = None;
        }
        row
    }
}

impl RowStore for MemoryRows {
    fn is_empty(&self) -> Result<bool, Failure> {
        Ok(self.rows.borrow().is_empty())
    }

    fn known(&self, key: &Hash) -> Result<Option<KnownRow>, Failure> {
        let known = self.rows.borrow().get(key).map(|row| self.seen(row));
        let is_hidden = |row: &KnownRow| matches!(row.state, KeyState::Enrolled { .. });
        Ok(known.filter(|row| !(self.off == Off::EnrolledIsFinal && is_hidden(row))))
    }

    fn unsettled(&self, now: &Moment, settle: Millis) -> Result<Vec<KnownRow>, Failure> {
        let rows = self.rows.borrow();
        let is_unsettled = |row: &KnownRow| match row.state {
            KeyState::Open { .. } => self.off != Off::DoubtHoldsUp,
            KeyState::Enrolled { .. } if row.respelt => self.off != Off::Respelt,
            KeyState::Enrolled { .. } => self.off != Off::FreshHoldsUp && row.since(now) > now.wall - settle,
            KeyState::Free | KeyState::Refused => false,
        };
        Ok(rows.values().map(|row| self.seen(row)).filter(is_unsettled).collect())
    }

    fn is_claimed(&self, entry: EntryId, by_other_than: &Hash) -> Result<bool, Failure> {
        let is_entry = |state| matches!(state, KeyState::Enrolled { entry: known, .. } if known == entry);
        Ok(self.rows.borrow().values().any(|row| is_entry(row.state) && row.key != *by_other_than))
    }

    fn removing(&self) -> Result<Vec<EntryId>, Failure> {
        Ok(Vec::new())
    }

    fn removed_within(&self, _: &Moment, _: Millis) -> Result<HashMap<EntryId, Millis>, Failure> {
        Ok(HashMap::new())
    }

    fn enrolled(&self, wanted: &dyn Fn(EntryId, &Hash, Option<&Hash>) -> bool) -> Result<Vec<KnownRow>, Failure> {
        let is_wanted = |row: &KnownRow| matches!(row.state, KeyState::Enrolled { entry, .. } if wanted(entry, &row.email, row.reference.as_ref()));
        Ok(self.rows.borrow().values().map(|row| self.seen(row)).filter(is_wanted).collect())
    }

    fn last_enrolled(&self, until: Millis, most: u32) -> Result<Vec<EntryId>, Failure> {
        let rows = self.rows.borrow();
        let enrolled = rows.values().filter_map(|row| match row.state {
            KeyState::Enrolled { entry, known, .. } if known <= until => Some((known, entry)),
            _ => None,
        });
        let mut enrolled: Vec<_> = enrolled.collect();
        enrolled.sort_unstable_by_key(|known| std::cmp::Reverse(*known));
        Ok(enrolled.into_iter().take(most as usize).map(|(_, entry)| entry).collect())
    }

    fn note(&mut self, facts: &[(Hash, Fact, Moment)], _durable: bool) -> Result<(), Failure> {
        self.write(facts);
        Ok(())
    }

    fn commit(
        &mut self,
        facts: &[(Hash, Fact, Moment)],
        intents: &[Intent],
        writer: Writer,
    ) -> Result<Vec<KnownRow>, Failure> {
        self.write(facts);
        let mut contested = Vec::new();
        for intent in intents {
            if self.off != Off::DurableIntents && !self.claim(intent, writer) {
                contested.extend(self.known(&intent.key)?);
            }
        }
        Ok(contested)
    }
}
