//! Keyed hashes: how people, rows and links are known again without being written down.

use ring::hmac::{HMAC_SHA256, Key, sign};

use crate::model::testtakers::EntryId;

/// A keyed hash: without its secret the journal tells nothing, and two folders have nothing in common.
pub type Hash = [u8; 32];

/// Makes keyed hashes.
#[derive(Clone, Debug)]
pub struct KeyHasher(Key);

impl KeyHasher {
    /// Keyed with a secret.
    pub fn new(secret: &[u8]) -> Self {
        Self(Key::new(HMAC_SHA256, secret))
    }

    /// HMAC-SHA-256 of these texts. `purpose` keeps hashes of different things apart; texts are never run together, so
    /// `["ab", ""]` and `["a", "b"]` differ.
    pub fn hash(&self, purpose: &str, texts: &[&str]) -> Hash {
        // At once: a roster takes millions of these, and each part that is added by itself costs as much as a hash.
        let mut said = Vec::with_capacity(128);
        for text in std::iter::once(&purpose).chain(texts) {
            said.extend_from_slice(&(text.len() as u64).to_be_bytes());
            said.extend_from_slice(text.as_bytes());
        }
        let mut hash = Hash::default();
        hash.copy_from_slice(sign(&self.0, &said).as_ref());
        hash
    }

    /// How a person stood, each person's its own: who has the same result cannot be counted.
    pub fn progress(&self, entry: EntryId, result: Option<&str>, completed: Option<&str>) -> Hash {
        let present = [result, completed].map(|text| if text.is_some() { "1" } else { "0" }).concat();
        let texts = [&entry.to_string(), &present, result.unwrap_or_default(), completed.unwrap_or_default()];
        self.hash("progress", &texts)
    }
}

#[cfg(test)]
mod tests {
    use super::KeyHasher;

    #[test]
    fn a_hash_is_that_of_every_journal_before() {
        let hash = KeyHasher::new(b"Jefe").hash("purpose", &["what do ya want", "for nothing?"]);
        let digits = hash.chunks(8).map(|part| u64::from_be_bytes(part.try_into().expect("eight bytes")));
        let digits = digits.fold(String::new(), |digits, part| digits + &format!("{part:016x}"));
        // Computed with Python's hmac over the lengths, as eight bytes each, and the texts.
        assert_eq!(digits, "fed6ff26b8fdca6dcafa7a4d0434eb0932948041cb1018699d7a041dfaf77407");
    }
}
