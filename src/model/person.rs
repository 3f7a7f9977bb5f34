//! How a person is named on a command line and in a list of people.

use std::fmt;
use std::str::FromStr;

use super::people::{EntryId, TestTaker};
use super::text::{Email, ReferenceId, TextError, fold_email};

/// A person as a user names them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PersonRef {
    /// `id:ENTRY_ID`.
    Id(EntryId),
    /// `ref:REFERENCE_ID`, or a text without an `@`.
    Reference(ReferenceId),
    /// `email:ADDRESS`, or a text with an `@`.
    Email(Email),
}

/// Why a text names no person. Never quotes the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PersonError {
    #[error("an entry id is a whole number, such as id:4711")]
    EntryId,
    #[error("the reference id {0}")]
    Reference(TextError),
    #[error("the e-mail address {0}")]
    Email(TextError),
}

impl FromStr for PersonRef {
    type Err = PersonError;

    fn from_str(text: &str) -> Result<Self, PersonError> {
        let text = text.trim_start_matches('\u{feff}').trim();
        let reference = |id: &str| id.parse().map(Self::Reference).map_err(PersonError::Reference);
        let email = |address: &str| address.parse().map(Self::Email).map_err(PersonError::Email);
        match text.split_once(':') {
            Some(("id", id)) => id.trim().parse().map(Self::Id).map_err(|_| PersonError::EntryId),
            Some(("ref", id)) => reference(id.trim()),
            Some(("email", address)) => email(address.trim()),
            _ if text.contains('@') => email(text),
            _ => reference(text),
        }
    }
}

impl PersonRef {
    /// Whether a record is of this person. Reference ids count byte for byte, addresses as they are compared.
    pub fn fits(&self, record: &TestTaker) -> bool {
        match self {
            Self::Id(id) => record.entry_id() == Some(*id),
            Self::Reference(id) => record.reference_id.as_deref() == Some(&**id),
            Self::Email(email) => record.email.as_deref().is_some_and(|other| fold_email(other) == fold_email(email)),
        }
    }
}

impl fmt::Display for PersonRef {
    /// As it is typed. For a terminal where the user typed it, never for a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "id:{id}"),
            Self::Reference(id) => write!(f, "ref:{}", &**id),
            Self::Email(email) => write!(f, "email:{}", &**email),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_named_with_or_without_a_prefix() {
        let read = |text: &str| text.parse::<PersonRef>().map(|person| person.to_string());
        assert_eq!(read("id:7").as_deref(), Ok("id:7"));
        assert_eq!(read("EMP-1").as_deref(), Ok("ref:EMP-1"));
        assert_eq!(read("4711").as_deref(), Ok("ref:4711"));
        assert_eq!(read("\u{feff}ann@x.example\r").as_deref(), Ok("email:ann@x.example"));
        assert_eq!(read("ref:a@b").as_deref(), Ok("ref:a@b"));
        assert_eq!(read("id:x"), Err(PersonError::EntryId));
        assert!(read("").is_err() && read("a b").is_err() && read("email:ann").is_err());
    }
}
