//! The people of a roster, and the operator who corrects it between runs.

use crate::model::people::NewTestTaker;

/// A row of the roster.
#[derive(Clone, Debug)]
pub struct Row {
    pub person: usize,
    pub reference: Option<String>,
    pub email: String,
    /// It says something else than the row did that may have been sent.
    pub is_edited: bool,
}

/// Rows of so many people. `shared_mailboxes`: three of them share an address.
pub fn roster(people: usize, shared_mailboxes: bool, with_references: bool, rng: &mut fastrand::Rng) -> Vec<Row> {
    let share = if with_references { 1.0 } else { [0.0, 0.8][rng.usize(..2)] };
    let row = |person: usize| {
        let mailbox = if shared_mailboxes { person / 3 } else { person };
        let reference = (rng.f64() < share).then(|| format!("R{person}"));
        let email = if rng.bool() { format!("p{mailbox}@x.example") } else { format!("P{mailbox}@X.Example") };
        Row { person, reference, email, is_edited: false }
    };
    (0..people).map(row).collect()
}

impl Row {
    pub fn test_taker(&self) -> NewTestTaker {
        NewTestTaker {
            email: self.email.parse().expect("an address"),
            first_name: self.person.to_string().parse().ok(),
            last_name: None,
            birth_year: None,
            reference_id: self.reference.as_deref().map(|id| id.parse().expect("a reference id")),
        }
    }

    /// Corrects one thing, once. Where mailboxes are shared a person is their reference id, which stays.
    pub fn edit(&mut self, shared_mailboxes: bool, rng: &mut fastrand::Rng) {
        if self.is_edited || shared_mailboxes {
            return;
        }
        let person = self.person;
        match (&self.reference, rng.u8(..3)) {
            (Some(_), 0) => self.email = format!("new{person}@x.example"),
            (Some(_), 1) => self.reference = Some(format!("Q{person}")),
            (None, 0 | 1) => self.reference = Some(format!("L{person}")),
            // Only the spelling, which is no edit.
            _ => {
                self.email =
                    if self.email.starts_with('p') { self.email.to_uppercase() } else { self.email.to_lowercase() };
                return;
            }
        }
        self.is_edited = true;
    }
}
