//! Which records were seen: a set that stays small for ids, of which there may be millions.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;

use super::record_key::RecordKey;

/// A set of keys.
#[derive(Debug, Default)]
pub struct KeySet {
    numbers: IdBitmap,
    /// Hashes of texts, with a key of this set: two texts that share one make the list's count disagree, no more.
    texts: HashSet<u64>,
    hasher: RandomState,
}

impl KeySet {
    /// Adds a key; whether it is new.
    pub fn add(&mut self, key: &RecordKey) -> bool {
        match key {
            RecordKey::Number(number) => self.numbers.add(*number),
            RecordKey::Text(text) => self.texts.insert(self.hasher.hash_one(text)),
        }
    }

    /// Whether a key is in the set.
    pub fn has(&self, key: &RecordKey) -> bool {
        match key {
            RecordKey::Number(number) => self.numbers.has(*number),
            RecordKey::Text(text) => self.texts.contains(&self.hasher.hash_one(text)),
        }
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &RecordKey) {
        match key {
            RecordKey::Number(number) => self.numbers.remove(*number),
            RecordKey::Text(text) => _ = self.texts.remove(&self.hasher.hash_one(text)),
        }
    }
}

/// Ids, 64 neighbours in one place: those of a project are dense, so that a million of them take well under a MiB.
#[derive(Debug, Default)]
pub struct IdBitmap(HashMap<i64, u64>);

impl IdBitmap {
    /// Adds an id; whether it is new.
    pub fn add(&mut self, id: i64) -> bool {
        let (place, bit) = place(id);
        let neighbours = self.0.entry(place).or_default();
        let is_new = *neighbours & bit == 0;
        *neighbours |= bit;
        is_new
    }

    /// Whether an id was added.
    pub fn has(&self, id: i64) -> bool {
        let (place, bit) = place(id);
        self.0.get(&place).is_some_and(|neighbours| neighbours & bit != 0)
    }

    fn remove(&mut self, id: i64) {
        let (place, bit) = place(id);
        if let Some(neighbours) = self.0.get_mut(&place) {
            *neighbours &= !bit;
        }
    }
}

fn place(id: i64) -> (i64, u64) {
    (id >> 6, 1 << (id & 63))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys() -> impl Strategy<Value = Vec<RecordKey>> {
        let number = prop_oneof![any::<i64>(), -70..70_i64].prop_map(RecordKey::Number);
        let text = "[a-c]{0,2}".prop_map(RecordKey::Text);
        prop::collection::vec(prop_oneof![number, text], 0..200)
    }

    proptest! {
        #[test]
        fn keys_are_kept_as_any_set_keeps_them(added in keys(), removed in keys()) {
            let (mut small, mut plain) = (KeySet::default(), HashSet::new());
            for key in &added {
                prop_assert_eq!(small.add(key), plain.insert(format!("{key:?}")));
            }
            for key in &removed {
                small.remove(key);
                plain.remove(&format!("{key:?}"));
            }
            for key in added.iter().chain(&removed) {
                prop_assert_eq!(small.has(key), plain.contains(&format!("{key:?}")));
            }
        }
    }
}
