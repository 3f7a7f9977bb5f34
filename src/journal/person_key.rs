//! By what a person of a roster is remembered.

use super::keyed_hash::Hash;

/// Bytes of a hash that are kept of a person: no two people of any file share them by chance.
pub const PERSON_KEY_BYTES: usize = 16;

/// A keyed hash that stands for a person: of the reference id, or of the e-mail where there is none.
pub type PersonKey = [u8; PERSON_KEY_BYTES];

/// The beginning of a keyed hash.
pub fn person_key(hash: &Hash) -> PersonKey {
    hash.first_chunk().copied().unwrap_or_default()
}
