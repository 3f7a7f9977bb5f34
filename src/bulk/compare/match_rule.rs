//! The rule by which a record of the service and a row are matched, and what that means for the row.
//!
//! Of all records the one with the closest [`Relation`] stands for a row. That at its entry by the journal is no longer its own
//! where it [`is_another_person`]. One that appeared after an answer was lost is judged by its [`likeness`].

use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::Roster;
use crate::model::field_rules::{PersonName, filled, loose_email, plain_name, same_email};
use crate::model::testtakers::{EntryId, ListedPerson, NewTestTaker, TestTaker};

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

/// Whether the record at an entry that was answered for a row is another person by all that it says: a service may reuse
/// numbers, or be set up anew. It may spell e-mail, reference id or names otherwise, and they may have been corrected, but not
/// all of them.
pub fn is_another_person(roster: &Roster, row: usize, record: &ListedPerson<'_>) -> bool {
    let [email, first, last, _, reference] = roster.values(row);
    let (their_email, their_reference) = (filled(record.email()), filled(record.reference_id()));
    let says_who = their_email.is_some() || their_reference.is_some();
    let plain = |name: &str| plain_name(name).into_owned();
    let has_names = alike(first, record.first_name(), plain) && alike(last, record.last_name(), plain);
    let is_alike = alike(email, their_email, loose_email)
        || alike(reference, their_reference, str::to_ascii_lowercase)
        || has_names;
    says_who && !is_alike
}

/// Whether both texts are there and are the same in a plain form.
fn alike(ours: Option<&str>, theirs: Option<&str>, plain: fn(&str) -> String) -> bool {
    ours.zip(filled(theirs)).is_some_and(|(ours, theirs)| plain(ours) == plain(theirs))
}

/// The end of a row whose entry is another person's.
pub fn another_person(entry: EntryId) -> RowResult {
    let words = format!("entry {entry} is another person now: e-mail and reference id differ");
    RowResult::new(Outcome::Conflict).with_entry(entry).with_message(words)
}

/// How much a record that appeared after a person was sent looks like that person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// It is taken for the person.
    Same,
    /// It may be the person, stored otherwise than sent: reason enough not to send again.
    Perhaps,
    /// The same by names and year of birth, and at most one of e-mail and reference id: that may be another person, or this one
    /// as the service stores it: with a reference id that is cut, say.
    PerhapsByName,
    /// It is another one.
    Other,
}

/// Whether a record that appeared after we sent a person may be that person. With a reference id: that one byte for byte
/// and the e-mail ignoring case; one of the two alone is `Perhaps`, but for an e-mail with another reference id: many may share
/// one, and then names and year count as well. Without: the e-mail, names as far as white space and Unicode form go, and the
/// year of birth; the e-mail alone is `Perhaps`. An e-mail that is only alike is as good for `Perhaps`, and so are names that are
/// both there, with the year: a service may spell e-mail and reference id otherwise.
pub fn likeness(person: &NewTestTaker, record: &TestTaker) -> Likeness {
    let (ours, email) = (person.email.as_str(), record.email.as_deref().unwrap_or_default());
    let theirs = filled(record.reference_id.as_deref());
    let is_same_email = same_email(ours, email);
    let is_alike_email = is_same_email || loose_email(ours) == loose_email(email);
    let named_alike = same_name(person.first_name.as_ref(), record.first_name.as_deref())
        && same_name(person.last_name.as_ref(), record.last_name.as_deref())
        && person.birth_year.map(|year| year.0) == record.year_of_birth;
    let has_names = person.first_name.is_some() && person.last_name.is_some();
    let by_names = if named_alike && has_names { Likeness::PerhapsByName } else { Likeness::Other };
    let Some(reference) = &person.reference_id else {
        return match (is_same_email, is_alike_email) {
            (true, _) if theirs.is_none() && named_alike => Likeness::Same,
            (_, true) => Likeness::Perhaps,
            (_, false) => by_names,
        };
    };
    match (theirs == Some(reference.as_str()), is_alike_email) {
        (true, _) if is_same_email => Likeness::Same,
        (true, _) => Likeness::Perhaps,
        // Stored in capitals, or not at all.
        (false, true) if theirs.is_none_or(|theirs| theirs.eq_ignore_ascii_case(reference.as_str())) => {
            Likeness::Perhaps
        }
        (false, true) if named_alike => Likeness::PerhapsByName,
        (false, _) => by_names,
    }
}

/// What to look for where a service may spell a person otherwise: of the e-mail before a tag, and of the names where both are
/// there, the longest run of letters and digits that has one spelling.
pub fn search_words(person: &NewTestTaker) -> Vec<String> {
    let email = person.email.as_str();
    let name = email.split(['@', '+']).next().unwrap_or_default();
    let names = person.first_name.as_ref().zip(person.last_name.as_ref());
    let names = names.map(|(first, last)| format!("{} {}", first.as_str(), last.as_str()));
    [Some(name.to_owned()), names].into_iter().flatten().map(|text| longest_run(&text)).collect()
}

/// The longest run of letters and digits that have one spelling; the whole text where it has none.
fn longest_run(text: &str) -> String {
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric());
    runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty()).unwrap_or(text.trim()).to_owned()
}

fn same_name(ours: Option<&PersonName>, theirs: Option<&str>) -> bool {
    plain_name(ours.map_or("", PersonName::as_str)) == plain_name(theirs.unwrap_or_default())
}
