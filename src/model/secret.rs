//! Values that must not show up by accident: API keys and links.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// A text without `Display` and with a `Debug` that tells nothing. It is overwritten when it is dropped; copies of a library
/// are that one's own.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct Secret(Overwritten<Vec<u8>>);

impl Secret {
    /// Takes a text into keeping.
    pub fn new(text: String) -> Self {
        Self(Overwritten(text.into_bytes()))
    }

    /// The text itself, for the one place that must have it.
    pub fn expose(&self) -> &str {
        std::str::from_utf8(&self.0.0).expect("made of a text, and never changed")
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.expose())
    }
}

/// Bytes that are overwritten where they stand before they are given back.
#[derive(Clone, PartialEq, Eq)]
struct Overwritten<B: AsMut<[u8]>>(B);

impl<B: AsMut<[u8]>> Drop for Overwritten<B> {
    fn drop(&mut self) {
        let bytes = self.0.as_mut();
        bytes.fill(0);
        // Else the compiler may leave out writing what it thinks is not read again.
        std::hint::black_box(bytes);
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The workspace's API key: what an `x-api-key` header can carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey(Secret);

/// Why a text is no API key. Says nothing of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Nothing but white space.
    #[error("the API key is empty")]
    Empty,
    /// A header cannot carry it, or only by accident: visible ASCII is what keys are made of (our assumption).
    #[error("the API key has a character that a header cannot carry (a line break, a space, or not ASCII)")]
    Character,
}

impl ApiKey {
    /// Checks a key; one line end after it is taken off, as files and commands leave one.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(KeyError::Empty);
        }
        if !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(KeyError::Character);
        }
        Ok(Self(Secret::new(text.to_owned())))
    }

    /// The key itself, for the header.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_held_a_secret_is_overwritten_when_it_is_dropped() {
        let mut held = *b"canary";
        drop(Overwritten(held.as_mut_slice()));
        assert_eq!(held, [0; 6]);
    }

    #[test]
    fn debug_tells_nothing() {
        let key = ApiKey::parse("canary\n").expect("a plain key");
        assert_eq!(key.expose(), "canary");
        assert!(!format!("{key:?}").contains("canary"));
    }

    #[test]
    fn a_key_that_a_header_cannot_carry_is_refused() {
        for bad in ["a b", "a\nb", "a\r\n\r\nb", "ä", "a\u{7f}"] {
            assert_eq!(ApiKey::parse(bad), Err(KeyError::Character), "{bad:?}");
        }
        assert_eq!(ApiKey::parse(" \n"), Err(KeyError::Empty));
    }
}
