//! How a person is named on a command line and in a list of people.

use std::str::FromStr;

use super::people::{EntryId, TestTaker};
use super::text::{Email, ReferenceId, fold_email};

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

impl FromStr for PersonRef {
    type Err = String;

    /// Reads a person; the error never quotes the text.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}').trim();
        let reference = |id: &str| id.parse().map(Self::Reference).map_err(|why| why.to_string());
        let email = |address: &str| address.parse().map(Self::Email).map_err(|why| why.to_string());
        match text.split_once(':') {
            Some(("id", id)) => {
                id.trim().parse().map(Self::Id).map_err(|_| "needs a whole number, as in id:4711".to_owned())
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_named_with_or_without_a_prefix() {
        let read = |text: &str| text.parse::<PersonRef>();
        let reference = |id: &str| id.parse().map(PersonRef::Reference).map_err(|why| why.to_string());
        assert_eq!(read("id:7"), Ok(PersonRef::Id(EntryId(7))));
        assert_eq!(read("EMP-1"), reference("EMP-1"));
        assert_eq!(read("4711"), reference("4711"));
        assert_eq!(read("\u{feff}ann@x.example\r"), Ok(PersonRef::Email("ann@x.example".parse().expect("an address"))));
        assert_eq!(read("ref:a@b"), reference("a@b"));
        assert!(read("id:x").is_err_and(|why| why.contains("whole number")));
        assert!(read("").is_err() && read("a b").is_err() && read("email:ann").is_err());
    }
}
