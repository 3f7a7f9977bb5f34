//! Keyed hashes: how people, rows and links are known again without being written down.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::model::testtakers::EntryId;

/// A keyed hash: whoever has the journal but not its secret learns nothing, and two folders have nothing in common.
pub type Hash = [u8; 32];

/// Makes keyed hashes.
#[derive(Clone, Debug)]
pub struct KeyHasher(Hmac<Sha256>);

impl KeyHasher {
    /// Keyed with a secret.
    pub fn new(secret: &[u8]) -> Self {
        Self(Hmac::new_from_slice(secret).expect("HMAC takes keys of any length"))
    }

    /// HMAC-SHA-256 of these texts. `purpose` keeps hashes of different things apart; texts are never run together, so
    /// `["ab", ""]` and `["a", "b"]` differ.
    pub fn hash(&self, purpose: &str, texts: &[&str]) -> Hash {
        let mut mac = self.0.clone();
        for text in std::iter::once(&purpose).chain(texts) {
            mac.update(&(text.len() as u64).to_be_bytes());
            mac.update(text.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }

    /// How a person stood, each person's its own: who has the same result cannot be counted.
    pub fn progress(&self, entry: EntryId, result: Option<&str>, completed: Option<&str>) -> Hash {
        let present = [result, completed].map(|text| if text.is_some() { "1" } else { "0" }).concat();
        let texts = [&entry.to_string(), &present, result.unwrap_or_default(), completed.unwrap_or_default()];
        self.hash("progress", &texts)
    }
}
