//! By what rosters know a person: keyed hashes of the reference id and of the e-mail.

use crate::journal::person_key::{PersonKey, person_key};
use crate::journal::row_store::{KnownRow, RowHasher};
use crate::model::field_rules::{filled, fold_email};
use crate::model::testtakers::TestTaker;

use crate::bulk::roster::{Field, Roster};

/// A person by the keys that a roster may know them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonKeys {
    /// Of the reference id, where there is one.
    pub reference: Option<PersonKey>,
    /// Of the e-mail.
    pub email: Option<PersonKey>,
    /// Of both as the list has them, where the service spells them otherwise than they were sent.
    pub listed: [Option<PersonKey>; 2],
}

impl PersonKeys {
    pub(super) fn of(hasher: &RowHasher, reference: Option<&str>, email: Option<&str>) -> Self {
        Self {
            reference: reference.map(|id| of_reference(hasher, id)),
            email: email.map(|email| of_email(hasher, email)),
            listed: [None; 2],
        }
    }

    /// Those of a person on a list.
    pub fn of_record(hasher: &RowHasher, record: &TestTaker) -> Self {
        Self::of(hasher, filled(record.reference_id.as_deref()), filled(record.email.as_deref()))
    }

    /// Those of a row of a file.
    pub fn of_row(hasher: &RowHasher, roster: &Roster, row: usize) -> Self {
        let (reference, email) = (Self::reference_of_row(hasher, roster, row), Self::email_of_row(hasher, roster, row));
        Self { reference, email, listed: [None; 2] }
    }

    /// Those of a row that the journal knows.
    pub fn of_journal(row: &KnownRow) -> Self {
        Self {
            reference: row.reference.as_ref().map(person_key),
            email: Some(person_key(&row.email)),
            listed: [None; 2],
        }
    }

    /// The same of a person as the list spells them.
    #[must_use]
    pub fn listed_as(self, listed: Self) -> Self {
        Self { listed: [listed.reference, listed.email], ..self }
    }

    /// Of those, the reference id's alone.
    pub(super) fn reference_of_row(hasher: &RowHasher, roster: &Roster, row: usize) -> Option<PersonKey> {
        roster.value(row, Field::ReferenceId).map(|id| of_reference(hasher, id))
    }

    /// The e-mail's alone.
    pub(super) fn email_of_row(hasher: &RowHasher, roster: &Roster, row: usize) -> Option<PersonKey> {
        roster.value(row, Field::Email).map(|email| of_email(hasher, email))
    }

    /// The one that a roster is remembered by.
    pub fn primary(&self) -> Option<PersonKey> {
        self.reference.or(self.email)
    }

    /// All of them.
    pub fn each(&self) -> impl Iterator<Item = PersonKey> {
        self.reference.into_iter().chain(self.email).chain(self.listed.into_iter().flatten())
    }
}

fn of_reference(hasher: &RowHasher, id: &str) -> PersonKey {
    person_key(&hasher.reference(id))
}

fn of_email(hasher: &RowHasher, email: &str) -> PersonKey {
    person_key(&hasher.email(&fold_email(email)))
}
