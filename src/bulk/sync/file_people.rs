//! The people of a file, and who of a list has something to do with one of its rows.

use crate::api::IdBitmap;
use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::Roster;
use crate::journal::person_key::PersonKey;
use crate::journal::row_store::RowHasher;
use crate::model::testtakers::EntryId;

use super::person_keys::PersonKeys;

/// The people of a file by their keys, and the entries that are theirs.
#[derive(Debug, Default)]
pub struct FilePeople {
    references: Vec<PersonKey>,
    emails: Vec<PersonKey>,
    /// E-mails of rows that have no reference id.
    plain_emails: Vec<PersonKey>,
    /// E-mails of rows that have no reference id, or no entry of their own: whoever shares one may be such a row's person.
    open_emails: Vec<PersonKey>,
    entries: IdBitmap,
}

impl FilePeople {
    /// The rows of a file, with how each stands in the project.
    pub fn new(hasher: &RowHasher, roster: &Roster, ends: &[RowResult]) -> Self {
        let mut people = Self::default();
        for (row, end) in ends.iter().enumerate() {
            let keys = PersonKeys::of_row(hasher, roster, row);
            people.references.extend(keys.reference);
            people.emails.extend(keys.email);
            if keys.reference.is_none() {
                people.plain_emails.extend(keys.email);
            }
            if keys.reference.is_none() || !stands(end) {
                people.open_emails.extend(keys.email);
            }
            if let Some(entry) = end.entry {
                people.entries.add(i64::from(entry.0));
            }
        }
        for keys in [&mut people.references, &mut people.emails, &mut people.open_emails] {
            keys.sort_unstable();
            keys.dedup();
        }
        people
    }

    /// By what each person of the file is remembered.
    pub fn primary(&self) -> impl Iterator<Item = PersonKey> {
        self.references.iter().chain(&self.plain_emails).copied()
    }

    /// Whether a row has this key.
    pub fn has(&self, key: &PersonKey) -> bool {
        stands_in(&self.references, key) || stands_in(&self.emails, key)
    }

    /// Whether a person of the list is a row's, or may be, or contradicts one. A reference id tells people of one e-mail
    /// apart, but only from rows that are known to be other people.
    pub fn concerns(&self, entry: EntryId, keys: &PersonKeys) -> bool {
        let emails = if keys.reference.is_some() { &self.open_emails } else { &self.emails };
        self.entries.has(i64::from(entry.0))
            || keys.reference.is_some_and(|key| stands_in(&self.references, &key))
            || keys.email.is_some_and(|key| stands_in(emails, &key))
    }
}

/// Whether a row has an entry of its own.
fn stands(end: &RowResult) -> bool {
    let matched = matches!(end.outcome, Outcome::Existing | Outcome::Enrolled | Outcome::WouldUpdate);
    matched && end.entry.is_some()
}

fn stands_in(keys: &[PersonKey], key: &PersonKey) -> bool {
    keys.binary_search(key).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::roster::{ReadOptions, read};

    fn people(csv: &str, ends: &[(Outcome, Option<i32>)]) -> (FilePeople, RowHasher) {
        let roster = read(csv.as_bytes(), "r", &ReadOptions { allow_doubles: true, ..ReadOptions::default() });
        let hasher = RowHasher::new(b"secret");
        let end = |(outcome, entry): &(Outcome, Option<i32>)| RowResult {
            entry: entry.map(EntryId),
            ..RowResult::new(*outcome)
        };
        let ends: Vec<RowResult> = ends.iter().map(end).collect();
        (FilePeople::new(&hasher, &roster.expect("a roster"), &ends), hasher)
    }

    fn concerns(people: &(FilePeople, RowHasher), id: i32, email: &str, reference: &str) -> bool {
        let json = serde_json::json!({ "id": id, "email": email, "referenceId": reference });
        let record = serde_json::from_value(json).expect("a record");
        people.0.concerns(EntryId(id), &PersonKeys::of_record(&people.1, &record))
    }

    #[test]
    fn a_person_with_a_rows_reference_id_email_or_entry_has_to_do_with_it() {
        let people =
            people("email,referenceId\na@b,R-1\nc@d,\n", &[(Outcome::Conflict, Some(7)), (Outcome::WouldEnrol, None)]);
        assert!(concerns(&people, 1, "x@y", "R-1"));
        assert!(concerns(&people, 1, "A@B", "R-9"), "the row has no entry of its own");
        assert!(concerns(&people, 1, "C@d", ""));
        assert!(concerns(&people, 7, "x@y", ""));
        assert!(!concerns(&people, 1, "x@y", "R-9"));
    }

    #[test]
    fn people_who_share_an_address_are_told_apart_by_their_reference_ids() {
        let people = people("email,referenceId\na@b,R-1\n", &[(Outcome::Existing, Some(7))]);
        assert!(!concerns(&people, 8, "a@b", "R-2"));
        assert!(concerns(&people, 8, "a@b", ""), "without one it may be the row's person");
    }
}
