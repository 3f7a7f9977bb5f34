//! The rows of a roster by reference id and by e-mail.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;

use crate::model::text::fold_email;

use super::roster::{Field, Roster};

/// Rows with a hash of one of their values, sorted by it. Half a hash is kept: memory is dearer than the few rows that
/// share one by chance, and those are told apart by their values.
type ByHash = Vec<(u32, u32)>;

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
        let count = roster.row_count();
        let (mut references, mut emails) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (row, index) in rows.filter_map(|row| Some((row, u32::try_from(row).ok()?))) {
            if let Some(id) = roster.value(row, Field::ReferenceId) {
                references.push((half(hashes.hash_one(id)), index));
            }
            if let Some(email) = roster.value(row, Field::Email) {
                emails.push((half(hashes.hash_one(fold_email(email))), index));
            }
        }
        references.sort_unstable();
        emails.sort_unstable();
        Self { roster, hashes, references, emails }
    }

    /// The rows that may have this reference id or this e-mail, in their order; whether they do has to be looked at.
    pub(super) fn alike(&self, reference: Option<&str>, email: Option<&str>) -> Vec<usize> {
        let by_reference = reference.map(|id| with_hash(&self.references, self.hashes.hash_one(id)));
        let by_email = email.map(|email| with_hash(&self.emails, self.hashes.hash_one(fold_email(email))));
        let found = by_reference.into_iter().chain(by_email).flatten();
        let mut rows: Vec<usize> = found.map(|(_, row)| *row as usize).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// The rows that share their reference id or e-mail with another one, each with the number of its group. What one
    /// shares with a second and that with a third makes one group of three.
    pub(super) fn groups(&self) -> HashMap<usize, usize> {
        let mut group_of: HashMap<usize, usize> = HashMap::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (index, field) in [(&self.references, Field::ReferenceId), (&self.emails, Field::Email)] {
            for rows in self.twins(index, field) {
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
        }
        group_of
    }

    /// The rows that share their value of this field with others.
    fn twins(&self, index: &[(u32, u32)], field: Field) -> Vec<Vec<usize>> {
        let mut twins = Vec::new();
        for alike in index.chunk_by(|one, other| one.0 == other.0).filter(|alike| alike.len() > 1) {
            let mut rows_of: HashMap<String, Vec<usize>> = HashMap::new();
            for row in alike.iter().map(|(_, row)| *row as usize) {
                let value = self.roster.value(row, field).unwrap_or_default();
                let value = if field == Field::Email { fold_email(value) } else { value.to_owned() };
                rows_of.entry(value).or_default().push(row);
            }
            twins.extend(rows_of.into_values().filter(|rows| rows.len() > 1));
        }
        twins
    }
}

fn half(hash: u64) -> u32 {
    u32::try_from(hash >> 32).expect("half of 64 bits")
}

fn with_hash(index: &[(u32, u32)], hash: u64) -> &[(u32, u32)] {
    let hash = half(hash);
    let start = index.partition_point(|entry| entry.0 < hash);
    let end = start + index[start..].partition_point(|entry| entry.0 == hash);
    &index[start..end]
}
