//! A service that loses answers, works late, shows old lists and spells e-mails in its own way.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{Off, Setup};
use crate::api::Error;
use crate::bulk::service::Service;
use crate::model::people::{Enrolment, EntryId, NewTestTaker, TestTaker};

/// Longer than the time after which a client gives an answer up.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Somebody in the project.
#[derive(Clone, Debug)]
pub struct Entry {
    pub id: i32,
    /// Whose it is: the oracle's knowledge, which no program has.
    pub person: usize,
    pub from: Instant,
    pub until: Option<Instant>,
    /// It never took effect after all.
    is_void: bool,
    reference: Option<String>,
    email: String,
}

/// What becomes of one creation.
#[derive(Clone, Copy, Debug)]
enum Answer {
    Created,
    Lost {
        has_effect: bool,
    },
    /// Given up, and executed afterwards.
    Late,
    Conflict {
        has_effect: bool,
    },
    Unreadable,
    NotSent,
    Refused,
}

/// How e-mails come back.
#[derive(Clone, Copy, Debug)]
enum Spelling {
    AsSent,
    Lower,
    Upper,
    Padded,
}

/// A creation under way. If it is dropped, the service executes it within the late time from then, or never.
struct UnderWay<'s> {
    service: &'s FakeService,
    entry: Option<i32>,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let Some(id) = self.entry else { return };
        let (now, late) = (Instant::now(), self.service.random_late());
        let is_executed = self.service.rng.borrow_mut().bool();
        let mut entries = self.service.entries.borrow_mut();
        let under_way = entries.iter_mut().find(|entry| entry.id == id && entry.from > now);
        if let Some(entry) = under_way {
            (entry.from, entry.is_void) = (now + late, !is_executed);
        }
    }
}

pub struct FakeService {
    pub setup: Setup,
    pub entries: RefCell<Vec<Entry>>,
    /// When each person's last creation was begun.
    pub begun: RefCell<Vec<Option<Instant>>>,
    pub requests: Cell<usize>,
    pub lists: Cell<usize>,
    rng: RefCell<fastrand::Rng>,
    late: Duration,
    lag: Duration,
    /// The share of creations that do not go well.
    trouble: f64,
    /// Creations have to wait before they are sent, and take long.
    pub is_busy: bool,
    spelling: Spelling,
}

impl FakeService {
    pub fn new(setup: Setup, people: usize, mut rng: fastrand::Rng) -> Self {
        let some = |rng: &mut fastrand::Rng, most: Duration| most.mul_f64([0.0, rng.f64(), 1.0][rng.usize(..3)]);
        Self {
            late: if setup.is_sharp { setup.late } else { some(&mut rng, setup.late) },
            lag: some(&mut rng, setup.lag),
            trouble: [0.05, 0.2, 0.6][rng.usize(..3)],
            is_busy: rng.u8(..4) == 0,
            spelling: [Spelling::AsSent, Spelling::Lower, Spelling::Upper, Spelling::Padded][rng.usize(..4)],
            setup,
            entries: RefCell::default(),
            begun: RefCell::new(vec![None; people]),
            requests: Cell::new(0),
            lists: Cell::new(0),
            rng: RefCell::new(rng),
        }
    }

    fn random(&self, most: Duration) -> Duration {
        most.mul_f64(self.rng.borrow_mut().f64())
    }

    fn random_late(&self) -> Duration {
        if self.setup.is_sharp { self.late } else { self.random(self.late) }
    }

    /// Somebody is enrolled at this time, maybe later.
    pub fn enrol_at(&self, from: Instant, person: usize, reference: Option<&str>, email: &str) -> i32 {
        let mut entries = self.entries.borrow_mut();
        let email = match self.spelling {
            Spelling::AsSent => email.to_owned(),
            Spelling::Lower => email.to_lowercase(),
            Spelling::Upper => email.to_uppercase(),
            Spelling::Padded => format!(" {email} "),
        };
        let id = i32::try_from(entries.len()).expect("few") + 1;
        let reference = reference.map(str::to_owned);
        entries.push(Entry { id, person, from, until: None, is_void: false, reference, email });
        id
    }

    pub fn remove_at(&self, until: Instant, id: i32) {
        let mut entries = self.entries.borrow_mut();
        entries.iter_mut().filter(|entry| entry.id == id).for_each(|entry| entry.until = Some(until));
    }

    /// The people whom a read shows that is as old as the service's copies may be.
    fn shown(&self) -> Vec<TestTaker> {
        let then = Instant::now() - self.random(self.lag);
        let entries = self.entries.borrow();
        let shown = entries
            .iter()
            .filter(|entry| !entry.is_void && entry.from <= then && entry.until.is_none_or(|until| until > then));
        let record = |entry: &Entry| TestTaker {
            id: Some(entry.id),
            email: Some(entry.email.clone()),
            reference_id: entry.reference.clone(),
            ..TestTaker::default()
        };
        shown.map(record).collect()
    }

    fn answer(&self) -> Answer {
        let mut rng = self.rng.borrow_mut();
        if rng.f64() >= self.trouble {
            return Answer::Created;
        }
        let has_effect = rng.bool();
        match rng.u8(..8) {
            0 | 1 => Answer::Lost { has_effect },
            2 | 3 => Answer::Late,
            4 => Answer::Conflict { has_effect },
            5 => Answer::Unreadable,
            6 => Answer::NotSent,
            _ => Answer::Refused,
        }
    }
}

impl Entry {
    /// Whether this person is in the project now, or will be.
    pub fn stays(&self) -> bool {
        !self.is_void && self.until.is_none()
    }

    pub fn is_there(&self, now: Instant) -> bool {
        self.stays() && self.from <= now
    }
}

fn status(status: u16) -> Error {
    let (said, whole) = (String::new(), String::new());
    Error::Status { status, said, whole, code: None, retry_after: None, is_page: false }
}

impl Service for FakeService {
    async fn enrol(&self, person: &NewTestTaker) -> Result<Enrolment, Error> {
        let number: usize = person.first_name.as_ref().and_then(|name| name.parse().ok()).expect("a number");
        self.begun.borrow_mut()[number] = Some(Instant::now());
        if self.is_busy && self.rng.borrow_mut().bool() {
            // It waits for its turn.
            sleep(self.random(Duration::from_secs(280))).await;
        }
        self.requests.set(self.requests.get() + 1);
        let slowest = if self.is_busy { Duration::from_mins(1) } else { Duration::from_millis(500) };
        let (took, now, answer) = (self.random(slowest), Instant::now(), self.answer());
        let lost = || Error::Lost { host: "service.example".into(), why: "the connection broke".into() };
        let mut under_way = UnderWay { service: self, entry: None };
        let mut create = |from| {
            under_way.entry = Some(self.enrol_at(from, number, person.reference_id.as_deref(), &person.email));
        };
        let is_believed_to_do_nothing = self.setup.off == Off::CertainlyNothing;
        let soon = now + self.random(took);
        let (took, error) = match answer {
            Answer::Created => {
                create(soon);
                (took, None)
            }
            Answer::Lost { has_effect } => {
                has_effect.then(|| create(soon));
                (took, Some(if is_believed_to_do_nothing { status(429) } else { lost() }))
            }
            Answer::Late => {
                let took = if self.rng.borrow_mut().bool() { TIMEOUT } else { took };
                create(now + took + self.random_late());
                (took, Some(if took == TIMEOUT { lost() } else { status(503) }))
            }
            Answer::Conflict { has_effect } => {
                has_effect.then(|| create(soon));
                (took, Some(status(409)))
            }
            Answer::Unreadable => {
                create(soon);
                (took, Some(Error::Unreadable { why: "it broke off".into(), is_cut: true }))
            }
            Answer::NotSent => {
                (took, Some(Error::NeverSent { host: "service.example".into(), why: String::new(), is_setup: false }))
            }
            Answer::Refused => (took, Some(status(400))),
        };
        sleep(took).await;
        match (error, under_way.entry.take()) {
            (None, Some(id)) => Ok(Enrolment { id: uuid::Uuid::nil(), project_entry_id: EntryId(id) }),
            (error, _) => Err(error.unwrap_or_else(lost)),
        }
    }

    async fn list(&self) -> Result<Vec<TestTaker>, Error> {
        sleep(self.random(Duration::from_secs(1))).await;
        let mut shown = self.shown();
        sleep(self.random(Duration::from_secs(2))).await;
        self.lists.set(self.lists.get() + 1);
        if self.setup.off == Off::CompareFirst && self.lists.get() == 1 {
            shown.clear();
        }
        let fails = self.rng.borrow_mut().f64() < self.trouble / 20.0;
        if fails {
            Err(Error::Lost { host: "service.example".into(), why: "it took too long".into() })
        } else {
            Ok(shown)
        }
    }

    async fn look_up(&self, person: &NewTestTaker) -> Result<Vec<TestTaker>, Error> {
        sleep(self.random(Duration::from_millis(200))).await;
        let mut shown = self.shown();
        shown.retain(|record| match &person.reference_id {
            Some(id) => record.reference_id.as_deref() == Some(id),
            None => record.email.as_deref().is_some_and(|email| email.trim().eq_ignore_ascii_case(&person.email)),
        });
        Ok(shown)
    }
}
