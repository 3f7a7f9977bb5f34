//! The people of a file, and who of a list has something to do with one of its rows.

use std::cell::OnceCell;

use crate::api::IdBitmap;
use crate::bulk::outcome::{Outcome, RowResult};
use crate::bulk::roster::Roster;
use crate::journal::person_key::PersonKey;
use crate::journal::row_store::RowHasher;
use crate::model::testtakers::EntryId;

use super::person_keys::PersonKeys;

/// The people of a file by their keys, and the entries that are theirs.
#[derive(Debug)]
pub struct FilePeople<'a> {
    hasher: &'a RowHasher,
    roster: &'a Roster,
    references: Vec<PersonKey>,
    /// E-mails of all rows. Hashed once they are asked for: on most nights everyone is known by a reference id or an entry.
    emails: OnceCell<Vec<PersonKey>>,
    /// E-mails of rows that have no reference id.
    plain_emails: Vec<PersonKey>,
    /// E-mails of rows that have no reference id, or no entry of their own: a person who shares one may be such a row's.
    open_emails: Vec<PersonKey>,
    entries: IdBitmap,
    /// Entries of rows that have the reference id and e-mail of the record.
    settled: IdBitmap,
}

impl<'a> FilePeople<'a> {
    /// The rows of a file, with how each stands in the project.
    pub fn new(hasher: &'a RowHasher, roster: &'a Roster, ends: &[RowResult]) -> Self {
        let (mut references, mut plain_emails, mut open_emails) =
            (Vec::with_capacity(ends.len()), Vec::new(), Vec::new());
        let (mut entries, mut settled) = (IdBitmap::default(), IdBitmap::default());
        for (row, end) in ends.iter().enumerate() {
            let reference = PersonKeys::reference_of_row(hasher, roster, row);
            references.extend(reference);
            if reference.is_none() || !stands(end) {
                let email = PersonKeys::email_of_row(hasher, roster, row);
                plain_emails.extend(email.filter(|_| reference.is_none()));
                open_emails.extend(email);
            }
            if let Some(entry) = end.entry {
                let is_settled = says_the_same(end, reference.is_some());
                let entries = if is_settled { &mut settled } else { &mut entries };
                entries.add(i64::from(entry.0));
            }
        }
        sort(&mut references);
        sort(&mut open_emails);
        Self { hasher, roster, references, emails: OnceCell::new(), plain_emails, open_emails, entries, settled }
    }

    /// By what each person of the file is remembered.
    pub fn primary(&self) -> impl Iterator<Item = PersonKey> {
        self.references.iter().chain(&self.plain_emails).copied()
    }

    /// Whether a row has this key.
    pub fn has(&self, key: &PersonKey) -> bool {
        stands_in(&self.references, key) || stands_in(self.emails(), key)
    }

    fn emails(&self) -> &[PersonKey] {
        self.emails.get_or_init(|| {
            let rows = 0..self.roster.row_count();
            let mut emails: Vec<PersonKey> =
                rows.filter_map(|row| PersonKeys::email_of_row(self.hasher, self.roster, row)).collect();
            sort(&mut emails);
            emails
        })
    }

    /// Whether a person of the list is a row's, or may be, or contradicts one. A reference id tells people of one e-mail
    /// apart, but only from rows that are known to be other people.
    pub fn concerns(&self, entry: EntryId, keys: &PersonKeys) -> bool {
        self.has_entry(entry)
            || keys.reference.is_some_and(|key| stands_in(&self.references, &key))
            || keys.email.is_some_and(|key| stands_in(self.emails_for(keys), &key))
    }

    /// Whether a row ended with this entry.
    pub fn has_entry(&self, entry: EntryId) -> bool {
        self.is_settled(entry) || self.entries.has(i64::from(entry.0))
    }

    /// The e-mails by which a person with these keys may be a row's.
    fn emails_for(&self, keys: &PersonKeys) -> &[PersonKey] {
        if keys.reference.is_some() { &self.open_emails } else { self.emails() }
    }

    /// Whether an entry is a row's that has the reference id and e-mail of its record: the record's keys are the row's.
    pub fn is_settled(&self, entry: EntryId) -> bool {
        self.settled.has(i64::from(entry.0))
    }
}

/// Whether a row is known to have the reference id and e-mail of its entry's record. What differs is said of a row that
/// stands; of one known by its entry alone and without a reference id of its own, the record's is not compared.
fn says_the_same(end: &RowResult, has_reference: bool) -> bool {
    let is_compared = match end.outcome {
        Outcome::Existing => true,
        Outcome::Enrolled => has_reference,
        _ => false,
    };
    is_compared && end.message.is_none()
}

fn sort(keys: &mut Vec<PersonKey>) {
    keys.sort_unstable();
    keys.dedup();
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

    /// Whether a person has to do with a file whose rows stand so.
    fn concerns((csv, ends): (&str, &[(Outcome, Option<i32>)]), (id, email, reference): (i32, &str, &str)) -> bool {
        let roster = read(csv.as_bytes(), "r", &ReadOptions { allow_doubles: true, ..ReadOptions::default() });
        let (hasher, roster) = (RowHasher::new(b"secret"), roster.expect("a roster"));
        let ends = ends
            .iter()
            .map(|(outcome, entry)| RowResult { entry: entry.map(EntryId), ..RowResult::new(*outcome) })
            .collect::<Vec<_>>();
        let people = FilePeople::new(&hasher, &roster, &ends);
        let json = serde_json::json!({ "id": id, "email": email, "referenceId": reference });
        let record = serde_json::from_value(json).expect("a record");
        people.concerns(EntryId(id), &PersonKeys::of_record(&hasher, &record))
    }

    #[test]
    fn a_person_with_a_rows_reference_id_email_or_entry_has_to_do_with_it() {
        let ends = [(Outcome::Conflict, Some(7)), (Outcome::WouldEnrol, None)];
        let file = ("email,referenceId\na@b,R-1\nc@d,\n", &ends[..]);
        assert!(concerns(file, (1, "x@y", "R-1")));
        assert!(concerns(file, (1, "A@B", "R-9")), "the row has no entry of its own");
        assert!(concerns(file, (1, "C@d", "")));
        assert!(concerns(file, (7, "x@y", "")));
        assert!(!concerns(file, (1, "x@y", "R-9")));
    }

    #[test]
    fn people_who_share_an_address_are_told_apart_by_their_reference_ids() {
        let file = ("email,referenceId\na@b,R-1\n", &[(Outcome::Existing, Some(7))][..]);
        assert!(!concerns(file, (8, "a@b", "R-2")));
        assert!(concerns(file, (8, "a@b", "")), "without one it may be the row's person");
    }
    #[test]
    fn a_row_says_the_same_as_its_record_where_nothing_that_was_compared_differs() {
        let end = RowResult::new;
        assert!(says_the_same(&end(Outcome::Existing), false) && says_the_same(&end(Outcome::Enrolled), true));
        assert!(!says_the_same(&end(Outcome::Enrolled), false), "the record's reference id is not compared");
        assert!(!says_the_same(&end(Outcome::Conflict), true));
        assert!(!says_the_same(&end(Outcome::Existing).with_message("left as it is, with another firstName"), true));
    }

    #[test]
    fn an_entry_is_settled_where_its_record_is_a_rows_in_all_that_names_people() {
        let roster = read("email,referenceId\na@b,R-1\nc@d,R-2\n".as_bytes(), "r", &ReadOptions::default());
        let (hasher, roster) = (RowHasher::new(b"secret"), roster.expect("a roster"));
        let end = |outcome, entry| RowResult::new(outcome).with_entry(EntryId(entry));
        let ends = [end(Outcome::Existing, 1), end(Outcome::Conflict, 2)];
        let people = FilePeople::new(&hasher, &roster, &ends);
        assert_eq!([1, 2, 3].map(|entry| people.is_settled(EntryId(entry))), [true, false, false]);
        assert_eq!([1, 2, 3].map(|entry| people.has_entry(EntryId(entry))), [true, true, false]);
    }
}
