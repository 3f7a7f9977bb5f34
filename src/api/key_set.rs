//! Which records a walk has seen: a set that stays small for ids, of which there may be millions.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// A set of keys that only grows.
pub trait KeySet<K>: Default {
    /// Adds a key; whether it is new.
    fn add(&mut self, key: K) -> bool;
}

impl<K: Eq + Hash> KeySet<K> for HashSet<K> {
    fn add(&mut self, key: K) -> bool {
        self.insert(key)
    }
}

/// Ids, 64 neighbours in one place: those of a project are dense, so that a million of them take well under a MiB.
#[derive(Debug, Default)]
pub struct IdBitmap(HashMap<i32, u64>);

impl KeySet<i32> for IdBitmap {
    fn add(&mut self, id: i32) -> bool {
        let (place, bit) = (id >> 6, 1 << (id & 63));
        let neighbours = self.0.entry(place).or_default();
        let new = *neighbours & bit == 0;
        *neighbours |= bit;
        new
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ids_are_seen_as_any_set_sees_them(ids in prop::collection::vec(prop_oneof![any::<i32>(), -70..70], 0..200)) {
            let (mut small, mut plain) = (IdBitmap::default(), HashSet::new());
            for id in ids {
                prop_assert_eq!(small.add(id), plain.insert(id));
            }
        }
    }
}
