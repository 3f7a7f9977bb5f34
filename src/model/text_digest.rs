//! SHA-256 over several texts, which are never run together: `["ab", ""]` and `["a", "b"]` differ.

use ring::digest::{Context, SHA256};

/// Takes texts one after the other.
pub struct TextDigest(Context);

impl TextDigest {
    /// Of no text yet.
    pub fn new() -> Self {
        Self(Context::new(&SHA256))
    }

    /// One text more.
    pub fn add(&mut self, text: &str) {
        self.0.update(&(text.len() as u64).to_be_bytes());
        self.0.update(text.as_bytes());
    }

    /// The hash of all of them: 32 bytes.
    pub fn finish(self) -> impl AsRef<[u8]> {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::TextDigest;

    fn hash(texts: &[&str]) -> Vec<u8> {
        let mut digest = TextDigest::new();
        for text in texts {
            digest.add(text);
        }
        digest.finish().as_ref().to_vec()
    }

    #[test]
    fn texts_are_never_run_together() {
        assert_eq!(hash(&[])[..4], [0xe3, 0xb0, 0xc4, 0x42], "SHA-256 of no bytes");
        assert_ne!(hash(&["ab", ""]), hash(&["a", "b"]));
        assert_ne!(hash(&["a"]), hash(&["a", ""]));
    }
}
