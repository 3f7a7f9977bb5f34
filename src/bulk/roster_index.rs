//! The rows of a roster by reference id and by e-mail.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::num::NonZeroU64;

use crate::model::field_rules::fold_email;

use super::roster::{Field, Roster};

/// Rows with a hash of one of their values, sorted by it. Half a hash is kept: memory is dearer than the few rows that
/// share one by chance, and those are told apart by their values.
type ByHash = Vec<(u32, u32)>;

/// A hash by which texts are told apart within one run; never zero, so that a missing one takes no memory.
pub(super) type TextHash = NonZeroU64;

/// Finds the rows that have a reference id or an e-mail, and those that share one.
#[derive(Debug)]
pub(super) struct Index<'r> {
    pub(super) roster: &'r Roster,
    hashes: RandomState,
    references: ByHash,
    emails: ByHash,
}

impl<'r> Index<'r> {
    /// Prepares for these rows.
    pub(super) fn new(roster: &'r Roster, rows: impl Iterator<Item = usize>) -> Self {
        let hashes = RandomState::new();
        let count = rows.size_hint().1.unwrap_or_default();
        let (mut references, mut emails) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (row, index) in rows.filter_map(|row| Some((row, u32::try_from(row).ok()?))) {
            if let Some(id) = roster.value(row, Field::ReferenceId) {
                references.push((half(text_hash(&hashes, id)), index));
            }
            if let Some(email) = roster.value(row, Field::Email) {
                emails.push((half(text_hash(&hashes, &fold_email(email))), index));
            }
        }
        references.sort_unstable();
        emails.sort_unstable();
        Self { roster, hashes, references, emails }
    }

    /// The hash of a text, with this run's random key.
    pub(super) fn hash(&self, text: &str) -> TextHash {
        text_hash(&self.hashes, text)
    }

    /// The rows with this reference id, byte for byte, in their order.
    pub(super) fn with_reference(&self, id: &str) -> impl Iterator<Item = usize> {
        let alike = with_hash(&self.references, self.hash(id)).iter().map(|(_, row)| *row as usize);
        alike.filter(move |row| self.roster.value(*row, Field::ReferenceId) == Some(id))
    }

    /// The rows that may have the e-mail address with this hash of its folded form, in their order.
    pub(super) fn with_email_hash(&self, hash: TextHash) -> impl Iterator<Item = usize> {
        with_hash(&self.emails, hash).iter().map(|(_, row)| *row as usize)
    }

    /// The rows that a look-up by what they have in common may find together, each with the number of its group: rows with
    /// the same reference id, and rows without one that share their e-mail. What one shares with a second and that with
    /// a third makes one group of three. Rows with reference ids of their own are looked up exactly, so that an address
    /// in common does not hold them up.
    pub(super) fn groups(&self) -> HashMap<usize, usize> {
        let mut group_of: HashMap<usize, usize> = HashMap::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        let by_reference = self.twins(&self.references, Field::ReferenceId, |_| true);
        let by_email =
            self.twins(&self.emails, Field::Email, |row| self.roster.value(*row, Field::ReferenceId).is_none());
        for rows in by_reference.into_iter().chain(by_email) {
            let joined: HashSet<usize> = rows.iter().filter_map(|row| group_of.get(row).copied()).collect();
            let mut all = rows;
            for group in joined {
                all.append(&mut members[group]);
            }
            for row in &all {
                group_of.insert(*row, members.len());
            }
            members.push(all);
        }
        group_of
    }

    /// The rows that satisfy a condition and share their value of this field with others that do.
    fn twins(&self, index: &[(u32, u32)], field: Field, wanted: impl Fn(&usize) -> bool) -> Vec<Vec<usize>> {
        let mut twins = Vec::new();
        for alike in index.chunk_by(|one, other| one.0 == other.0).filter(|alike| alike.len() > 1) {
            let mut rows_of: HashMap<String, Vec<usize>> = HashMap::new();
            for row in alike.iter().map(|(_, row)| *row as usize).filter(|row| wanted(row)) {
                let value = self.roster.value(row, field).unwrap_or_default();
                let value = if field == Field::Email { fold_email(value) } else { value.to_owned() };
                rows_of.entry(value).or_default().push(row);
            }
            twins.extend(rows_of.into_values().filter(|rows| rows.len() > 1));
        }
        twins
    }
}

fn text_hash(hashes: &RandomState, text: &str) -> TextHash {
    TextHash::new(hashes.hash_one(text)).unwrap_or(TextHash::MIN)
}

fn half(hash: TextHash) -> u32 {
    u32::try_from(hash.get() >> 32).expect("half of 64 bits")
}

fn with_hash(index: &[(u32, u32)], hash: TextHash) -> &[(u32, u32)] {
    let hash = half(hash);
    let alike = &index[index.partition_point(|entry| entry.0 < hash)..];
    // One or none, mostly: they are counted where they stand, which is one place of memory and not twenty.
    &alike[..alike.iter().take_while(|entry| entry.0 == hash).count()]
}
