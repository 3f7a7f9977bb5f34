//! The fields of a person that a roster may have.

use std::fmt;

/// What a roster says of a person: the fields of the enrolment body (specification, Create test taker body).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// `email`
    Email,
    /// `firstName`
    FirstName,
    /// `lastName`
    LastName,
    /// `birthYear`; a list's `yearOfBirth` is the same.
    BirthYear,
    /// `referenceId`
    ReferenceId,
    /// `projectEntryId`, or the `id` of a list: only where rows name people who are enrolled.
    EntryId,
}

impl Field {
    /// Those of an enrolment, in the order of the specification.
    pub const ALL: [Self; 5] = [Self::Email, Self::FirstName, Self::LastName, Self::BirthYear, Self::ReferenceId];

    /// The specification's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::FirstName => "firstName",
            Self::LastName => "lastName",
            Self::BirthYear => "birthYear",
            Self::ReferenceId => "referenceId",
            Self::EntryId => "projectEntryId",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
