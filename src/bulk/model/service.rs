//! The modelled service: what it holds, how it spells that, and what its reads show.

use std::time::Duration;

use uuid::Uuid;

use crate::model::field_rules::{PersonName, ReferenceId, same_email};
use crate::model::testtakers::{Enrolment, EntryId, NewTestTaker, TestTaker};

/// What the service stores otherwise than it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Nothing.
    Plain,
    /// The e-mail without its tag.
    Email,
    /// That, and the reference id without its hyphen.
    Both,
    /// The reference id in capitals.
    Reference,
    /// The reference id without its hyphen.
    Cut,
    /// Names with single spaces.
    Names,
}

/// One enrolment.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) record: TestTaker,
    pub(super) person: usize,
    /// Another machine enrolled it.
    pub(super) foreign: bool,
    pub(super) created: Duration,
    pub(super) removed: Option<Duration>,
}

/// A service that works when it likes and whose reads lag behind, but never go back.
pub(super) struct Service {
    pub(super) entries: Vec<Entry>,
    /// Requests that will have their effect later.
    late: Vec<(Duration, usize, NewTestTaker)>,
    lag: Duration,
    shown: Duration,
    /// What reads show never moves on.
    frozen: bool,
    spelling: Spelling,
}

impl Spelling {
    /// Whether the service stores an e-mail or a reference id otherwise than it was sent.
    pub(super) fn is_of_identity(self) -> bool {
        matches!(self, Self::Email | Self::Both | Self::Reference | Self::Cut)
    }
}

impl Service {
    pub(super) fn new(lag: Duration, spelling: Spelling) -> Self {
        Self { entries: Vec::new(), late: Vec::new(), lag, shown: Duration::ZERO, frozen: false, spelling }
    }

    /// Its reads show what was there then, for ever.
    pub(super) fn frozen(then: Duration) -> Self {
        // What is enrolled at that very time is not in them: nothing of ours may be.
        Self { shown: then.saturating_sub(Duration::from_millis(1)), frozen: true, ..Self::new(then, Spelling::Plain) }
    }

    pub(super) fn lag(&self) -> Duration {
        self.lag
    }

    /// Enrols a person then, and answers.
    pub(super) fn enrol(&mut self, person: usize, sent: &NewTestTaker, created: Duration, foreign: bool) -> Enrolment {
        let id = i32::try_from(self.entries.len()).expect("few entries") + 1;
        let mut record = TestTaker {
            id,
            email: Some(sent.email.as_str().to_owned()),
            reference_id: sent.reference_id.as_ref().map(ReferenceId::as_str).map(str::to_owned),
            first_name: sent.first_name.as_ref().map(PersonName::as_str).map(str::to_owned),
            last_name: None,
            full_name: None,
            year_of_birth: sent.birth_year.map(|year| year.0),
            result: None,
            date_completed: None,
            last_test_sent_utc: None,
            top_performer: None,
        };
        match self.spelling {
            Spelling::Plain => {}
            Spelling::Email => record.email = record.email.map(|email| email.replace("+hr", "")),
            Spelling::Both => {
                record.email = record.email.map(|email| email.replace("+hr", ""));
                record.reference_id = record.reference_id.map(|id| id.replacen('-', "", 1));
            }
            Spelling::Cut => record.reference_id = record.reference_id.map(|id| id.replacen('-', "", 1)),
            Spelling::Reference => record.reference_id = record.reference_id.map(|id| id.to_uppercase()),
            Spelling::Names => record.first_name = record.first_name.map(|name| name.replace("  ", " ")),
        }
        let enrolment = Enrolment {
            id: Uuid::from_u128(u128::from(id.unsigned_abs())),
            project_entry_id: EntryId(id),
            email: record.email.clone(),
            first_name: record.first_name.clone(),
            last_name: None,
            birth_year: record.year_of_birth,
            reference_id: record.reference_id.clone(),
        };
        self.entries.push(Entry { record, person, foreign, created, removed: None });
        enrolment
    }

    pub(super) fn enrol_late(&mut self, person: usize, sent: &NewTestTaker, at: Duration) {
        self.late.push((at, person, sent.clone()));
    }

    /// Lets the late requests take effect that are due.
    fn catch_up(&mut self, now: Duration) {
        let (mut due, late): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.late).into_iter().partition(|due| due.0 <= now);
        self.late = late;
        due.sort_by_key(|(at, ..)| *at);
        for (at, person, sent) in due {
            self.enrol(person, &sent, at, false);
        }
    }

    /// Moves what reads show on: at random, and as far as the lag demands.
    fn look(&mut self, now: Duration, random: &mut fastrand::Rng) {
        self.catch_up(now);
        if self.frozen {
            return;
        }
        if random.u8(..4) == 0 {
            self.shown = self.shown.max(now.saturating_sub(self.lag.mul_f64(random.f64())));
        }
        self.shown = self.shown.max(now.saturating_sub(self.lag));
    }

    /// The records that a read shows and that satisfy a condition, as they were up to `lag` ago.
    fn read(
        &mut self,
        now: Duration,
        random: &mut fastrand::Rng,
        wanted: impl Fn(&TestTaker) -> bool,
    ) -> Vec<TestTaker> {
        self.look(now, random);
        let there = |entry: &&Entry| entry.created <= self.shown && entry.removed.is_none_or(|at| at > self.shown);
        self.entries.iter().filter(there).map(|entry| &entry.record).filter(|record| wanted(record)).cloned().collect()
    }

    pub(super) fn list(&mut self, now: Duration, random: &mut fastrand::Rng) -> Vec<TestTaker> {
        self.read(now, random, |_| true)
    }

    /// By reference id where there is one; by e-mail where there is none, or both are asked for; and by words that are in
    /// the record.
    pub(super) fn look_up(
        &mut self,
        now: Duration,
        random: &mut fastrand::Rng,
        (person, both): (&NewTestTaker, bool),
        words: &[String],
    ) -> Vec<TestTaker> {
        let id = person.reference_id.as_ref().map(ReferenceId::as_str);
        self.read(now, random, |record| {
            let texts = [&record.email, &record.reference_id, &record.first_name];
            let has = |word: &String| texts.iter().any(|text| text.as_ref().is_some_and(|text| text.contains(word)));
            let by_email = same_email(record.email.as_deref().unwrap_or_default(), person.email.as_str());
            let by_reference = id.is_some() && record.reference_id.as_deref() == id;
            by_reference || ((id.is_none() || both) && by_email) || words.iter().any(has)
        })
    }

    /// A person's entries once everything has had its effect.
    pub(super) fn finally(&mut self, person: usize) -> Vec<Entry> {
        self.catch_up(Duration::MAX);
        self.entries.iter().filter(|entry| entry.person == person && entry.removed.is_none()).cloned().collect()
    }
}
