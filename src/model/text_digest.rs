//! SHA-256 over several texts, which are never run together: `["ab", ""]` and `["a", "b"]` differ.

use ring::digest::{Context, SHA256};

/// So many bytes are hashed at a time: the texts are short, and there are millions of them.
const CHUNK: usize = 4 << 10;

/// Takes texts one after the other.
pub struct TextDigest {
    of: Context,
    /// What is to be hashed next.
    pending: Vec<u8>,
}

impl TextDigest {
    /// Of no text yet.
    pub fn new() -> Self {
        Self { of: Context::new(&SHA256), pending: Vec::new() }
    }

    /// One text more.
    pub fn add(&mut self, text: &str) {
        self.pending.extend_from_slice(&(text.len() as u64).to_be_bytes());
        self.pending.extend_from_slice(text.as_bytes());
        if self.pending.len() >= CHUNK {
            self.of.update(&self.pending);
            self.pending.clear();
        }
    }

    /// The hash of all of them: 32 bytes.
    pub fn finish(mut self) -> impl AsRef<[u8]> {
        self.of.update(&self.pending);
        self.of.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let long = "é".repeat(CHUNK);
        let mut bytes = Vec::new();
        for text in ["a", &long, "", "b"] {
            bytes.extend_from_slice(&(text.len() as u64).to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        assert_eq!(hash(&["a", &long, "", "b"]), ring::digest::digest(&SHA256, &bytes).as_ref(), "however it is cut");
    }
}
