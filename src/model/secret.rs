//! Keys and links, which no message shows.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// A text without `Display`, and with a `Debug` that shows nothing of it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The text itself, for the one place that must have it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The key of a workspace: visible ASCII (our assumption: its format is not shown, and a header carries nothing else).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiKey(Secret);

impl ApiKey {
    /// The key itself, for the request's header.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

impl FromStr for ApiKey {
    type Err = &'static str;

    /// Reads a key without the byte order mark, blanks and line ends that files and commands add.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim_start_matches('\u{feff}').trim();
        match text {
            "" => Err("the API key is empty"),
            _ if text.lines().count() > 1 => Err("the API key has more than one line"),
            _ if !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err("the API key has a character that a header cannot carry")
            }
            _ => Ok(Self(Secret::new(text.to_owned()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_files_and_commands_give_it() {
        for text in ["k-1", "k-1\n", "\u{feff}k-1\r\n", " k-1 "] {
            assert_eq!(text.parse::<ApiKey>().map(|key| key.expose().to_owned()).as_deref(), Ok("k-1"));
        }
        for bad in ["", "\n", "a b", "ключ", "a\nb"] {
            assert!(bad.parse::<ApiKey>().is_err(), "{bad:?}");
        }
        assert_eq!(format!("{:?}", Secret::new("hush".into())), "Secret(…)");
    }
}
