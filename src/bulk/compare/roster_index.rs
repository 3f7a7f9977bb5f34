//! The rows of a roster by reference id and by e-mail.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::num::NonZeroU64;

use crate::bulk::roster::{Field, Roster};
use crate::model::field_rules::fold_email;

/// Rows with a hash of one of their values, sorted by it. Half a hash is kept: memory is dearer than the few rows that
/// share one by chance, and those are told apart by their values.
#[derive(Debug)]
struct ByHash {
    rows: Vec<(u32, u32)>,
    /// Where the rows begin whose hashes have the same first bits, a handful each, and last where all end. Halving a
    /// million would wait for memory at each step.
    starts: Vec<u32>,
    /// How many bits of a hash are not its first ones.
    shift: u32,
}

impl ByHash {
    fn new(mut rows: Vec<(u32, u32)>) -> Self {
        rows.sort_unstable();
        let count = u32::try_from(rows.len()).expect("rows are counted in 32 bits");
        let bits = (u32::BITS - count.leading_zeros()).saturating_sub(3).max(1);
        let shift = u32::BITS - bits;
        let mut starts = Vec::with_capacity((1 << bits) + 1);
        for (at, (hash, _)) in (0..).zip(&rows) {
            starts.resize(starts.len().max((hash >> shift) as usize + 1), at);
        }
        starts.resize((1 << bits) + 1, count);
        Self { rows, starts, shift }
    }

    /// The rows with this hash, in their order.
    fn of(&self, hash: TextHash) -> impl Iterator<Item = usize> {
        let hash = half(hash);
        let first = (hash >> self.shift) as usize;
        let few = &self.rows[self.starts[first] as usize..self.starts[first + 1] as usize];
        let alike = few.iter().skip_while(move |entry| entry.0 < hash).take_while(move |entry| entry.0 == hash);
        alike.map(|(_, row)| *row as usize)
    }

    /// Rows that share a hash, group by group.
    fn alike(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        self.rows.chunk_by(|one, other| one.0 == other.0).filter(|alike| alike.len() > 1)
    }
}

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
            let [email, _, _, _, reference] = roster.values(row);
            if let Some(id) = reference {
                references.push((half(text_hash(&hashes, id)), index));
            }
            if let Some(email) = email {
                emails.push((half(text_hash(&hashes, &fold_email(email))), index));
            }
        }
        Self { roster, hashes, references: ByHash::new(references), emails: ByHash::new(emails) }
    }

    /// The hash of a text, with this run's random key.
    pub(super) fn hash(&self, text: &str) -> TextHash {
        text_hash(&self.hashes, text)
    }

    /// The rows with this reference id, byte for byte, in their order.
    pub(super) fn with_reference(&self, id: &str) -> impl Iterator<Item = usize> {
        self.references.of(self.hash(id)).filter(move |row| self.roster.value(*row, Field::ReferenceId) == Some(id))
    }

    /// The rows that may have the e-mail address with this hash of its folded form, in their order.
    pub(super) fn with_email_hash(&self, hash: TextHash) -> impl Iterator<Item = usize> {
        self.emails.of(hash)
    }

    /// The rows that have an e-mail.
    pub(super) fn with_an_email(&self) -> impl Iterator<Item = usize> {
        self.emails.rows.iter().map(|(_, row)| *row as usize)
    }

    /// The rows whose e-mail or reference id another row has as well, and the few that only seem so, by half a hash.
    pub(super) fn shared(&self) -> impl Iterator<Item = usize> {
        let shared = self.references.alike().chain(self.emails.alike()).flatten();
        shared.map(|(_, row)| *row as usize)
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
    fn twins(&self, index: &ByHash, field: Field, wanted: impl Fn(&usize) -> bool) -> Vec<Vec<usize>> {
        let mut twins = Vec::new();
        for alike in index.alike() {
            let mut rows_of: HashMap<String, Vec<usize>> = HashMap::new();
            for row in alike.iter().map(|(_, row)| *row as usize).filter(|row| wanted(row)) {
                let value = self.roster.value(row, field).unwrap_or_default();
                let value = if field == Field::Email { fold_email(value).into_owned() } else { value.to_owned() };
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
