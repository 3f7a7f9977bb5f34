//! A site as HR has it: people who join, leave, come back, and change what they are called.

use std::collections::BTreeSet;

use crate::harness::{Env, Said, finish};
use crate::words;

/// A person as a row or a list has them; an empty text is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Card {
    pub(crate) reference: String,
    pub(crate) email: String,
    pub(crate) first: String,
    pub(crate) last: String,
    pub(crate) year: String,
}

/// First names; some have letters that encodings differ in.
const FIRST: [&str; 5] = ["Ann", "Zoë", "Jürgen", "José", "Bo"];

impl Card {
    /// The person of a number; one without a reference id is known by the e-mail.
    pub(crate) fn of(number: u32, has_reference: bool) -> Self {
        Self {
            reference: if has_reference { format!("EMP-{number}") } else { String::new() },
            email: format!("p{number}@example.com"),
            first: FIRST[number as usize % FIRST.len()].to_owned(),
            last: format!("Last{number}"),
            year: (1950 + number % 50).to_string(),
        }
    }

    /// By what a roster knows the person.
    pub(crate) fn key(&self) -> String {
        if self.reference.is_empty() { self.email_key() } else { format!("ref:{}", self.reference) }
    }

    pub(crate) fn email_key(&self) -> String {
        format!("email:{}", self.email.to_lowercase())
    }

    /// By what a roster may know the person.
    pub(crate) fn keys(&self) -> Vec<String> {
        let mut keys = vec![self.email_key()];
        if !self.reference.is_empty() {
            keys.push(self.key());
        }
        keys
    }
}

/// Whole runs after which a night has to be over.
const RUNS: usize = 15;

/// Runs a command until it says that nothing is left to be found out.
pub(crate) fn run_to_the_end(here: &Env, line: &str) -> Said {
    let run = || finish(here.command(&words::split(line)).spawn().expect("started"), b"");
    let mut said = run();
    for _ in 0..RUNS {
        if ![6, 7, 9].contains(&said.code) {
            break;
        }
        said = run();
    }
    said
}

/// Who is on a project's list, as the service itself has it; sorted.
pub(crate) fn cards(there: &Env, project: &str) -> Vec<Card> {
    let people = there.line(&format!("--profile sandbox testtakers list -p {project} -o json")).json();
    let text = |person: &serde_json::Value, field: &str| match &person[field] {
        serde_json::Value::Number(number) => number.to_string(),
        other => other.as_str().unwrap_or_default().to_owned(),
    };
    let cards = people.as_array().expect("an array").iter().map(|person| Card {
        reference: text(person, "referenceId"),
        email: text(person, "email"),
        first: text(person, "firstName"),
        last: text(person, "lastName"),
        year: text(person, "yearOfBirth"),
    });
    let mut cards: Vec<Card> = cards.collect();
    cards.sort();
    cards
}

/// The staff of a site.
pub(crate) struct Site {
    pub(crate) staff: Vec<Card>,
    gone: Vec<Card>,
    next: u32,
    /// Of so many people one has no reference id; 0 for none.
    plain: u32,
}

impl Site {
    pub(crate) fn new(first: u32, people: u32, plain: u32) -> Self {
        let mut site = Self { staff: Vec::new(), gone: Vec::new(), next: first, plain };
        site.join(people);
        site
    }

    fn join(&mut self, people: u32) {
        for _ in 0..people {
            let has_reference = self.plain == 0 || !self.next.is_multiple_of(self.plain);
            self.staff.push(Card::of(self.next, has_reference));
            self.next += 1;
        }
    }

    fn leave(&mut self, random: &mut fastrand::Rng, people: usize) {
        for _ in 0..people.min(self.staff.len().saturating_sub(4)) {
            let at = random.usize(..self.staff.len());
            self.gone.push(self.staff.remove(at));
        }
    }

    /// What changes from one night to the next.
    pub(crate) fn change(&mut self, random: &mut fastrand::Rng) {
        let few = 2 + self.staff.len() / 100;
        self.join(random.u32(..=u32::try_from(few).unwrap_or(2)));
        // As many as may leave without a person looking, one more, or a whole shift.
        let limit = (self.staff.len() / 20).max(5);
        match random.u8(..24) {
            0 => self.leave(random, limit),
            1 => self.leave(random, limit + 1),
            2 => self.leave(random, self.staff.len() / 7),
            _ => self.leave(random, random.clone().usize(..=few / 2)),
        }
        for _ in 0..random.usize(..=few) {
            self.rename(random);
        }
        if random.u8(..4) == 0 && !self.gone.is_empty() {
            let back = self.gone.swap_remove(random.usize(..self.gone.len()));
            self.staff.push(back);
        }
    }

    /// A person marries, or is spelt otherwise.
    fn rename(&mut self, random: &mut fastrand::Rng) {
        let at = random.usize(..self.staff.len());
        let card = &mut self.staff[at];
        match random.u8(..12) {
            0 => card.email = format!("m{}{}", random.u8(..10), card.email),
            1 if !card.reference.is_empty() => card.reference.push_str("-N"),
            2 if card.reference.is_empty() => card.reference = format!("LATE-{}", card.last),
            3..=6 => card.first.push('a'),
            _ => card.last.push('e'),
        }
    }
}

/// People of another site, none of whom is known here.
pub(crate) fn others(people: usize) -> Vec<Card> {
    (0..u32::try_from(people).unwrap_or(u32::MAX)).map(|of| Card::of(9_000_000 + of, true)).collect()
}

/// Whether rows can stand in one file: each reference id and each e-mail once.
pub(crate) fn stand_once(rows: &[Card]) -> bool {
    let (mut references, mut emails) = (BTreeSet::new(), BTreeSet::new());
    rows.iter().all(|row| {
        let is_new = row.reference.is_empty() || references.insert(&row.reference);
        is_new && emails.insert(row.email.to_lowercase())
    })
}
