//! How a record of the service is related to a row, and what that means for the row.

use crate::model::field_rules::{PersonName, filled, plain_name, same_email};
use crate::model::testtakers::{EntryId, NewTestTaker, TestTaker};

use super::outcome::{Outcome, RowResult};

/// How the record that stands for a row is related to it, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    /// The journal says that this entry is the row's, whatever the record says.
    Journaled,
    /// The same reference id (or none on both sides) and the same e-mail.
    Same,
    /// The e-mail; the record has no reference id.
    WithoutReference,
    /// The e-mail; the row has no reference id, the record has one.
    WithReference,
    /// Contradicts the row: the reference id, with another e-mail.
    OtherEmail,
    /// Contradicts the row: the e-mail, with another reference id.
    OtherReference,
}

/// What a record says otherwise than its row does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each field of a record")]
pub(super) struct Differences {
    pub(super) email: bool,
    pub(super) reference: bool,
    /// Of those, a reference id that no spelling makes the row's: it is set there, and another one ignoring case.
    pub(super) reference_contradicts: bool,
    pub(super) first_name: bool,
    pub(super) last_name: bool,
    pub(super) year: bool,
    /// The record has a year of birth, and another one: the API cannot change it.
    pub(super) year_contradicts: bool,
}

impl Differences {
    fn words(self) -> Option<String> {
        let names = [
            ("email", self.email),
            ("referenceId", self.reference),
            ("firstName", self.first_name),
            ("lastName", self.last_name),
            ("yearOfBirth", self.year),
        ];
        let other: Vec<&str> = names.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect();
        (!other.is_empty()).then(|| format!("left as it is, with another {}", other.join(", ")))
    }
}

/// The record that stands for a row, or contradicts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) relation: Relation,
    pub(super) entry: EntryId,
    pub(super) differs: Differences,
    /// The record was seen; one that the journal names may be gone.
    pub(super) seen: bool,
}

impl Match {
    /// Whether nothing can be sent for the row.
    pub(super) fn is_conflict(self) -> bool {
        let contradicts = matches!(self.relation, Relation::OtherEmail | Relation::OtherReference);
        contradicts || self.differs.year_contradicts
    }

    /// How the row ends where nothing is changed.
    pub(super) fn result(self) -> RowResult {
        let entry = self.entry;
        let message = match self.relation {
            Relation::OtherEmail => {
                Some(format!("entry {entry} has this reference id and another e-mail (--allow-duplicates enrols both)"))
            }
            Relation::OtherReference => Some(format!("entry {entry} has this e-mail and another reference id")),
            _ if self.differs.year_contradicts => {
                Some(format!("entry {entry} has another yearOfBirth, which the API cannot change"))
            }
            Relation::WithoutReference => Some(format!("entry {entry} has this e-mail and no reference id")),
            Relation::WithReference => Some(format!("entry {entry} has this e-mail and a reference id")),
            Relation::Journaled | Relation::Same => self.differs.words(),
        };
        let outcome = if self.is_conflict() { Outcome::Conflict } else { Outcome::Existing };
        RowResult { message: message.map(Into::into), ..RowResult::new(outcome).with_entry(entry) }
    }
}

/// How much a record that appeared after a person was sent looks like that person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// It is taken for the person.
    Same,
    /// It may be the person, stored otherwise than sent: reason enough not to send again.
    Perhaps,
    /// The same but for the reference id, which may be another person's, or this one's as the service stores it: cut, say,
    /// or without its zeros.
    PerhapsByName,
    /// It is another one.
    Other,
}

/// Whether a record that appeared after we sent a person may be that person. With a reference id: that one byte for byte
/// and the e-mail ignoring case; one of the two alone is `Perhaps`, but for an e-mail with another reference id: many may share
/// one, and then names and year count as well. Without: the e-mail, names as far as white space and Unicode form go, and the
/// year of birth; the e-mail alone is `Perhaps`.
pub fn likeness(person: &NewTestTaker, record: &TestTaker) -> Likeness {
    let email = same_email(person.email.as_str(), record.email.as_deref().unwrap_or_default());
    let theirs = filled(record.reference_id.as_deref());
    let named_alike = same_name(person.first_name.as_ref(), record.first_name.as_deref())
        && same_name(person.last_name.as_ref(), record.last_name.as_deref())
        && person.birth_year.map(|year| year.0) == record.year_of_birth;
    if let Some(reference) = &person.reference_id {
        return match (theirs == Some(reference.as_str()), email) {
            (true, true) => Likeness::Same,
            (true, false) => Likeness::Perhaps,
            // Stored in capitals, or not at all.
            (false, true) if theirs.is_none_or(|theirs| theirs.eq_ignore_ascii_case(reference.as_str())) => {
                Likeness::Perhaps
            }
            (false, true) if named_alike => Likeness::PerhapsByName,
            (false, _) => Likeness::Other,
        };
    }
    if !email {
        return Likeness::Other;
    }
    if theirs.is_none() && named_alike { Likeness::Same } else { Likeness::Perhaps }
}

fn same_name(ours: Option<&PersonName>, theirs: Option<&str>) -> bool {
    plain_name(ours.map_or("", PersonName::as_str)) == plain_name(theirs.unwrap_or_default())
}
