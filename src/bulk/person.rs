//! What a row, or an argument, says of a person.

use clap::Args;

use crate::model::people::{EntryId, NewTestTaker, TestTaker};
use crate::model::person::PersonRef;
use crate::model::text::{Email, PersonName, ReferenceId};
use crate::roster::{Field, Roster, Row, birth_year};

/// A person, also as options; what is `None` was not given.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    #[arg(skip)]
    pub entry_id: Option<EntryId>,
    /// E-mail address
    #[arg(long, value_name = "ADDRESS", required = true)]
    pub email: Option<Email>,
    /// First name
    #[arg(long, value_name = "NAME")]
    pub first_name: Option<PersonName>,
    /// Last name
    #[arg(long, value_name = "NAME")]
    pub last_name: Option<PersonName>,
    /// Year of birth
    #[arg(long, value_name = "YEAR", value_parser = |text: &str| birth_year(text.trim()))]
    pub birth_year: Option<i32>,
    /// Your own identifier of this person
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub reference_id: Option<ReferenceId>,
}

impl Person {
    /// The person of a row. Values with a mistake are left out.
    pub fn of(roster: &Roster, row: &Row) -> Self {
        let cells = roster.cells(row);
        if roster.headers.is_empty() {
            return cells[0].parse().map(|named: PersonRef| named.into()).unwrap_or_default();
        }
        Self {
            entry_id: roster.value(&cells, Field::EntryId),
            email: roster.value(&cells, Field::Email),
            first_name: roster.value(&cells, Field::FirstName),
            last_name: roster.value(&cells, Field::LastName),
            birth_year: roster.value(&cells, Field::BirthYear),
            reference_id: roster.value(&cells, Field::ReferenceId),
        }
    }

    /// The body of an enrolment; `None` without an e-mail address.
    pub fn new_test_taker(&self) -> Option<NewTestTaker> {
        Some(NewTestTaker {
            email: self.email.clone()?,
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            birth_year: self.birth_year,
            reference_id: self.reference_id.clone(),
        })
    }

    /// The enrolled person that this is: by this column, else by the first of entry id, reference id and e-mail that is given.
    pub fn named_by(&self, column: Option<Field>) -> Option<PersonRef> {
        let by = |field| match field {
            Field::EntryId => self.entry_id.map(PersonRef::Id),
            Field::ReferenceId => self.reference_id.clone().map(PersonRef::Reference),
            _ => self.email.clone().map(PersonRef::Email),
        };
        column.map_or_else(|| Field::NAMING.into_iter().find_map(by), by)
    }

    /// Whether a record is of this person, by all that names them.
    pub fn fits(&self, record: &TestTaker) -> bool {
        let named = Field::NAMING.map(|field| self.named_by(Some(field)));
        named.iter().flatten().all(|named| named.fits(record))
    }
}

impl From<PersonRef> for Person {
    fn from(named: PersonRef) -> Self {
        match named {
            PersonRef::Id(id) => Self { entry_id: Some(id), ..Self::default() },
            PersonRef::Reference(id) => Self { reference_id: Some(id), ..Self::default() },
            PersonRef::Email(email) => Self { email: Some(email), ..Self::default() },
        }
    }
}
